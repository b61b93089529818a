use super::*;
use crate::testing::WIDE;

fn plan(plan: &str, current: bool) -> MemberPlan {
    MemberPlan { plan: plan.to_owned(), from: Some("2026-01-01".to_owned()), to: None, current }
}

#[test]
fn what_was_pasted_is_one_line_and_never_shown() {
    let read = |bytes: &[u8]| pasted(&mut &bytes[..]);
    assert_eq!(read(b" http://127.0.0.1/cb?code=1&state=2 \nmore").unwrap(), "http://127.0.0.1/cb?code=1&state=2");
    for bytes in [&b""[..], b"  \n", b"code-\xff"] {
        let error = read(bytes).unwrap_err();
        assert_eq!(error.subject(), "address");
        assert!(!error.message().contains("code-"));
    }
    assert!(read(&vec![b'x'; 1 << 20]).unwrap().len() <= 64 * 1024, "no more is read than an address can have");
}

#[test]
fn plans_are_shown_with_what_to_ask_next() {
    let plans = MemberPlans {
        plans: vec![plan("H1234-001-000-2025", false), plan("H1234-001-000-2026", true)],
        without_plan: 1,
    };
    let shown = render(WIDE, &plans, &[None, Some("Gold".to_owned())]);
    for part in
        ["covers you", "does not", "Gold", "not known here", "1 drug coverage of yours", "--plan H1234-001-000-2026"]
    {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let nothing = render(WIDE, &MemberPlans::default(), &[]);
    assert!(nothing.contains("no active drug coverage"), "{nothing}");
}

#[test]
fn names_come_from_a_dataset_that_was_named_and_its_absence_is_an_error() {
    let plans = MemberPlans { plans: vec![plan("H1234-001-000-2026", true)], without_plan: 0 };
    assert_eq!(names(&plans, &["no/such/store".into()]).unwrap_err().kind(), coverdex_core::ErrorKind::DatasetMissing);
}
