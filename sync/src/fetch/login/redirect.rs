//! The redirect address on this machine: the browser comes back to it with the answer of a login, and anybody
//! else may come as well.

use std::collections::VecDeque;
use std::time::Duration;

use coverdex_core::{Error, ErrorKind, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::fetch::config::is_loopback;
use crate::fetch::login::oauth::{Login, NoCode};
use crate::fetch::secret::Secret;

/// How long a member may take to log in.
const LONGEST_LOGIN: Duration = Duration::from_mins(15);
/// How long a request may take to come, and its answer to leave.
const LONGEST_REQUEST: Duration = Duration::from_secs(5);
/// Bytes of a request's head at most.
const LONGEST_HEAD: usize = 64 * 1024;
/// Connections at most: the oldest makes room for the next.
const MOST_CONNECTIONS: usize = 64;
/// The pause after a connection that could not be taken, so that nothing spins.
const PAUSE: Duration = Duration::from_millis(50);

/// The redirect address, being listened at.
#[derive(Debug)]
pub struct Listening(TcpListener);

/// A request's first line, as far as it counts here.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    method: String,
    target: String,
}

impl Login {
    /// Listens at the registered redirect address, which must be on this machine.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the address is elsewhere, [`ErrorKind::Io`] if the port is taken.
    pub async fn listen(&self) -> Result<Listening> {
        let redirect = self.redirect();
        let subject = format!("redirect address {redirect}");
        if redirect.scheme() != "http" || !is_loopback(redirect) {
            return Err(Error::invalid(subject, "it is not on this machine, so its answer cannot be waited for")
                .with_hint("log in without a browser being opened, and paste the address that it ends at"));
        }
        let host = redirect.host_str().unwrap_or("127.0.0.1").trim_matches(['[', ']']);
        let port = redirect.port_or_known_default().unwrap_or(80);
        let listener = TcpListener::bind((host, port)).await;
        listener.map(Listening).map_err(|error| Error::new(ErrorKind::Io, subject, error.to_string()))
    }

    /// Waits for the browser to come back with the answer of this login. Whatever else comes is answered and
    /// forgotten; `tell` hears once of a code that belongs to another login.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the server refused, or nobody came in time.
    pub async fn wait_for_code(&self, at: Listening, tell: impl FnMut(&str)) -> Result<Secret> {
        self.wait(at, LONGEST_LOGIN, tell).await
    }

    async fn wait(&self, at: Listening, longest: Duration, mut tell: impl FnMut(&str)) -> Result<Secret> {
        let end = Instant::now() + longest;
        let mut requests = JoinSet::new();
        let mut answers = JoinSet::new();
        let mut open: VecDeque<AbortHandle> = VecDeque::new();
        let mut was_told = false;
        loop {
            tokio::select! {
                accepted = at.0.accept() => {
                    let Ok((stream, _)) = accepted else {
                        sleep(PAUSE).await;
                        continue;
                    };
                    open.retain(|request| !request.is_finished());
                    if open.len() >= MOST_CONNECTIONS
                        && let Some(oldest) = open.pop_front()
                    {
                        oldest.abort();
                    }
                    open.push_back(requests.spawn(request(stream)));
                }
                Some(came) = requests.join_next() => {
                    // One that was aborted or broke off is gone.
                    let Ok((mut stream, asked)) = came else { continue };
                    let (status, text, is_head) = match self.judge(asked.as_ref()) {
                        Judged::Ours(answer) => {
                            let text = if answer.is_ok() { LOGGED_IN } else { FAILED };
                            answer_to(&mut stream, OK, text, false).await;
                            return answer;
                        }
                        Judged::OthersCode => {
                            if !std::mem::replace(&mut was_told, true) {
                                tell("an answer came that belongs to another login (`state` differs): it was refused");
                            }
                            (BAD_REQUEST, OTHERS, false)
                        }
                        Judged::Stray(status) => {
                            (status, "", asked.is_some_and(|asked| asked.method == "HEAD"))
                        }
                    };
                    answers.spawn(async move { answer_to(&mut stream, status, text, is_head).await });
                }
                Some(_) = answers.join_next() => {}
                () = sleep_until(end) => {
                    return Err(Error::new(ErrorKind::Sync, "login", "nobody came back from the browser in time")
                        .with_hint("log in again"));
                }
            }
        }
    }

    fn judge(&self, asked: Option<&Asked>) -> Judged {
        let Some(Asked { method, target }) = asked else { return Judged::Stray(BAD_REQUEST) };
        // Browsers also ask for icons.
        if target.split('?').next() != Some(self.redirect().path()) {
            return Judged::Stray(NOT_FOUND);
        }
        if method != "GET" {
            return Judged::Stray(NOT_ALLOWED);
        }
        match self.read(target) {
            Ok(code) => Judged::Ours(Ok(code)),
            Err(NoCode::Refused(error)) => Judged::Ours(Err(error)),
            Err(NoCode::OfAnother { has_code: true, .. }) => Judged::OthersCode,
            Err(NoCode::OfAnother { .. }) => Judged::Stray(BAD_REQUEST),
        }
    }
}

/// What a request at the redirect address is.
enum Judged {
    /// The answer of this login.
    Ours(Result<Secret>),
    /// A code that belongs to another login.
    OthersCode,
    /// Anything else, and the status that it gets.
    Stray(&'static str),
}

const OK: &str = "200 OK";
const BAD_REQUEST: &str = "400 Bad Request";
const NOT_FOUND: &str = "404 Not Found";
const NOT_ALLOWED: &str = "405 Method Not Allowed\r\nAllow: GET";

const LOGGED_IN: &str = "You are logged in. This window may be closed.";
const FAILED: &str = "The login failed.";
const OTHERS: &str = "This answer belongs to another login. Log in where the newest window was opened.";

/// A connection and what it asks for; nothing where that is no request, does not end, or is too long.
async fn request(mut stream: TcpStream) -> (TcpStream, Option<Asked>) {
    let head = timeout(LONGEST_REQUEST, head(&mut stream)).await.ok().flatten();
    let asked = head.and_then(|head| first_line(&head));
    (stream, asked)
}

/// A request's head, whole.
async fn head(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    let mut buffer = [0u8; 4096];
    loop {
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        let seen = head.len().saturating_sub(3);
        head.extend_from_slice(buffer.get(..read)?);
        if head.get(seen..)?.windows(4).any(|end| end == b"\r\n\r\n") {
            return Some(head);
        }
        if head.len() >= LONGEST_HEAD {
            return None;
        }
    }
}

fn first_line(head: &[u8]) -> Option<Asked> {
    let line = std::str::from_utf8(head.split(|byte| *byte == b'\r').next()?).ok()?;
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let is_request = version.starts_with("HTTP/") && target.starts_with('/') && words.next().is_none();
    is_request.then(|| Asked { method: method.to_owned(), target: target.to_owned() })
}

async fn answer_to(stream: &mut TcpStream, status: &str, text: &str, is_head: bool) {
    let body = format!("<!doctype html><meta charset=\"utf-8\"><title>Coverdex</title><p>{text}</p>");
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
    );
    let whole = if is_head { head } else { head + &body };
    let _ = timeout(LONGEST_REQUEST, async {
        stream.write_all(whole.as_bytes()).await?;
        stream.shutdown().await?;
        // What still comes is read: a connection that is closed over it would take the answer along.
        let mut rest = [0u8; 4096];
        let mut unread = 0;
        while unread < 16 * LONGEST_HEAD {
            match stream.read(&mut rest).await? {
                0 => break,
                read => unread += read,
            }
        }
        std::io::Result::Ok(())
    })
    .await;
}

#[cfg(test)]
mod tests;
