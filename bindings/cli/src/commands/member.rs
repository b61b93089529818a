//! `coverdex login`, `logout` and `my-plans`: a member's own plan, and nothing else of a member.

use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

use coverdex_core::{Error, Result};
use coverdex_sync::fetch::{
    Clock as _, Config, Login, MemberPlan, MemberPlans, Network, Secret, SystemClock, TokenEncoding, TokenEndpoint,
    TokenFile, member_plans,
};

use crate::args::{LoginArgs, MemberArgs};
use crate::data::Datasets;
use crate::failure::Exit;
use crate::json::{Document, LoggedIn, LoggedOut, MyPlan, MyPlans};
use crate::output::{Look, Output};
use crate::{payer, table, words};

/// The longest address that is read from standard input.
const LONGEST: u64 = 64 * 1024;

pub(super) fn login(args: &LoginArgs, output: Output) -> Result<Exit> {
    let config = payer::member_config(&args.payer, &args.client)?;
    let tokens = payer::token_file(&config)?;
    tokens.check_place()?;
    let endpoint = TokenEndpoint::new(&config, TokenEncoding::Form)?;
    let expires = payer::wait(async {
        let login = Login::begin(&config)?;
        let code = if args.no_browser {
            Output::always(&format!("Log in at\n  {}\nthen paste the address that the browser ends at:", login.url()));
            login.code(&pasted(&mut std::io::stdin().lock())?)?
        } else {
            in_browser(&login, output).await?
        };
        let got = endpoint.exchange(&login, &code, SystemClock::default().now()).await?;
        tokens.save(&got)?;
        Ok(got.expires.to_string())
    })?;
    let base = config.base.to_string();
    output.answer(
        || {
            Document::of(&LoggedIn {
                logged_in: true,
                base: &base,
                token_file: tokens.path().display().to_string(),
                expires: &expires,
            })
        },
        |look| {
            let path = tokens.path().display();
            let line = format!("Logged in with {base}. Tokens are kept in {path}, for you alone.");
            table::wrap(look, &words::shown(&line), "  ") + "Next: coverdex my-plans, with the same settings\n"
        },
    )?;
    Ok(Exit::Answered)
}

/// Listens at the redirect address, sends a browser to the payer, and waits for it to come back.
async fn in_browser(login: &Login, output: Output) -> Result<Secret> {
    let listening = login.listen().await?;
    let opened = open::that_detached(login.url().as_str());
    let how = if opened.is_ok() { "A browser opens. If none does, go to" } else { "No browser can be opened. Go to" };
    Output::always(&format!("{how}\n  {}\nWaiting for the login; Ctrl-C gives up.", login.url()));
    login.wait_for_code(listening, |what| output.remark(&format!("Still waiting: {what}."))).await
}

/// The address that somebody pastes.
fn pasted(from: &mut impl BufRead) -> Result<String> {
    let mut line = Vec::new();
    let mut from = std::io::Read::take(from, LONGEST);
    from.read_until(b'\n', &mut line).map_err(|error| Error::io("standard input", &error))?;
    // The text holds a code: it is not shown.
    let line = String::from_utf8(line).map_err(|_| Error::invalid("address", "what was pasted is not text (UTF-8)"))?;
    match line.trim() {
        "" => Err(Error::invalid("address", "nothing was pasted")
            .with_hint("paste the whole address from the browser's address line")),
        address => Ok(address.to_owned()),
    }
}

pub(super) fn logout(args: &MemberArgs, output: Output) -> Result<Exit> {
    let mut config = payer::member_config(&args.payer, &args.client)?;
    // To forget tokens nobody needs to know where they came from.
    config.token.get_or_insert_with(|| config.base.clone());
    let tokens = payer::token_file(&config)?;
    let was_logged_in = tokens.forget()?;
    let path = tokens.path();
    output.answer(
        || Document::of(&LoggedOut { logged_in: false, was_logged_in, token_file: path.display().to_string() }),
        |_| {
            if was_logged_in {
                format!("Logged out: the tokens in {} are gone.\n", path.display())
            } else {
                format!("Nobody was logged in: there are no tokens in {}.\n", path.display())
            }
        },
    )?;
    Ok(Exit::Answered)
}

pub(super) fn my_plans(args: &MemberArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let config = payer::member_config(&args.payer, &args.client)?;
    let endpoint = TokenEndpoint::new(&config, TokenEncoding::Form)?;
    let tokens = payer::token_file(&config)?;
    let plans = payer::wait(of_member(config, &tokens, &endpoint))?;
    let names = names(&plans, data)?;
    output.answer(
        || {
            let named = plans.plans.iter().zip(&names);
            let plans_of = named.map(|(plan, name)| MyPlan { plan, name: name.as_deref() }).collect();
            Document::of(&MyPlans { plans: plans_of, without_plan: plans.without_plan })
        },
        |look| render(look, &plans, &names),
    )?;
    Ok(if plans.plans.is_empty() { Exit::NotThere } else { Exit::Answered })
}

async fn of_member(config: Config, tokens: &TokenFile, endpoint: &TokenEndpoint) -> Result<MemberPlans> {
    let network = Arc::new(Network::new(&config)?);
    member_plans(config, network, Arc::new(SystemClock::default()), tokens, endpoint).await
}

/// The plans' names, where a dataset at hand knows them.
fn names(plans: &MemberPlans, data: &[PathBuf]) -> Result<Vec<Option<String>>> {
    let datasets = match Datasets::open(data) {
        Err(error) if !data.is_empty() => return Err(error),
        datasets => datasets.ok(),
    };
    let name = |plan: &MemberPlan| {
        let meant = datasets.as_ref()?.resolve_plan(&plan.plan).ok()?;
        meant.first()?.plan.name.clone()
    };
    Ok(plans.plans.iter().map(name).collect())
}

fn render(look: Look, plans: &MemberPlans, names: &[Option<String>]) -> String {
    let mut text = String::new();
    if !plans.plans.is_empty() {
        let mut list = table::list(look, &["Plan", "Name", "From", "To", "Today"]);
        for (plan, name) in plans.plans.iter().zip(names) {
            list.add_row([
                table::text(&plan.plan),
                table::text(name.as_deref().unwrap_or("not known here")),
                table::text(plan.from.as_deref().unwrap_or("not stated")),
                table::text(plan.to.as_deref().unwrap_or("not stated")),
                table::text(if plan.current { "covers you" } else { "does not" }),
            ]);
        }
        table::unbroken(&mut list, 0);
        text += &table::render(&list);
    }
    if plans.without_plan > 0 {
        let of = words::count(plans.without_plan.into(), "drug coverage", "drug coverages");
        text +=
            &table::wrap(look, &format!("{of} of yours name no plan: the card or the payer tells which it is."), "  ");
    }
    match plans.plans.iter().find(|plan| plan.current) {
        Some(plan) => text + &words::shown(&format!("Next: coverdex covered \"DRUG\" --plan {}\n", plan.plan)),
        None if plans.plans.is_empty() && plans.without_plan == 0 => {
            text + "The payer names no active drug coverage of yours.\n"
        }
        None => text,
    }
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
