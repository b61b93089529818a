//! From a publication to a store's live dataset. Whatever dies at whatever moment leaves the live one live; what was
//! fetched by then stays in the store, and the next call goes on from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use coverdex_core::build::format::MANIFEST;
use coverdex_core::build::store::{FETCHED, Record, Unfinished, advised, sync_folder};
use coverdex_core::{Cancel, Error, ErrorKind, Installed, Manifest, Published, Result, Store};
use jiff::Timestamp;

use super::document::{Blob, Content, DOCUMENT, Publication};
use super::hash;
use super::place::Place;
use super::progress::{Meter, Metered, TakeProgress};
use super::signature::Trust;
use super::web::{self, Web, WebOptions};
use super::zstandard::{LONGEST_FOR_DELTA, Unpack};
use crate::build::not_cancelled;

/// What a file of a few bytes may take on a disk beside its length.
const ROOM_BESIDE: u64 = 16 << 10;

/// How often document and signature are asked for until they belong together: whoever publishes replaces one after the
/// other.
const ASKED_FOR_BOTH: u32 = 3;

/// Where a publication is taken from.
#[derive(Clone, Debug)]
pub enum From {
    /// A folder or a file of this machine.
    Path(PathBuf),
    /// A web server's folder.
    Web(String, WebOptions),
}

impl From {
    /// From what was typed: an address, or a path.
    #[must_use]
    pub fn typed(text: &str, options: WebOptions) -> Self {
        if web::is_address(text) { Self::Web(text.to_owned(), options) } else { Self::Path(PathBuf::from(text)) }
    }

    fn open(&self) -> Result<Place> {
        match self {
            Self::Path(path) => Place::local(path),
            Self::Web(address, options) => Web::new(address, options).map(|web| Place::Web(Box::new(web))),
        }
    }
}

/// What may be taken.
#[derive(Clone, Debug)]
pub struct TakeOptions {
    /// Whom one trusts.
    pub trust: Trust,
    /// A number that is taken although the store had a newer one.
    pub older: Option<u64>,
    /// A series that is taken although the live dataset is of another one.
    pub series: Option<String>,
    /// A publication that was rolled back here is taken once more.
    pub again: bool,
    /// The id of a dataset that is taken although another one was live here under its number.
    pub republished: Option<String>,
    /// The time, which expiry is judged by.
    pub now: Timestamp,
}

impl TakeOptions {
    /// Newer publications of the same series, now.
    #[must_use]
    pub fn new(trust: Trust) -> Self {
        Self { trust, older: None, series: None, again: false, republished: None, now: Timestamp::now() }
    }
}

/// What was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The dataset that is live now.
    pub installed: Installed,
    /// The publication that it came from.
    pub publication: Publication,
    /// The id of the key that proved it.
    pub key: Option<String>,
    /// The publication that was live before.
    pub before: Option<Published>,
    /// Nothing was to be done: this publication was live already, whole.
    pub is_up_to_date: bool,
    /// Its publisher stands by it no longer.
    pub has_expired: bool,
    /// Packed bytes that were taken.
    pub fetched_bytes: u64,
    /// Files that came packed whole.
    pub whole: u64,
    /// Files that came as the difference from one that was here.
    pub by_delta: u64,
    /// Files that were here already.
    pub unchanged: u64,
    /// What somebody should know of it.
    pub remarks: Vec<String>,
}

/// Takes a publication into a store and makes its dataset live. Document and signature are asked for first; then only
/// what the store does not have. `watch` is told how far that is.
///
/// # Errors
/// [`Refused`](ErrorKind::Refused) for what is not proved, older than what was here, of another series, another dataset
/// than the one that was here under its number, or was rolled back here; [`DatasetDamaged`](ErrorKind::DatasetDamaged) naming what was altered or is missing;
/// [`Sync`](ErrorKind::Sync) if the server does not answer; [`Io`](ErrorKind::Io) if the disk lacks room, the system
/// refuses, or another build, install or update writes to the store; [`Interrupted`](ErrorKind::Interrupted) by the token.
pub fn take(
    from: &From,
    store: &Path,
    options: &TakeOptions,
    watch: &dyn Fn(TakeProgress),
    cancel: &Cancel,
) -> Result<Taken> {
    let place = from.open()?;
    let store = Store::open_or_create(store)?;
    let work = store.begin()?;
    let offered = Offered::ask(&place, options, cancel)?;
    Taking { place: &place, store: &store, options, meter: Meter::new(watch), cancel }
        .run(work, offered)
        .map_err(advised)
}

/// What a publication says of itself.
struct Offered {
    publication: Publication,
    document: String,
    signature: Option<String>,
    key: Option<String>,
}

impl Offered {
    fn ask(place: &Place, options: &TakeOptions, cancel: &Cancel) -> Result<Self> {
        let mut asked = 0;
        loop {
            asked += 1;
            let document = place.document(cancel)?;
            let signature = place.signature(cancel)?;
            match options.trust.judge(&document, signature.as_deref()) {
                Ok((publication, key)) => {
                    // It was read as JSON, which is UTF-8.
                    let document = String::from_utf8_lossy(&document).into_owned();
                    return Ok(Self { publication, document, signature, key });
                }
                Err(error)
                    if matches!(place, Place::Web(_))
                        && error.kind() == ErrorKind::DatasetDamaged
                        && asked < ASKED_FOR_BOTH =>
                {
                    std::thread::sleep(std::time::Duration::from_millis(500));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn published(&self) -> Published {
        let Publication { series, number, published, expires, manifest, .. } = self.publication.clone();
        Published {
            series,
            number,
            manifest: manifest.sha256,
            key: self.key.clone(),
            published,
            expires,
            document: self.document.clone(),
            signature: self.signature.clone(),
        }
    }
}

struct Taking<'a> {
    place: &'a Place,
    store: &'a Store,
    options: &'a TakeOptions,
    meter: Meter<'a>,
    cancel: &'a Cancel,
}

/// Files of the store's datasets by the hash of their bytes, as the manifests state it: nobody looked at the bytes yet.
struct Here(BTreeMap<String, PathBuf>);

impl Here {
    fn of(store: &Store) -> Self {
        let mut here = BTreeMap::new();
        for folder in store.live().into_iter().chain(store.former()) {
            let Ok(manifest) = Manifest::read(&folder) else { continue };
            for file in manifest.files {
                here.entry(file.sha256).or_insert_with(|| folder.join(file.path));
            }
            if let Ok(bytes) = fs::read(folder.join(MANIFEST)) {
                here.entry(hash::sha256(&bytes)).or_insert_with(|| folder.join(MANIFEST));
            }
        }
        Self(here)
    }
}

/// How a file comes.
enum Way<'a> {
    /// It is here, at this path.
    Here(&'a Path),
    /// As the difference (its packed bytes and name) from this file, which is here and has this hash.
    Delta(&'a Blob, String, &'a Path, &'a str),
    /// Packed whole.
    Whole,
}

impl Taking<'_> {
    fn run(&self, work: Unfinished<'_>, offered: Offered) -> Result<Taken> {
        let publication = &offered.publication;
        let record = self.store.record()?;
        let before = self.store.published()?;
        self.judge(publication, offered.key.as_deref(), &record, before.as_ref())?;
        let mut taken = Taken {
            installed: Installed {
                dataset: publication.dataset.clone(),
                as_of: publication.as_of.clone(),
                folder: PathBuf::new(),
                former: None,
                bytes: 0,
                was_there: false,
            },
            key: offered.key.clone(),
            is_up_to_date: false,
            has_expired: publication.has_expired(self.options.now),
            fetched_bytes: 0,
            whole: 0,
            by_delta: 0,
            unchanged: 0,
            remarks: Vec::new(),
            publication: publication.clone(),
            before,
        };
        taken.remark(&record);
        let fetched = self.store.path().join(FETCHED);
        self.keep_wanted(publication, &fetched)?;
        let here = Here::of(self.store);
        self.bring(&publication.manifest, MANIFEST, &work, &here, &fetched, &mut taken)?;
        let manifest = Manifest::read(work.folder())?;
        publication.check_is_of(&manifest)?;
        let was_live = self.store.live();
        if let Some(installed) = work.make_live_what_is_there(&manifest, Some(offered.published()), self.cancel)? {
            taken.is_up_to_date = was_live.as_ref() == Some(&installed.folder)
                && taken.before.as_ref().is_some_and(|before| before.number == publication.number);
            taken.installed = installed;
            taken.unchanged = manifest.files.len() as u64;
            drop(work);
            let _stays_until_next_time = fs::remove_dir_all(&fetched);
            return Ok(taken);
        }
        self.check_room(publication, &work, &here)?;
        self.meter.expect(publication.files.iter().map(|file| self.effort(&file.content, &here)).sum());
        for file in &publication.files {
            self.bring(&file.content, &file.path, &work, &here, &fetched, &mut taken)?;
            self.meter.ended(self.effort(&file.content, &here));
        }
        sync_folder(work.folder())?;
        self.meter.checking();
        taken.installed = work.install(Some(offered.published()), self.cancel)?;
        let _stays_until_next_time = fs::remove_dir_all(&fetched);
        Ok(taken)
    }

    /// Refuses what must not follow what is here.
    fn judge(&self, offered: &Publication, key: Option<&str>, record: &Record, live: Option<&Published>) -> Result<()> {
        let refused = |what: String, hint: String| {
            Err(Error::new(ErrorKind::Refused, self.place.name(DOCUMENT), what).with_hint(hint))
        };
        let Publication { series, number, .. } = offered;
        if let Some(wanted) = self.options.series.as_ref().filter(|wanted| *wanted != series) {
            return refused(
                format!("it is of the series {series:?}, not of {wanted:?}"),
                "see that the address or folder is right".to_owned(),
            );
        }
        if let Some(live) = live {
            if live.series != *series && self.options.series.is_none() {
                return refused(
                    format!("it is of the series {series:?}, and what is live is of {:?}", live.series),
                    format!("name another store for it, or take it all the same with --series {series:?}"),
                );
            }
            if let (Some(theirs), None, Trust::NoKey) = (&live.key, key, &self.options.trust) {
                return refused(
                    format!("it is not signed, and what is live was proved by key {theirs}"),
                    "ask the publisher for a signed one, or take it from anybody with --unproved".to_owned(),
                );
            }
        }
        let here = record.manifest_of(series, *number).filter(|here| *here != offered.manifest.sha256);
        if here.is_some() && self.options.republished.as_ref() != Some(&offered.dataset) {
            return refused(
                format!("it is another dataset than the one that was live here as number {number}: a number names one"),
                format!("ask the publisher; take it all the same with --republished {}", offered.dataset),
            );
        }
        let is_live = live.is_some_and(|live| live.series == *series && live.number == *number);
        let Some(newest) = record.newest(series).filter(|_| !is_live) else { return Ok(()) };
        if *number < newest && self.options.older != Some(*number) {
            return refused(
                format!("it has number {number}, and number {newest} was here already: it is older"),
                format!("take it all the same with --older {number}"),
            );
        }
        let rolled_back = record.rolled_back(series).is_some_and(|back| back == *number);
        if rolled_back && !self.options.again {
            return refused(
                format!("number {number} was rolled back here, and nothing newer is published"),
                "wait for a newer one, or take it once more with --again".to_owned(),
            );
        }
        Ok(())
    }

    /// Removes what was fetched of other publications.
    fn keep_wanted(&self, publication: &Publication, fetched: &Path) -> Result<()> {
        if !matches!(self.place, Place::Web(_)) {
            return Ok(());
        }
        let contents = publication.files.iter().map(|file| &file.content).chain([&publication.manifest]);
        let blobs =
            contents.flat_map(|content| content.deltas.iter().map(|delta| &delta.packed).chain([&content.packed]));
        let wanted: BTreeSet<&str> = blobs.map(|blob| blob.sha256.as_str()).collect();
        if fetched.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            // What a link leads to is not the store's.
            fs::remove_file(fetched).map_err(|e| Error::io(fetched, &e))?;
        }
        fs::create_dir_all(fetched).map_err(|e| Error::io(fetched, &e))?;
        for entry in fs::read_dir(fetched).map_err(|e| Error::io(fetched, &e))? {
            let entry = entry.map_err(|e| Error::io(fetched, &e))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !wanted.contains(name.strip_suffix(".part").unwrap_or(&name)) {
                let _goes_the_next_time = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    fn way<'a>(content: &'a Content, here: &'a Here) -> Way<'a> {
        if let Some(path) = here.0.get(&content.sha256) {
            return Way::Here(path);
        }
        let delta = content.deltas.iter().find_map(|delta| {
            let path = here.0.get(&delta.from)?;
            let is_short = path.metadata().is_ok_and(|metadata| metadata.len() <= LONGEST_FOR_DELTA);
            let way = Way::Delta(&delta.packed, content.delta_name(delta), path, &delta.from);
            (is_short && content.length <= LONGEST_FOR_DELTA).then_some(way)
        });
        delta.unwrap_or(Way::Whole)
    }

    /// Bytes that a file takes to bring: those that are fetched, and those that are written or compared.
    fn effort(&self, content: &Content, here: &Here) -> u64 {
        let packed = match Self::way(content, here) {
            Way::Here(_) => 0,
            Way::Delta(blob, ..) => self.to_fetch(blob),
            Way::Whole => self.to_fetch(&content.packed),
        };
        packed.saturating_add(content.length)
    }

    /// Bytes of a packed file that come over the network.
    fn to_fetch(&self, blob: &Blob) -> u64 {
        if matches!(self.place, Place::Web(_)) { blob.length } else { 0 }
    }

    /// An error if the disk lacks room for what has to come. Files that are here take none where they can be linked.
    fn check_room(&self, publication: &Publication, work: &Unfinished<'_>, here: &Here) -> Result<()> {
        let mut needed = 0_u64;
        for file in &publication.files {
            let packed = match Self::way(&file.content, here) {
                Way::Here(_) => continue,
                Way::Delta(blob, ..) => self.to_fetch(blob),
                Way::Whole => self.to_fetch(&file.content.packed),
            };
            needed = needed.saturating_add(file.content.length).saturating_add(packed).saturating_add(ROOM_BESIDE);
        }
        work.check_room(needed)
    }

    /// Puts a file into the dataset in the making.
    fn bring(
        &self,
        content: &Content,
        path: &str,
        work: &Unfinished<'_>,
        here: &Here,
        fetched: &Path,
        taken: &mut Taken,
    ) -> Result<()> {
        not_cancelled(self.cancel)?;
        let to = work.folder().join(path);
        let parent = to.parent().unwrap_or(work.folder());
        fs::create_dir_all(parent).map_err(|e| Error::io(parent, &e))?;
        let way = Self::way(content, here);
        let mut delta = None;
        match way {
            Way::Here(there) => {
                if link_or_copy(there, &to, content) {
                    taken.unchanged += 1;
                    return sync_folder(parent);
                }
                taken.remarks.push(format!("{} is damaged, and {path} was fetched anew", there.display()));
            }
            Way::Delta(blob, name, from, sha256) => delta = Some((blob, name, from, sha256)),
            Way::Whole => {}
        }
        if let Some((blob, name, from, sha256)) = delta {
            match self.by_delta(content, blob, &name, from, sha256, &to, fetched) {
                Ok(()) => {
                    taken.by_delta += 1;
                    taken.fetched_bytes += blob.length;
                    return sync_folder(parent);
                }
                // The whole file is as good: whoever publishes may have lost the delta alone.
                Err(error) if matches!(error.kind(), ErrorKind::DatasetDamaged | ErrorKind::Sync) => {
                    taken.remarks.push(format!("{error}: the delta was refused, and {path} was fetched whole"));
                }
                Err(error) => return Err(error),
            }
        }
        let name = content.blob_name();
        let packed = self.packed(&name, &content.packed, fetched)?;
        self.unpack(&name, content, None, (packed, self.to_fetch(&content.packed)), &to)?;
        taken.whole += 1;
        taken.fetched_bytes += content.packed.length;
        sync_folder(parent)
    }

    #[allow(clippy::too_many_arguments, reason = "what a delta needs, each of its own kind")]
    fn by_delta(
        &self,
        content: &Content,
        blob: &Blob,
        name: &str,
        from: &Path,
        sha256: &str,
        to: &Path,
        fetched: &Path,
    ) -> Result<()> {
        let prefix = fs::read(from).map_err(|e| Error::io(from, &e))?;
        if hash::sha256(&prefix) != sha256 {
            let shown = from.display().to_string();
            return Err(super::document::damaged(shown, "it was altered since it was installed"));
        }
        let packed = self.packed(name, blob, fetched)?;
        self.unpack(name, content, Some(&prefix), (packed, self.to_fetch(blob)), to)
    }

    fn packed(&self, name: &str, blob: &Blob, fetched: &Path) -> Result<Box<dyn io::Read>> {
        self.place.packed(name, blob, fetched, &|came| self.meter.at(came), self.cancel)
    }

    /// Unpacks what was brought, of so many fetched bytes.
    fn unpack(
        &self,
        name: &str,
        content: &Content,
        prefix: Option<&[u8]>,
        (packed, fetched): (impl io::Read, u64),
        to: &Path,
    ) -> Result<()> {
        let failed = |e: &io::Error| Error::io(to, e);
        // Another file, where a delta that failed has left one.
        let _ = fs::remove_file(to);
        let file = BufWriter::new(File::create(to).map_err(|e| failed(&e))?);
        let mut file = Metered { to: file, done: fetched, meter: &self.meter };
        let shown = self.place.name(name);
        let unpack = Unpack { name: &shown, length: content.length, sha256: &content.sha256, prefix };
        unpack.run(packed, &mut file, failed, self.cancel)?;
        file.flush().and_then(|()| file.to.get_ref().sync_all()).map_err(|e| failed(&e))
    }
}

/// Has a file that is here in another place too, if its bytes are right. Files of a dataset are never written to, so two
/// datasets can share one; where the system cannot, it is copied.
fn link_or_copy(from: &Path, to: &Path, content: &Content) -> bool {
    let is_file = from.symlink_metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == content.length);
    let hash = |path: &Path| File::open(path).and_then(|file| hash::of_reader(file, content.length));
    let is_right = |path: &Path| hash(path).is_ok_and(|(_, hash)| hash == content.sha256);
    if !is_file || !is_right(from) {
        return false;
    }
    if fs::hard_link(from, to).is_ok() {
        return true;
    }
    let copied = fs::copy(from, to).and_then(|_| File::options().read(true).write(true).open(to)?.sync_all());
    if copied.is_ok() && is_right(to) {
        return true;
    }
    let _ = fs::remove_file(to);
    false
}

impl Taken {
    /// What somebody should know before anything is fetched.
    fn remark(&mut self, record: &Record) {
        let Publication { series, number, expires, .. } = &self.publication;
        if let Some(at) = expires.as_ref().filter(|_| self.has_expired) {
            self.remarks.push(format!("publication {number} of {series} expired on {at}: look for a newer one"));
        }
        if let Some(back) = record.rolled_back(series).filter(|back| back < number) {
            self.remarks.push(format!("number {back} was rolled back here; {number} is newer and was taken"));
        }
        let (mine, before) = (&self.key, self.before.as_ref().map(|before| &before.key));
        if let (Some(key), Some(Some(other))) = (mine, before)
            && key != other
        {
            self.remarks.push(format!("key {key} proves it; what was live before was proved by {other}"));
        }
        if record.manifest_of(series, *number).is_some_and(|here| here != self.publication.manifest.sha256) {
            self.remarks.push(format!("number {number} was another dataset here; this one takes its place"));
        }
        if self.key.is_none() {
            self.remarks.push("nothing proved who made it: no signature was looked at".to_owned());
        }
    }
}
