use super::*;
use crate::fetch::Settings;

fn config(base: &str) -> Config {
    let settings = Settings {
        base_url: Some(base.to_owned()),
        token_url: Some("https://auth.example/token".to_owned()),
        ..Settings::default()
    };
    settings.check().unwrap()
}

fn tokens(access: &str) -> Tokens {
    let refresh = Some(Secret::new(format!("refresh of {access}")));
    Tokens { access: Secret::new(access), refresh, expires: "2026-07-01T13:00:00Z".parse().unwrap() }
}

fn access(file: &TokenFile) -> Option<String> {
    file.load().unwrap().map(|tokens| tokens.access.reveal().to_owned())
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

const PAYERS: [&str; 5] = [
    "https://fhir.example/tenant/1",
    "https://fhir.example/tenant/2",
    "https://fhir.example:8443/tenant/1",
    "https://fhir.example/tenant-1",
    "https://other.example/tenant/1",
];

#[test]
fn each_payer_has_its_own_and_logging_out_of_one_leaves_the_others() {
    let root = tempfile::TempDir::new().unwrap();
    let folder = root.path().join("config").join("coverdex");
    let of = |base: &str| TokenFile::in_folder(&folder, &config(base)).unwrap();
    for base in PAYERS {
        of(base).save(&tokens(base)).unwrap();
    }
    for (left, base) in PAYERS.iter().enumerate() {
        for (at, base) in PAYERS.iter().enumerate() {
            assert_eq!(access(&of(base)).as_deref(), (at >= left).then_some(*base));
        }
        assert!(of(base).forget().unwrap());
        assert!(!of(base).forget().unwrap());
    }
    let name = file_name(&config(PAYERS[2]).base);
    assert!(name.starts_with("login-fhir.example-8443-tenant-1-"), "{name}");
    assert!(file_name(&format!("https://a.example/{}", "x/../../".repeat(99)).parse().unwrap()).len() < 99);
}

#[cfg(unix)]
#[test]
fn folder_and_file_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempfile::TempDir::new().unwrap();
    let folder = root.path().join("config").join("coverdex");
    let file = TokenFile::in_folder(&folder, &config(PAYERS[0])).unwrap();
    file.save(&tokens("a")).unwrap();
    assert_eq!([mode(&root.path().join("config")), mode(&folder), mode(file.path())], [0o700, 0o700, 0o600]);
    // A folder from before becomes so; one that somebody named stays as it is.
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    file.save(&tokens("b")).unwrap();
    assert_eq!(mode(&folder), 0o700);
    let named = root.path().join("named");
    fs::create_dir(&named).unwrap();
    fs::set_permissions(&named, fs::Permissions::from_mode(0o755)).unwrap();
    TokenFile::new(named.join("tokens.json"), &config(PAYERS[0])).unwrap().save(&tokens("c")).unwrap();
    assert_eq!([mode(&named), mode(&named.join("tokens.json"))], [0o755, 0o600]);
}

#[test]
fn the_former_file_is_taken_over_by_its_payer_alone() {
    let root = tempfile::TempDir::new().unwrap();
    let former = root.path().join("login-fhir.example.json");
    TokenFile::new(&former, &config(PAYERS[0])).unwrap().save(&tokens("former")).unwrap();
    let of = |base: &str| TokenFile::in_folder(root.path(), &config(base)).unwrap();
    for base in &PAYERS[1..] {
        assert_eq!(access(&of(base)), None, "{base}");
        assert!(former.exists());
    }
    assert_eq!(access(&of(PAYERS[0])).as_deref(), Some("former"));
    assert!(!former.exists());
    assert!(of(PAYERS[0]).forget().unwrap());
    // What is there already is newer.
    of(PAYERS[0]).save(&tokens("newer")).unwrap();
    TokenFile::new(&former, &config(PAYERS[0])).unwrap().save(&tokens("former")).unwrap();
    assert_eq!(access(&of(PAYERS[0])).as_deref(), Some("newer"));
}

#[test]
fn what_is_not_this_payers_is_neither_used_nor_replaced_nor_removed() {
    let root = tempfile::TempDir::new().unwrap();
    let path = root.path().join("tokens.json");
    let (own, other) = (config(PAYERS[0]), config(PAYERS[1]));
    let (own, other) = (TokenFile::new(&path, &own).unwrap(), TokenFile::new(&path, &other).unwrap());
    own.save(&tokens("own")).unwrap();
    for error in [other.load().unwrap_err(), other.save(&tokens("other")).unwrap_err(), other.forget().unwrap_err()] {
        assert_eq!(error.message(), "its tokens belong to another payer");
    }
    // Copied under another payer's name it is still not that one's.
    let copied = TokenFile::in_folder(root.path(), &config(PAYERS[1])).unwrap();
    fs::copy(&path, copied.path()).unwrap();
    assert_eq!(copied.load().unwrap_err().message(), "its tokens belong to another payer");
    assert_eq!(access(&own).as_deref(), Some("own"));
    for text in ["a letter to a friend", "{\"name\": \"a package\"}", "[1]"] {
        fs::write(&path, text).unwrap();
        assert!(own.save(&tokens("own")).is_err() && own.forget().is_err(), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    // One that broke is replaced.
    for broken in ["", "{\"base\":\"https://fhir.exa"] {
        fs::write(&path, broken).unwrap();
        assert_eq!(own.load().unwrap_err().message(), "it cannot be read");
        own.save(&tokens("again")).unwrap();
        assert_eq!(access(&own).as_deref(), Some("again"));
    }
    // Where the token endpoint moved the tokens do not go there, and a new login takes their place.
    let moved = Settings {
        base_url: Some(PAYERS[0].to_owned()),
        token_url: Some("https://new.example/token".to_owned()),
        ..Settings::default()
    };
    let moved = TokenFile::new(&path, &moved.check().unwrap()).unwrap();
    assert!(moved.load().is_err());
    moved.save(&tokens("moved")).unwrap();
    assert_eq!(access(&moved).as_deref(), Some("moved"));
}
