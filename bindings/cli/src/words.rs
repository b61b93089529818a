//! Small words of tables.

use coverdex_core::Audience;
use coverdex_core::build::fold;
use coverdex_core::build::format::Manifest;
use coverdex_core::build::lacks_too_many;
pub(crate) use coverdex_core::build::words::thousands;
use coverdex_core::{DrugBenefit, Plan, PlanId};

/// A flag: what is not stated is never "no".
pub(crate) const fn flag(flag: Option<bool>) -> &'static str {
    match flag {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not stated",
    }
}

/// What the short cells of drugs under plans mean.
pub(crate) const GIST_LEGEND: &str = "T1: covered in tier 1. PA, ST, QL: the restriction is there; with a question mark, \
                                      the payer does not state it; with an exclamation mark, it contradicts itself; \
                                      with a tilde, on some packages only.";

pub(crate) const fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::Individual => "individual",
        Audience::EmployerGroup => "employer group",
        Audience::SpecialNeeds => "special needs",
        Audience::Medicaid => "Medicaid",
        Audience::NotStated => "not stated",
    }
}

/// Which plans of a place were not asked, a line for each reason.
pub(crate) fn not_asked(other_audiences: u32, area_unknown: &[PlanId]) -> Vec<String> {
    let mut lines = Vec::new();
    if other_audiences > 0 {
        let others = count(other_audiences.into(), "plan", "plans");
        lines.push(format!("{others} there sold to others, not asked: --audience names whom"));
    }
    if !area_unknown.is_empty() {
        let unknown: Vec<String> = area_unknown.iter().map(ToString::to_string).collect();
        lines.push(format!("May be sold there, not asked: {}", first_of(&unknown)));
    }
    lines
}

/// How completely a plan's drug list was received.
pub(crate) fn drug_list(plan: &Plan) -> String {
    let (gaps, expected) = (thousands(plan.gaps.into()), thousands(plan.expected.into()));
    match plan.drugs {
        DrugBenefit::Complete if plan.gaps == 0 => format!("complete, {expected} entries"),
        DrugBenefit::Complete => format!("complete but for {gaps} of {expected} entries"),
        DrugBenefit::Incomplete if lacks_too_many(plan.gaps.into(), plan.expected.into()) => {
            format!("incomplete, {gaps} of {expected} entries missing")
        }
        DrugBenefit::Incomplete => "incomplete, some of its Lists could not be read".to_owned(),
        DrugBenefit::NoList => "entries without a List".to_owned(),
        DrugBenefit::NoFormularyPublished => "none published".to_owned(),
        DrugBenefit::NoDrugBenefit => "no drug benefit".to_owned(),
        other => other.as_str().replace('_', " "),
    }
}

/// `2026-05-12`, or with the time where it is not midnight: `2026-05-12 07:45 UTC`.
pub(crate) fn date(rfc3339: &str) -> String {
    match rfc3339.split_once('T') {
        Some((date, time)) if time.starts_with("00:00:00") => date.to_owned(),
        Some((date, time)) => format!("{date} {} UTC", time.get(..5).unwrap_or(time)),
        None => rfc3339.to_owned(),
    }
}

/// When each part of a dataset was read, where they differ: `drugs as of 2026-01-31, directory as of 2026-01-01`.
pub(crate) fn part_dates(manifest: &Manifest) -> Option<String> {
    manifest.parts.iter().any(|part| part.as_of.is_some()).then(|| {
        let of = |name: &str| format!("{name} as of {}", date(manifest.as_of(name)));
        manifest.parts.iter().map(|part| of(&part.name)).collect::<Vec<_>>().join(", ")
    })
}

/// A length in bytes: `812 bytes`, `5.6 MB`.
#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// `1 file`, `12 files`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// The first of several codes and how many more there are: `0378-3855 +12`.
pub(crate) fn first_of(codes: &[String]) -> String {
    match codes {
        [] => "not stated".to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} +{}", rest.len()),
    }
}

/// What a payer wrote, safe to show: without what could drive a terminal or turn the text around.
pub(crate) fn shown(text: &str) -> String {
    let seen = text.chars().filter(|c| !fold::is_invisible(*c));
    seen.map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

/// `ignored: once, daily`; nothing where nothing was.
pub(crate) fn ignored(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| format!("ignored: {}", words.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_stated_is_never_no() {
        assert_eq!(flag(None), "not stated");
    }

    #[test]
    fn dates_and_lengths_are_short() {
        assert_eq!(date("2026-05-12T00:00:00Z"), "2026-05-12");
        assert_eq!(date("2026-05-12T07:45:12.5Z"), "2026-05-12 07:45 UTC");
        assert_eq!(bytes(812), "812 bytes");
        assert_eq!(bytes(5_621_004), "5.6 MB");
        assert_eq!(count(1, "file", "files"), "1 file");
        assert_eq!(count(1_200, "file", "files"), "1,200 files");
    }

    #[test]
    fn a_name_cannot_drive_the_terminal() {
        assert_eq!(shown("\u{1b}[31mred\u{7}"), " [31mred ");
    }
}
