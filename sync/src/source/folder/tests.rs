use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::model::{Content, ResourceKind};
use coverdex_core::ErrorKind;

/// Resources of several types, good and bad, each on one line.
fn resources() -> Vec<String> {
    let mut lines = Vec::new();
    for i in 0..300 {
        lines.push(format!(
            r#"{{"resourceType":"MedicationKnowledge","id":"k{i}","meta":{{"lastUpdated":"2026-01-01T00:00:00Z"}},"code":{{"coding":[{{"system":"x/rxnorm","code":"{}"}}],"text":"drug {i} é"}}}}"#,
            i + 1
        ));
        lines.push(format!(
            r#"{{"id":"l{i}","resourceType":"Location","name":"Clinic {i}","address":{{"city":"Opp","state":"AL"}}}}"#
        ));
    }
    lines.push(r#"{"resourceType":"MedicationKnowledge","id":"bad","code":{"text":"no code"}}"#.to_owned());
    lines.push(r#"{"resourceType":"List","id":"other"}"#.to_owned());
    lines.push(r#"{"resourceType":"Practitioner","name":[{"text":"No Id"}]}"#.to_owned());
    lines
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn folder(files: &[(&str, Vec<u8>)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn read_with(path: &Path, threads: usize) -> Result<(Vec<Received>, FolderCounts), Error> {
    let all = Mutex::new(Vec::new());
    let counts = read_folder(path, &ReadOptions { threads, progress: None }, |batch| {
        all.lock().unwrap().extend(batch);
        Ok(())
    })?;
    let mut all = all.into_inner().unwrap();
    all.sort_by_key(|received| (received.source, format!("{:?}", received.content)));
    Ok((all, counts))
}

fn read(files: &[(&str, Vec<u8>)]) -> Result<(Vec<Received>, FolderCounts), Error> {
    let folder = folder(files);
    let one = read_with(folder.path(), 1);
    let two = read_with(folder.path(), 2);
    assert_eq!(one, two, "threads change nothing");
    one
}

fn error(files: &[(&str, Vec<u8>)]) -> String {
    match read(files) {
        Err(error) => {
            assert!(error.hint().is_some(), "{error}: no way out");
            error.to_string()
        }
        Ok((_, counts)) => panic!("{counts:?}"),
    }
}

#[test]
fn the_same_however_it_is_packed() {
    let lines = resources();
    let joined = |lines: &[String], end: &str| lines.join(end).into_bytes();
    let (want, counts) = read(&[("a.ndjson", joined(&lines, "\n"))]).unwrap();
    assert_eq!(want.len(), lines.len());
    let by_type: Vec<u64> = counts.received.values().copied().collect();
    assert_eq!(by_type, [1, 301, 1, 300], "List, MedicationKnowledge, Practitioner, Location");
    assert_eq!(want.iter().filter(|r| matches!(r.content, Content::Quarantined(_))).count(), 1);
    assert_eq!(want.iter().filter(|r| matches!(r.content, Content::OfNoUse(_))).count(), 1);

    let mut shuffled = lines.clone();
    shuffled.sort_by_key(|line| line.bytes().rev().collect::<Vec<u8>>());
    shuffled.rotate_left(77);
    let bundle = |lines: &[String], space: &str| {
        let entries: Vec<String> =
            lines.iter().map(|line| format!("{space}{{{space}\"resource\":{space}{line}{space}}}")).collect();
        format!("{{{space}\"resourceType\":\"Bundle\",{space}\"entry\":[{}]{space}}}", entries.join(",")).into_bytes()
    };
    let mut marked = b"\xef\xbb\xbf".to_vec();
    marked.extend(joined(&lines, "\r\n"));
    let members: Vec<u8> =
        lines.chunks(50).flat_map(|part| gzip(&[joined(part, "\n"), b"\n".to_vec()].concat())).collect();
    let frames: Vec<u8> =
        lines.chunks(50).flat_map(|part| zstd(&[joined(part, "\n"), b"\n".to_vec()].concat())).collect();
    let pretty: Vec<u8> =
        lines.iter().map(|line| line.replace(",\"", ",\n  \"") + "\n").collect::<String>().into_bytes();
    let (first, rest) = lines.split_at(123);
    for (what, files) in [
        ("shuffled, line ends at the end", vec![("b.jsonl", joined(&shuffled, "\n\n"))]),
        ("byte-order mark, CRLF, odd name", vec![("noname", marked)]),
        ("gzip", vec![("a.ndjson.gz", gzip(&joined(&lines, "\n")))]),
        ("gzip under a wrong name", vec![("a.txt", gzip(&joined(&lines, "\n")))]),
        ("zstd", vec![("a.ndjson.zst", zstd(&joined(&lines, "\n")))]),
        ("gzip members", vec![("a.ndjson.gz", members)]),
        ("zstd frames", vec![("a.ndjson.zst", frames)]),
        ("split", vec![("x/1.ndjson", joined(first, "\n")), ("x/y/2.gz", gzip(&joined(rest, "\n")))]),
        ("Bundle on one line", vec![("b.json", bundle(&lines, ""))]),
        ("Bundle over many lines", vec![("b.json", bundle(&lines, "\n "))]),
        ("Bundles as NDJSON", vec![("b", [bundle(first, ""), b"\n".to_vec(), bundle(rest, "")].concat())]),
        ("list", vec![("l.json", format!("[{}]", lines.join(",\n")).into_bytes())]),
        ("pretty resources one after the other", vec![("p.json", pretty)]),
        (
            "a resource a file",
            lines
                .iter()
                .enumerate()
                .map(|(i, line)| (&*format!("{i}.json").leak(), line.clone().into_bytes()))
                .collect(),
        ),
    ] {
        let (got, _) = read(&files).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(got == want, "{what}: {} of {}", got.len(), want.len());
    }
}

#[test]
fn blocks_end_between_lines() {
    let line = |i: usize, length: usize| {
        let pad = "x".repeat(length);
        format!(r#"{{"resourceType":"Location","id":"{i}","name":"Clinic","pad":"{pad}"}}"#)
    };
    let lengths = [10, 3_000_000, 1, 1_048_500, 70_000, 2_500_000, 5];
    let lines: Vec<String> =
        (0..200).map(|i| line(i, lengths[i % lengths.len()] / if i < 20 { 1 } else { 100 })).collect();
    let (got, counts) = read(&[("a.ndjson", lines.join("\n").into_bytes())]).unwrap();
    assert_eq!((got.len(), counts.not_json), (200, 0));
}

#[test]
fn other_files_change_nothing() {
    let good = ("l.ndjson", br#"{"resourceType":"Location","id":"1"}"#.to_vec());
    let (want, _) = read(std::slice::from_ref(&good)).unwrap();
    let others: [(&str, &[u8]); 9] = [
        ("README.md", b"# read me"),
        ("answers/q.jsonl", b"{\"id\":1,\"q\":\"x\"}\n{\"id\":2}\nbroken"),
        ("server.json", b"{\n \"generator\": 2\n}\n"),
        ("empty.ndjson", b""),
        ("blank.json", b"\n\n"),
        ("binary", &[0, 159, 146, 150]),
        ("like-gzip.bin", &[0x1f, 0x8b, 8, 0, 1, 2, 3]),
        ("page.html", b"<html>{\"resourceType\":\"List\"}</html>"),
        (".hidden.ndjson", br#"{"resourceType":"Location","id":"2"}"#),
    ];
    let mut files = vec![good];
    files.extend(others.iter().map(|(name, bytes)| (*name, bytes.to_vec())));
    files.push(("tar.gz", gzip(b"not json at all")));
    let (got, counts) = read(&files).unwrap();
    assert_eq!(got, want);
    assert_eq!((counts.not_json, counts.not_resources, counts.resource_files), (0, 0, 1));
    let names = [
        "README.md",
        "answers/q.jsonl",
        "binary",
        "blank.json",
        "empty.ndjson",
        "like-gzip.bin",
        "page.html",
        "server.json",
        "tar.gz",
    ];
    assert_eq!(counts.other_files, names);
}

#[test]
fn bad_lines_are_counted_with_their_place() {
    let text = "{\"resourceType\":\"Location\",\"id\":\"1\"}\nnot json\n\n{\"id\":\"2\"}\n{\"resourceType\":\"Location\",\"id\":\"3\"\n\
                {\"resourceType\":\"Coverage\"}\n{\"resourceType\":\"Basic\"}\n[{\"resourceType\":\"Location\",\"id\":\"4\"},7]\n";
    let (got, counts) = read(&[("a/l.ndjson", text.as_bytes().to_vec())]).unwrap();
    assert_eq!(got.len(), 2);
    assert_eq!((counts.not_json, counts.not_resources), (2, 2));
    assert_eq!(counts.member_data.get("Coverage"), Some(&1));
    assert_eq!(counts.unread.get("Basic"), Some(&1));
    let places: Vec<(&str, u64)> = counts.bad_lines.iter().map(|bad| (bad.file.as_str(), bad.line)).collect();
    assert_eq!(places, [("a/l.ndjson", 2), ("a/l.ndjson", 4), ("a/l.ndjson", 5), ("a/l.ndjson", 8)]);
    // A damaged first line does not make the file one damaged document.
    let first = b"{\"resourceType\":\"Loc\n{\"resourceType\":\"Location\",\"id\":\"1\"}\n".to_vec();
    let (got, counts) = read(&[("l.ndjson", first)]).unwrap();
    assert_eq!((got.len(), counts.not_json, counts.bad_lines[0].line), (1, 1, 1));
}

#[test]
fn many_bad_lines_are_not_all_kept() {
    let mut text = "{\"resourceType\":\"Location\",\"id\":\"1\"}\n".to_owned();
    text.push_str(&"junk\n".repeat(1_000_000));
    let (_, counts) = read(&[("l.ndjson", text.into_bytes())]).unwrap();
    assert_eq!(counts.not_json, 1_000_000);
    let lines: Vec<u64> = counts.bad_lines.iter().map(|bad| bad.line).collect();
    assert_eq!(lines, (2..22).collect::<Vec<u64>>());
}

#[test]
fn damaged_files_are_errors() {
    let text = resources().join("\n").into_bytes();
    let good = ("0.ndjson", br#"{"resourceType":"Location","id":"1"}"#.to_vec());
    let (gz, zst) = (gzip(&text), zstd(&text));
    let flipped = |bytes: &[u8], at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 0x55;
        bytes
    };
    let pretty = b"{\n \"resourceType\": \"Bundle\",\n \"entry\": [\n  {\"resource\": {\"resourceType\":\n".to_vec();
    for (what, name, bytes) in [
        ("gzip cut in the middle", "a.ndjson.gz", gz[..gz.len() / 2].to_vec()),
        ("gzip cut at the end", "a.ndjson.gz", gz[..gz.len() - 3].to_vec()),
        ("gzip cut at the start", "a.ndjson.gz", gz[..5].to_vec()),
        ("gzip without its name, cut", "a", gz[..gz.len() / 2].to_vec()),
        ("gzip with a wrong checksum", "a.ndjson.gz", flipped(&gz, gz.len() - 6)),
        ("gzip with rubbish behind it", "a.ndjson.gz", [gz.clone(), b"rubbish".to_vec()].concat()),
        ("gzip of no bytes", "a.ndjson.gz", vec![]),
        ("zstd cut in the middle", "a.ndjson.zst", zst[..zst.len() / 2].to_vec()),
        ("zstd cut at the end", "a.ndjson.zst", zst[..zst.len() - 1].to_vec()),
        ("document cut off", "b.json", pretty),
        ("UTF-16", "u.json", b"\xff\xfe{\0\"\0".to_vec()),
    ] {
        let message = error(&[good.clone(), (name, bytes)]);
        assert!(message.contains(name), "{what}: {message}");
    }
}

#[test]
fn caps() {
    let error = |bytes: &[u8]| {
        let folder = folder(&[("big.ndjson.zst", zstd(bytes))]);
        read_with(folder.path(), 1).unwrap_err().to_string()
    };
    let good = br#"{"resourceType":"Location","id":"1"}"#;
    let long = format!(r#"{{"resourceType":"Location","id":"2","pad":"{}"}}"#, " ".repeat(65 << 20));
    let message = error(long.as_bytes());
    assert!(message.contains("big.ndjson.zst:1") && message.contains("64 MiB"), "{message}");
    let message = error(&[good, b"\n".as_slice(), long.as_bytes()].concat());
    assert!(message.contains("big.ndjson.zst:2") && message.contains("64 MiB"), "{message}");
    // A bomb: blank lines without end, a thousandth of them on the disk.
    let message = error(&[good.as_slice(), &vec![b'\n'; 300 << 20]].concat());
    assert!(message.contains("expands"), "{message}");
    let document = [b"{\n\"resourceType\":\"Bundle\",\n".as_slice(), &vec![b'\n'; 257 << 20]].concat();
    let message = error(&document);
    assert!(message.contains("expands") || message.contains("document"), "{message}");
}

#[test]
fn nothing_to_read_is_an_error() {
    assert!(error(&[("README.md", b"x".to_vec())]).contains("no FHIR resources"));
    assert!(error(&[]).contains("no FHIR resources"));
    let members = br#"{"resourceType":"Coverage","id":"1"}"#.to_vec();
    assert!(error(&[("c.ndjson", members)]).contains("only 1 Coverage"));
    let missing = read_with(Path::new("/no/such/folder"), 1).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Io);
    assert!(missing.to_string().contains("/no/such/folder"));
}

#[test]
fn errors_of_the_sink_come_back() {
    let folder = folder(&[("l.ndjson", br#"{"resourceType":"Location","id":"1"}"#.to_vec())]);
    for threads in [1, 2] {
        let options = ReadOptions { threads, progress: None };
        let error = read_folder(folder.path(), &options, |_| Err(Error::invalid("sink", "full"))).unwrap_err();
        assert_eq!(error.subject(), "sink");
    }
}

#[test]
fn progress_reaches_the_end() {
    let folder = folder(&[("l.ndjson", resources().join("\n").into_bytes())]);
    let last = Mutex::new(None);
    let progress = |progress: Progress| *last.lock().unwrap() = Some(progress);
    let options = ReadOptions { threads: 1, progress: Some(&progress) };
    let counts = read_folder(folder.path(), &options, |_| Ok(())).unwrap();
    let last = last.into_inner().unwrap().unwrap();
    assert_eq!((last.bytes_read, last.bytes_total), (counts.bytes, counts.bytes));
    assert_eq!(last.resources, counts.resources());
}

#[test]
fn one_file_is_a_folder_too() {
    let folder = folder(&[("l.ndjson", br#"{"resourceType":"Location","id":"1"}"#.to_vec())]);
    let (_, counts) = read_with(&folder.path().join("l.ndjson"), 1).unwrap();
    assert_eq!(counts.received.get(&ResourceKind::Place), Some(&1));
}

#[cfg(unix)]
#[test]
fn links_neither_loop_nor_repeat() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[("a/l.ndjson", br#"{"resourceType":"Location","id":"1"}"#.to_vec())]);
    let root = folder.path();
    symlink(root, root.join("a/up")).unwrap();
    symlink(root.join("self"), root.join("self")).unwrap();
    symlink(root.join("a/l.ndjson"), root.join("again.ndjson")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    let (got, counts) = read_with(root, 1).unwrap();
    assert_eq!((got.len(), counts.other_files.len()), (1, 2));
    symlink("nowhere", root.join("dangling.ndjson")).unwrap();
    assert!(read_with(root, 1).unwrap_err().to_string().contains("dangling.ndjson"));
}
