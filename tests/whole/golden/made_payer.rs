//! The made payer, which knows the right answers: every plan, every package, every way of asking.

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::{
    CoverageStatus, Dataset, DrugBenefit, PackageCoverage, Plan, PracticeQuery, ProductNdc, Resolution, Rxcui,
    Statement, Table, TableQuery, Values,
};
use coverdex_sandbox::truth::{Expected, OUTCOMES, Reason, Status};
use coverdex_sandbox::{Kind, MadePayer, Quirks, ResourceType, Shape, Stated, Tier, Truth};
use coverdex_tests::Made;
use coverdex_tests::dataset::said;

/// A made payer with its dataset.
struct Payer {
    payer: MadePayer,
    made: Made,
}

impl Payer {
    fn of(shape: Shape) -> Self {
        let payer = MadePayer::new(shape);
        let made = Made::payer(&payer);
        Self { payer, made }
    }

    fn dataset(&self) -> &Dataset {
        &self.made.dataset
    }

    fn plan(&self, number: u32) -> Plan {
        self.made.plan(&self.payer.plans()[number as usize].id.to_string())
    }

    fn plans(&self) -> Vec<(u32, Plan)> {
        self.payer.plans().iter().map(|plan| (plan.number, self.plan(plan.number))).collect()
    }
}

/// Tier code and flags of a statement, for comparing: words of tiers may be absent in a resource.
type Said = (Option<String>, Option<bool>, Option<bool>, Option<bool>);

fn of_statement(says: &Statement) -> Said {
    let tier = says.tier.as_ref().map(|tier| tier.code.clone());
    (tier, says.prior_authorization, says.step_therapy, says.quantity_limit)
}

fn of_stated(says: Stated) -> Said {
    let tier = says.tier.map(|tier| tier.code().to_owned());
    (tier, says.prior_authorization, says.step_therapy, says.quantity_limit)
}

fn name_of(status: Status, reason: Option<Reason>) -> String {
    reason.map_or(status.as_str().to_owned(), |reason| format!("{} {}", status.as_str(), reason.as_str()))
}

/// What is wrong with an answer for one package, if anything.
fn wrong(answer: &PackageCoverage, expected: &Expected) -> Option<String> {
    let got = said(answer.status, answer.reason);
    let want = name_of(expected.status, expected.reason);
    if got != want {
        return Some(format!("{got}, wanted {want}: {answer:?}"));
    }
    let mut want: Vec<Said> = expected.stated.iter().copied().map(of_stated).collect();
    want.sort();
    let mut got: Vec<Said> = if answer.status == CoverageStatus::Conflict {
        answer.conflict.iter().map(of_statement).collect()
    } else if expected.stated.is_empty() {
        let silent = answer.statement == Statement::default() && answer.conflict.is_empty();
        return (!silent).then(|| format!("states something: {answer:?}"));
    } else {
        vec![of_statement(&answer.statement)]
    };
    got.sort();
    (got != want).then(|| format!("states {got:?}, wanted {want:?}"))
}

/// Every plan × package by its code; gives how often each status and reason was met.
fn every_package(payer: &Payer) -> BTreeMap<String, u64> {
    let truth = Truth::new(&payer.payer);
    let mut met = BTreeMap::new();
    let mut mistakes = Vec::new();
    for (number, plan) in payer.plans() {
        for index in 0..payer.payer.shape().packages {
            let package = payer.payer.package(index).unwrap();
            let expected = truth.coverage(number, index);
            let drug = payer.dataset().drug(&package.ndc11.to_string()).unwrap();
            let answers = payer.dataset().package_coverage(&plan, &drug).unwrap();
            let summary = payer.dataset().coverage(&plan, &drug).unwrap();
            let [answer] = answers.as_slice() else { panic!("{}: {answers:?}", package.ndc11) };
            *met.entry(said(answer.status, answer.reason)).or_default() += 1;
            assert_eq!(answer.ndc11, Some(package.ndc11));
            assert_eq!(summary.seen_anywhere, truth.seen_anywhere(index), "{}", package.ndc11);
            assert_eq!(answer.rxcui, truth.rxcuis_of_package(index), "{}", package.ndc11);
            if (summary.status, summary.reason, &summary.statement) != (answer.status, answer.reason, &answer.statement)
            {
                mistakes.push(format!("{} {}: summary {summary:?} beside {answer:?}", plan.id, package.ndc11));
            }
            if let Some(what) = wrong(answer, &expected) {
                mistakes.push(format!("{} {}: {what}", plan.id, package.ndc11));
            }
        }
    }
    let first: Vec<&String> = mistakes.iter().take(10).collect();
    assert!(mistakes.is_empty(), "{} mistakes: {first:#?}", mistakes.len());
    met
}

#[test]
fn every_package_in_every_plan() {
    for seed in [1, 2] {
        let payer = Payer::of(Shape { seed, ..Shape::tiny() });
        let met = every_package(&payer);
        for (status, reason) in OUTCOMES {
            let name = name_of(status, reason);
            assert!(met.contains_key(&name), "{name} was never asked: {met:?}");
        }
    }
}

#[test]
fn every_package_of_a_payer_without_quirks() {
    let payer = Payer::of(Shape { quirks: Quirks::none(), ..Shape::tiny() });
    let met = every_package(&payer);
    assert!(!met.contains_key("conflict") && met["covered"] > 1_000, "{met:?}");
}

#[test]
fn every_package_of_a_larger_payer() {
    let payer =
        Payer::of(Shape { packages: 1_500, listed: 1_000, list_size: 300, quirks: Quirks::usual(), ..Shape::tiny() });
    every_package(&payer);
    facts_of_plans(&payer);
}

/// What a drug of several packages is by the statuses of each.
fn together(packages: &[Expected], absent: &Expected) -> String {
    let count = |status| packages.iter().filter(|p| p.status == status).count();
    let with = |reason| packages.iter().find(|p| p.reason == Some(reason)).map(|p| name_of(p.status, p.reason));
    let open = || with(Reason::TierNotUnderstood).or_else(|| with(Reason::TierNotStated));
    match (count(Status::Covered), count(Status::NotCovered), count(Status::Conflict)) {
        (1.., 1.., _) => "mixed".to_owned(),
        (_, _, 1..) => "conflict".to_owned(),
        (1.., 0, 0) => open().unwrap_or_else(|| "covered".to_owned()),
        (0, 1.., 0) => open().unwrap_or_else(|| "not_covered".to_owned()),
        (0, 0, 0) => open()
            .or_else(|| with(Reason::EntryInactive))
            .or_else(|| with(Reason::Unreferenced))
            .unwrap_or_else(|| name_of(absent.status, absent.reason)),
    }
}

/// Asks a drug of these packages (and of entries without a package) in every plan.
fn ask_in_every_plan(payer: &Payer, truth: &Truth<'_>, text: &str, packages: &[u32], without: Option<Rxcui>) {
    let drug = payer.dataset().drug(text).unwrap();
    for (number, plan) in payer.plans() {
        let mut expected: Vec<Expected> = packages.iter().map(|package| truth.coverage(number, *package)).collect();
        let states: BTreeSet<Stated> =
            truth.entries_without_package(number).into_iter().filter(|e| Some(e.0) == without).map(|e| e.1).collect();
        if let Some(first) = states.first() {
            let (status, reason) = match (states.len(), first.tier) {
                (1, Some(tier)) if !tier.is_understood() => (Status::Unknown, Some(Reason::TierNotUnderstood)),
                (1, Some(tier)) if tier.is_covered() => (Status::Covered, None),
                (1, _) => (Status::NotCovered, None),
                _ => (Status::Conflict, None),
            };
            expected.push(Expected { status, reason, stated: states.into_iter().collect() });
        }
        let answer = payer.dataset().coverage(&plan, &drug).unwrap();
        let listed: Vec<&Expected> = expected.iter().filter(|e| !e.stated.is_empty()).collect();
        let at = format!("{} {text}: {answer:?}", plan.id);
        assert_eq!(answer.listed as usize, listed.len(), "{at}");
        if drug.resolution() == Resolution::Ambiguous {
            assert_eq!(answer.status, CoverageStatus::Ambiguous, "{at}");
        } else {
            let want = together(&expected, &truth.absent(number));
            assert_eq!(said(answer.status, answer.reason), want, "{at}");
        }
        let shown = payer.dataset().package_coverage(&plan, &drug).unwrap();
        assert_eq!(shown.len(), listed.len(), "{at} {shown:?}");
        for package in &shown {
            let Some(ndc) = package.ndc11 else { continue };
            let index = truth.package_of_ndc(ndc).unwrap();
            assert_eq!(wrong(package, &truth.coverage(number, index)), None, "{at}");
        }
        let says: BTreeSet<Said> = listed.iter().flat_map(|e| &e.stated).copied().map(of_stated).collect();
        if says.len() == 1 {
            assert_eq!(of_statement(&answer.statement), *says.first().unwrap(), "{at}");
        } else if let Some(varies) = &answer.varies {
            let tiers: BTreeSet<&str> = varies.tiers.iter().map(|tier| tier.code.as_str()).collect();
            let want: BTreeSet<&str> =
                listed.iter().flat_map(|e| &e.stated).filter_map(|says| says.tier).map(Tier::code).collect();
            assert_eq!(tiers, want, "{at}");
        } else {
            assert!(listed.len() < 2, "{at}");
        }
    }
}

#[test]
fn every_product_in_every_plan() {
    let payer = Payer::of(Shape::tiny());
    let truth = Truth::new(&payer.payer);
    let packages = (0..payer.payer.shape().packages).filter_map(|index| payer.payer.package(index));
    let products: BTreeMap<ProductNdc, String> = packages.map(|p| (p.product(), p.product_hyphenated)).collect();
    assert!(products.len() > 30);
    for (product, hyphenated) in products {
        ask_in_every_plan(&payer, &truth, &hyphenated, &truth.packages_of_product(product), None);
    }
}

#[test]
fn every_rxnorm_code_in_every_plan() {
    let payer = Payer::of(Shape::tiny());
    let truth = Truth::new(&payer.payer);
    let shape = payer.payer.shape();
    let mut codes: BTreeSet<Rxcui> = (0..shape.packages).flat_map(|package| truth.rxcuis_of_package(package)).collect();
    codes.extend((0..shape.plans).flat_map(|plan| truth.entries_without_package(plan)).map(|entry| entry.0));
    let (mut one_drug, mut groups) = (0, 0);
    for code in codes {
        let packages = truth.packages_of_rxcui(code);
        let lines: BTreeSet<u32> = packages.iter().map(|index| payer.payer.package(*index).unwrap().line).collect();
        let resolution = payer.dataset().drug(&code.to_string()).unwrap().resolution();
        if lines.len() <= 1 {
            assert_eq!(resolution, Resolution::Found, "{code} is one clinical drug");
            one_drug += 1;
        } else {
            groups += u32::from(resolution == Resolution::Ambiguous);
        }
        ask_in_every_plan(&payer, &truth, &code.to_string(), &packages, Some(code));
    }
    assert!(one_drug > 30 && groups > 1, "{one_drug} {groups}");
}

fn facts_of_plans(payer: &Payer) {
    let truth = Truth::new(&payer.payer);
    for (number, plan) in payer.plans() {
        let facts = truth.plan_facts(number);
        let got = (u64::from(plan.lists), u64::from(plan.expected), u64::from(plan.gaps));
        assert_eq!(got, (facts.lists, facts.distinct_references, facts.gaps), "{}", plan.id);
        assert_eq!(plan.drugs == DrugBenefit::Complete, facts.complete, "{}", plan.id);
        let made = &payer.payer.plans()[number as usize];
        // Two plans of one resource share its name, which is the first one's.
        if made.kind != Kind::NoDrugsEither {
            assert_eq!(plan.name.as_deref(), Some(made.name.as_str()), "{}", plan.id);
        }
    }
}

#[test]
fn what_was_received_of_every_plan() {
    let payer = Payer::of(Shape::tiny());
    facts_of_plans(&payer);
    // Plans of every kind are known as what they are.
    for made in payer.payer.plans() {
        let plan = payer.plan(made.number);
        let want = match made.kind {
            Kind::NoDrugs | Kind::NoDrugsEither => DrugBenefit::NoDrugBenefit,
            Kind::NothingPublished => DrugBenefit::NoFormularyPublished,
            Kind::RowsOnly => DrugBenefit::NoList,
            Kind::Short => DrugBenefit::Incomplete,
            _ => DrugBenefit::Complete,
        };
        assert_eq!(plan.drugs, want, "{:?} {}", made.kind, plan.id);
        assert_eq!(plan.offered, made.kind != Kind::NoInsurancePlan, "{}", plan.id);
    }
    // Every resource is accounted for.
    for (kind, counts) in payer.made.built.report.types() {
        let others: u64 = counts.reasons().iter().flat_map(|(_, reasons)| reasons.values()).sum();
        assert_eq!(counts.received, counts.used + others, "{kind:?}");
        let made = payer.payer.count(ResourceType::named(kind.as_str()).unwrap());
        assert_eq!(counts.received, made, "{kind:?}");
    }
}

/// What each column of a table says, from the first row to the last, and how many rows there are.
fn columns_of(tables: Vec<Table>) -> (usize, Vec<String>) {
    let (mut rows, mut columns) = (0, Vec::new());
    for mut table in tables {
        columns.resize(table.columns().len(), String::new());
        while let Some(batch) = table.next_batch(100).unwrap() {
            rows += batch.rows;
            for (said, values) in columns.iter_mut().zip(batch.columns) {
                match values {
                    Values::Text(texts) => said.push_str(&texts.bytes),
                    Values::Texts(texts) => said.push_str(&texts.items.bytes),
                    Values::Number(plain) => plain.values.iter().for_each(|value| said.push_str(&value.to_string())),
                    Values::Flag(plain) => plain.values.iter().for_each(|value| said.push_str(&value.to_string())),
                    values => panic!("no such column here: {values:?}"),
                }
            }
        }
    }
    (rows, columns)
}

#[test]
fn a_table_in_parts_has_the_same_rows() {
    let shape = Shape { practitioners: 2_000, locations: 1_000, ..Shape::tiny() };
    let made = Made::payer(&MadePayer::new(shape));
    let table = || {
        let query = PracticeQuery { inactive: true, ..PracticeQuery::default() };
        made.dataset.table(TableQuery::PracticeLocations(query)).unwrap()
    };
    let (rows, texts) = columns_of(vec![table()]);
    let parts = table().split(3);
    assert!(rows > 2_000 && parts.len() == 3, "{rows} rows in {} parts", parts.len());
    assert!(columns_of(parts) == (rows, texts), "parts say otherwise");
    let mut begun = table();
    begun.next_batch(7).unwrap();
    assert_eq!(begun.split(3).len(), 1);
}
