//! A publication on a web server: small files whole, packed ones from where an earlier attempt ended.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use coverdex_core::{Cancel, Error, ErrorKind, Result};
use reqwest::header::{self, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use super::document::{Blob, damaged};
use super::hash;
use crate::build::not_cancelled;
use crate::fetch::Tls;
use crate::fetch::config::{host_and_port, is_loopback};
use crate::fetch::http::{tls, transport};

/// Attempts at a file while the server stumbles or the connection breaks.
const ATTEMPTS: u32 = 4;

/// Redirects that are followed, on the same host.
const MAX_REDIRECTS: u32 = 3;

/// The pause before the second attempt; each after it is twice as long.
const PAUSE: Duration = Duration::from_millis(500);

/// How often somebody looks whether the call was cancelled while the network is waited for.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How a server is asked.
#[derive(Clone, Debug)]
pub struct WebOptions {
    /// A file of certificates (PEM) of further authorities that servers may be known by.
    pub ca: Option<PathBuf>,
    /// Whether plain http may be used beyond this machine.
    pub allow_http: bool,
    /// How long no byte may come.
    pub timeout: Duration,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self { ca: None, allow_http: false, timeout: Duration::from_mins(1) }
    }
}

/// A publication's folder on a web server.
pub(super) struct Web {
    base: Url,
    client: reqwest::Client,
    runtime: Runtime,
}

/// Why an attempt failed.
enum Trouble {
    /// Another attempt may help.
    Passing(String),
    /// None will.
    Final(Error),
}

/// Whether a text is the address of a web server.
pub(super) fn is_address(text: &str) -> bool {
    text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"))
        || text.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"))
}

impl Web {
    pub(super) fn new(address: &str, options: &WebOptions) -> Result<Self> {
        let invalid = |why: &str| Error::invalid(format!("address {address:?}"), why);
        let hint = "name the folder of the publication, such as https://example.com/larkspur";
        let mut base =
            Url::parse(address.trim()).map_err(|e| Error::invalid("address", e.to_string()).with_hint(hint))?;
        if !base.username().is_empty() || base.password().is_some() {
            return Err(Error::invalid("address", "a user name or password may not stand in it").with_hint(hint));
        }
        if base.host_str().is_none_or(str::is_empty) || base.query().is_some() || base.fragment().is_some() {
            return Err(invalid("it names no folder of a server").with_hint(hint));
        }
        if base.scheme() != "https" && !options.allow_http && !is_loopback(&base) {
            return Err(invalid("plain http shows others what is fetched").with_hint("use https, or --allow-http"));
        }
        let path = base.path().trim_end_matches('/');
        let path = format!("{}/", path.strip_suffix("/publication.json").unwrap_or(path));
        base.set_path(&path);
        let refused = |e: String| Error::new(ErrorKind::Sync, "network", e);
        let client = tls::client(&Tls { ca: options.ca.clone(), ..Tls::default() })?
            .user_agent(concat!("coverdex/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(options.timeout.min(Duration::from_secs(10)))
            .read_timeout(options.timeout)
            .redirect(Policy::none())
            .referer(false)
            // What is fetched is packed already, and ranges are of its own bytes.
            .no_gzip()
            .build()
            .map_err(|e| refused(transport::words(&e)))?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| Error::new(ErrorKind::Io, "threads", e.to_string()))?;
        Ok(Self { base, client, runtime })
    }

    pub(super) fn name(&self, name: &str) -> String {
        format!("{}{name}", self.base)
    }

    /// The bytes of a small file, if it is there.
    pub(super) fn small(&self, name: &str, most: u64, cancel: &Cancel) -> Result<Option<Vec<u8>>> {
        self.persist(name, cancel, || self.wait(cancel, self.read_small(name, most)))
    }

    /// Waits for the network, or until the call is cancelled.
    fn wait<T>(
        &self,
        cancel: &Cancel,
        work: impl Future<Output = std::result::Result<T, Trouble>>,
    ) -> std::result::Result<T, Trouble> {
        let cancelled = async {
            loop {
                if let Err(error) = not_cancelled(cancel) {
                    return Err(Trouble::Final(error));
                }
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                done = work => done,
                cancelled = cancelled => cancelled,
            }
        })
    }

    async fn read_small(&self, name: &str, most: u64) -> std::result::Result<Option<Vec<u8>>, Trouble> {
        let mut response = self.ask(name, None).await?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND | StatusCode::GONE => return Ok(None),
            status => return Err(self.status(name, status)),
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| Trouble::Passing(transport::words(&e)))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > most {
                return Err(Trouble::Final(damaged(self.name(name), format!("it has more than {most} bytes"))));
            }
        }
        Ok(Some(bytes))
    }

    /// Fetches a packed file into a folder, by its hash, and gives its path. What is there whole is not fetched again,
    /// what is there in part goes on. `came` is told how many bytes of it are there.
    pub(super) fn fetch(
        &self,
        name: &str,
        blob: &Blob,
        into: &Path,
        came: &dyn Fn(u64),
        cancel: &Cancel,
    ) -> Result<PathBuf> {
        let whole = into.join(&blob.sha256);
        let part = into.join(format!("{}.part", blob.sha256));
        if is_right(&whole, blob)? {
            return Ok(whole);
        }
        // Whether all that is in the part was sent by this server now.
        let mut is_anew = part.metadata().map_or(true, |metadata| metadata.len() == 0);
        self.persist(name, cancel, || {
            self.wait(cancel, self.go_on(name, blob, &part, came))?;
            if hash_of(&part, blob).map_err(Trouble::Final)? == blob.sha256 {
                return Ok(());
            }
            let _ = fs::remove_file(&part);
            let what = "what the server sends is not what the document states: it was altered, its hash differs";
            if std::mem::replace(&mut is_anew, true) {
                Err(Trouble::Final(damaged(self.name(name), what)))
            } else {
                Err(Trouble::Passing(what.to_owned()))
            }
        })?;
        let file = File::options().read(true).write(true).open(&part).map_err(|e| Error::io(&part, &e))?;
        file.sync_all().map_err(|e| Error::io(&part, &e))?;
        fs::rename(&part, &whole).map_err(|e| Error::io(&whole, &e))?;
        Ok(whole)
    }

    /// Goes on with a file until it has all its bytes.
    async fn go_on(
        &self,
        name: &str,
        blob: &Blob,
        part: &Path,
        came: &dyn Fn(u64),
    ) -> std::result::Result<(), Trouble> {
        let io = |e: std::io::Error| Trouble::Final(Error::io(part, &e));
        let mut file = File::options().create(true).truncate(false).read(true).write(true).open(part).map_err(io)?;
        let mut there = file.metadata().map_err(io)?.len();
        if there > blob.length {
            file.set_len(0).map_err(io)?;
            there = 0;
        }
        if there == blob.length {
            return Ok(());
        }
        let mut response = self.ask(name, (there > 0).then_some(there)).await?;
        match response.status() {
            StatusCode::OK => there = 0,
            StatusCode::PARTIAL_CONTENT if begins_at(response.headers()) == Some(there) => {}
            // It cannot go on from there: from the beginning, then.
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE if there > 0 => {
                file.set_len(0).map_err(io)?;
                there = 0;
                response = self.ask(name, None).await?;
                if response.status() != StatusCode::OK {
                    return Err(self.status(name, response.status()));
                }
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                let what = "it is not there any more: the publisher may have published anew meanwhile";
                return Err(Trouble::Final(
                    Error::new(ErrorKind::Sync, self.name(name), what)
                        .with_hint("the same command asks for the new publication; what was live still is"),
                ));
            }
            status => return Err(self.status(name, status)),
        }
        file.set_len(there).map_err(io)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(there)).map_err(io)?;
        while let Some(chunk) = response.chunk().await.map_err(|e| Trouble::Passing(transport::words(&e)))? {
            there += chunk.len() as u64;
            if there > blob.length {
                let _ = file.set_len(0);
                let what = format!("the server sends more than the {} bytes that are stated", blob.length);
                return Err(Trouble::Final(damaged(self.name(name), what)));
            }
            file.write_all(&chunk).map_err(io)?;
            came(there);
        }
        if there < blob.length {
            return Err(Trouble::Passing(format!("it was cut short: {there} bytes of {} came", blob.length)));
        }
        Ok(())
    }

    /// Sends a request, and follows redirects on the same host.
    async fn ask(&self, name: &str, from: Option<u64>) -> std::result::Result<Response, Trouble> {
        let refused = |why: String| {
            let error = Error::new(ErrorKind::Sync, self.name(name), why);
            Trouble::Final(error.with_hint("name the address that it lies at"))
        };
        let mut url = self.base.join(name).map_err(|e| refused(e.to_string()))?;
        for _ in 0..=MAX_REDIRECTS {
            let mut request = self.client.get(url.clone());
            if let Some(from) = from {
                request = request.header(header::RANGE, format!("bytes={from}-"));
            }
            let response = request.send().await.map_err(|e| Trouble::Passing(transport::words(&e)))?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            let location = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
            let next = location
                .and_then(|to| url.join(to).ok())
                .ok_or_else(|| refused("a redirect leads nowhere".to_owned()))?;
            if next.scheme() != self.base.scheme() || host_and_port(&next) != host_and_port(&self.base) {
                return Err(refused(format!("a redirect leads to another host, {}", host_and_port(&next))));
            }
            url = next;
        }
        Err(refused("too many redirects".to_owned()))
    }

    fn status(&self, name: &str, status: StatusCode) -> Trouble {
        let what = format!("the server answers {}", status.as_u16());
        if status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429) {
            Trouble::Passing(what)
        } else {
            Trouble::Final(
                Error::new(ErrorKind::Sync, self.name(name), what).with_hint("see that the address is right"),
            )
        }
    }

    /// Tries until it succeeds, will never, or was tried often enough.
    fn persist<T>(
        &self,
        name: &str,
        cancel: &Cancel,
        mut attempt: impl FnMut() -> std::result::Result<T, Trouble>,
    ) -> Result<T> {
        let mut last = String::new();
        for number in 0..ATTEMPTS {
            if number > 0 {
                let pause = PAUSE * (1 << (number - 1));
                let _was_cancelled = self.wait(cancel, async {
                    tokio::time::sleep(pause).await;
                    Ok(())
                });
            }
            not_cancelled(cancel)?;
            match attempt() {
                Ok(got) => return Ok(got),
                Err(Trouble::Final(error)) => return Err(error),
                Err(Trouble::Passing(what)) => last = what,
            }
        }
        Err(Error::new(ErrorKind::Sync, self.name(name), last)
            .with_hint("the same command goes on where this one ended; what was live still is"))
    }
}

/// Where the bytes of a partial answer begin.
fn begins_at(headers: &HeaderMap) -> Option<u64> {
    let range = headers.get(header::CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}

/// Whether a file has a packed file's bytes.
fn is_right(path: &Path, blob: &Blob) -> Result<bool> {
    let is_as_long = path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == blob.length);
    Ok(is_as_long && hash_of(path, blob)? == blob.sha256)
}

fn hash_of(path: &Path, blob: &Blob) -> Result<String> {
    let file = File::open(path).map_err(|e| Error::io(path, &e))?;
    Ok(hash::of_reader(file, blob.length).map_err(|e| Error::io(path, &e))?.1)
}
