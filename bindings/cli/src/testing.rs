//! The tiny made payer, built once for all tests of this crate.

use std::sync::OnceLock;

use coverdex_sandbox::{FolderOptions, MadePayer, Quirk, Shape};

use crate::args::{BuildArgs, TierArgs};
use crate::commands::build_store;
use crate::data::Datasets;
use crate::output::Look;

/// A payer, and the dataset that was built of it.
pub(crate) struct Tiny {
    pub(crate) payer: MadePayer,
    pub(crate) datasets: Datasets,
    _store: tempfile::TempDir,
}

/// A page that is wide enough for nothing to wrap in the middle of what a test looks for.
pub(crate) const WIDE: Look = Look { width: 400, color: false };

/// A network of the made payer, as it is named to the command.
pub(crate) fn network(number: u32) -> String {
    let payer = &tiny().payer;
    let network = &payer.networks()[number as usize];
    format!("{}|{}", payer.network_system(network), network.id)
}

pub(crate) fn tiny() -> &'static Tiny {
    static TINY: OnceLock<Tiny> = OnceLock::new();
    TINY.get_or_init(|| {
        let tiny = Shape::tiny();
        // In so small a List one entry without a reference is more than one gap in a hundred.
        let quirks = tiny.quirks.clone().with(Quirk::EntryWithoutReference, 0);
        let payer = MadePayer::new(Shape { quirks, ..tiny });
        let (folder, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = FolderOptions { other_files: true, broken_lines: 2, ..FolderOptions::default() };
        payer.write_folder(folder.path(), &options).unwrap();
        let build = BuildArgs {
            from: folder.path().to_owned(),
            out: store.path().to_owned(),
            as_of: Some("2026-05-12".to_owned()),
            payer: Some("Larkspur Health".to_owned()),
            threads: Some(1),
            config: None,
            tiers: TierArgs::default(),
        };
        build_store(&build).unwrap();
        let datasets = Datasets::open(&[store.path().to_owned()]).unwrap();
        Tiny { payer, datasets, _store: store }
    })
}
