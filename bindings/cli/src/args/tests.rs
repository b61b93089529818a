use clap::error::ErrorKind;

use super::*;
use crate::failure::{Exit, Failure};

fn parse(line: &[&str]) -> Result<CommandLine, clap::Error> {
    CommandLine::try_parse_from(std::iter::once(&"coverdex").chain(line)).and_then(|line| line.check().map(|()| line))
}

fn refused(line: &[&str]) -> Failure {
    Failure::from(&parse(line).unwrap_err())
}

#[test]
fn the_grammar_holds_together() {
    CommandLine::command().debug_assert();
}

#[test]
fn drugs_and_plans_are_told_apart() {
    for line in [
        vec!["covered", "atorvastatin 20 mg", "0378-3855-01", "--plan", "H1234-567", "H1234-568"],
        vec!["covered", "atorvastatin 20 mg", "0378-3855-01", "--plan", "H1234-567", "--plan", "H1234-568", "--json"],
        vec!["covered", "--plan", "H1234-567", "H1234-568", "--", "atorvastatin 20 mg", "0378-3855-01"],
    ] {
        let Command::Covered(covered) = parse(&line).unwrap().command else { panic!("{line:?}") };
        assert_eq!(covered.drugs, ["atorvastatin 20 mg", "0378-3855-01"], "{line:?}");
        assert_eq!(covered.plans, ["H1234-567", "H1234-568"], "{line:?}");
    }
    let swallowed = refused(&["covered", "--plan", "H1234-567", "atorvastatin"]);
    assert!(swallowed.message.contains("name the drugs before it"), "{swallowed:?}");
}

#[test]
fn data_and_json_stand_anywhere() {
    for line in [
        ["--data", "a", "--data", "b", "--json", "plans"],
        ["plans", "--data", "a", "--json", "--data", "b"],
        ["--json", "plans", "--data", "a", "--data", "b"],
    ] {
        let line = parse(&line).unwrap();
        assert_eq!(line.everywhere.data, [PathBuf::from("a"), PathBuf::from("b")]);
        assert!(line.everywhere.json);
    }
}

#[test]
fn words_of_a_query_need_no_quotes() {
    let Command::Drug(drug) = parse(&["drug", "metformin", "500", "er", "--limit", "3"]).unwrap().command else {
        panic!("another command")
    };
    assert_eq!((drug.query.join(" ").as_str(), drug.limit), ("metformin 500 er", 3));
    let Command::Plans(plans) = parse(&["plans", "gold", "plus", "--audience", "employer_group"]).unwrap().command
    else {
        panic!("another command")
    };
    assert_eq!((plans.text.join(" ").as_str(), plans.audience), ("gold plus", Some(AudienceArg::EmployerGroup)));
}

#[test]
fn wrong_usage_says_what_was_meant() {
    let mistyped = refused(&["coverd", "x"]);
    assert_eq!((mistyped.kind, mistyped.exit), ("usage", Exit::Usage));
    assert_eq!((mistyped.subject.as_str(), mistyped.candidates.as_slice()), ("coverd", &["covered".to_owned()][..]));
    assert_eq!(refused(&["drug", "x", "--plann", "y"]).candidates, ["--plan"]);
    assert_eq!(refused(&["plans", "--audience", "individul"]).candidates, ["individual"]);
    for line in [
        &["plans", "--year", "26"][..],
        &["drug", "x", "--limit", "0"],
        &["drug", " "],
        &["covered", "x"],
        &["covered", "--plan", "H1"],
        &["build", "--from", "a"],
        &["build", "--from", "a", "--out", "b", "--threads", "0"],
        &["build", "--from", "a", "--out", "b", "--data", "c"],
        &["verify", "store", "another"],
        &["verify", "public", "--key", "RW", "--unproved"],
        &["update", "--from", "public", "--store", "store"],
        &["pack", "store", "--out", "public"],
        &["plans", "--county", "24510", "--zip", "21201"],
        &["counties"],
        &["export", "plans", "--county", "24510", "--parquet", "x"],
        &["export", "formulary", "--plan", "H1", "--inactive", "--parquet", "x"],
        &["export", "practice_locations", "--year", "2026", "--parquet", "x"],
    ] {
        let failure = refused(line);
        assert_eq!(failure.exit, Exit::Usage, "{line:?}");
        assert!(!failure.message.is_empty() && !failure.message.starts_with("error"), "{failure:?}");
    }
    assert_eq!(parse(&[]).unwrap_err().kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
}

/// Every command that the help teaches is one that is understood.
#[test]
fn every_example_in_the_help_parses() {
    let mut examples = 0;
    let mut all = CommandLine::command();
    all.build();
    let mut texts = vec![all.render_long_help().to_string()];
    texts.extend(all.get_subcommands_mut().map(|command| command.render_long_help().to_string()));
    for text in texts {
        for line in text.lines().filter_map(|line| line.strip_prefix("  coverdex ")) {
            let words = words_of(line);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert!(parse(&words).is_ok(), "{line}: {words:?}");
            examples += 1;
        }
    }
    assert!(examples > 20, "{examples} examples");
}

/// The words of a shell line up to the remark behind it, which three blanks set apart.
fn words_of(line: &str) -> Vec<String> {
    let line = line.split("   ").next().unwrap_or(line);
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.trim().chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}
