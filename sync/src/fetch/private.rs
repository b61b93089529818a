//! Files that hold secrets: they are read only if nobody but their owner may use them.

use std::fs::File;
use std::io::{ErrorKind as IoKind, Read as _};
use std::path::Path;

use coverdex_core::{Error, ErrorKind, Result};

use crate::fetch::secret::Secret;

/// A file's bytes, and its mode where others than its owner may use it.
pub(crate) struct Opened {
    pub(crate) bytes: Vec<u8>,
    pub(crate) open_to_others: Option<u32>,
}

/// Opens and reads a file. Mode and bytes are those of one file, also where another takes its place meanwhile.
pub(crate) fn open(path: &Path) -> std::io::Result<Opened> {
    let mut file = File::open(path)?;
    let open_to_others = open_to_others(&file)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Opened { bytes, open_to_others })
}

#[cfg(unix)]
fn open_to_others(file: &File) -> std::io::Result<Option<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = file.metadata()?.permissions().mode() & 0o777;
    Ok((mode & 0o077 != 0).then_some(mode))
}

/// Other systems have other rules, which are not looked at.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "as on Unix")]
fn open_to_others(_: &File) -> std::io::Result<Option<u32>> {
    Ok(None)
}

/// Reads a file that settings name. `what` it is stands before its path in errors.
pub(crate) fn read(path: &Path, what: &str) -> Result<Opened> {
    open(path).map_err(|error| match error.kind() {
        IoKind::NotFound => {
            Error::invalid(subject(path, what), "there is no such file").with_hint("write one, or name another")
        }
        _ => Error::new(ErrorKind::Io, subject(path, what), error.to_string()),
    })
}

/// Reads a file that is for its owner alone.
pub(crate) fn read_private(path: &Path, what: &str) -> Result<Vec<u8>> {
    let opened = read(path, what)?;
    opened.refuse_if_open(path, what)?;
    Ok(opened.bytes)
}

impl Opened {
    /// Refuses what others may read or change, where the system can tell.
    pub(crate) fn refuse_if_open(&self, path: &Path, what: &str) -> Result<()> {
        let Some(mode) = self.open_to_others else { return Ok(()) };
        let shown = path.display();
        Err(Error::invalid(subject(path, what), format!("it holds a secret, and others may use it (mode {mode:04o})"))
            .with_hint(format!("run `chmod 600 {shown}`; if somebody read it, let the payer give you a new secret")))
    }
}

/// Reads a file that holds one secret and nothing else.
pub(crate) fn read_secret(path: &Path, what: &str) -> Result<Secret> {
    let text = text(read_private(path, what)?, path, what)?;
    match text.trim() {
        "" => Err(Error::invalid(subject(path, what), "it is empty")),
        secret => Ok(Secret::new(secret)),
    }
}

/// A file's bytes as text.
pub(crate) fn text(bytes: Vec<u8>, path: &Path, what: &str) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Error::invalid(subject(path, what), "it is not text (UTF-8)"))
}

pub(crate) fn subject(path: &Path, what: &str) -> String {
    format!("{what} {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_from_a_file_for_its_owner_alone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = |bytes: &[u8]| {
            std::fs::write(file.path(), bytes).unwrap();
            read_secret(file.path(), "client-secret-file")
        };
        assert_eq!(read(b" hunter2\n").unwrap().reveal(), "hunter2");
        let subject = format!("client-secret-file {}", file.path().display());
        for bytes in [&b"hunter\xff"[..], b" \n"] {
            let error = read(bytes).unwrap_err();
            assert_eq!(error.subject(), subject);
            assert!(!format!("{error:?}").contains("hunter"), "{error:?}");
        }
        #[cfg(unix)]
        for (mode, is_fine) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)] {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o600)).unwrap();
            std::fs::write(file.path(), "hunter2").unwrap();
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            let read = read_secret(file.path(), "api-key-file");
            assert_eq!(read.is_ok(), is_fine, "{mode:o}");
            if let Err(error) = read {
                assert!(error.message().contains(&format!("(mode {mode:04o})")), "{error}");
                assert!(error.hint().unwrap().contains("chmod 600"), "{error}");
            }
        }
        let missing = read_secret(Path::new("no/such/file"), "api-key-file").unwrap_err();
        assert_eq!((missing.subject(), missing.hint().is_some()), ("api-key-file no/such/file", true));
    }
}
