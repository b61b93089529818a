//! Whether new patients are taken (the guide's extension `newpatients`).

use super::datatypes::Extension;
use super::identity::target;
use super::lenient::Many;
use super::network::{contained_network, network_key};
use super::note::Note;
use super::reading::{MOST, Reading};
use crate::model::{Accepting, AcceptingPatients, NetworkClaim, ResourceKind};

/// Every statement, sorted, each once.
pub(super) fn accepting(extensions: &Many<Extension<'_>>, at: &mut Reading<'_>) -> Vec<AcceptingPatients> {
    let mut stated = Vec::new();
    for extension in extensions.iter().filter(|extension| extension.is("newpatients")) {
        read(extension, at, &mut stated);
    }
    stated.sort_unstable();
    stated.dedup();
    at.bounded(stated, MOST)
}

/// The guide's complex extension; also its value without the parts around it. A statement for a network
/// that cannot be read is none: it does not hold for the others.
fn read(extension: &Extension<'_>, at: &mut Reading<'_>, accepting: &mut Vec<AcceptingPatients>) {
    let parts = |name: &'static str| extension.extension.iter().filter(move |part| part.is(name));
    let mut networks: Vec<NetworkClaim> = Vec::new();
    for part in parts("fromNetwork") {
        let claimed = claims(part, at);
        if claimed.is_empty() {
            at.note(Note::UnreadableNetwork);
        }
        networks.extend(claimed);
    }
    if networks.is_empty() && parts("fromNetwork").next().is_some() {
        return;
    }
    let of_any = [None];
    let networks: Vec<Option<NetworkClaim>> = networks.into_iter().map(Some).collect();
    let networks: &[Option<NetworkClaim>] = if networks.is_empty() { &of_any } else { &networks };
    let mut stated: Vec<&Extension<'_>> = parts("acceptingPatients").collect();
    if stated.is_empty() {
        stated.push(extension);
    }
    for status in stated.into_iter().flat_map(|stated| statuses(stated, at)) {
        let patients =
            |from_network: &Option<NetworkClaim>| AcceptingPatients { status, from_network: from_network.clone() };
        accepting.extend(networks.iter().map(patients));
    }
}

/// The networks that an extension means: by identifier, by reference, or both.
fn claims(extension: &Extension<'_>, at: &mut Reading<'_>) -> Vec<NetworkClaim> {
    let reference = extension.reference.0.as_deref();
    let beside = reference.and_then(|reference| reference.identifier.0.as_ref());
    let key = [beside, extension.identifier.0.as_deref()]
        .into_iter()
        .flatten()
        .find_map(|i| network_key(&i.system, &i.value));
    let mut claims: Vec<NetworkClaim> = key.map(NetworkClaim::Key).into_iter().collect();
    if let Some(reference) = reference {
        claims.extend(target(reference, ResourceKind::Organization, at).map(NetworkClaim::Reference));
        let contained = contained_network(reference, at).map(|(keys, _)| keys).unwrap_or_default();
        claims.extend(contained.into_iter().map(NetworkClaim::Key));
    }
    claims
}

/// What a value says; more than one where it contradicts itself. What is not understood is noted.
fn statuses(stated: &Extension<'_>, at: &mut Reading<'_>) -> Vec<Accepting> {
    let flag = stated.boolean.noted(&mut at.notes).map(|flag| if flag { Accepting::Yes } else { Accepting::No });
    let mut found: Vec<Accepting> = flag.into_iter().collect();
    let mut any = false;
    for coding in stated.codings() {
        any |= coding.code.get().is_some() || coding.display.get().is_some();
        let texts = [coding.code.get(), coding.display.get()];
        found.extend(texts.into_iter().flatten().find_map(in_words));
    }
    // Words stand for codes that say nothing.
    let concept = stated.concept.0.as_ref().and_then(|concept| concept.text.get());
    let texts: Vec<&str> = [stated.text(), concept].into_iter().flatten().collect();
    any |= !texts.is_empty();
    if found.is_empty() {
        found.extend(texts.into_iter().find_map(in_words));
    }
    if found.is_empty() && any {
        at.note(Note::UnknownStatus);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Plan-Net's codes, and what people write for them; `not` is what a checklist of CMS writes for `nopt`.
/// `None` for words that are not all known: `limited`, `by referral` and `under 18` are neither.
fn in_words(text: &str) -> Option<Accepting> {
    const REFUSING: [&str; 9] = ["not", "no", "n", "false", "isn", "aren", "doesn", "don", "nopt"];
    const CLOSED: [&str; 3] = ["closed", "full", "closing"];
    const AFFIRMING: [&str; 4] = ["yes", "y", "true", "newpt"];
    const OPEN: [&str; 11] = [
        "accepting",
        "accepts",
        "accept",
        "accepted",
        "taking",
        "takes",
        "take",
        "open",
        "welcome",
        "welcoming",
        "welcomes",
    ];
    const EXISTING: [&str; 4] = ["existing", "established", "current", "exist"];
    const FAMILY: [&str; 4] = ["family", "families", "relatives", "relative"];
    const FILLING: [&str; 33] = [
        "new",
        "patient",
        "patients",
        "pt",
        "pts",
        "panel",
        "only",
        "their",
        "and",
        "of",
        "to",
        "for",
        "is",
        "are",
        "t",
        "currently",
        "provider",
        "practice",
        "practitioner",
        "doctor",
        "the",
        "this",
        "at",
        "time",
        "all",
        "status",
        "with",
        "in",
        "from",
        "longer",
        "now",
        "member",
        "members",
    ];
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "existptonly" => return Some(Accepting::ExistingOnly),
        "existptfam" => return Some(Accepting::ExistingAndFamily),
        _ => {}
    }
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    let kinds: [&[&str]; 7] = [&REFUSING, &CLOSED, &AFFIRMING, &OPEN, &EXISTING, &FAMILY, &FILLING];
    if !words.iter().all(|word| kinds.iter().any(|known| known.contains(word))) {
        return None;
    }
    let (refuses, closed, affirms, open) = (has(&REFUSING), has(&CLOSED), has(&AFFIRMING), has(&OPEN));
    let pairs = |first: &[&str], second: &[&str]| {
        words.windows(2).any(|pair| {
            pair.first().is_some_and(|word| first.contains(word))
                && pair.last().is_some_and(|word| second.contains(word))
        })
    };
    let doubtful = (affirms && (refuses || closed))
        || (closed && open && !refuses)
        || pairs(&["not", "isn", "aren", "t"], &CLOSED)
        || pairs(&OPEN, &["and", "or"]) && refuses;
    if doubtful {
        return None;
    }
    let new = has(&["new"]);
    if has(&EXISTING) {
        let status = if has(&FAMILY) { Accepting::ExistingAndFamily } else { Accepting::ExistingOnly };
        return match (new, refuses || closed) {
            (true, true) => Some(status),
            (true, false) => (!has(&["only"]) && !has(&FAMILY) && (open || affirms)).then_some(Accepting::Yes),
            (false, _) => (!refuses).then_some(status),
        };
    }
    if has(&FAMILY) {
        return None;
    }
    match (refuses || closed, open || affirms || (new && has(&["patient", "patients", "pt", "pts"]))) {
        (true, _) => Some(Accepting::No),
        (false, true) => Some(Accepting::Yes),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_in_words() {
        for (status, texts) in [
            (
                Some(Accepting::Yes),
                [
                    "newpt",
                    "Accepting new patients",
                    "Accepting patients",
                    "Yes",
                    "Y",
                    "Open panel",
                    "Open to new patients",
                    "Accepting new and existing patients",
                    "New patients welcome",
                    "Accepting new members",
                ]
                .as_slice(),
            ),
            (
                Some(Accepting::No),
                &[
                    "nopt",
                    "not",
                    "No",
                    "Not accepting",
                    "Not accepting new patients",
                    "No longer accepting new patients",
                    "Closed panel",
                    "Panel full",
                    "Closed - not accepting new patients",
                    "Isn't taking new patients",
                    "Accepting new patients: no",
                    "Not currently accepting",
                ],
            ),
            (
                Some(Accepting::ExistingOnly),
                &[
                    "ExistPtOnly",
                    "Existing patients only",
                    "Established patients",
                    "Closed panel, existing patients only",
                    "Existing patients only, not accepting new patients",
                ],
            ),
            (
                Some(Accepting::ExistingAndFamily),
                &["existptfam", "Accepting existing patients and their families", "Existing patients & family members"],
            ),
            (
                None,
                &[
                    "perhaps",
                    "",
                    "new",
                    "Not closed",
                    "Limited",
                    "Accepting new patients by referral",
                    "Accepting new patients under 18",
                    "Yes and no",
                    "Call office",
                    "No restrictions",
                    "Not accepting existing patients",
                    "Family",
                    "unknown",
                ],
            ),
        ] {
            for text in texts {
                assert_eq!(in_words(text), status, "{text}");
            }
        }
    }
}
