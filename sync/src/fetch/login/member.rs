//! A member's own plans, from Coverage. Nothing of it is staged, logged or put into a dataset.

use coverdex_core::PlanId;
use coverdex_core::{Error, ErrorKind, Result};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use url::Url;

use crate::fetch::config::host_and_port;
use crate::fetch::http::client::{Answer, Client, Want};
use crate::fetch::login::endpoint::TokenEndpoint;
use crate::fetch::login::tokens::TokenFile;
use crate::fhir::json;
use crate::fhir::page::entries;

/// Pages of Coverage read at most: a member has a handful.
const MAX_PAGES: usize = 20;

/// A drug plan that a member is covered by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct MemberPlan {
    /// The plan id as the payer writes it.
    pub plan: String,
    /// First day, as written.
    pub from: Option<String>,
    /// Last day, as written.
    pub to: Option<String>,
    /// Whether the coverage holds today, as far as its days say.
    pub current: bool,
}

/// What Coverage says of a member's drug plans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemberPlans {
    /// Plans of active drug coverages, in order.
    pub plans: Vec<MemberPlan>,
    /// Active drug coverages that name no plan.
    pub without_plan: u32,
}

/// Reads the plans of whoever is logged in.
pub(crate) async fn my_plans(
    client: &Client,
    base: &Url,
    tokens: &TokenFile,
    endpoint: &TokenEndpoint,
) -> Result<MemberPlans> {
    let now = client.clock.now();
    let mut token = tokens.access(endpoint, now, false).await?;
    let mut url = base.clone();
    url.set_path(&format!("{}/Coverage", base.path().trim_end_matches('/')));
    let mut plans = MemberPlans::default();
    let mut renewed = false;
    for _ in 0..MAX_PAGES {
        let body = match client.ask(&Want { bearer: Some(&token), ..Want::new(&url, "Coverage") }).await {
            Answer::Good { body, .. } => body,
            Answer::Refused(401) if !renewed => {
                renewed = true;
                token = tokens.access(endpoint, now, true).await?;
                continue;
            }
            // The server's words may be about the member: they are not repeated.
            Answer::Refused(status) | Answer::Gone(status) => {
                return Err(failed(&format!("the server answers {status}")));
            }
            Answer::Failed(trouble) => return Err(failed(&trouble.to_string())),
            Answer::NotModified => return Err(failed("the server answers 304")),
            Answer::Stopped => return Err(Error::new(ErrorKind::Interrupted, "Coverage", "stopped")),
        };
        let text = json::text(&body);
        for coverage in entries(&text, "Coverage") {
            plans.add(coverage.json, now);
        }
        let Some(next) = next_link(&text) else { break };
        url = token_may_follow(base, &url, &next)?;
    }
    plans.plans.sort();
    plans.plans.dedup();
    Ok(plans)
}

fn failed(message: &str) -> Error {
    Error::new(ErrorKind::Sync, "Coverage", message)
}

fn next_link(text: &str) -> Option<String> {
    match crate::fhir::page::look(text, "Coverage", crate::fetch::config::MAX_DEPTH) {
        crate::fhir::page::Body::Page(page) => page.next.map(std::borrow::Cow::into_owned),
        _ => None,
    }
}

/// A next link that the token may follow: the base's own host, whatever other hosts are allowed.
fn token_may_follow(base: &Url, here: &Url, next: &str) -> Result<Url> {
    let url = here.join(next).map_err(|_| failed("a next link cannot be read"))?;
    if url.scheme() != base.scheme() || host_and_port(&url) != host_and_port(base) {
        return Err(failed("a next link leads to another host: the token does not go there"));
    }
    Ok(url)
}

impl MemberPlans {
    fn add(&mut self, coverage: &str, now: Timestamp) {
        let Ok(coverage) = serde_json::from_str::<Value>(coverage) else { return };
        let word = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_active = word(&coverage, "status").is_some_and(|status| status == "active");
        let is_drug = each(coverage.get("type"), "coding")
            .any(|coding| word(coding, "code").is_some_and(|code| code.eq_ignore_ascii_case("DRUGPOL")));
        if !is_active || !is_drug {
            return;
        }
        let classes: Vec<&Value> = each(Some(&coverage), "class").collect();
        let is_subplan = |class: &&&Value| {
            each(class.get("type"), "coding")
                .any(|c| word(c, "code").is_some_and(|c| c.eq_ignore_ascii_case("subplan")))
        };
        let value = |class: &&Value| word(class, "value").map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
        let mut named: Vec<String> = classes.iter().filter(is_subplan).filter_map(value).collect();
        if named.is_empty() {
            // Payers that name the class otherwise: a value that is a plan id by its shape.
            let is_plan = |id: &String| PlanId::parse(id).is_ok_and(|plan| !matches!(plan, PlanId::Other(_)));
            named = classes.iter().filter_map(value).filter(is_plan).collect();
        }
        if named.is_empty() {
            self.without_plan += 1;
        }
        let day = |name: &str| coverage.get("period").and_then(|period| word(period, name));
        let (from, to) = (day("start"), day("end"));
        let today = now.to_string();
        // Days and months compare as text; what is stated shortly ("2026") covers all of it.
        let begun = from.as_deref().is_none_or(|from| cut(&today, from) >= from);
        let not_ended = to.as_deref().is_none_or(|to| cut(&today, to) <= to);
        let current = begun && not_ended;
        self.plans.extend(named.into_iter().map(|plan| MemberPlan {
            plan,
            from: from.clone(),
            to: to.clone(),
            current,
        }));
    }
}

/// As much of a date as `like` states of one, up to the day.
fn cut<'a>(date: &'a str, like: &str) -> &'a str {
    date.get(..like.len().min(10)).unwrap_or(date)
}

fn each<'a>(of: Option<&'a Value>, field: &str) -> impl Iterator<Item = &'a Value> {
    let (list, single) = match of.and_then(|of| of.get(field)) {
        Some(Value::Array(list)) => (list.as_slice(), None),
        Some(single @ Value::Object(_)) => (&[] as &[Value], Some(single)),
        _ => (&[] as &[Value], None),
    };
    list.iter().chain(single)
}

/// The plans of whoever is logged in with a payer.
///
/// # Errors
/// [`ErrorKind::Sync`] if nobody is logged in, the server refuses, or cannot be reached.
pub async fn member_plans(
    config: crate::fetch::Config,
    transport: std::sync::Arc<dyn crate::fetch::Transport>,
    clock: std::sync::Arc<dyn crate::fetch::Clock>,
    tokens: &TokenFile,
    endpoint: &TokenEndpoint,
) -> Result<MemberPlans> {
    let client = Client::new(config, transport, clock, crate::fetch::Stop::default());
    let (base, _) = crate::fetch::crawl::generation::greet(&client).await;
    my_plans(&client, &base, tokens, endpoint).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plans(coverages: &[&str]) -> MemberPlans {
        let mut plans = MemberPlans::default();
        for coverage in coverages {
            plans.add(coverage, "2026-07-01T12:00:00Z".parse().unwrap());
        }
        plans
    }

    fn coverage(status: &str, codes: &str, period: &str, classes: &str) -> String {
        let codes: Vec<_> = codes.split(' ').map(|c| format!(r#"{{"code":"{c}"}}"#)).collect();
        let classes: Vec<_> = classes
            .split_whitespace()
            .map(|class| {
                let (code, value) = class.split_once('=').unwrap();
                format!(r#"{{"type":{{"coding":[{{"code":"{code}"}}]}},"value":"{value}"}}"#)
            })
            .collect();
        let period = period.split_once('/').map(|(a, b)| format!(r#","period":{{"start":"{a}","end":"{b}"}}"#));
        format!(
            r#"{{"resourceType":"Coverage","status":"{status}","type":{{"coding":[{}]}},"class":[{}]{}}}"#,
            codes.join(","),
            classes.join(","),
            period.unwrap_or_default()
        )
    }

    #[test]
    fn active_drug_coverages_name_plans() {
        let of = |status, codes, period, classes| plans(&[&coverage(status, codes, period, classes)]);
        let year = "2026-01-01/2026-12-31";
        let found = of("active", "DRUGPOL", year, "group=G1 subplan=H1234-001-000-2026 plan=P1 rxbin=1");
        assert_eq!(found.plans.len(), 1);
        assert_eq!((found.plans[0].plan.as_str(), found.plans[0].current), ("H1234-001-000-2026", true));
        assert_eq!(of("active", "MAPD DRUGPOL", year, "subplan=A").plans.len(), 1, "in any coding");
        assert!(of("cancelled", "DRUGPOL", year, "subplan=A").plans.is_empty());
        assert!(of("active", "EHCPOL", year, "subplan=A").plans.is_empty());
        let none = of("active", "DRUGPOL", year, "group=G1");
        assert_eq!((none.plans.len(), none.without_plan), (0, 1));
        let by_shape = of("active", "DRUGPOL", year, "group=G1 plan=H1234-001-000-2026");
        assert_eq!((by_shape.plans.len(), by_shape.without_plan), (1, 0));
    }

    #[test]
    fn periods() {
        for (period, current) in [
            ("2026-01-01/2026-12-31", true),
            ("2027-01-01/2027-12-31", false),
            ("2025-01-01/2025-12-31", false),
            ("2026/2026", true),
            ("2026-07/2026-07", true),
            ("2026-07-01/2026-07-01", true),
            ("2026-07-02/2026-12-31", false),
            ("2026-01-01T00:00:00-05:00/2026-12-31T23:59:59-05:00", true),
            ("", true),
        ] {
            let found = plans(&[&coverage("active", "DRUGPOL", period, "subplan=A")]);
            assert_eq!(found.plans[0].current, current, "{period}");
        }
    }
}
