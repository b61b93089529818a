//! A drug in ten spellings, each with what it says in fields.

use coverdex_sandbox::drugs::{Decimal, DrugFacts, Ingredient, Release, Strength, Suffix};

use super::oracle::{Asked, Product, Salts, Typed, content, salts_said};

/// A text, what it asks in fields, and which spelling it is.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) spelling: &'static str,
    pub(super) text: String,
    pub(super) asked: Asked,
}

/// Suffixes that are typed for another; `er` means any extended release.
const TYPED: [(&str, Option<Suffix>); 7] = [
    ("xl", Some(Suffix::Xl)),
    ("sr", Some(Suffix::Sr)),
    ("er", None),
    ("xr", Some(Suffix::Xr)),
    ("la", Some(Suffix::La)),
    ("cr", Some(Suffix::Cr)),
    ("cd", Some(Suffix::Cd)),
];

/// What a spelling leaves out or writes otherwise.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is one way of writing, on or off")]
struct How {
    salts: bool,
    form: bool,
    reversed: bool,
    first_strength: bool,
    glued: bool,
    short: bool,
    other_unit: bool,
    suffix: Option<(&'static str, Option<Suffix>)>,
}

const PLAIN: How = How {
    salts: true,
    form: true,
    reversed: false,
    first_strength: false,
    glued: false,
    short: false,
    other_unit: false,
    suffix: None,
};

/// The spellings of a drug; of those with another suffix, all for what is not of immediate release,
/// two by turns for the rest.
pub(super) fn spellings(product: &Product, turn: usize) -> Vec<Question> {
    let of = |spelling, how| Question { spelling, text: text(product, how), asked: asked(product, how) };
    let cased = |spelling, case: fn(&str) -> String| {
        let question = of(spelling, PLAIN);
        Question { text: case(&question.text), ..question }
    };
    let mut questions = vec![
        of("order", How { reversed: true, ..PLAIN }),
        cased("upper case", str::to_uppercase),
        cased("lower case", str::to_lowercase),
        of("abbreviations", How { short: true, ..PLAIN }),
        of("blanks", How { glued: true, ..PLAIN }),
        of("without form", How { form: false, ..PLAIN }),
        of("without salt", How { salts: false, ..PLAIN }),
        of("strength first", How { first_strength: true, ..PLAIN }),
        of("other unit", How { other_unit: true, ..PLAIN }),
    ];
    let own = product.facts.suffix;
    let others = TYPED.iter().filter(|(word, suffix)| match own {
        Some(own) => *suffix != Some(own),
        None => *word != "er" || !matches!(product.facts.release, Release::Extended(_)),
    });
    let others: Vec<_> = others.copied().collect();
    let all = product.facts.release != Release::Immediate;
    let wanted = if all { others.len() } else { 2 };
    let turned = others.iter().cycle().skip(turn * 2 % others.len()).take(wanted);
    questions.extend(turned.map(|suffix| of("other suffix", How { suffix: Some(*suffix), ..PLAIN })));
    questions
}

fn asked(product: &Product, how: How) -> Asked {
    let facts = &product.facts;
    let release = match (how.suffix, facts.release) {
        (Some((_, suffix)), _) => Typed::Release(Release::Extended(suffix.and_then(Suffix::hours)), suffix),
        // Hours that a brand's name says are typed with it.
        (None, Release::Extended(hours)) if facts.suffix.is_some() || facts.brand.is_some() => {
            let says = how.form || facts.suffix.is_some() || hours.is_some();
            if says { Typed::Release(Release::Extended(hours), facts.suffix) } else { Typed::Nothing }
        }
        (None, Release::Extended(_)) if how.form => Typed::Release(Release::Extended(None), None),
        (None, release) if how.form => Typed::Release(release, None),
        (None, _) => Typed::Nothing,
    };
    let names_salt: Vec<bool> = match &facts.brand {
        Some(_) => vec![false; facts.ingredients.len()],
        None => facts.ingredients.iter().map(|i| i.salt.is_some() && how.salts).collect(),
    };
    Asked {
        content: content(facts),
        salts: if how.salts { salts_said(facts, &names_salt) } else { Salts::new() },
        form: how.form.then(|| facts.form.clone()),
        release,
        brand: facts.brand.clone(),
    }
}

fn text(product: &Product, how: How) -> String {
    let facts = &product.facts;
    let mut ingredients: Vec<&Ingredient> = facts.ingredients.iter().collect();
    if how.reversed {
        ingredients.reverse();
    }
    let suffix = how.suffix.map(|(word, _)| word).or_else(|| facts.suffix.map(Suffix::as_str));
    let suffix = suffix.map(|word| format!(" {word}")).unwrap_or_default();
    let form = if how.form { format!(" {}", form_words(product, how.short)) } else { String::new() };
    let strengths: Vec<String> = ingredients.iter().map(|i| strength_words(&i.strength, how)).collect();
    if let Some(brand) = &facts.brand {
        let (head, strengths) = (brand_with(brand, facts, how), strengths.join("-"));
        return if how.first_strength {
            format!("{strengths} {head}{form}")
        } else {
            format!("{head} {strengths}{form}")
        };
    }
    let names: Vec<String> = ingredients.iter().map(|i| name_words(i, how)).collect();
    if let ([name], [strength]) = (names.as_slice(), strengths.as_slice()) {
        let name = format!("{name}{suffix}");
        return if how.first_strength {
            format!("{strength} {name}{form}")
        } else {
            format!("{name} {strength}{form}")
        };
    }
    let one_unit = ingredients.windows(2).all(|two| {
        let [a, b] = [&two[0].strength, &two[1].strength];
        a.unit == b.unit && a.per.is_none() && b.per.is_none()
    });
    if how.first_strength && one_unit && ingredients.len() == 2 {
        let numbers: Vec<String> = ingredients.iter().map(|i| i.strength.amount.to_string()).collect();
        let unit = &ingredients[0].strength.unit;
        return format!("{} {unit} {}{suffix}{form}", numbers.join("-"), names.join(" and "));
    }
    let pairs = names.iter().zip(&strengths).map(|(name, strength)| format!("{name} {strength}"));
    format!("{}{suffix}{form}", pairs.collect::<Vec<_>>().join("-"))
}

/// The brand's name, with another suffix instead of its own.
fn brand_with(brand: &str, facts: &DrugFacts, how: How) -> String {
    let Some((other, _)) = how.suffix else { return brand.to_owned() };
    let own = facts.suffix.map(Suffix::as_str);
    let is_own = |word: &&str| {
        own.is_some_and(|own| word.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case(own))
    };
    let words: Vec<&str> = brand.split_whitespace().filter(|word| !is_own(word)).collect();
    format!("{} {other}", words.join(" "))
}

fn name_words(ingredient: &Ingredient, how: How) -> String {
    let salt = ingredient.salt.as_ref().filter(|_| how.salts);
    let name =
        salt.map_or_else(|| ingredient.base.clone(), |salt| format!("{} {salt}", ingredient.base)).to_lowercase();
    if !how.short {
        return name;
    }
    let short = |word| match word {
        "hydrochloride" => "HCl",
        "hydrochlorothiazide" => "hctz",
        "acetaminophen" => "apap",
        "aspirin" => "asa",
        "potassium" => "pot",
        "sodium" => "sod",
        other => other,
    };
    name.split(' ').map(short).collect::<Vec<_>>().join(" ")
}

fn form_words(product: &Product, short: bool) -> String {
    let code = match product.facts.form.as_str() {
        "tablet" => "tab",
        "capsule" => "cap",
        "injection" => "inj",
        "suspension" => "susp",
        "solution" => "soln",
        "ointment" => "oint",
        _ => return product.form.clone(),
    };
    let release = match product.facts.release {
        _ if !short => return product.form.clone(),
        Release::Immediate | Release::Unclear => "",
        Release::Delayed => " dr",
        Release::Extended(_) if product.facts.suffix.is_some() => "",
        Release::Extended(_) => " er",
        Release::Disintegrating => " odt",
        Release::Chewable => " chew",
    };
    format!("{code}{release}")
}

fn strength_words(strength: &Strength, how: How) -> String {
    let other = if how.other_unit { rescaled(strength) } else { None };
    let strength = other.as_ref().unwrap_or(strength);
    let blank = if how.glued || strength.unit.is_empty() { "" } else { " " };
    let mut text = format!("{}{blank}{}", strength.amount, strength.unit);
    if let Some((number, unit)) = &strength.per {
        // Glued where it is usually spaced, and the reverse.
        text += if how.glued { " / " } else { "/" };
        if *number != Decimal::ONE {
            text += &number.to_string();
            text += if how.glued { " " } else { "" };
        }
        text += unit;
    }
    text
}

fn rescaled(strength: &Strength) -> Option<Strength> {
    let below_one = strength.amount < Decimal::ONE;
    strength.rescaled(strength.unit == "g" || (strength.unit == "mg" && below_one))
}
