//! Writes a made payer into a folder and says how fast.
//!
//! `cargo run --release --example made_payer -- tiny|demo|bench FOLDER [AT_MOST_OF_EACH_TYPE] [gz|zst|none]`

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use std::time::Instant;

use coverdex_sandbox::{Compression, FolderOptions, MadePayer, ResourceType, Shape};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(preset), Some(folder)) = (arguments.first(), arguments.get(1)) else {
        println!("usage: made_payer tiny|demo|bench FOLDER [AT_MOST_OF_EACH_TYPE] [gz|zst|none]");
        return;
    };
    let shape = match preset.as_str() {
        "bench" => Shape::bench(),
        "demo" => Shape::demo(),
        _ => Shape::tiny(),
    };
    let start = Instant::now();
    let payer = MadePayer::new(shape);
    println!("made in {:.2?}", start.elapsed());
    let at_most = arguments.get(2).and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
    let compression = match arguments.get(3).map(String::as_str) {
        Some("none") => Compression::None,
        Some("zst") => Compression::Zstd,
        _ => Compression::Gzip,
    };
    for kind in ResourceType::ALL {
        let start = Instant::now();
        let options = FolderOptions { types: vec![kind], at_most, compression, ..FolderOptions::default() };
        match payer.write_folder(folder, &options) {
            Ok(written) => {
                let seconds = start.elapsed().as_secs_f64().max(1e-6);
                #[allow(clippy::cast_precision_loss, reason = "for people")]
                let (rate, megabytes) = (written.resources as f64 / seconds, written.bytes as f64 / 1e6);
                println!(
                    "{:20} {:>10} of {:>10}: {seconds:7.2} s, {rate:>9.0}/s, {megabytes:8.1} MB packed, {} bytes of JSON each",
                    kind.name(),
                    written.resources,
                    payer.count(kind),
                    written.json_bytes / written.resources.max(1)
                );
            }
            Err(error) => println!("{error}"),
        }
    }
}
