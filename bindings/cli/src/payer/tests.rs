use std::fs;
use std::net::TcpListener;

use coverdex_core::ErrorKind;
use coverdex_sync::fetch::Network;

use super::*;
use crate::args::AccessArgs;

fn variables(all: &[(&str, &str)]) -> Result<Settings> {
    environment(all.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
}

fn at(base: &str) -> PayerArgs {
    PayerArgs { base_url: Some(base.to_owned()), ..PayerArgs::default() }
}

fn written(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    file
}

#[test]
fn the_environment_holds_settings_and_paths_of_datasets_are_none() {
    let settings = variables(&[("COVERDEX_BASE_URL", "https://a.example/api"), ("OTHER", "x")]).unwrap();
    assert_eq!(settings.base_url.as_deref(), Some("https://a.example/api"));
    assert_eq!(variables(&[("COVERDEX_RATE", "often")]).unwrap_err().subject(), "variable COVERDEX_RATE");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_named_and_not_shown() {
    use std::os::unix::ffi::OsStringExt as _;
    let junk = || OsString::from_vec(b"hunter\xff".to_vec());
    let refused = environment([(OsString::from("COVERDEX_CLIENT_SECRET"), junk())].into_iter()).unwrap_err();
    assert_eq!(refused.subject(), "variable COVERDEX_CLIENT_SECRET");
    assert!(!format!("{refused:?}").contains("hunter"));
    assert!(environment([(OsString::from("COVERDEX_DATA"), junk())].into_iter()).is_ok());
}

#[test]
fn options_go_before_the_settings_file() {
    let file = written(b"base-url = \"https://file.example/api\"\nconcurrency = 3\nrate = 9\n");
    let path = file.path().to_owned();
    let args = PayerArgs { config: Some(path), concurrency: Some(5), ..at("https://flag.example/api") };
    let config = config(&args).unwrap();
    assert_eq!((config.base.as_str(), config.concurrency), ("https://flag.example/api", 5));
    assert_eq!(config.rate, coverdex_sync::fetch::Rate::PerSecond(9.0));
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let read = |path: &Path| file(Some(path)).unwrap_err();
    let missing = read(Path::new("no/such.toml"));
    assert_eq!((missing.subject(), missing.hint().is_some()), ("settings file no/such.toml", true));
    for bytes in [&b"base-url = \"\xff\""[..], b"base-uri = \"x\"", b"rate = ", b"rate = -1"] {
        let bad = written(bytes);
        let error = read(bad.path());
        assert_eq!(error.subject(), format!("settings file {}", bad.path().display()));
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    }
    let bad = written(b" \n");
    let access = AccessArgs { client_secret_file: Some(bad.path().to_owned()), ..AccessArgs::default() };
    let error = config(&PayerArgs { access, ..at("https://a.example/api") }).unwrap_err();
    assert_eq!(error.subject(), format!("client-secret-file {}", bad.path().display()));
}

#[test]
fn each_payer_has_a_login_of_its_own() {
    let access = || AccessArgs { token_url: Some("https://a.example/token".to_owned()), ..AccessArgs::default() };
    let of = |base: &str| {
        let file = token_file(&config(&PayerArgs { access: access(), ..at(base) }).unwrap()).unwrap();
        let path = file.path();
        assert_eq!(path.parent().unwrap().file_name().unwrap(), "coverdex");
        path.file_name().unwrap().to_str().unwrap().to_owned()
    };
    assert!(of("https://a.example/api").starts_with("login-a.example-api-"));
    assert!(of("http://127.0.0.1:8080/api").starts_with("login-127.0.0.1-8080-api-"));
    assert_ne!(of("https://a.example/api/1"), of("https://a.example/api/2"));
    let client = ClientArgs { token_file: Some("here.json".into()), ..ClientArgs::default() };
    let config = member_config(&PayerArgs { access: access(), ..at("https://a.example/api") }, &client).unwrap();
    assert_eq!(token_file(&config).unwrap().path(), Path::new("here.json"));
}

#[cfg(unix)]
#[test]
fn a_settings_file_with_a_secret_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    for (line, is_secret) in [("client-secret", true), ("api-key", true), ("client-id", false)] {
        let open = written(format!("base-url = \"https://a.example/api\"\n{line} = \"hunter2\"\n").as_bytes());
        fs::set_permissions(open.path(), fs::Permissions::from_mode(0o644)).unwrap();
        let read = file(Some(open.path()));
        assert_eq!(read.is_err(), is_secret, "{line}");
    }
}

#[test]
fn a_port_where_nobody_listens_is_said_at_once() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = config(&at(&format!("http://{free}/api"))).unwrap();
    let network = Network::new(&config).unwrap();
    let error = wait(reach(&config, &network)).unwrap_err();
    assert_eq!((error.kind(), error.hint().is_some()), (ErrorKind::Sync, true));
    assert!(error.subject().contains(&free.to_string()), "{error:?}");
}
