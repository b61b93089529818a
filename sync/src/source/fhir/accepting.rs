//! Whether new patients are taken (the guide's extension `newpatients`).

use super::datatypes::Extension;
use super::identity::target;
use super::lenient::Many;
use super::network::network_key;
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
    let part = |name| extension.extension.iter().find(move |part| part.is(name));
    let from_network = match part("fromNetwork").map(|part| claim(part, at)) {
        Some(None) => {
            at.note(Note::UnreadableNetwork);
            return;
        }
        stated => stated.flatten(),
    };
    let stated = part("acceptingPatients").unwrap_or(extension);
    let mut statuses: Vec<Accepting> = Vec::new();
    if let Some(flag) = stated.boolean.get() {
        statuses.push(if flag { Accepting::Yes } else { Accepting::No });
    }
    for code in stated.codes() {
        match accepting_code(code) {
            Some(status) => statuses.push(status),
            None => at.note(Note::UnknownStatus),
        }
    }
    let patients = |status| AcceptingPatients { status, from_network: from_network.clone() };
    accepting.extend(statuses.into_iter().map(patients));
}

fn claim(extension: &Extension<'_>, at: &mut Reading<'_>) -> Option<NetworkClaim> {
    let reference = extension.reference.0.as_deref();
    let identifier =
        reference.and_then(|reference| reference.identifier.0.as_ref()).or(extension.identifier.0.as_deref());
    identifier
        .and_then(|identifier| network_key(&identifier.system, &identifier.value))
        .map(NetworkClaim::Key)
        .or_else(|| target(reference?, ResourceKind::Organization, at).map(NetworkClaim::Reference))
}

/// Plan-Net's codes; `not` is what a checklist of CMS writes for `nopt`.
fn accepting_code(code: &str) -> Option<Accepting> {
    match code.to_ascii_lowercase().as_str() {
        "newpt" => Some(Accepting::Yes),
        "nopt" | "not" => Some(Accepting::No),
        "existptonly" => Some(Accepting::ExistingOnly),
        "existptfam" => Some(Accepting::ExistingAndFamily),
        _ => None,
    }
}
