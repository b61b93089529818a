//! Ctrl-C, and the signal that asks a program to end.

use coverdex_core::{Cancel, Error, ErrorKind, Result};
use tokio::runtime::{Builder, Runtime};

use crate::failure::Exit;
use crate::output::Output;

fn runtime() -> Result<Runtime> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map_err(|error| Error::new(ErrorKind::Io, "signals", error.to_string()))
}

/// Calls `act` on a thread of its own each time the program is asked to end, and keeps the program
/// from simply ending.
pub(crate) fn each(mut act: impl FnMut() + Send + 'static) -> Result<()> {
    let runtime = runtime()?;
    let watch = move || {
        runtime.block_on(async {
            while asked_to_end().await.is_ok() {
                act();
            }
        });
    };
    let started = std::thread::Builder::new().name("signals".to_owned()).spawn(watch);
    started.map(drop).map_err(|error| Error::new(ErrorKind::Io, "signals", error.to_string()))
}

/// A token that the first Ctrl-C cancels. The second ends the program at once, which harms no store.
pub(crate) fn token(output: Output) -> Result<Cancel> {
    let cancel = Cancel::new();
    let token = cancel.clone();
    each(move || {
        if token.is_cancelled() {
            std::process::exit(Exit::Sync as i32);
        }
        token.cancel();
        output.remark("Stopping. Ctrl-C again ends at once; what is live stays live either way.");
    })?;
    Ok(cancel)
}

/// Waits until the program is asked to end.
#[cfg(feature = "sandbox")]
pub(crate) fn wait() -> Result<()> {
    let asked = runtime()?.block_on(asked_to_end());
    asked.map_err(|error| Error::new(ErrorKind::Io, "signals", error.to_string()))
}

#[cfg(unix)]
async fn asked_to_end() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn asked_to_end() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
