//! What the CapabilityStatement offers.

use std::collections::BTreeSet;

use crate::fhir::json;

/// What the CapabilityStatement offers: a hint, never a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offers {
    /// `Type` for a search, `Type?parameter` for a parameter, `Type@etag` for conditional reads,
    /// `Type@` for a type that it names at all.
    offered: BTreeSet<String>,
}

impl Offers {
    /// Reads a CapabilityStatement.
    pub(crate) fn read(statement: &str) -> Self {
        let mut offered = BTreeSet::new();
        each(statement, "rest", &mut |rest| each(rest, "resource", &mut |resource| of_type(resource, &mut offered)));
        Self { offered }
    }

    /// Whether the statement could be read and names any types.
    pub(crate) fn are_known(&self) -> bool {
        !self.offered.is_empty()
    }

    /// Whether the statement names a type, for whatever interaction.
    pub(crate) fn lists(&self, resource_type: &str) -> bool {
        self.offered.contains(&format!("{resource_type}@"))
    }

    /// Whether a type can be searched without parameters.
    pub(crate) fn search(&self, resource_type: &str) -> bool {
        self.offered.contains(resource_type)
    }

    /// Whether a search takes a parameter.
    pub(crate) fn parameter(&self, resource_type: &str, parameter: &str) -> bool {
        self.offered.contains(&format!("{resource_type}?{parameter}"))
    }

    /// Whether single reads can be conditional.
    pub(crate) fn conditional(&self, resource_type: &str) -> bool {
        self.offered.contains(&format!("{resource_type}@etag"))
    }
}

/// Notes what is offered of one type.
fn of_type(resource: &str, offered: &mut BTreeSet<String>) {
    let [name, conditional] = json::members_or_none(resource, ["type", "conditionalRead"]);
    let Some(name) = json::word(name) else { return };
    offered.insert(format!("{name}@"));
    each(resource, "interaction", &mut |interaction| {
        if word(interaction, "code").as_deref() == Some("search-type") {
            offered.insert(name.clone().into_owned());
        }
    });
    each(resource, "searchParam", &mut |parameter| {
        offered.extend(word(parameter, "name").map(|parameter| format!("{name}?{parameter}")));
    });
    if matches!(json::word(conditional).as_deref(), Some("not-match" | "full-support")) {
        offered.insert(format!("{name}@etag"));
    }
}

fn word(of: &str, name: &'static str) -> Option<String> {
    let [value] = json::members_or_none(of, [name]);
    json::word(value).map(Into::into)
}

/// Calls `found` with the elements of a member that should be a list.
fn each<'a>(of: &'a str, name: &'static str, found: &mut dyn FnMut(&'a str)) {
    let [list] = json::members_or_none(of, [name]);
    let _ = json::list(list.unwrap_or("null"), found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities() {
        let offers = Offers::read(
            r#"{"rest":[{"resource":[{"type":"Location","interaction":[{"code":"read"},{"code":"search-type"}],
                "searchParam":[{"name":"_id"},{"name":"_lastUpdated"}],"conditionalRead":"full-support"},
                {"type":"Organization","interaction":[{"code":"read"}]}]}]}"#,
        );
        assert!(offers.search("Location") && offers.parameter("Location", "_id") && offers.conditional("Location"));
        assert!(
            !offers.search("Organization")
                && !offers.parameter("Location", "name")
                && !offers.conditional("Organization")
        );
        assert!(offers.are_known() && offers.lists("Organization") && !offers.lists("HealthcareService"));
        assert_eq!(Offers::read("no JSON"), Offers::default());
        assert!(!Offers::default().are_known());
    }
}
