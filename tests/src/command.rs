//! The `coverdex` command, as a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Where the command was built: beside the folder of the running test's own executable.
///
/// # Errors
/// What to run if it is not there.
pub fn executable() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let profile = own.parent().and_then(Path::parent).ok_or_else(|| format!("{} stands nowhere", own.display()))?;
    let path = profile.join(format!("coverdex{}", std::env::consts::EXE_SUFFIX));
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{} is not there: run `cargo build --release --workspace` first", path.display()))
}

/// What the command printed and how it ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// The command, to be given arguments.
pub fn coverdex() -> Command {
    let mut command = Command::new(executable().unwrap_or_else(|what| panic!("{what}")));
    command.env_remove("COVERDEX_DATA");
    command
}

/// Runs the command to its end.
pub fn run(arguments: &[&str]) -> Ran {
    let Output { status, stdout, stderr } = coverdex().args(arguments).output().expect("the command starts");
    Ran {
        code: status.code(),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

impl Ran {
    /// Standard output as one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}
