//! What changed, on a page: plans, then drugs by drug list, then providers by network.

use coverdex_core::{
    ChangedFact, Comparison, CoverageStatus, DatasetDiff, DirectoryChanges, DrugBenefit, DrugChange, DrugChangeKind,
    DrugListChanges, MemberChange, MemberChangeKind, MemberChanges, MemberCounts, Network, PackageStatement,
    PlanChanges, PlanId, ReceivedList, Statement,
};

use crate::foot::Foot;
use crate::output::Look;
use crate::{table, words};

/// Plans that are named beside what holds of them; the others are counted.
const NAMED: usize = 6;

/// Counties that are told one by one.
const COUNTIES: usize = 12;

pub(super) fn render(look: Look, diff: &DatasetDiff) -> String {
    let [old, new] = [&diff.old, &diff.new].map(|side| words::date(side.origin.as_of()));
    let mut text = format!("What changed from {old} to {new}\n");
    if diff.is_empty() {
        text.push_str("\nNothing changed of what was asked.\n");
    }
    if let Some(plans) = &diff.plans {
        text += &of_plans(look, plans);
    }
    for lists in diff.drugs.iter().flatten() {
        text += &of_lists(look, lists);
    }
    if let Some(directory) = &diff.providers {
        text += &of_directory(look, directory);
    }
    text.push('\n');
    text + &foot(diff).render(look)
}

fn of_plans(look: Look, plans: &PlanChanges) -> String {
    let mut text = String::new();
    if plans.is_empty() {
        return text;
    }
    let mut list = table::list(look, &["Plan", "Name", "What changed"]);
    let name = |name: Option<&str>| name.unwrap_or("(no name)").to_owned();
    let mut row = |plan: &PlanId, named: String, what: String| {
        list.add_row([table::text(plan.to_string()), table::text(named), table::text(what)]);
    };
    for plan in &plans.left {
        row(&plan.id, name(plan.name.as_deref()), "left: it is not among the payer's plans any more".to_owned());
    }
    for change in &plans.changed {
        let mut what = Vec::new();
        if change.old_name != change.new_name {
            what.push(format!("its name, before: {}", name(change.old_name.as_deref())));
        }
        for (networks, words) in [
            (&change.networks_left, "network left"),
            (&change.networks_came, "network came"),
            (&change.networks_not_known, "network stated in one dataset only, the other leaves it open"),
        ] {
            what.extend(networks.iter().map(|network| format!("{words}: {}", network_words(network))));
        }
        row(&change.plan, name(change.new_name.as_deref()), what.join("\n"));
    }
    for plan in &plans.came {
        row(&plan.id, name(plan.name.as_deref()), "came".to_owned());
    }
    for open in &plans.not_known {
        let what = if open.is_new { "came" } else { "left" };
        let what = format!("not known whether it {what}: {}", open.reason);
        row(&open.plan.id, name(open.plan.name.as_deref()), what);
    }
    table::unbroken(&mut list, 0);
    text.push_str("\nPlans\n");
    text + &table::render(&list)
}

fn of_lists(look: Look, lists: &DrugListChanges) -> String {
    let plans = plan_words(&lists.plans);
    let counts = lists.counts;
    let mut text = String::new();
    if counts.all() == 0 {
        // A list that neither has is no drug list without changes.
        if lists.old.drugs.has_entries() && lists.new.drugs.has_entries() {
            text += &table::wrap(look, &format!("\nDrugs of {plans}: nothing changed"), "  ");
            text.insert(0, '\n');
            text += &received(look, lists);
        }
        return text;
    }
    let packages = |number: u32| words::count(number.into(), "package", "packages");
    let mut what = Vec::new();
    for (number, words) in [
        (counts.left, "left the list"),
        (counts.came, "came to it"),
        (counts.tier_worse, "in a higher tier"),
        (counts.tier_better, "in a lower tier"),
        (counts.tier_other, "in another tier whose level is the same or does not compare"),
        (counts.status, "with another status"),
        (counts.prior_authorization, "with another prior authorization"),
        (counts.step_therapy, "with another step therapy"),
        (counts.quantity_limit, "with another quantity limit"),
        (counts.mail_order, "with another mail order"),
        (counts.not_known, "of which it is not known whether they came or left"),
    ] {
        if number > 0 {
            what.push(format!("{} {words}", packages(number)));
        }
    }
    let drugs = words::count(counts.drugs.into(), "drug", "drugs");
    text.push('\n');
    text += &table::wrap(look, &words::shown(&format!("Drugs of {plans}")), "  ");
    text += &table::wrap(look, &format!("  {drugs}: {}", what.join(", ")), "    ");
    text += &received(look, lists);
    let mut list = table::list(look, &["Drug", "What", "Before", "Now", "Packages"]);
    for change in &lists.changes {
        let name = if change.name.is_empty() { codes(change) } else { change.name.clone() };
        list.add_row([
            table::text(name),
            table::status(color(change), &change_words(change)),
            table::text(says(change, &change.old)),
            table::text(says(change, &change.new)),
            table::number(words::thousands(change.packages.len() as u64)),
        ]);
    }
    text += &table::render(&list);
    text + &more(lists.more, lists.changes.len())
}

/// The codes of packages that nothing names.
fn codes(change: &DrugChange) -> String {
    let code = |package: &coverdex_core::ChangedPackage| match (package.ndc11, package.rxcui.first()) {
        (Some(ndc), _) => format!("NDC {ndc}"),
        (None, Some(code)) => format!("RxNorm {code}"),
        (None, None) => package.product_ndc.clone().unwrap_or_else(|| "(no name)".to_owned()),
    };
    words::first_of(&change.packages.iter().map(code).collect::<Vec<_>>())
}

fn change_words(change: &DrugChange) -> String {
    let beside = match change.comparison {
        Comparison::Better => "better",
        Comparison::Worse => "worse",
        Comparison::NotComparable => "does not compare",
        _ => "",
    };
    match change.kind {
        DrugChangeKind::Left => "left".to_owned(),
        DrugChangeKind::Came => "came".to_owned(),
        DrugChangeKind::NotKnown => "not known".to_owned(),
        _ => {
            let of_level = [ChangedFact::Tier, ChangedFact::Status].iter().any(|fact| change.changed.contains(fact));
            let names: Vec<String> = change.changed.iter().map(|fact| fact.as_str().replace('_', " ")).collect();
            let beside = Some(beside).filter(|beside| of_level && !beside.is_empty());
            names.join(", ") + &beside.map(|beside| format!(": {beside}")).unwrap_or_default()
        }
    }
}

/// Green what is better, red what is worse, yellow what needs a look.
fn color(change: &DrugChange) -> CoverageStatus {
    match (change.kind, change.comparison) {
        (DrugChangeKind::NotKnown, _) => CoverageStatus::Unknown,
        (_, Comparison::Better) => CoverageStatus::Covered,
        (_, Comparison::Worse) => CoverageStatus::NotCovered,
        _ => CoverageStatus::Unknown,
    }
}

/// What a list says of a package: its tier, and the restrictions that changed, or that are there where it came or left.
pub(super) fn says(change: &DrugChange, of: &PackageStatement) -> String {
    let mut parts = vec![match of.status {
        CoverageStatus::Covered => tier_words(&of.statement),
        CoverageStatus::NotCovered => format!("not covered, {}", tier_words(&of.statement)),
        CoverageStatus::NotListed => return "not listed".to_owned(),
        CoverageStatus::Conflict => {
            let says: Vec<String> = of.conflict.iter().map(tier_words).collect();
            format!("the payer says several things: {}", says.join(" and "))
        }
        CoverageStatus::Unknown => match of.reason {
            Some(reason) => format!("unknown: {}", reason.as_str().replace('_', " ")),
            None => "unknown".to_owned(),
        },
        other => other.as_str().replace('_', " "),
    }];
    let statement = &of.statement;
    for (fact, name, flag) in [
        (ChangedFact::PriorAuthorization, "PA", statement.prior_authorization),
        (ChangedFact::StepTherapy, "ST", statement.step_therapy),
        (ChangedFact::QuantityLimit, "QL", statement.quantity_limit),
        (ChangedFact::MailOrder, "mail order", statement.mail_order),
    ] {
        if change.changed.contains(&fact) {
            parts.push(format!("{name} {}", words::flag(flag)));
        } else if flag == Some(true) && fact != ChangedFact::MailOrder {
            parts.push(name.to_owned());
        }
    }
    parts.join("; ")
}

fn tier_words(statement: &Statement) -> String {
    statement.tier.as_ref().map_or_else(|| "tier not stated".to_owned(), |tier| format!("tier {tier}"))
}

/// What is to be said of how the lists were received.
fn received(look: Look, lists: &DrugListChanges) -> String {
    let mut text = String::new();
    for (list, which, meaning) in [
        (lists.old, "before", "what only the newer list has may have been there before"),
        (lists.new, "now", "what only the older list has may still be there"),
    ] {
        let words = match list.drugs {
            DrugBenefit::Complete if list.gaps == 0 => continue,
            DrugBenefit::Complete => format!("The drug list {which} is {}.", list_words(list)),
            _ => format!("The drug list {which}: {}: {meaning}.", list_words(list)),
        };
        text += &table::wrap(look, &format!("  {words}"), "    ");
    }
    text
}

fn list_words(list: ReceivedList) -> String {
    let (gaps, expected) = (words::thousands(list.gaps.into()), words::thousands(list.expected.into()));
    match list.drugs {
        DrugBenefit::Complete => format!("complete but for up to {gaps} of {expected} entries that could not be read"),
        DrugBenefit::Incomplete if list.gaps > 0 => format!("incomplete, {gaps} of {expected} entries missing"),
        other => other.as_str().replace('_', " "),
    }
}

fn of_directory(look: Look, directory: &DirectoryChanges) -> String {
    let mut text = String::new();
    for (networks, what) in [
        (&directory.left, "left: no plan and no provider names it any more"),
        (&directory.came, "came"),
        (&directory.not_known, "is in one of the datasets only, and the other did not read all plans"),
    ] {
        for network in networks {
            text += &table::wrap(look, &words::shown(&format!("\nNetwork {} {what}", network_words(network))), "  ");
        }
    }
    let (changed, same): (Vec<&MemberChanges>, Vec<&MemberChanges>) =
        directory.networks.iter().partition(|members| members.counts.all() > 0 || !members.counties.is_empty());
    for members in changed {
        text += &of_members(look, members);
    }
    if !same.is_empty() {
        let names: Vec<String> = same.iter().map(|members| networks_words(members)).collect();
        text.push('\n');
        text += &table::wrap(look, &words::shown(&format!("Nobody came or left: {}", names.join("; "))), "  ");
    }
    text
}

fn of_members(look: Look, members: &MemberChanges) -> String {
    let mut text =
        format!("\n{}", table::wrap(look, &words::shown(&format!("Providers of {}", networks_words(members))), "  "));
    if !members.plans.is_empty() {
        text += &table::wrap(look, &format!("  Plans: {}", plan_words(&members.plans)), "    ");
    }
    let counts = members.counts;
    let providers = |number: u32| words::count(number.into(), "provider", "providers");
    let sums = format!("  {} before, {} now", providers(counts.before), words::thousands(counts.after.into()));
    text += &table::wrap(look, &format!("{sums}{}", counted(counts)), "    ");
    for (gap, meaning) in [
        (&members.old_gap, "who is in it now may have been before"),
        (&members.new_gap, "who is not listed now may be in it all the same"),
    ] {
        if let Some(gap) = gap {
            text += &table::wrap(look, &words::shown(&format!("  Not complete ({gap}): {meaning}.")), "    ");
        }
    }
    if members.counties.len() > 1 {
        let county = |county: &coverdex_core::CountyMembers| {
            format!("{}{}", county.name, counted(county.counts).replacen(": ", " ", 1))
        };
        let mut named: Vec<String> = members.counties.iter().take(COUNTIES).map(county).collect();
        if members.counties.len() > COUNTIES {
            let more = (members.counties.len() - COUNTIES) as u64;
            named.push(format!("and {} more", words::count(more, "county", "counties")));
        }
        text += &table::wrap(look, &format!("  By county: {}", named.join("; ")), "    ");
    }
    let mut list = table::list(look, &["County", "Provider", "NPI", "Specialty", "What"]);
    for change in &members.changes {
        let npi = change.npi.map(|npi| npi.to_string()).or_else(|| change.stated_npi.clone());
        list.add_row([
            table::text(change.county_name.as_deref().unwrap_or("not known")),
            table::text(if change.name.is_empty() { "(no name)" } else { &change.name }),
            table::text(npi.unwrap_or_else(|| "not stated".to_owned())),
            table::text(words::first_of(&change.specialties)),
            table::text(member_words(change)),
        ]);
    }
    table::unbroken(&mut list, 2);
    text += &table::render(&list);
    text + &more(members.more, members.changes.len())
}

/// `: 3 left, 1 came`; nothing where nothing changed.
fn counted(counts: MemberCounts) -> String {
    let told: Vec<String> = [
        (counts.left, "left"),
        (counts.inactive, "became inactive"),
        (counts.came, "came"),
        (counts.active, "active again"),
        (counts.not_known, "not known"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, words)| format!("{} {words}", words::thousands(number.into())))
    .collect();
    if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) }
}

fn member_words(change: &MemberChange) -> String {
    let place = if change.county.is_some() { ", in network in other counties" } else { "" };
    let beside = if change.elsewhere { place } else { "" };
    match change.kind_of_change {
        MemberChangeKind::Left => format!("left{beside}"),
        MemberChangeKind::Inactive => format!("inactive{beside}"),
        MemberChangeKind::Came if change.elsewhere => "came, was in network in other counties".to_owned(),
        MemberChangeKind::Came => "came".to_owned(),
        MemberChangeKind::Active => "active again".to_owned(),
        _ => format!("not known: {}", change.reason.as_deref().unwrap_or("the data leaves it open")),
    }
}

fn network_words(network: &Network) -> String {
    match network.label() {
        Some(label) => format!("{label} ({})", network.key),
        None => network.key.to_string(),
    }
}

/// The networks that were looked at together.
pub(super) fn networks_words(members: &MemberChanges) -> String {
    let named = |networks: &[Network]| networks.iter().map(network_words).collect::<Vec<_>>().join(", ");
    let keys = |networks: &[Network]| networks.iter().map(|network| network.key.clone()).collect::<Vec<_>>();
    let (old, new) = (&members.old_networks, &members.new_networks);
    match (old.is_empty(), new.is_empty()) {
        (true, true) => format!("the networks of {}, of which none is known", plan_words(&members.plans)),
        _ if keys(old) == keys(new) => named(new),
        (true, false) => format!("{} (before: none stated)", named(new)),
        (false, true) => format!("{} (now: none stated)", named(old)),
        _ => format!("{} (before: {})", named(new), named(old)),
    }
}

/// `5 plans: H1234-567-000-2026, …`.
pub(super) fn plan_words(plans: &[PlanId]) -> String {
    let mut named: Vec<String> = plans.iter().take(NAMED).map(ToString::to_string).collect();
    if plans.len() > NAMED {
        named.push(format!("and {} more", words::thousands((plans.len() - NAMED) as u64)));
    }
    match plans {
        [only] => only.to_string(),
        _ => format!("{}: {}", words::count(plans.len() as u64, "plan", "plans"), named.join(", ")),
    }
}

fn more(more: u32, shown: usize) -> String {
    if more == 0 {
        return String::new();
    }
    let all = shown as u64 + u64::from(more);
    format!("  {} behind these: --limit {all}\n", words::count(more.into(), "change", "changes"))
}

fn foot(diff: &DatasetDiff) -> Foot {
    let mut foot = Foot::default();
    for (side, which) in [(&diff.old, "Before"), (&diff.new, "Now")] {
        let source = Some(side.origin.source()).filter(|source| !source.is_empty());
        let mut parts = vec![match &side.directory_as_of {
            Some(directory) if *directory != side.drugs_as_of => format!(
                "{which}: drugs as of {}, directory as of {}",
                words::date(&side.drugs_as_of),
                words::date(directory)
            ),
            _ => format!("{which}: data as of {}", words::date(&side.drugs_as_of)),
        }];
        parts.extend(source.map(|source| format!("source: {source}")));
        if diff.drugs.is_some() {
            let plans = words::thousands(side.plans.into());
            parts.push(format!("drug lists complete: {} of {plans} plans", side.complete_drug_lists));
        }
        if diff.providers.is_some() {
            parts.push(match side.network_gaps.len() as u64 {
                0 => "networks complete".to_owned(),
                gaps => format!("{} not complete", words::count(gaps, "network", "networks")),
            });
        }
        foot.note(parts.join(" · "));
    }
    for note in &diff.notes {
        foot.note(note.clone());
    }
    if !diff.place.is_empty() {
        let counties: Vec<String> = diff.place.iter().map(|found| found.county.label()).collect();
        foot.note(format!("Providers with a place in {}", counties.join(" or ")));
    }
    if diff.drugs.is_some() {
        foot.note(
            "Better and worse tell of status and of the tier's level inside the plan, not of price or restrictions.",
        );
    }
    if diff.providers.is_some() {
        foot.note(
            "A provider is told for each county in which it has no place in the network any more, or has one now.",
        );
    }
    foot.caveats(&diff.caveats);
    foot
}
