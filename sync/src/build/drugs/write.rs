//! Writing the drug half's tables, rows in the order of their numbers.

use std::collections::BTreeMap;

use coverdex_core::Result;
use coverdex_core::build::NdcLayout;
use coverdex_core::build::{NAME_BEGINS, encode_numbers};
use coverdex_core::{NetworkKey, State};
use rusqlite::{Connection, params};

use super::areas;
use super::catalogue::{Catalogue, PackageKey};
use super::formularies::{Formularies, Says, Term, encode};
use super::plans::Plans;
use super::tiers::Tiers;
use crate::build::sql;

/// Writes every table of the drug half.
pub(super) fn write(
    database: &Connection,
    catalogue: &Catalogue,
    formularies: &Formularies,
    plans: &Plans,
    tiers: &Tiers,
) -> Result<()> {
    write_catalogue(database, catalogue).map_err(sql)?;
    tiers.write(database).map_err(sql)?;
    write_terms(database, formularies, tiers).map_err(sql)?;
    write_formularies(database, formularies, catalogue.packages.len()).map_err(sql)?;
    write_plans(database, plans, formularies, tiers).map_err(sql)
}

fn write_catalogue(database: &Connection, catalogue: &Catalogue) -> rusqlite::Result<()> {
    let mut insert = database.prepare("INSERT INTO drug_line VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")?;
    for (id, line) in (0_u32..).zip(&catalogue.lines) {
        insert.execute(params![
            id,
            line.name,
            line.strength,
            line.form,
            line.identity,
            line.brand,
            line.ingredient,
            line.aside,
            line.also,
            line.first,
            line.packages
        ])?;
    }
    let sets: BTreeMap<String, u32> = {
        let texts: std::collections::BTreeSet<String> =
            catalogue.packages.iter().filter(|p| !p.rxcuis.is_empty()).map(|p| json_numbers(&p.rxcuis)).collect();
        texts.into_iter().zip(1_u32..).collect()
    };
    let mut insert = database.prepare("INSERT INTO rxnorm_set VALUES (?1, ?2)")?;
    for (codes, id) in &sets {
        insert.execute(params![id, codes])?;
    }
    let mut insert = database.prepare("INSERT INTO package VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    let mut codes: Vec<u64> = Vec::with_capacity(catalogue.packages.len());
    for ((id, package), line) in (0_u32..).zip(&catalogue.packages).zip(&catalogue.line_of) {
        let (ndc, product) = match &package.key {
            PackageKey::Ndc(ndc) => {
                codes.push(ndc.number() << 24 | u64::from(id));
                (i64::try_from(ndc.number()).ok(), None)
            }
            PackageKey::Product(product) => (None, Some(product.number())),
            PackageKey::Rxnorm(_) => (None, None),
        };
        let layout = match package.layout {
            None => 0,
            Some(NdcLayout::ShortLabeler) => 1,
            Some(NdcLayout::ShortProduct) => 2,
            Some(NdcLayout::ShortPackage) => 3,
        };
        let set = sets.get(&json_numbers(&package.rxcuis)).copied().unwrap_or(0);
        insert.execute(params![id, line, ndc, product, layout, set])?;
    }
    codes.sort_unstable();
    write_array(database, "ndc", &codes.iter().flat_map(|code| code.to_le_bytes()).collect::<Vec<u8>>())?;
    let total = u32::try_from(catalogue.packages.len()).unwrap_or(u32::MAX);
    let marked = |line: &super::catalogue::Line| if line.begins_name { line.first | NAME_BEGINS } else { line.first };
    let starts = catalogue.lines.iter().map(marked).chain([total]);
    write_array(database, "line", &starts.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())?;
    let mut insert = database.prepare("INSERT INTO rxnorm VALUES (?1, ?2, ?3)")?;
    for (code, row) in &catalogue.rxnorm {
        insert.execute(params![
            code.number(),
            u32::try_from(row.strengths).unwrap_or(u32::MAX),
            encode_numbers(row.packages.iter().copied())
        ])?;
    }
    Ok(())
}

fn json_numbers(codes: &std::collections::BTreeSet<coverdex_core::Rxcui>) -> String {
    let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
    format!("[{}]", codes.join(","))
}

fn write_array(database: &Connection, name: &str, bytes: &[u8]) -> rusqlite::Result<()> {
    database.execute("INSERT INTO array VALUES (?1, ?2)", params![name, bytes])?;
    Ok(())
}

/// Writes what entries say.
fn write_terms(database: &Connection, formularies: &Formularies, tiers: &Tiers) -> rusqlite::Result<()> {
    // Terms of conflicts stand behind the others, each statement once.
    let count = u32::try_from(formularies.terms.len()).unwrap_or(u32::MAX);
    let contradicting: std::collections::BTreeSet<&Says> = formularies
        .terms
        .iter()
        .filter_map(|term| if let Term::Conflict(says) = term { Some(says) } else { None })
        .flatten()
        .collect();
    let extra: BTreeMap<&Says, u32> = contradicting.into_iter().zip(count..).collect();
    let mut insert = database.prepare("INSERT INTO term VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    let mut insert_term = |id: u32, status: &str, says: Option<&Says>| -> rusqlite::Result<()> {
        let tier = says.and_then(|says| tiers.number(says.tier.as_ref()?));
        let flag = |pick: fn(&Says) -> Option<bool>| says.and_then(pick);
        insert.execute(params![
            id,
            status,
            tier,
            flag(|says| says.prior_authorization),
            flag(|says| says.step_therapy),
            flag(|says| says.quantity_limit),
            flag(|says| says.mail_order)
        ])?;
        Ok(())
    };
    for (id, term) in (0_u32..).zip(&formularies.terms) {
        match term {
            Term::Listed(says) => insert_term(id, "listed", Some(says))?,
            Term::EntryInactive(says) => insert_term(id, "entry_inactive", Some(says))?,
            Term::Unreferenced(says) => insert_term(id, "unreferenced", Some(says))?,
            Term::Conflict(_) => insert_term(id, "conflict", None)?,
        }
    }
    for (says, id) in &extra {
        insert_term(*id, "listed", Some(says))?;
    }
    let mut insert = database.prepare("INSERT INTO term_conflict VALUES (?1, ?2, ?3)")?;
    for (id, term) in (0_u32..).zip(&formularies.terms) {
        if let Term::Conflict(says) = term {
            for (position, says) in (0_u32..).zip(says) {
                insert.execute(params![id, position, extra.get(says)])?;
            }
        }
    }
    Ok(())
}

fn write_formularies(database: &Connection, formularies: &Formularies, packages: usize) -> rusqlite::Result<()> {
    let mut insert = database.prepare("INSERT INTO formulary VALUES (?1, ?2, ?3, ?4)")?;
    let mut insert_term = database.prepare("INSERT INTO formulary_term VALUES (?1, ?2, ?3)")?;
    for (id, content) in (0_u32..).zip(&formularies.contents) {
        let (width, codes, meanings) = encode(content, packages);
        for (code, term) in (1_u32..).zip(&meanings) {
            insert_term.execute(params![id, code, term])?;
        }
        insert.execute(params![id, i64::try_from(content.len()).unwrap_or(i64::MAX), width, codes])?;
    }
    Ok(())
}

fn write_plans(database: &Connection, plans: &Plans, formularies: &Formularies, tiers: &Tiers) -> rusqlite::Result<()> {
    let networks: BTreeMap<&NetworkKey, u32> = plans.networks.keys().zip(1_u32..).collect();
    let mut insert = database.prepare("INSERT INTO network VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for ((key, row), id) in plans.networks.iter().zip(1_u32..) {
        insert.execute(params![id, key.system(), key.id(), key.kind().as_str(), row.label])?;
    }
    let mut insert =
        database.prepare("INSERT INTO plan VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)")?;
    let mut insert_network = database.prepare("INSERT INTO plan_network VALUES (?1, ?2)")?;
    let mut insert_area = database.prepare("INSERT OR IGNORE INTO plan_area VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let mut insert_link = database.prepare("INSERT INTO plan_link VALUES (?1, ?2, ?3)")?;
    let mut insert_tier = database.prepare("INSERT INTO plan_tier VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    let mut plan_counties: Vec<(u32, u32, bool)> = Vec::new();
    for (id, plan) in (1_u32..).zip(&plans.plans) {
        let formulary = plan.said.and_then(|number| formularies.of_plan.get(&number));
        insert.execute(params![
            id,
            plan.id.to_string(),
            plan.id.year(),
            plan.name,
            serde_json::to_string(&plan.types).unwrap_or_else(|_| "[]".to_owned()),
            plan.audience.as_str(),
            plan.offered,
            plan.drugs.as_str(),
            formulary,
            plan.lists.lists,
            plan.lists.expected,
            plan.lists.gaps,
            plan.lists.quarantined,
            plan.lost_networks
        ])?;
        let mut mine: Vec<u32> = plan.networks.iter().filter_map(|key| networks.get(key).copied()).collect();
        mine.sort_unstable();
        for network in mine {
            insert_network.execute(params![id, network])?;
        }
        let mut counties = BTreeMap::new();
        for area in &plan.areas {
            let (read, state) = areas::read(area, &mut counties);
            insert_area.execute(params![
                id,
                area.state.as_deref().unwrap_or_default(),
                area.county.as_deref().unwrap_or_default(),
                read.as_str(),
                state.and_then(State::fips)
            ])?;
        }
        areas::join_former(&mut counties);
        plan_counties.extend(counties.into_iter().map(|(fips, certain)| (fips, id, certain)));
        for (what, address) in &plan.links {
            insert_link.execute(params![id, what, address])?;
        }
        for definition in &plan.tiers {
            let tier = tiers.number(&definition.tier);
            if definition.cost_sharing.is_empty() {
                insert_tier.execute(params![
                    id,
                    tier,
                    definition.mail_order,
                    None::<String>,
                    None::<String>,
                    None::<String>,
                    None::<String>,
                    None::<String>
                ])?;
            }
            for cost in &definition.cost_sharing {
                insert_tier.execute(params![
                    id,
                    tier,
                    definition.mail_order,
                    cost.pharmacy,
                    cost.copay,
                    cost.copay_option,
                    cost.coinsurance,
                    cost.coinsurance_option
                ])?;
            }
        }
    }
    plan_counties.sort_unstable();
    let mut insert = database.prepare("INSERT INTO plan_county VALUES (?1, ?2, ?3)")?;
    for (fips, plan, certain) in plan_counties {
        insert.execute(params![fips, plan, certain])?;
    }
    Ok(())
}
