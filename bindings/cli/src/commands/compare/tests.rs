use super::*;
use crate::output::Look;
use crate::testing::tiny;
use coverdex_core::CoverageStatus;

fn asked(change: impl FnOnce(&mut ComparisonQuestion)) -> Vec<(&'static Opened, PlanComparison)> {
    let tiny = tiny();
    let mut question = ComparisonQuestion {
        drugs: vec![tiny.payer.package(0).unwrap().ndc11.to_string(), "no such drug".to_owned(), "x".repeat(300)],
        providers: vec!["1234567890".into(), "nobody at all".into()],
        plans: tiny.payer.plans().iter().map(|plan| plan.id.to_string()).collect(),
        ..ComparisonQuestion::default()
    };
    change(&mut question);
    compare(&tiny.datasets, &question).unwrap()
}

#[test]
fn a_page_fits_and_names_every_plan_and_question() {
    let compared = asked(|_| {});
    for width in [60, 80, 100, 200] {
        let text = tables::render(Look { width, color: false }, &compared, false, 1_000);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= usize::from(width), "{width} columns: {widest}\n{text}");
    }
    let text = tables::render(Look { width: 200, color: false }, &compared, false, 1_000);
    for plan in tiny().payer.plans() {
        assert!(text.contains(&plan.id.to_string()), "{}\n{text}", plan.id);
    }
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("no such drug") && words.contains("nobody at all") && words.contains("not by cost"),
        "{text}"
    );
}

#[test]
fn plans_are_ranked_as_it_is_said() {
    let (_, compared) = asked(|_| {}).remove(0);
    let ranks: Vec<_> = compared
        .plans
        .iter()
        .map(|plan| {
            let is = |status| plan.answers.iter().filter(|says| says.status == status).count();
            let counted = [plan.covered, plan.mixed].map(|count| count as usize);
            assert_eq!(counted, [CoverageStatus::Covered, CoverageStatus::Mixed].map(is));
            let drugs = (std::cmp::Reverse(counted), plan.restricted);
            (drugs, std::cmp::Reverse(plan.in_network), plan.unknown, plan.may_be_restricted)
        })
        .collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
    assert!(compared.plans.iter().all(|plan| plan.answers.len() == 3 && plan.standings.len() == 2));
}

#[test]
fn lines_have_one_for_each_plan_and_question() {
    let compared = asked(|question| question.drugs[1] = "=HYPERLINK(1)".to_owned());
    let text = lines::csv(&compared).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let asked = reader.headers().unwrap().iter().position(|name| name == "asked").unwrap();
    let lines: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(lines.len(), compared[0].1.plans.len() * 5);
    assert!(lines.iter().any(|line| &line[asked] == "'=HYPERLINK(1)"), "{text}");
}

#[test]
fn a_list_is_its_lines_and_what_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drugs.txt");
    std::fs::write(&path, "\u{feff}# the client's\n eliquis 5 mg \r\n\nmetformin 500 mg\n").unwrap();
    assert_eq!(list(&path, "--drugs").unwrap(), ["eliquis 5 mg", "metformin 500 mg"]);
    std::fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(list(&path, "--drugs").unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(list(folder.path(), "--drugs").unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(list(&folder.path().join("none"), "--drugs").unwrap_err().kind(), ErrorKind::Io);
}
