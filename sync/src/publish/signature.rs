//! Keys and signatures, as minisign has them: whoever has that program can sign and verify without this one.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use coverdex_core::{Cancel, Error, ErrorKind, Result};
use minisign::{KeyPair, SecretKeyBox};
use minisign_verify::Signature;

use super::archive;
use super::document::{DOCUMENT, Publication, SIGNATURE, damaged};
use super::place::Place;
use crate::fetch::private;

/// Longest file of a key, in bytes.
const LONGEST_KEY: u64 = 8 << 10;

/// A publisher's public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    id: String,
    key: minisign_verify::PublicKey,
}

impl PublicKey {
    /// Reads a key as it is typed: the name of a file that minisign or [`generate`] made, or the key's own line, which
    /// begins with `RW`.
    ///
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) if it is neither.
    pub fn read(text: &str) -> Result<Self> {
        let text = text.trim();
        if let Ok(key) = Self::parse(text) {
            return Ok(key);
        }
        let path = Path::new(text);
        let subject = || format!("public key {}", path.display());
        let metadata = fs::metadata(path).map_err(|_| {
            Error::invalid(subject(), "it is neither a key nor a file that holds one")
                .with_hint("name the file that the publisher gave (NAME.pub), or its line that begins with RW")
        })?;
        let refused = |why: &str| {
            Error::invalid(subject(), why).with_hint("a public key has two lines, the second begins with RW")
        };
        if !metadata.is_file() || metadata.len() > LONGEST_KEY {
            return Err(refused("it is no public key"));
        }
        let text = fs::read_to_string(path).map_err(|e| Error::io(path, &e))?;
        if text.lines().next().is_some_and(|line| line.contains("secret key")) {
            return Err(refused("it is a secret key: it must not leave its publisher"));
        }
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = lines.next_back().unwrap_or_default();
        Self::parse(line).map_err(|()| refused("it is no public key"))
    }

    fn parse(line: &str) -> std::result::Result<Self, ()> {
        let key = minisign_verify::PublicKey::from_base64(line).map_err(|_| ())?;
        let bytes = STANDARD.decode(line).map_err(|_| ())?;
        Ok(Self { id: key_id(bytes.get(2..10).ok_or(())?), key })
    }

    /// Its id, 16 hexadecimal digits: the same in each signature that it proves.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Proves that a document was signed with this key.
    ///
    /// # Errors
    /// [`Refused`](ErrorKind::Refused) for another key, [`DatasetDamaged`](ErrorKind::DatasetDamaged) if document or
    /// signature were altered.
    pub(super) fn prove(&self, document: &[u8], signature: &str) -> Result<String> {
        let unreadable = |_| damaged(SIGNATURE, "it is no signature");
        let read = Signature::decode(signature).map_err(unreadable)?;
        self.key.verify(document, &read, false).map_err(|error| match error {
            minisign_verify::Error::UnexpectedKeyId => {
                let theirs = signature_key_id(signature).unwrap_or_default();
                Error::new(ErrorKind::Refused, SIGNATURE, format!("key {theirs} made it, not {}", self.id))
                    .with_hint("ask the publisher whether the key changed, and for the new one, on another way than this")
            }
            minisign_verify::Error::UnexpectedAlgorithm => {
                damaged(SIGNATURE, "it was made in an old way that is not taken")
            }
            _ => damaged(
                DOCUMENT,
                format!("the signature does not fit: {DOCUMENT} or {SIGNATURE} was altered, or they belong to two publications"),
            ),
        })?;
        Ok(read.trusted_comment().to_owned())
    }
}

/// Whom one who takes a publication trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Whoever has this key's secret half.
    Key(PublicKey),
    /// No key was given: what is signed is refused, as nobody looked at the signature.
    NoKey,
    /// Said in so many words: nothing needs to be proved.
    Anyone,
}

impl Trust {
    /// Looks at a signature; gives the id of the key that it is proved by.
    pub(super) fn judge(&self, document: &[u8], signature: Option<&str>) -> Result<(Publication, Option<String>)> {
        match (self, signature) {
            (Self::Key(key), Some(signature)) => {
                let comment = key.prove(document, signature)?;
                let publication = Publication::parse(document)?;
                if comment != publication.trusted_comment() {
                    let comment: String = comment.chars().take(200).collect();
                    return Err(damaged(SIGNATURE, format!("it says that it is of {comment:?}, which this is not")));
                }
                Ok((publication, Some(key.id.clone())))
            }
            (Self::Key(key), None) => {
                let what = format!("it is not signed, and key {} was to prove it: nothing is proved", key.id);
                Err(Error::new(ErrorKind::Refused, DOCUMENT, what)
                    .with_hint("ask the publisher for a signed one; without a key, anybody may have made it"))
            }
            (Self::NoKey, Some(signature)) => {
                let id = signature_key_id(signature).unwrap_or_default();
                let what = format!("it is signed with key {id}, and no key was given: nothing was proved");
                Err(Error::new(ErrorKind::Refused, DOCUMENT, what)
                    .with_hint("give the publisher's public key with --key, or --unproved to take it from anybody"))
            }
            (Self::NoKey | Self::Anyone, _) => Ok((Publication::parse(document)?, None)),
        }
    }
}

/// The id of the key that made a signature, whether or not it is right.
fn signature_key_id(signature: &str) -> Option<String> {
    let bytes = STANDARD.decode(signature.lines().nth(1)?.trim()).ok()?;
    bytes.get(2..10).map(key_id)
}

/// A key's id as minisign shows it.
fn key_id(bytes: &[u8]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02X}")).collect()
}

/// The files of a new key pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPairFiles {
    /// The secret key, for its owner alone.
    pub secret: PathBuf,
    /// The public key, for everybody.
    pub public: PathBuf,
    /// The key's id.
    pub id: String,
    /// The public key's own line.
    pub line: String,
}

/// Makes a key pair, `NAME.key` and `NAME.pub`. Without a password, who has the file can sign.
///
/// # Errors
/// [`InvalidInput`](ErrorKind::InvalidInput) if one of the files is there: a key is never written over;
/// [`Io`](ErrorKind::Io) if the system refuses.
pub fn generate(name: &Path, password: Option<String>) -> Result<KeyPairFiles> {
    let with = |ending: &str| {
        let mut path = name.as_os_str().to_owned();
        path.push(ending);
        PathBuf::from(path)
    };
    let (secret, public) = (with(".key"), with(".pub"));
    for path in [&secret, &public] {
        if path.symlink_metadata().is_ok() {
            return Err(Error::invalid(format!("key {}", path.display()), "the file is there already")
                .with_hint("choose another name: a key that is written over is lost"));
        }
    }
    let failed = |e: minisign::PError| Error::new(ErrorKind::Io, "key pair", e.to_string());
    let pair = match password {
        Some(password) => KeyPair::generate_encrypted_keypair(Some(password)),
        None => KeyPair::generate_unencrypted_keypair(),
    };
    let pair = pair.map_err(failed)?;
    let (id, line) = (key_id(pair.pk.keynum()), pair.pk.to_base64());
    let comment = format!("minisign secret key {id} of a publisher of Coverdex datasets");
    write_new(&secret, pair.sk.to_box(Some(&comment)).map_err(failed)?.into_string().as_bytes(), 0o600)?;
    let text = format!("untrusted comment: minisign public key {id}\n{line}\n");
    write_new(&public, text.as_bytes(), 0o644)?;
    Ok(KeyPairFiles { secret, public, id, line })
}

/// Writes a file that is not there, with this mode from its first moment on.
fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(mode);
    }
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(path).map_err(|e| Error::io(path, &e))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|e| Error::io(path, &e))
}

/// A publication that was signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// What was signed.
    pub publication: Publication,
    /// The id of the key.
    pub key: String,
}

/// Signs a publication, a folder or one file, with a secret key. `password` is asked for where the key has one.
///
/// # Errors
/// [`InvalidInput`](ErrorKind::InvalidInput) if the key cannot be used: it is none, others may read it, or the password is
/// wrong; [`DatasetMissing`](ErrorKind::DatasetMissing) if no publication is there,
/// [`DatasetDamaged`](ErrorKind::DatasetDamaged) if its document is none, [`Io`](ErrorKind::Io) if the system refuses.
pub fn sign(at: &Path, secret: &Path, password: &dyn Fn() -> Result<String>) -> Result<Signed> {
    const WHAT: &str = "secret key";
    let place = Place::local(at)?;
    let document = place.document(&Cancel::new())?;
    let publication = Publication::parse(&document)?;
    let text = private::text(private::read_private(secret, WHAT)?, secret, WHAT)?;
    let unusable = |why: String| Error::invalid(private::subject(secret, WHAT), why);
    let is_open = SecretKeyBox::from_string(&text).and_then(SecretKeyBox::into_unencrypted_secret_key);
    let key = match is_open {
        Ok(key) => key,
        Err(error) if error.to_string().contains("encrypted") => {
            let boxed = SecretKeyBox::from_string(&text).map_err(|e| unusable(e.to_string()))?;
            boxed.into_secret_key(Some(password()?)).map_err(|e| {
                unusable(e.to_string()).with_hint("try the password again, or name the key that it is of")
            })?
        }
        Err(error) => {
            return Err(unusable(format!("it is no secret key: {error}"))
                .with_hint("name the file NAME.key that `coverdex keys` made"));
        }
    };
    let id = key_id(key.keynum());
    let comment = publication.trusted_comment();
    let untrusted = format!("signature of a Coverdex publication, key {id}");
    let signed = minisign::sign(None, &key, &document[..], Some(&comment), Some(&untrusted));
    let signature = signed.map_err(|e| unusable(e.to_string()))?.into_string();
    if let Place::Archive(archive) = &place {
        archive::put_signature(archive, signature.as_bytes())?;
    } else {
        let (next, place) = (at.join(format!("{SIGNATURE}.part")), at.join(SIGNATURE));
        coverdex_core::build::store::write_durably(&next, signature.as_bytes())?;
        fs::rename(&next, &place).map_err(|e| Error::io(&place, &e))?;
        coverdex_core::build::store::sync_folder(at)?;
    }
    Ok(Signed { publication, key: id })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(folder: &Path, name: &str) -> (KeyPairFiles, PublicKey) {
        let files = generate(&folder.join(name), None).unwrap();
        let key = PublicKey::read(files.public.to_str().unwrap()).unwrap();
        (files, key)
    }

    fn signature(secret: &Path, document: &[u8], comment: &str) -> String {
        let text = fs::read_to_string(secret).unwrap();
        let key = SecretKeyBox::from_string(&text).unwrap().into_unencrypted_secret_key().unwrap();
        minisign::sign(None, &key, document, Some(comment), None).unwrap().into_string()
    }

    #[test]
    fn a_pair_is_two_files_that_are_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let (files, key) = pair(folder.path(), "larkspur");
        assert_eq!(key.id(), files.id);
        assert_eq!(PublicKey::read(&files.line).unwrap(), key, "its line alone is the key");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&files.secret).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(generate(&folder.path().join("larkspur"), None).unwrap_err().kind(), ErrorKind::InvalidInput);
        for wrong in [files.secret.to_str().unwrap(), "RWnonsense", "no/such/file", folder.path().to_str().unwrap()] {
            let error = PublicKey::read(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{wrong}");
            assert!(error.hint().is_some(), "{wrong}");
        }
    }

    #[test]
    fn a_signature_proves_its_own_document_and_comment_alone() {
        let folder = tempfile::tempdir().unwrap();
        let ((files, key), (_, other)) = (pair(folder.path(), "one"), pair(folder.path(), "other"));
        let document = b"a document";
        let signed = signature(&files.secret, document, "a comment");
        assert_eq!(key.prove(document, &signed).unwrap(), "a comment");
        let wrong = other.prove(document, &signed).unwrap_err();
        assert_eq!(wrong.kind(), ErrorKind::Refused);
        assert!(wrong.message().contains(key.id()) && wrong.message().contains(other.id()), "{wrong}");
        assert_eq!(key.prove(b"b document", &signed).unwrap_err().kind(), ErrorKind::DatasetDamaged);
        for (from, to) in [(": a comment", ": b comment"), ("\ntrusted", "\ntristed")] {
            let altered = signed.replace(from, to);
            assert_ne!(altered, signed);
            assert_eq!(key.prove(document, &altered).unwrap_err().kind(), ErrorKind::DatasetDamaged, "{altered}");
        }
        for at in (0..signed.len()).filter(|at| signed.as_bytes()[*at].is_ascii_alphanumeric()) {
            let mut altered = signed.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            let Ok(altered) = String::from_utf8(altered) else { continue };
            let proved = key.prove(document, &altered);
            let in_first_line = at < signed.find('\n').unwrap();
            assert!(proved.is_err() || in_first_line, "byte {at}: {altered}");
        }
        let half = signed.get(..signed.len() / 2).unwrap();
        for junk in ["", "\n\n\n", "x", half] {
            assert!(key.prove(document, junk).is_err());
        }
    }
}
