//! The smallest static web server: GET, ranges, and what goes wrong on the way.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long nothing comes from a server that stalls: longer than any test waits.
const STALLED: Duration = Duration::from_mins(5);

/// How it serves.
#[derive(Clone, Debug, Default)]
pub(super) struct Manner {
    /// It does not know ranges.
    pub(super) ignores_ranges: bool,
    /// Bytes of a packed file after which the connection breaks.
    pub(super) breaks_after: Option<usize>,
    /// Bytes of a packed file after which nothing more comes, though the connection stays.
    pub(super) stalls_after: Option<usize>,
    /// It answers everything with this status.
    pub(super) status: Option<&'static str>,
    /// Where everything is redirected to, before the path.
    pub(super) redirect: Option<String>,
    /// Bytes that are sent behind a packed file.
    pub(super) sends_more: bool,
}

struct Shared {
    root: Mutex<PathBuf>,
    manner: Mutex<Manner>,
    /// Paths that were asked for, with the beginning of the range.
    asked: Mutex<Vec<(String, u64)>>,
}

pub(super) struct Server {
    pub(super) url: String,
    shared: Arc<Shared>,
}

impl Server {
    pub(super) fn of(root: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared =
            Arc::new(Shared { root: Mutex::new(root.to_owned()), manner: Mutex::default(), asked: Mutex::default() });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&serving);
                std::thread::spawn(move || {
                    let _whoever_hangs_up = answer(stream, &shared);
                });
            }
        });
        Self { url, shared }
    }

    pub(super) fn serve(&self, root: &Path) {
        root.clone_into(&mut self.shared.root.lock().unwrap());
    }

    pub(super) fn behave(&self, manner: Manner) {
        *self.shared.manner.lock().unwrap() = manner;
    }

    /// What was asked for since the last time.
    pub(super) fn asked(&self) -> Vec<(String, u64)> {
        std::mem::take(&mut self.shared.asked.lock().unwrap())
    }
}

fn answer(mut stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut from = 0;
    for line in lines {
        let line = line?.to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().unwrap();
        }
    }
    let path = first.split(' ').nth(1).unwrap_or("/").trim_start_matches('/').to_owned();
    shared.asked.lock().unwrap().push((path.clone(), from));
    let manner = shared.manner.lock().unwrap().clone();
    let head = |status: &str, more: &str, length: usize| {
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n")
    };
    if let Some(to) = manner.redirect {
        return stream.write_all(head("302 Found", &format!("Location: {to}/{path}\r\n"), 0).as_bytes());
    }
    if let Some(status) = manner.status {
        return stream.write_all(head(status, "", 0).as_bytes());
    }
    let root = shared.root.lock().unwrap().clone();
    let Ok(mut bytes) = fs::read(root.join(&path)) else {
        return stream.write_all(head("404 Not Found", "", 0).as_bytes());
    };
    let is_packed = path.contains('/');
    if manner.sends_more && is_packed {
        bytes.extend_from_slice(&[7; 1_000]);
    }
    let whole = bytes.len();
    let from = if manner.ignores_ranges { 0 } else { usize::try_from(from).unwrap() };
    if from >= whole && from > 0 {
        return stream.write_all(head("416 Range Not Satisfiable", "", 0).as_bytes());
    }
    let (status, range) = if from > 0 {
        ("206 Partial Content", format!("Content-Range: bytes {from}-{}/{whole}\r\n", whole - 1))
    } else {
        ("200 OK", String::new())
    };
    let body = &bytes[from..];
    stream.write_all(head(status, &range, body.len()).as_bytes())?;
    if let Some(after) = manner.stalls_after.filter(|_| is_packed) {
        stream.write_all(&body[..after.min(body.len())])?;
        std::thread::sleep(STALLED);
        return Ok(());
    }
    match manner.breaks_after.filter(|_| is_packed) {
        Some(after) => stream.write_all(&body[..after.min(body.len())]),
        None => stream.write_all(body),
    }
}
