#![doc = include_str!("README.md")]

mod answer;
mod bundle;
mod catalogue;
mod changing;
mod clock;
mod codec;
mod count;
mod endpoints;
mod fault;
mod flaws;
mod handler;
mod memory;
mod metadata;
mod named;
mod needs;
mod oauth;
mod options;
mod payer;
mod published;
mod search;
mod sequence;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;
use std::time::SystemTime;

use axum::Router;
use axum::body::Bytes;
use coverdex_core::{Error, ErrorKind, Result};
use tokio::sync::oneshot;

use catalogue::Catalogue;
use count::Counter;
use fault::Active;
use oauth::Grants;
use wire::{Door, Line};

pub use changing::{ChangingPayer, Moment};
pub use clock::{Clock, FastClock, ManualClock, SystemClock};
pub use count::{Endpoint, LogEntry, Requests};
pub use fault::{Ending, Fault, FaultSpec, Faults};
pub use memory::MemoryPayer;
pub use needs::Need;
pub use options::{Offer, Options};
pub use payer::{Member, Payer};
pub use published::PublishedPayer;

/// What the threads of a server share.
struct Shared {
    options: Options,
    base: String,
    other: String,
    catalogue: RwLock<Arc<Catalogue>>,
    active: RwLock<Arc<Active>>,
    counter: Counter,
    grants: Grants,
    bomb: OnceLock<Bytes>,
}

impl Shared {
    fn is_gone(&self) -> bool {
        read(&self.active).is_gone(self.options.clock.now())
    }
}

/// A lock that a panic elsewhere does not spoil: what is behind it is only counted and looked up.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Starts servers.
#[derive(Clone, Copy, Debug)]
pub struct Server;

impl Server {
    /// Serves a payer on 127.0.0.1 from threads of its own, until what is returned is stopped or dropped.
    ///
    /// # Errors
    /// The port is taken, or no thread or runtime can be made.
    pub fn start(payer: Arc<dyn Payer>, options: Options) -> Result<Running> {
        let bind = |port: u16| {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let failed = |error: std::io::Error| {
            Error::new(ErrorKind::Io, format!("sandbox at 127.0.0.1:{}", options.port), error.to_string())
                .with_hint("choose another port, or 0 for a free one")
        };
        let (listener, address) = bind(options.port).map_err(failed)?;
        let (other_listener, other_address) = bind(0).map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("sandbox-worker")
            .enable_all()
            .build()
            .map_err(failed)?;
        let shared = Arc::new(Shared {
            base: format!("http://{address}"),
            // Another name, so that it is another host also for who does not look at ports.
            other: format!("http://localhost:{}", other_address.port()),
            catalogue: RwLock::new(Arc::new(Catalogue::new(payer))),
            active: RwLock::new(Arc::new(Active::new(options.faults.clone(), 0, options.max_page_size))),
            counter: Counter::new(options.log_limit),
            grants: Grants::default(),
            bomb: OnceLock::new(),
            options,
        });
        let (door, other_door) = {
            let _inside = runtime.enter();
            let door = Door::new(listener, Arc::clone(&shared), false).map_err(failed_at(address))?;
            let other = Door::new(other_listener, Arc::clone(&shared), true).map_err(failed_at(other_address))?;
            (door, other)
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let for_thread = Arc::clone(&shared);
        let serve = move || {
            runtime.block_on(async move {
                let app = Router::new().fallback(handler::handle).with_state(for_thread);
                let service = app.into_make_service_with_connect_info::<Line>();
                tokio::select! {
                    _ = axum::serve(door, service.clone()).into_future() => {}
                    _ = axum::serve(other_door, service).into_future() => {}
                    _ = stopped => {}
                }
            });
            // Dropped here, the runtime takes all connections with it.
            drop(runtime);
        };
        let thread = std::thread::Builder::new().name("sandbox".to_owned()).spawn(serve).map_err(failed_at(address))?;
        Ok(Running { shared, address, stop: Some(stop), thread: Some(thread) })
    }
}

fn failed_at(address: SocketAddr) -> impl Fn(std::io::Error) -> Error {
    move |error| Error::new(ErrorKind::Io, format!("sandbox at {address}"), error.to_string())
}

/// A server at work. Dropped, it is gone: threads, connections and port.
pub struct Running {
    shared: Arc<Shared>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The `{base_url}` of the API document, `http://127.0.0.1:PORT`: paths begin with `/api/`.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.shared.base
    }

    /// The base of the FHIR service, `{base_url}/api`.
    #[must_use]
    pub fn api_url(&self) -> String {
        format!("{}/api", self.shared.base)
    }

    /// The `{auth_url}` of the API document: paths begin with `/auth/`.
    #[must_use]
    pub fn auth_url(&self) -> &str {
        &self.shared.base
    }

    /// The other host, `http://localhost:PORT`, to which off-host faults lead. It serves the same payer
    /// without faults.
    #[must_use]
    pub fn other_url(&self) -> &str {
        &self.shared.other
    }

    /// What was asked so far.
    #[must_use]
    pub fn requests(&self) -> Requests {
        self.shared.counter.requests()
    }

    /// The first requests, one by one; see [`Options::log_limit`].
    #[must_use]
    pub fn log(&self) -> Vec<LogEntry> {
        self.shared.counter.log()
    }

    /// How often each fault did something since the faults were set.
    #[must_use]
    pub fn fired(&self) -> BTreeMap<Fault, u64> {
        read(&self.shared.active).fired()
    }

    /// The faults that act.
    #[must_use]
    pub fn faults(&self) -> Faults {
        read(&self.shared.active).faults().clone()
    }

    /// From now on these faults act, and what others did is forgotten.
    pub fn set_faults(&self, faults: Faults) {
        let first = self.shared.counter.next_number();
        let active = Arc::new(Active::new(faults, first, self.shared.options.max_page_size));
        *self.shared.active.write().unwrap_or_else(PoisonError::into_inner) = active;
    }

    /// The time that the server tells: its clock's, but for faults.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        read(&self.shared.active).told(self.shared.now())
    }

    /// From now on another payer is served: what its data became since. Faults begin anew.
    pub fn set_payer(&self, payer: Arc<dyn Payer>) {
        let catalogue = Arc::new(Catalogue::new(payer));
        *self.shared.catalogue.write().unwrap_or_else(PoisonError::into_inner) = catalogue;
        self.set_faults(self.faults());
    }

    /// Every code and token that was handed out, and the patients they are about: what must be
    /// found nowhere after a client is done.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        self.shared.grants.secrets()
    }

    /// Stops it and waits until it is gone.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}
