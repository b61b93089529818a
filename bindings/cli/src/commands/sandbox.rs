//! `coverdex sandbox`: a stand-in payer for those who write clients.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use coverdex_core::{Error, Result};
use coverdex_sandbox::server::{
    Ending, Fault, FaultSpec, Faults, MemoryPayer, Need, Offer, Options, Payer, PublishedPayer, Running, Server,
};
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_sync::fetch::{Clock as _, SystemClock};

use crate::args::SandboxArgs;
use crate::failure::Exit;
use crate::json::{Document, FaultFields, NeedFields, OfferFields, SandboxDocument, SandboxEnd, SandboxLists};
use crate::output::{Look, Output};
use crate::{interrupt, table, words};

/// What stands for a list of what there is.
const LIST: &str = "list";

/// What stands for no offer at all.
const NONE: &str = "none";

/// Members that are named.
const MOST_MEMBERS: usize = 3;

pub(super) fn run(args: &SandboxArgs, output: Output) -> Result<Exit> {
    if args.faults.iter().chain(&args.offers).chain(&args.needs).any(|name| name == LIST) {
        output.answer(|| Document::of(&lists()), list)?;
        return Ok(Exit::Answered);
    }
    let options = options(args)?;
    let payer = payer(args)?;
    let logins: Vec<String> = payer.members().into_iter().map(|member| member.login).collect();
    let running = Server::start(payer, options.clone())?;
    output.answer(
        || Document::of(&SandboxDocument::new(&running, &options, &logins)),
        |_| addresses(&running, &options, &logins),
    )?;
    interrupt::wait()?;
    let (requests, fired) = (running.requests(), running.fired());
    running.stop();
    output.answer(|| Document::of(&SandboxEnd::new(&requests, &fired)), |look| ended(look, &requests, &fired))?;
    Ok(Exit::Answered)
}

fn options(args: &SandboxArgs) -> Result<Options> {
    let mut options = Options { port: args.port, ..Options::default() };
    let specs = args.faults.iter().map(|name| name.parse::<FaultSpec>()).collect::<Result<Vec<_>>>()?;
    options.faults = Faults { specs, ..Faults::none() }.with_seed(args.seed.unwrap_or(Faults::none().seed));
    if !args.offers.is_empty() {
        let named = args.offers.iter().filter(|name| *name != NONE);
        options.offers = named.map(|name| name.parse::<Offer>()).collect::<Result<BTreeSet<_>>>()?;
    }
    options.needs = args.needs.iter().map(|name| name.parse::<Need>()).collect::<Result<BTreeSet<_>>>()?;
    Ok(options)
}

fn payer(args: &SandboxArgs) -> Result<Arc<dyn Payer>> {
    let Some(folder) = &args.from else {
        let shape = args.size.unwrap_or_default().shape();
        let seed = args.seed.unwrap_or(shape.seed);
        let year = args.year.or_else(this_year).unwrap_or(shape.year);
        return Ok(Arc::new(PublishedPayer::new(MadePayer::new(Shape { seed, year, ..shape }))));
    };
    if !folder.is_dir() {
        return Err(Error::invalid(format!("folder {}", folder.display()), "there is no such folder")
            .with_hint("--from names a folder with *.ndjson files, plain, .gz or .zst"));
    }
    Ok(Arc::new(MemoryPayer::from_folder(folder)?))
}

/// What a payer's plans would be of today.
pub(super) fn this_year() -> Option<u16> {
    SystemClock::default().now().to_string().split('-').next()?.parse().ok()
}

/// Where it is, and what to type meanwhile in another window.
fn addresses(running: &Running, options: &Options, logins: &[String]) -> String {
    let (api, auth) = (running.api_url(), running.auth_url());
    let mut text = format!("A stand-in payer serves at {api} until Ctrl-C.\n");
    let offers: Vec<&str> = options.offers.iter().map(|offer| offer.name()).collect();
    let _ = writeln!(text, "  Offers      {}", or_none(&offers.join(", ")));
    let faults: Vec<String> = options.faults.specs.iter().map(ToString::to_string).collect();
    let _ = writeln!(text, "  Faults      {} (seed {})", or_none(&faults.join(", ")), options.faults.seed);
    let needs: Vec<&str> = options.needs.iter().map(|need| need.name()).collect();
    let _ = writeln!(text, "  Needs       {}", or_none(&needs.join(", ")));
    let _ = writeln!(text, "  Login       {auth}/auth/authorize, {auth}/auth/token");
    let _ = writeln!(text, "  Client      {}, secret {}", options.client_id, options.client_secret);
    let _ = writeln!(text, "  API key     {}: {}", options.api_key_header, options.api_key);
    let _ = writeln!(text, "  Redirects   {}", options.redirect_uris.join(", "));
    let some: Vec<&str> = logins.iter().take(MOST_MEMBERS).map(String::as_str).collect();
    let more = logins.len().saturating_sub(MOST_MEMBERS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let _ = writeln!(text, "  Members     {}{more}", or_none(&some.join(", ")));
    let _ = writeln!(text, "\nIn another window:");
    let needs_login = options.needs.contains(&Need::ClientLogin);
    if needs_login {
        let (id, secret) = (&options.client_id, &options.client_secret);
        let _ = writeln!(text, "  export COVERDEX_TOKEN_URL={auth}/auth/token COVERDEX_CLIENT_CREDENTIALS=true \\");
        let _ = writeln!(text, "    COVERDEX_CLIENT_ID={id} COVERDEX_CLIENT_SECRET={secret}");
    }
    let mut header = String::new();
    if options.needs.contains(&Need::ApiKey) {
        let (name, key) = (&options.api_key_header, &options.api_key);
        let _ = writeln!(text, "  export COVERDEX_API_KEY={key} COVERDEX_API_KEY_HEADER={name}");
        header = format!(" -H '{name}: {key}'");
    }
    let _ = writeln!(text, "  coverdex sync --base-url {api} --rate off --out sandbox-store");
    let _ = writeln!(text, "  coverdex plans --data sandbox-store");
    if !needs_login {
        let _ = writeln!(text, "  curl{header} '{api}/InsurancePlan?_count=2'");
    }
    if let (Some(redirect), false) = (options.redirect_uris.first(), logins.is_empty()) {
        let _ = writeln!(text, "  export COVERDEX_BASE_URL={api} COVERDEX_AUTHORIZE_URL={auth}/auth/authorize \\");
        let _ = writeln!(text, "    COVERDEX_TOKEN_URL={auth}/auth/token COVERDEX_REDIRECT_URL={redirect} \\");
        let _ = writeln!(
            text,
            "    COVERDEX_CLIENT_ID={} COVERDEX_CLIENT_SECRET={}",
            options.client_id, options.client_secret
        );
        let _ = writeln!(text, "  coverdex login && coverdex my-plans && coverdex logout");
    }
    text
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

/// What was asked and what went wrong.
fn ended(
    look: Look,
    requests: &coverdex_sandbox::server::Requests,
    fired: &std::collections::BTreeMap<Fault, u64>,
) -> String {
    let mut text = format!(
        "\nStopped after {} over {}, {} sent.\n",
        words::count(requests.total, "request", "requests"),
        words::count(requests.connections, "connection", "connections"),
        words::bytes(requests.bytes),
    );
    if requests.total > 0 {
        let mut by_endpoint = table::list(look, &["Endpoint", "Requests"]);
        for (endpoint, count) in &requests.by_endpoint {
            by_endpoint.add_row([table::text(endpoint.to_string()), table::number(words::thousands(*count))]);
        }
        text += &table::render(&by_endpoint);
    }
    if !fired.is_empty() {
        let mut by_fault = table::list(look, &["Fault", "Times"]);
        for (fault, count) in fired {
            by_fault.add_row([table::text(fault.name()), table::number(words::thousands(*count))]);
        }
        text += &table::render(&by_fault);
    }
    text
}

const fn ending(fault: Fault) -> &'static str {
    match fault.ending() {
        Ending::Same => "same",
        Ending::MayBeIncomplete => "incomplete",
    }
}

fn lists() -> SandboxLists {
    let fault = |fault: &Fault| FaultFields {
        name: fault.name(),
        must_end: ending(*fault),
        every: fault.every(),
        about: fault.about(),
    };
    let offer = |offer: &Offer| OfferFields { name: offer.name(), about: offer.about() };
    let need = |need: &Need| NeedFields { name: need.name(), about: need.about() };
    SandboxLists {
        faults: Fault::ALL.iter().map(fault).collect(),
        offers: Offer::ALL.iter().map(offer).collect(),
        needs: Need::ALL.iter().map(need).collect(),
    }
}

/// Every fault, offer and need, and what it does.
fn list(look: Look) -> String {
    let mut faults = table::grid(look, &["--fault", "Must end", "One in", "What happens"]);
    for fault in Fault::ALL {
        faults.add_row([
            table::text(fault.name()),
            table::text(ending(*fault)),
            table::number(fault.every().to_string()),
            table::text(fault.about().replace('`', "")),
        ]);
    }
    table::unbroken(&mut faults, 0);
    let mut offers = table::grid(look, &["--offer", "What is offered beyond the API document"]);
    for offer in Offer::ALL {
        offers.add_row([table::text(offer.name()), table::text(offer.about().replace('`', ""))]);
    }
    table::unbroken(&mut offers, 0);
    let mut needs = table::grid(look, &["--need", "What is wanted of clients"]);
    for need in Need::ALL {
        needs.add_row([table::text(need.name()), table::text(need.about().replace('`', ""))]);
    }
    table::unbroken(&mut needs, 0);
    let legend = "Same: a client can end, and so must, with what it ends with without the fault. Incomplete: it may end \
                  without some of it, if it says which and why. NAME@TYPE+TYPE: only for these types; NAME/N: one in N.";
    table::render(&faults)
        + &table::wrap(look, legend, "  ")
        + "\n"
        + &table::render(&offers)
        + "--offer none: the API document alone.\n\n"
        + &table::render(&needs)
}

#[cfg(test)]
mod tests;
