//! The connections below HTTP: what is closed, reset, cut short or slowed down.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};

use super::{Shared, locked};

/// How the next answer goes over a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plan {
    /// Where the answer ends, and how.
    pub(super) cut: Option<Cut>,
    /// It comes in some 40 pieces with such pauses.
    pub(super) pace: Option<Duration>,
}

/// An end before the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Where.
    pub(super) after: End,
    /// Reset instead of closed.
    pub(super) reset: bool,
}

/// Where an answer ends that ends too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Before its first byte.
    BeforeAll,
    /// In the middle of its body.
    Midway,
}

/// How much of an answer is out, as far as a cut must know.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// The length of the body.
    len: usize,
    /// How much of the blank line that ends the head was seen.
    blank: u8,
    body: usize,
}

impl Progress {
    /// After these bytes, or after as many of them as come before `end` bytes of the body are out;
    /// with the number of those.
    fn after(mut self, bytes: &[u8], end: usize) -> (Self, usize) {
        for (i, byte) in bytes.iter().enumerate() {
            if self.blank == 4 {
                let left = end.saturating_sub(self.body).min(bytes.len() - i);
                self.body += left;
                return (self, i + left);
            }
            self.blank = match (self.blank, byte) {
                (0 | 2, b'\r') | (1 | 3, b'\n') => self.blank + 1,
                (_, b'\r') => 1,
                _ => 0,
            };
        }
        (self, bytes.len())
    }
}

/// What the handler of a connection's requests holds of it.
#[derive(Debug, Default)]
pub(super) struct Handle {
    plan: Mutex<(Plan, Progress)>,
    /// The connection answers no further request.
    pub(super) closed_behind: AtomicBool,
    /// A connection to the other host.
    pub(super) is_other: bool,
}

impl Handle {
    /// Says how the answer that comes next goes.
    pub(super) fn plan(&self, plan: Plan) {
        *locked(&self.plan) = (plan, Progress::default());
    }

    /// Says how long the body of that answer is.
    pub(super) fn adapt(&self, len: usize) {
        locked(&self.plan).1.len = len;
    }
}

/// The handle as axum passes it on.
#[derive(Clone, Debug)]
pub(super) struct Line(pub(super) Arc<Handle>);

impl Connected<IncomingStream<'_, Door>> for Line {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        Self(Arc::clone(&stream.io().handle))
    }
}

/// A connection.
pub(super) struct Wire {
    stream: TcpStream,
    handle: Arc<Handle>,
    pause: Option<Pin<Box<Sleep>>>,
    is_cut: bool,
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.is_cut {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if let Some(pause) = &mut self.pause {
            if pause.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.pause = None;
        }
        let (plan, progress) = *locked(&self.handle.plan);
        let end = if plan.cut.is_some() { progress.len / 2 } else { usize::MAX };
        let (_, mut allowed) = progress.after(bytes, end);
        if plan.cut.is_some_and(|cut| cut.after == End::BeforeAll) {
            allowed = 0;
        }
        if allowed == 0 && !bytes.is_empty() {
            self.is_cut = true;
            if plan.cut.is_some_and(|cut| cut.reset) {
                // Then closing the socket resets the connection.
                let _ = self.stream.set_zero_linger();
            }
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if plan.pace.is_some() {
            allowed = allowed.min((progress.len / 40).max(64));
        }
        let allowed = bytes.get(..allowed).unwrap_or(bytes);
        let written = match Pin::new(&mut self.stream).poll_write(cx, allowed) {
            Poll::Ready(Ok(written)) => written,
            other => return other,
        };
        let (progress, _) = progress.after(bytes.get(..written).unwrap_or(bytes), end);
        locked(&self.handle.plan).1 = progress;
        if let Some(pause) = plan.pace {
            self.pause = Some(Box::pin(sleep(pause)));
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_cut {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Where connections come in.
pub(super) struct Door {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    is_other: bool,
}

impl Door {
    /// Must be called inside a runtime.
    pub(super) fn new(listener: std::net::TcpListener, shared: Arc<Shared>, is_other: bool) -> io::Result<Self> {
        let address = listener.local_addr()?;
        Ok(Self { listener: TcpListener::from_std(listener)?, address, shared, is_other })
    }
}

impl Listener for Door {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let Ok((stream, address)) = self.listener.accept().await else {
                sleep(Duration::from_millis(10)).await;
                continue;
            };
            // Whether the server is gone is asked for each connection: a listener that is closed and
            // opened again would be late for a client whose clock does not wait.
            if !self.is_other && self.shared.is_gone() {
                let _ = stream.set_zero_linger();
                continue;
            }
            let _ = stream.set_nodelay(true);
            if !self.is_other {
                self.shared.counter.connected();
            }
            let handle = Arc::new(Handle { is_other: self.is_other, ..Handle::default() });
            return (Wire { stream, handle, pause: None, is_cut: false }, address);
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Ok(self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_counts_bytes_of_the_body_however_they_are_split() {
        let answer = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n0123456789";
        let head = answer.len() - 10;
        for size in 1..answer.len() {
            for end in [0, 1, 4, 10, 99] {
                let (mut progress, mut out) = (Progress::default(), 0);
                for piece in answer.chunks(size) {
                    let (after, allowed) = progress.after(piece, end);
                    progress = after;
                    out += allowed;
                }
                assert_eq!(out, head + end.min(10), "pieces of {size}, end {end}");
            }
        }
    }
}
