use super::*;
use crate::build::directory::tests::world::Random;
use crate::model::{self, Individual, OrganizationFacts, Period, PersonName};

fn npi(number: u64) -> Npi {
    (0..10).find_map(|check| Npi::new(1_400_000_000 + number * 10 + check)).unwrap()
}

fn person(name: &str, gender: Option<char>, npis: &[u64]) -> Evidence {
    let facts = Individual {
        names: vec![PersonName { text: name.to_owned(), ..PersonName::default() }],
        ..Individual::default()
    };
    let names = Names::of_person(&facts);
    let npis = npis.iter().map(|number| npi(*number)).collect();
    Evidence { kind: Kind::Individual, npis, names, gender, addresses: Vec::new() }
}

fn organization(name: &str, street: Option<&str>, npis: &[u64]) -> Evidence {
    let facts = OrganizationFacts { name: Some(name.to_owned()), ..OrganizationFacts::default() };
    let address = |street: &str| {
        Address::of(&model::Address {
            lines: vec![street.to_owned()],
            city: Some("Miami".into()),
            state: Some("FL".into()),
            zip: Some("33130-1234".into()),
            ..model::Address::default()
        })
    };
    Evidence {
        kind: Kind::Organization,
        names: Names::of_organization(&facts),
        addresses: street.into_iter().map(address).collect(),
        ..person("", None, npis)
    }
}

fn first(all: &[Evidence]) -> Vec<usize> {
    fold(all).first
}

#[test]
fn names_of_one_person_agree_and_those_of_two_do_not() {
    let agree = |a: &str, b: &str| person(a, None, &[]).names_agree(&person(b, None, &[]));
    for (a, b) in [
        ("Ann Lee", "Ann M Lee, MD"),
        ("Ann Lee", "LEE, ANN M."),
        ("Dr. Ann Lee", "Ann Lee Jr."),
        ("Maria Garcia", "Maria Lopez-Garcia"),
        ("Maria Garcia", "Maria Lopez"),
        ("John Castellane", "John Castelane"),
        ("Juan de la Cruz", "Juan Delacruz"),
        ("Ann O'Brien", "Ann O Brien"),
        ("Lee Ann", "Ann Lee"),
        ("Bob Smith", "Robert Smith"),
        ("Sr. Ann Lee", "Ann Lee Jr"),
        ("John Smith, III, MD", "SMITH III, JOHN"),
        ("John Smith 2nd", "John Smith II"),
    ] {
        assert!(agree(a, b), "{a}, {b}");
    }
    for (a, b) in [
        ("Ann Lee", "Bo Chen"),
        ("Ann Lee, MD", "Bo Chen, MD"),
        ("A Lee", "A Chen"),
        ("Earl Hanson", "Eve Hansen"),
        ("Marla Lopez", "Maria Garcia"),
        ("Ann Leed", "Bo Leeds"),
        ("Ann de la Cruz", "Bo de la Fuente"),
        ("Dr. Ann Lee Jr.", "Dr. Bo Chen Jr."),
        ("John Smith Jr.", "John Smith, Sr., MD"),
        ("John Smith II", "John Smith III"),
        ("SMITH JR, JOHN", "Smith Sr, John"),
    ] {
        assert!(!agree(a, b), "{a}, {b}");
    }
    let [ann, bob] = [person("Ann Lee", Some('f'), &[]), person("Bob Lee", Some('m'), &[])];
    assert!(!ann.names_agree(&bob), "one family, two people");
    assert!(ann.names_agree(&person("Ann Lee", Some('m'), &[])), "one of the genders is mistyped");
}

#[test]
fn a_father_and_a_son_of_one_npi_are_two() {
    let [father, son] = ["John Smith Sr", "John Smith Jr"].map(|name| person(name, Some('m'), &[1]));
    let folded = fold(&[father.clone(), son.clone(), person("John Smith", Some('m'), &[1])]);
    assert_eq!(folded.first, [0, 1, 2], "whose record the third is, is not stated");
    assert_eq!(first(&[father, person("John A Smith", None, &[1])]), [0, 0]);
    assert_eq!(first(&[son.clone(), son]), [0, 0]);
}

#[test]
fn stated_parts_of_names_count() {
    let mut facts = Individual::default();
    let part = |family: &str, given: &str, former: bool| PersonName {
        text: format!("{given} {family}"),
        family: Some(family.into()),
        given: vec![given.into()],
        former,
        period: Period::default(),
    };
    facts.names = vec![part("Do", "Minh", false), part("Tran", "Minh", true)];
    let both = Evidence { names: Names::of_person(&facts), ..person("", None, &[]) };
    assert!(both.names_agree(&person("Anh Tran", None, &[])), "a maiden name is a name");
    facts.names.pop();
    let family_of_two_letters = Evidence { names: Names::of_person(&facts), ..person("", None, &[]) };
    assert!(!family_of_two_letters.names.family.is_empty());
}

#[test]
fn organizations_agree_by_telling_words() {
    let agree = |a: &str, b: &str| organization(a, None, &[]).names_agree(&organization(b, None, &[]));
    assert!(agree("Grand Rehab LLC", "GRAND REHABILITATION CENTER"));
    assert!(!agree("Medical Group", "Health Clinic"));
    assert!(agree("Family Health Center", "FAMILY HEALTH CENTER"), "whole names where none tells");
    assert!(!agree("Lakeview Medical Group", "Northgate Medical Group"));
    assert!(!agree("Family Pharmacy Inc", "Family Clinic Inc"));
}

#[test]
fn samples_and_made_up_numbers_are_nobodys() {
    let plausible = |number: u64| is_plausible(Npi::new(number).unwrap());
    assert!(!plausible(1_234_567_893));
    assert!(!plausible(1_000_000_004));
    assert!(plausible(1_245_319_599) && plausible(1_679_576_722));
}

#[test]
fn a_third_resource_joins_no_two_that_contradict() {
    let all = [
        person("Ann Lee", Some('f'), &[1]),
        person("Bob Lee", Some('m'), &[1]),
        person("Lee", None, &[1]),
        person("", None, &[1]),
    ];
    let folded = fold(&all);
    assert_ne!(folded.first[0], folded.first[1]);
    assert_eq!(folded.first[3], 3, "without a name, and two providers to belong to");
    let named = [person("Ann Lee", None, &[1]), person("", None, &[1]), person("Ann Lee", None, &[1])];
    assert_eq!(first(&named), [0, 0, 0]);
}

#[test]
fn a_groups_npi_is_nobodys_alias() {
    let mut all = vec![organization("Lakeview Physicians", None, &[9])];
    all.extend([person("Ann Lee", None, &[1, 9]), person("Ann Chen", None, &[2, 9]), person("Bo Lee", None, &[9])]);
    let folded = fold(&all);
    assert_eq!(folded.first, [0, 1, 2, 3]);
    assert_eq!(folded.own, [vec![npi(9)], vec![npi(1)], vec![npi(2)], vec![]]);
    assert_eq!(folded.apart[1..], [Some(Apart::NpiOfOrganization); 3]);
    // Without the organization's record it is a number that people of several names state.
    let folded = fold(&[person("Ann Lee", None, &[1, 9]), person("Bo Chen", None, &[2, 9]), person("Cy", None, &[9])]);
    assert_eq!(folded.own, [vec![npi(1)], vec![npi(2)], vec![npi(9)]]);
    // A family in one practice whose members state nothing but its number.
    let family =
        [organization("Smith Dental", None, &[9]), person("John Smith", None, &[9]), person("Mark Smith", None, &[9])];
    assert_eq!(first(&family), [0, 1, 2]);
    assert_eq!(fold(&family).own[1..], [vec![], vec![]], "one of two");
    let alone = fold(&[organization("John Smith MD PC", None, &[9]), person("John Smith", None, &[9])]);
    assert_eq!(alone.own, [vec![npi(9)], vec![npi(9)]], "a practice of one may state its owner's");
}

#[test]
fn organizations_of_several_npis_are_one_where_addresses_agree() {
    let main = || organization("Grand Rehab", Some("100 Main St Ste 2"), &[1]);
    let two = |street| organization("Grand Rehab LLC", street, &[1, 2]);
    assert_eq!(first(&[main(), two(Some("100 MAIN STREET"))]), [0, 0]);
    assert_eq!(first(&[main(), two(Some("200 Main St"))]), [0, 1]);
    assert_eq!(first(&[main(), two(None)]), [0, 1]);
    assert_eq!(first(&[main(), organization("Grand Rehab", Some("200 Elm St"), &[1])]), [0, 0], "the very same NPIs");
    let own = |all: &[Evidence]| fold(all).own;
    assert_eq!(own(&[two(None), main()]), [vec![npi(2)], vec![npi(1)]], "another one's is no alias");
    assert_eq!(own(&[two(Some("100 Main St")), main()]), [vec![npi(1), npi(2)], vec![npi(1)]]);
}

/// What the model knows of a made-up resource.
#[derive(Clone, Copy)]
struct Truth {
    given: &'static str,
    family: &'static str,
    gender: Option<char>,
}

impl Truth {
    fn is_named(self) -> bool {
        !self.family.is_empty()
    }

    fn contradicts(self, other: Self) -> bool {
        let (given, family) = (self.given == other.given, self.family == other.family);
        let genders = self.gender.is_some() && other.gender.is_some() && self.gender != other.gender;
        self.is_named() && other.is_named() && ((!given && !family) || (genders && !(given && family)))
    }
}

#[test]
fn random_worlds_fold_as_a_naive_model_allows() {
    const GIVEN: [&str; 4] = ["Annabel", "Bruno", "Celeste", "Dimitri"];
    const FAMILY: [&str; 4] = ["Northcott", "Quillfeather", "Ravensdale", ""];
    let mut folded_some = 0;
    for seed in 0..400 {
        let mut r = Random(seed);
        let truths: Vec<Truth> = (0..2 + r.below(14))
            .map(|_| Truth {
                given: GIVEN[r.below(4)],
                family: FAMILY[r.below(4)],
                gender: [None, Some('f'), Some('m')][r.below(3)],
            })
            .collect();
        let all: Vec<Evidence> = truths
            .iter()
            .map(|truth| {
                let mut npis: Vec<u64> = (0..=r.below(3)).map(|_| r.below(6) as u64).collect();
                npis.sort_unstable();
                npis.dedup();
                let name = if truth.is_named() { format!("{} {}", truth.given, truth.family) } else { String::new() };
                if r.chance(25) {
                    organization(truth.family, Some("1 Main St"), &npis)
                } else {
                    person(&name, truth.gender, &npis)
                }
            })
            .collect();
        let folded = fold(&all);
        for a in 0..all.len() {
            let shares = |b: usize| all[a].npis.iter().any(|npi| all[b].npis.contains(npi));
            let of_organization =
                |npi: &Npi| all.iter().any(|other| other.kind == Kind::Organization && other.npis.contains(npi));
            let may_lose_all = all[a].kind == Kind::Individual && all[a].npis.iter().all(of_organization);
            assert!(may_lose_all || !folded.own[a].is_empty(), "{seed}");
            assert!(folded.own[a].iter().all(|npi| all[a].npis.contains(npi)), "{seed}");
            let alone = (0..all.len()).all(|b| b == a || folded.first[b] != folded.first[a]);
            assert!(
                alone || (0..all.len()).any(|b| b != a && shares(b) && folded.first[b] == folded.first[a]),
                "{seed}"
            );
            for b in 0..all.len() {
                let same = folded.first[a] == folded.first[b];
                if !same {
                    continue;
                }
                folded_some += usize::from(a != b);
                assert_eq!(all[a].kind, all[b].kind, "{seed}: {a}, {b}");
                if all[a].kind == Kind::Individual {
                    assert!(!truths[a].contradicts(truths[b]), "{seed}: {a}, {b}: {:?}", folded.first);
                } else {
                    let (a, b) = (truths[a].family, truths[b].family);
                    assert!(a == b || a.is_empty() || b.is_empty(), "{seed}: {a}, {b}");
                }
            }
        }
    }
    assert!(folded_some > 200, "{folded_some}");
}
