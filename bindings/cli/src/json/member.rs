//! `coverdex login --json`, `logout --json` and `my-plans --json`: no token and no name is in them.

use coverdex_sync::fetch::MemberPlan;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct LoggedIn<'a> {
    pub(crate) logged_in: bool,
    pub(crate) base: &'a str,
    pub(crate) token_file: String,
    /// When the access token ends; it is renewed by itself.
    pub(crate) expires: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct LoggedOut {
    pub(crate) logged_in: bool,
    pub(crate) was_logged_in: bool,
    pub(crate) token_file: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct MyPlans<'a> {
    pub(crate) plans: Vec<MyPlan<'a>>,
    /// Active drug coverages that name no plan.
    pub(crate) without_plan: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct MyPlan<'a> {
    #[serde(flatten)]
    pub(crate) plan: &'a MemberPlan,
    /// As a dataset at hand has it.
    pub(crate) name: Option<&'a str>,
}
