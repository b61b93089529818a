//! Packing and unpacking with bounds, whole or as the difference from another file.

use std::io::{self, BufReader, BufWriter, Read, Write};

use coverdex_core::{Cancel, Error, Result};

use super::document::damaged;
use super::hash::Hashing;
use crate::build::not_cancelled;

/// zstd's level: the figures are in `index-data/PUBLICATION.md`.
const LEVEL: i32 = 19;

/// Window of a blob as a power of two: 128 MiB, which every reader takes without being asked to.
const BLOB_WINDOW: u32 = 27;

/// Largest window of a delta as a power of two.
const DELTA_WINDOW: u32 = 30;

/// Longest file, and longest former file, that a delta is made for: both are held in memory.
pub(super) const LONGEST_FOR_DELTA: u64 = 512 << 20;

/// Packs `length` bytes; gives the length and the hash of what was written. With a `prefix` it is what differs from that.
pub(super) fn pack(
    from: impl Read,
    length: u64,
    prefix: Option<&[u8]>,
    to: impl Write,
    cancel: &Cancel,
) -> io::Result<(u64, String)> {
    let to = Hashing::new(BufWriter::new(to));
    let (mut encoder, reach, widest) = if let Some(prefix) = prefix {
        // The whole former file stays within reach.
        let reach = length.max(prefix.len() as u64);
        (zstd::Encoder::with_ref_prefix(to, LEVEL, prefix)?, reach, DELTA_WINDOW)
    } else {
        (zstd::Encoder::new(to, LEVEL)?, length, BLOB_WINDOW)
    };
    encoder.window_log(reach.max(1 << 10).next_power_of_two().trailing_zeros().min(widest))?;
    encoder.long_distance_matching(true)?;
    encoder.set_pledged_src_size(Some(length))?;
    encoder.include_contentsize(true)?;
    copy(from, &mut encoder, cancel)?;
    let (mut to, length, hash) = encoder.finish()?.end();
    to.flush()?;
    Ok((length, hash))
}

fn copy(mut from: impl Read, to: &mut impl Write, cancel: &Cancel) -> io::Result<()> {
    let mut buffer = vec![0_u8; 1 << 18];
    loop {
        if cancel.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let read = from.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        to.write_all(buffer.get(..read).unwrap_or_default())?;
    }
}

/// What is unpacked, and what it must be.
pub(super) struct Unpack<'a> {
    /// Its name in the publication, for errors.
    pub(super) name: &'a str,
    /// How many bytes it unpacks to, and no more are written.
    pub(super) length: u64,
    /// Their hash.
    pub(super) sha256: &'a str,
    /// What it is the difference from.
    pub(super) prefix: Option<&'a [u8]>,
}

impl Unpack<'_> {
    /// Unpacks `from` into `to`; `failed` says what went wrong with the latter.
    ///
    /// # Errors
    /// [`DatasetDamaged`](coverdex_core::ErrorKind::DatasetDamaged) if it is not what it must be, or would be longer;
    /// what was written by then is to be thrown away.
    pub(super) fn run(
        &self,
        from: impl Read,
        to: impl Write,
        failed: impl Fn(&io::Error) -> Error,
        cancel: &Cancel,
    ) -> Result<()> {
        let broken = |e: io::Error| damaged(self.name, format!("it cannot be unpacked: {e}"));
        let from = BufReader::with_capacity(1 << 17, from);
        let mut decoder = match self.prefix {
            Some(prefix) => zstd::Decoder::with_ref_prefix(from, prefix).map_err(broken)?,
            None => zstd::Decoder::with_buffer(from).map_err(broken)?,
        };
        let window = if self.prefix.is_some() { DELTA_WINDOW } else { BLOB_WINDOW };
        decoder.window_log_max(window).map_err(broken)?;
        let mut decoder = decoder.single_frame();
        let mut to = Hashing::new(to);
        let mut buffer = vec![0_u8; 1 << 17];
        let mut rest = self.length;
        loop {
            not_cancelled(cancel)?;
            let read = decoder.read(&mut buffer).map_err(broken)?;
            if read == 0 {
                break;
            }
            rest = rest.checked_sub(read as u64).ok_or_else(|| {
                damaged(self.name, format!("it unpacks to more than the {} bytes that are stated", self.length))
            })?;
            to.write_all(buffer.get(..read).unwrap_or_default()).map_err(|e| failed(&e))?;
        }
        let (_, length, hash) = to.end();
        if length != self.length {
            return Err(damaged(self.name, format!("it unpacks to {length} bytes, {} are stated", self.length)));
        }
        if hash != self.sha256 {
            return Err(damaged(self.name, "what it unpacks to is not what is stated: the hash differs"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use coverdex_core::ErrorKind;

    use super::super::hash::sha256;
    use super::*;

    fn packed(bytes: &[u8], prefix: Option<&[u8]>) -> Vec<u8> {
        let mut to = Vec::new();
        let (length, hash) = pack(bytes, bytes.len() as u64, prefix, &mut to, &Cancel::new()).unwrap();
        assert_eq!((length, hash), (to.len() as u64, sha256(&to)));
        to
    }

    fn unpacked(from: &[u8], length: u64, sha256: &str, prefix: Option<&[u8]>) -> Result<Vec<u8>> {
        let mut to = Vec::new();
        let unpack = Unpack { name: "blobs/x.zst", length, sha256, prefix };
        unpack.run(from, &mut to, |e| Error::io("x", e), &Cancel::new())?;
        Ok(to)
    }

    fn text(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed;
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u8::try_from(state >> 58).unwrap()
        })
        .take(length)
        .collect()
    }

    #[test]
    fn what_is_packed_unpacks_and_packs_the_same_again() {
        for length in [0, 1, 1_000, 300_000] {
            let bytes = text(1, length);
            let blob = packed(&bytes, None);
            assert_eq!(blob, packed(&bytes, None), "{length}");
            assert_eq!(unpacked(&blob, length as u64, &sha256(&bytes), None).unwrap(), bytes);
        }
    }

    #[test]
    fn a_delta_is_small_and_needs_the_very_file_it_is_from() {
        let former = text(1, 400_000);
        let mut bytes = former.clone();
        bytes[200_000] ^= 1;
        bytes.truncate(390_000);
        let delta = packed(&bytes, Some(&former));
        assert!(delta.len() * 100 < packed(&bytes, None).len(), "{}", delta.len());
        let hash = sha256(&bytes);
        assert_eq!(unpacked(&delta, bytes.len() as u64, &hash, Some(&former)).unwrap(), bytes);
        for other in [Some(text(2, 400_000)), Some(Vec::new()), None] {
            let error = unpacked(&delta, bytes.len() as u64, &hash, other.as_deref()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::DatasetDamaged);
        }
    }

    #[test]
    fn nothing_is_unpacked_beyond_what_is_stated() {
        let bytes = vec![0_u8; 50_000_000];
        let blob = zstd::encode_all(&bytes[..], 1).unwrap();
        assert!(blob.len() < 10_000);
        let mut to = Vec::new();
        let unpack = Unpack { name: "blobs/x.zst", length: 1_000_000, sha256: &sha256(&bytes), prefix: None };
        let error = unpack.run(&blob[..], &mut to, |e| Error::io("x", e), &Cancel::new()).unwrap_err();
        assert!(error.message().contains("more than the 1000000 bytes"), "{error}");
        assert!(to.len() <= 1_000_000);
        let short = unpacked(&blob, 50_000_001, &sha256(&bytes), None).unwrap_err();
        assert!(short.message().contains("50000000 bytes, 50000001"), "{short}");
    }

    #[test]
    fn bytes_that_are_cut_or_altered_are_refused() {
        let bytes = text(3, 20_000);
        let (blob, hash) = (packed(&bytes, None), sha256(&bytes));
        for cut in [0, 1, blob.len() / 2, blob.len() - 1] {
            assert!(unpacked(&blob[..cut], 20_000, &hash, None).is_err(), "{cut}");
        }
        for at in (0..blob.len()).step_by(97) {
            let mut altered = blob.clone();
            altered[at] ^= 0x10;
            if let Ok(got) = unpacked(&altered, 20_000, &hash, None) {
                assert_eq!(got, bytes, "{at}");
            }
        }
    }
}
