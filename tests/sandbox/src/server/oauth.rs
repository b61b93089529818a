//! Logins: a member's by OAuth 2.0 authorization code, with tokens and their renewal, and a client's by its own
//! credentials.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use serde_json::json;
use sha2::{Digest, Sha256};

use super::answer::Answer;
use super::codec::{base64_url, decode_base64, json_string, mix, query_pairs, query_value, seconds};
use super::locked;
use super::options::{Offer, Options};
use super::payer::Payer;

const SCOPE: &str = "internal openid launch/patient offline_access patient/Patient.read patient/Coverage.read \
    patient/ExplanationOfBenefit.read patient/Procedure.read patient/MedicationRequest.read patient/Immunization.read \
    patient/CareTeam.read patient/Condition.read patient/CarePlan.read patient/Observation.read \
    patient/AllergyIntolerance.read patient/Goal.read patient/DocumentReference.read patient/List.read";
/// How long a code is good.
const CODE_LIFETIME: Duration = Duration::from_mins(10);

/// Codes and tokens that were handed out.
#[derive(Default)]
pub(super) struct Grants {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    issued: u64,
    secrets: Vec<String>,
    codes: HashMap<String, Code>,
    access: HashMap<String, Access>,
    has_client_token: bool,
    refresh: HashMap<String, String>,
}

struct Code {
    patient: String,
    redirect_uri: String,
    good_until: SystemTime,
    challenge: Option<String>,
}

struct Access {
    /// The member; none where the client itself logged in.
    patient: Option<String>,
    good_until: SystemTime,
    /// It came of a code, or is the first that the client got for itself.
    is_first: bool,
}

impl State {
    fn secret(&mut self, what: &str) -> String {
        self.issued += 1;
        let number = |salt| mix(mix(0x5eed, self.issued), salt);
        let secret = format!("{what}{:016x}{:016x}{:016x}", number(1), number(2), number(3));
        self.secrets.push(secret.clone());
        secret
    }
}

/// What the token endpoint gets.
pub(super) struct TokenRequest<'a> {
    pub(super) content_type: &'a str,
    pub(super) authorization: &'a str,
    pub(super) body: &'a [u8],
}

impl Grants {
    /// Everything secret that was handed out, and the patients it was about.
    pub(super) fn secrets(&self) -> Vec<String> {
        locked(&self.state).secrets.clone()
    }

    /// The authorize endpoint. `login_hint` with a member's login stands for the member typing it.
    pub(super) fn authorize(&self, query: &str, options: &Options, payer: &dyn Payer) -> Answer {
        let pairs = query_pairs(query);
        let get = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let redirect_uri = get("redirect_uri").unwrap_or("");
        // Nothing is sent to an address that nobody registered, not even an error.
        if get("client_id") != Some(options.client_id.as_str()) {
            return page(400, "<p>Unknown application.</p>");
        }
        if !options.redirect_uris.iter().any(|registered| registered == redirect_uri) {
            return page(400, "<p>This application has not registered this address.</p>");
        }
        let back = |pairs: &[(&str, &str)]| {
            let mut url = format!("{redirect_uri}{}", if redirect_uri.contains('?') { "&" } else { "?" });
            for (i, (name, value)) in
                pairs.iter().copied().chain(get("state").map(|state| ("state", state))).enumerate()
            {
                let _ = write!(url, "{}{name}={}", if i == 0 { "" } else { "&" }, query_value(value));
            }
            Answer::redirect(302, url)
        };
        if get("response_type") != Some("code") {
            return back(&[("error", "unsupported_response_type")]);
        }
        let challenge = get("code_challenge").filter(|_| options.offers(Offer::Pkce)).map(str::to_owned);
        if challenge.is_some() && get("code_challenge_method") != Some("S256") {
            return back(&[("error", "invalid_request")]);
        }
        let Some(login) = get("login_hint") else { return login_page(&pairs) };
        let Some(member) = payer.members().into_iter().find(|member| member.login == login) else {
            return back(&[("error", "access_denied")]);
        };
        let mut state = locked(&self.state);
        let code = state.secret("code-");
        state.secrets.push(member.patient.clone());
        let good_until = options.clock.now() + CODE_LIFETIME;
        let redirect_uri = redirect_uri.to_owned();
        state.codes.insert(code.clone(), Code { patient: member.patient, redirect_uri, good_until, challenge });
        back(&[("code", &code)])
    }

    /// The token endpoint.
    pub(super) fn token(&self, request: &TokenRequest<'_>, options: &Options) -> Answer {
        let fields = fields(request);
        let get = |name: &str| fields.as_ref().and_then(|fields| fields.get(name)).map_or("", String::as_str);
        let expected = format!("{}:{}", options.client_id, options.client_secret);
        let given = match request.authorization.strip_prefix("Basic ") {
            Some(basic) => decode_base64(basic),
            None => Some(format!("{}:{}", get("client_id"), get("client_secret")).into_bytes()),
        };
        if given.as_deref() != Some(expected.as_bytes()) {
            return refused(401, "invalid_client").with("www-authenticate", "Basic realm=\"token\"");
        }
        if fields.is_none() {
            return refused(400, "invalid_request");
        }
        let now = options.clock.now();
        let mut state = locked(&self.state);
        match get("grant_type") {
            "authorization_code" => {
                // Whatever comes of it, the code is used.
                let Some(code) = state.codes.remove(get("code")) else { return refused(400, "invalid_grant") };
                let proven = code.challenge.is_none_or(|challenge| {
                    base64_url(Sha256::digest(get("code_verifier").as_bytes()).as_slice()) == challenge
                });
                if now >= code.good_until || get("redirect_uri") != code.redirect_uri || !proven {
                    return refused(400, "invalid_grant");
                }
                let refresh = state.secret("refresh-");
                tokens(&mut state, options, now, code.patient, refresh, true)
            }
            "refresh_token" => {
                let given = get("refresh_token").to_owned();
                let Some(patient) = state.refresh.get(&given).cloned() else { return refused(400, "invalid_grant") };
                let refresh = if options.rotate_refresh {
                    state.refresh.remove(&given);
                    state.secret("refresh-")
                } else {
                    given
                };
                tokens(&mut state, options, now, patient, refresh, false)
            }
            "client_credentials" => {
                let is_first = !std::mem::replace(&mut state.has_client_token, true);
                let token = access(&mut state, options, now, None, is_first);
                let body = json!({
                    "access_token": token,
                    "token_type": "Bearer",
                    "expires_in": options.token_seconds,
                    "scope": get("scope"),
                });
                Answer::json(200, body.to_string()).with("cache-control", "no-store")
            }
            _ => refused(400, "unsupported_grant_type"),
        }
    }

    /// The patient whose access token this is, if it is good. `expire` makes a token that came from
    /// a code expire now.
    pub(super) fn patient(&self, authorization: &str, now: SystemTime, expire: bool) -> Result<String, Expired> {
        let of_nobody = Expired { by_fault: false };
        self.opened(authorization, now, expire)?.ok_or(of_nobody)
    }

    /// Whether this is a good access token, a member's or the client's own; `expire` as in [`patient`](Self::patient),
    /// and the first of the client's.
    pub(super) fn opens(&self, authorization: &str, now: SystemTime, expire: bool) -> Result<(), Expired> {
        self.opened(authorization, now, expire).map(drop)
    }

    fn opened(&self, authorization: &str, now: SystemTime, expire: bool) -> Result<Option<String>, Expired> {
        let mut state = locked(&self.state);
        let access = authorization.strip_prefix("Bearer ").and_then(|token| state.access.get_mut(token));
        let access = access.ok_or(Expired { by_fault: false })?;
        if expire && access.is_first && now < access.good_until {
            access.good_until = now;
            return Err(Expired { by_fault: true });
        }
        if now < access.good_until { Ok(access.patient.clone()) } else { Err(Expired { by_fault: false }) }
    }
}

/// The token is not known or not good any more.
pub(super) struct Expired {
    pub(super) by_fault: bool,
}

/// A new access token.
fn access(state: &mut State, options: &Options, now: SystemTime, patient: Option<String>, is_first: bool) -> String {
    let token = state.secret("access-");
    let good_until = now + Duration::from_secs(options.token_seconds);
    state.access.insert(token.clone(), Access { patient, good_until, is_first });
    token
}

fn tokens(
    state: &mut State,
    options: &Options,
    now: SystemTime,
    patient: String,
    refresh: String,
    is_first: bool,
) -> Answer {
    let token = access(state, options, now, Some(patient.clone()), is_first);
    let good_until = now + Duration::from_secs(options.token_seconds);
    let claims = json!({"sub": patient, "aud": options.client_id, "exp": seconds(good_until)}).to_string();
    let id_token =
        format!("{}.{}.c2lnbmVk", base64_url(br#"{"alg":"RS256","typ":"JWT"}"#), base64_url(claims.as_bytes()));
    state.secrets.push(id_token.clone());
    let body = json!({
        "access_token": token,
        "token_type": "Bearer",
        "expires_in": options.token_seconds,
        "refresh_token": refresh,
        "id_token": id_token,
        "patient": patient,
        "scope": SCOPE,
    });
    state.refresh.insert(refresh, patient);
    Answer::json(200, body.to_string()).with("cache-control", "no-store")
}

fn fields(request: &TokenRequest<'_>) -> Option<HashMap<String, String>> {
    let content_type = request.content_type.split(';').next().unwrap_or("").trim();
    if content_type.eq_ignore_ascii_case("application/json") {
        serde_json::from_slice(request.body).ok()
    } else if content_type.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        Some(query_pairs(std::str::from_utf8(request.body).ok()?).into_iter().collect())
    } else {
        None
    }
}

fn refused(status: u16, error: &str) -> Answer {
    Answer::json(status, format!("{{\"error\":{}}}", json_string(error)))
}

fn page(status: u16, content: &str) -> Answer {
    Answer::html(
        status,
        format!("<!doctype html><html><head><title>Sandbox login</title></head><body>{content}</body></html>"),
    )
}

/// Where a person types a member's login; what the application asked for goes along.
fn login_page(pairs: &[(String, String)]) -> Answer {
    let escape = |text: &str| text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let mut form = String::from("<h1>Log in to the sandbox</h1><form method=\"get\" action=\"/auth/authorize\">");
    for (name, value) in pairs {
        let _ = write!(form, "<input type=\"hidden\" name=\"{}\" value=\"{}\">", escape(name), escape(value));
    }
    form.push_str(
        "<label>Member <input name=\"login_hint\" placeholder=\"00001\"></label> <button>Log in</button></form>",
    );
    page(200, &form)
}
