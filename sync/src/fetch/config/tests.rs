use super::*;

fn base(url: &str) -> Settings {
    Settings { base_url: Some(url.to_owned()), ..Settings::default() }
}

#[test]
fn flags_go_before_the_environment_and_that_before_the_file() {
    let file = Settings::from_toml(
        "base-url = \"https://a.example/api/\"\nrate = \"off\"\nconcurrency = 3\nallow-host = [\"b.example\"]\npause = 7\n",
        "payer.toml",
    )
    .unwrap();
    let environment = Settings::from_environment(|name| match name {
        "COVERDEX_CONCURRENCY" => Some("4".to_owned()),
        "COVERDEX_RATE" => Some("2.5".to_owned()),
        _ => None,
    })
    .unwrap();
    let flags = Settings { concurrency: Some(5), allow_host: vec!["C.example:8443".to_owned()], ..Settings::default() };
    let config = flags.or(environment).or(file).check().unwrap();
    assert_eq!(config.base.as_str(), "https://a.example/api");
    assert_eq!((config.concurrency, config.rate, config.pause), (5, Rate::PerSecond(2.5), Duration::from_secs(7)));
    assert_eq!(config.allow_hosts, ["c.example:8443", "b.example"]);
    assert!(config.user_agent.starts_with("Coverdex/"));
}

#[test]
fn tiers_are_a_table() {
    let file = Settings::from_toml("rate = 4\n[tiers]\nZ = \"covered\"\n\"X 9\" = \"specialty\"\n", "p.toml").unwrap();
    let mut flags = Settings::default();
    flags.tiers.insert("z", "not_covered").unwrap();
    let tiers = flags.or(file).tiers;
    let status = |code: &str| tiers.read(code, None).0.status.as_str();
    assert_eq!([status("Z"), status("x 9"), status("Y")], ["not_covered", "covered", "not_understood"]);
    let error = Settings::from_toml("[tiers]\nZ = \"sometimes\"\n", "p.toml").unwrap_err();
    assert_eq!(error.subject(), "settings file p.toml");
    for part in ["\"Z\"", "\"sometimes\"", "covered, not_covered, unknown"] {
        assert!(error.message().contains(part), "{}", error.message());
    }
    assert!(Settings::from_toml("[tiers]\nZ = 3\n", "p.toml").is_err());
}

#[test]
fn bad_settings_are_named() {
    for (text, subject) in [("base-uri = \"x\"", "settings file p.toml"), ("rate = \"fast\"", "settings file p.toml")] {
        assert_eq!(Settings::from_toml(text, "p.toml").unwrap_err().subject(), subject);
    }
    let variable = Settings::from_environment(|n| (n == "COVERDEX_PAGE_SIZE").then(|| "many".to_owned()));
    assert_eq!(variable.unwrap_err().subject(), "variable COVERDEX_PAGE_SIZE");
    for (settings, subject) in [
        (Settings::default(), "base-url"),
        (base("fhir.example.com"), "base-url \"fhir.example.com\""),
        (base("http://fhir.example.com/api"), "base-url \"http://fhir.example.com/api\""),
        (base("ftp://fhir.example.com/api"), "base-url \"ftp://fhir.example.com/api\""),
        (base("https://fhir.example.com/api?x=1"), "base-url \"https://fhir.example.com/api?x=1\""),
        (base("https://me:pass@fhir.example.com/api"), "base-url"),
        (Settings { concurrency: Some(0), ..base("https://a.example") }, "concurrency 0"),
        (Settings { pause: Some(-1.0), ..base("https://a.example") }, "pause"),
        (Settings { contact: Some("zażółć".to_owned()), ..base("https://a.example") }, "contact"),
    ] {
        assert_eq!(settings.check().unwrap_err().subject(), subject);
    }
    assert!(base("http://127.0.0.1:8080").check().is_ok());
    assert!(base("http://localhost:8080").check().is_ok());
    assert!(Settings { allow_http: Some(true), ..base("http://a.example") }.check().is_ok());
}

#[test]
fn other_hosts_must_be_allowed_by_name() {
    let config = base("https://a.example/api").check().unwrap();
    let may = |config: &Config, url: &str| config.may_ask(&Url::parse(url).unwrap());
    assert!(may(&config, "https://A.example:443/elsewhere?x=1").is_ok());
    for refused in ["https://a.example:8443/api", "https://b.example/api", "http://a.example:443/api"] {
        assert!(may(&config, refused).is_err(), "{refused}");
    }
    let allowed = Settings { allow_host: vec!["b.example".to_owned()], ..base("https://a.example/api") };
    let config = allowed.check().unwrap();
    assert!(may(&config, "https://b.example/api").is_ok());
    assert!(may(&config, "http://b.example/api").is_err(), "allowing a host does not allow plain http");
    let local = base("http://127.0.0.1:8080").check().unwrap();
    assert!(may(&local, "http://127.0.0.1:8081/").is_err(), "another port is another host");
}

#[test]
fn a_secret_shows_nothing() {
    let settings = Settings { client_secret: Some(Secret::new("hunter2")), ..base("https://a.example") };
    assert!(!format!("{settings:?}").contains("hunter2"));
    assert!(!format!("{:?}", settings.check().unwrap()).contains("hunter2"));
}

#[test]
fn a_secret_in_the_wrong_shape_is_not_shown() {
    for text in ["client-secret = 78563412", "api-key = [\"78563412\"]", "api-key = { a = 78563412 }"] {
        let error = Settings::from_toml(text, "p.toml").unwrap_err();
        assert!(error.message().contains("in quotes"), "{text}: {error}");
        assert!(!format!("{error:?}").contains("78563412"), "{error:?}");
    }
}

#[test]
fn what_lets_a_client_in_stands_in_each_place_and_the_first_one_is_taken() {
    let names = [
        ("client-secret", "a"),
        ("client-authentication", "body"),
        ("api-key", "b"),
        ("api-key-header", "X-Key"),
        ("ca", "ca.pem"),
        ("client-certificate", "client.pem"),
        ("client-key", "key.pem"),
        ("token-url", "https://a.example/token"),
        ("client-id", "app"),
    ];
    let lines: String = names.map(|(name, value)| format!("{name} = \"{value}\"\n")).concat();
    let file =
        || Settings::from_toml(&(lines.clone() + "pkce = false\nclient-credentials = false\n"), "p.toml").unwrap();
    let environment = Settings::from_environment(|variable| {
        let name = variable.strip_prefix("COVERDEX_")?.to_ascii_lowercase().replace('_', "-");
        match name.as_str() {
            "pkce" | "client-credentials" => Some("false".to_owned()),
            name => names.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()),
        }
    });
    for settings in [file(), environment.unwrap()] {
        let config = settings.or(base("https://a.example")).check().unwrap();
        assert_eq!(config.client_secret, Some(Secret::new("a")));
        assert_eq!(config.client_authentication, Some(ClientAuthentication::Body));
        assert_eq!(config.api_key, Some(ApiKey { header: "x-key".to_owned(), key: Secret::new("b") }));
        assert_eq!(config.tls.ca.as_deref(), Some(Path::new("ca.pem")));
        let client = config.tls.client.unwrap();
        assert_eq!((client.certificate.as_path(), client.key.as_path()), ("client.pem".as_ref(), "key.pem".as_ref()));
        assert!(!config.pkce && !config.client_login);
    }
    // What goes before names its secret in a file: that one is read, and not the other one taken.
    let flags = Settings { client_secret_file: Some("no/such".into()), ..base("https://a.example") };
    assert_eq!(flags.or(file()).check().unwrap_err().subject(), "client-secret-file no/such");
    let flags = Settings { client_certificate: Some("both.pem".into()), ..base("https://a.example") };
    assert_eq!(flags.or(file()).check().unwrap().tls.client.unwrap().key, Path::new("both.pem"));
}

#[test]
fn a_client_logs_in_where_nobody_else_does_or_where_it_is_told_to() {
    let all = || Settings {
        token_url: Some("https://a.example/token".to_owned()),
        client_id: Some("app".to_owned()),
        client_secret: Some(Secret::new("hunter2")),
        ..base("https://a.example")
    };
    let authorize_url = Some("https://a.example/authorize".to_owned());
    for (settings, expected) in [
        (all(), true),
        (Settings { client_secret: None, ..all() }, false),
        (Settings { client_id: None, ..all() }, false),
        (Settings { token_url: None, ..all() }, false),
        (Settings { client_credentials: Some(false), ..all() }, false),
        (Settings { authorize_url: authorize_url.clone(), ..all() }, false),
        (Settings { authorize_url, client_credentials: Some(true), ..all() }, true),
    ] {
        assert_eq!(settings.clone().check().unwrap().client_login, expected, "{settings:?}");
    }
    let told = || Settings { client_credentials: Some(true), ..all() };
    for (settings, missing) in [
        (Settings { client_secret: None, ..told() }, "client-secret"),
        (Settings { client_id: None, ..told() }, "client-id"),
        (Settings { token_url: None, ..told() }, "token-url"),
    ] {
        assert_eq!(settings.check().unwrap_err().subject(), missing);
    }
}

#[test]
fn tokens_and_keys_go_to_the_base_address_alone() {
    let allowed = Settings { allow_host: vec!["b.example".to_owned()], ..base("https://a.example/api") };
    let config = Settings { allow_http: Some(true), ..allowed }.check().unwrap();
    let is_own = |url: &str| config.is_own(&Url::parse(url).unwrap());
    assert!(is_own("https://A.example:443/elsewhere?x=1"));
    for other in ["https://b.example/api", "https://a.example:8443/", "http://a.example:443/", "https://a.example.b/"] {
        assert!(!is_own(other), "{other}");
    }
}
