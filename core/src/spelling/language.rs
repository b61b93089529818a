//! Languages: what codes, other names and languages' own names stand for.
//!
//! Codes are those of ISO 639 (of two letters, and of three for terms, bibliographies and single
//! languages); names are English ones and those that a language has for itself. A directory's language
//! that is not here keeps the text it has.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::name_words;

/// For each language its English name, then codes and other names.
const LANGUAGES: &str = "\
Spanish|es|spa|español|espanol|castilian|castellano
English|en|eng|inglés
Chinese|zh|zho|chi|中文|汉语|漢語|chinese unspecified
Mandarin|cmn|zh cmn|mandarin chinese|chinese mandarin|普通话|普通話|國語|国语|putonghua
Cantonese|yue|zh yue|cantonese chinese|chinese cantonese|yue chinese|粵語|粤语|廣東話|广东话
Taiwanese|nan|zh min nan|min nan|min nan chinese|taiwanese hokkien|hokkien|台語
Fukienese|fujianese|chinese fukienese
Toisanese|taishanese|chinese toisanese
Shanghainese|wuu|wu chinese
Hakka|hak|hakka chinese
Vietnamese|vi|vie|tiếng việt|việt
Korean|ko|kor|한국어
Japanese|ja|jpn|日本語
Tagalog|tl|tgl|fil|filipino|pilipino|tagalog filipino|filipino tagalog
Ilocano|ilo|iloko
Cebuano|ceb|bisaya|visayan
French|fr|fra|fre|français
Haitian Creole|ht|hat|haitian|haitian french creole|kreyòl ayisyen|kreyol|creole haitian|french creole
German|de|deu|ger|deutsch
Italian|it|ita|italiano
Portuguese|pt|por|português
Russian|ru|rus|русский
Polish|pl|pol|polski
Ukrainian|uk|ukr|українська
Belarusian|be|bel
Czech|cs|ces|cze|čeština
Slovak|sk|slk|slo|slovenčina
Slovenian|sl|slv|slovene
Croatian|hr|hrv|hrvatski
Serbian|sr|srp|српски|srpski
Bosnian|bs|bos|bosanski
Serbo-Croatian|sh|hbs
Macedonian|mk|mkd|mac
Bulgarian|bg|bul|български
Romanian|ro|ron|rum|română|moldovan|mo
Hungarian|hu|hun|magyar
Albanian|sq|sqi|alb|shqip
Greek|el|ell|gre|modern greek|ελληνικά
Turkish|tr|tur|türkçe
Armenian|hy|hye|arm|հայերեն
Georgian|ka|kat|geo|ქართული
Azerbaijani|az|aze
Kazakh|kk|kaz
Uzbek|uz|uzb
Tajik|tg|tgk
Mongolian|mn|mon
Lithuanian|lt|lit|lietuvių
Latvian|lv|lav|latviešu
Estonian|et|est|eesti
Finnish|fi|fin|suomi
Swedish|sv|swe|svenska
Norwegian|no|nor|nb|nob|nn|nno|norsk
Danish|da|dan|dansk
Icelandic|is|isl|ice|íslenska
Dutch|nl|nld|dut|nederlands|flemish
Afrikaans|af|afr
Yiddish|yi|yid|ייִדיש|יידיש
Hebrew|he|heb|iw|עברית
Arabic|ar|ara|arb|العربية|عربي
Persian|fa|fas|per|pes|farsi|persian farsi|farsi persian|فارسی
Dari|prs|afghan persian
Pashto|ps|pus|pushto|pashtu|پښتو
Kurdish|ku|kur|kmr|ckb|kurdî
Assyrian|aii|assyrian neo aramaic
Chaldean|cld|chaldean neo aramaic
Urdu|ur|urd|اردو
Hindi|hi|hin|हिन्दी|हिंदी
Punjabi|pa|pan|panjabi|ਪੰਜਾਬੀ
Gujarati|gu|guj|gujrati|ગુજરાતી
Bengali|bn|ben|bangla|বাংলা
Marathi|mr|mar|मराठी
Nepali|ne|nep|npi|नेपाली
Sinhala|si|sin|sinhalese
Tamil|ta|tam|தமிழ்
Telugu|te|tel|telegu|తెలుగు
Kannada|kn|kan|kanada|ಕನ್ನಡ
Malayalam|ml|mal|മലയാളം
Konkani|kok
Oriya|or|ori|odia
Assamese|as|asm
Kashmiri|ks|kas
Sindhi|sd|snd
Sanskrit|sa|san
Burmese|my|mya|bur|myanmar|မြန်မာ
Karen|kar|ksw|sgaw karen
Thai|th|tha|ไทย
Lao|lo|lao|laotian|ລາວ
Khmer|km|khm|cambodian|central khmer|ខ្មែរ
Hmong|hmn|hmong mong
Mien|ium|iu mien
Indonesian|id|ind|bahasa indonesia
Malay|ms|msa|may|zsm|bahasa melayu
Javanese|jv|jav
Samoan|sm|smo
Tongan|to|ton
Chamorro|ch|cha
Marshallese|mh|mah
Chuukese|chk
Hawaiian|haw
Amharic|am|amh|አማርኛ
Tigrinya|ti|tir|ትግርኛ
Oromo|om|orm|afaan oromoo
Somali|so|som|soomaali
Swahili|sw|swa|swh|kiswahili
Kinyarwanda|rw|kin
Yoruba|yo|yor|yorùbá
Igbo|ig|ibo|ibo igbo
Hausa|ha|hau
Akan|ak|aka|twi|tw
Fula|ff|ful|fulani
Wolof|wo|wol
Zulu|zu|zul
Shona|sn|sna
Lingala|ln|lin
Cape Verdean Creole|kea|cape verdean
Navajo|nv|nav|navaho
Catalan|ca|cat|català
Basque|eu|eus|baq
Galician|gl|glg
Irish|ga|gle|gaelic|irish gaelic
Welsh|cy|cym|wel
Latin|la|lat
Ladino|lad
Romany|rom|romani
American Sign Language|ase|sgn us|asl|sign language|american sign|sign|sgn
";

/// The English name of a language: of a code (`es`, `spa`, `es-MX`), of another name of it
/// (`Castilian`), of its own name for itself (`Español`), in any case. `None`: it is not known.
///
/// ```
/// use coverdex_core::build::providers::language_name;
/// for text in ["es-MX", "SPA", "español", "spanish; castilian"] {
///     assert_eq!(language_name(text), Some("Spanish"), "{text}");
/// }
/// assert_eq!(language_name("Klingon"), None);
/// ```
#[must_use]
pub fn language_name(text: &str) -> Option<&'static str> {
    let words = name_words(text);
    let whole = words.join(" ");
    named(&whole)
        .or_else(|| named(words.strip_suffix(&["language".to_owned()])?.join(" ").as_str()))
        .or_else(|| before_region(text, &words))
        .or_else(|| all_one(text))
        .or_else(|| before_country(text))
}

/// The languages that a text names, each as it is written: several may stand in one text. A text that is
/// known as a whole is one.
///
/// ```
/// use coverdex_core::build::providers::languages_in;
/// assert_eq!(languages_in("English/Spanish"), ["English", "Spanish"]);
/// assert_eq!(languages_in("Spanish, French and Klingon"), ["Spanish", "French", "Klingon"]);
/// assert_eq!(languages_in("Spanish; Castilian"), ["Spanish; Castilian"]);
/// assert_eq!(languages_in("Greek, Modern"), ["Greek, Modern"]);
/// ```
#[cfg(feature = "build")]
#[must_use]
pub fn languages_in(text: &str) -> Vec<String> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    let parts: Vec<&str> = if language_name(text).is_some() { Vec::new() } else { parts(text) };
    let known = parts.iter().filter(|part| language_name(part).is_some()).count();
    // A single name behind a comma may say which kind of language it is: `Greek, Modern`.
    if known < 2 && (known == 0 || text.contains(',')) {
        return vec![text.to_owned()];
    }
    parts.into_iter().map(str::to_owned).collect()
}

/// Parts between commas, semicolons, slashes and the like, `and` and `or`, outside parentheses.
#[cfg(feature = "build")]
fn parts(text: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    let (mut from, mut depth) = (0, 0_u32);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | ';' | '/' | '&' | '+' | '|' if depth == 0 => {
                parts.extend(text.get(from..at));
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.extend(text.get(from..));
    let words = |part| split_at_word(part, &["and", "or", "y"]);
    parts.into_iter().flat_map(words).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Splits a text where one of these words stands between blanks, or in front.
#[cfg(feature = "build")]
fn split_at_word<'a>(text: &'a str, words: &[&str]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut from = 0;
    let mut at = 0;
    for word in text.split_inclusive(' ') {
        let end = at + word.len();
        if words.iter().any(|known| word.trim().eq_ignore_ascii_case(known)) && word.ends_with(' ') {
            parts.extend(text.get(from..at));
            from = end;
        }
        at = end;
    }
    parts.extend(text.get(from..));
    parts
}

/// Of a name before a country or a kind in parentheses: `Spanish (Mexico)`. Another language there is
/// no kind.
fn before_country(text: &str) -> Option<&'static str> {
    let (name, inside) = text.trim().strip_suffix(')')?.split_once('(')?;
    let of = |text: &str| named(&name_words(text).join(" "));
    let is_other = inside.split([',', ';', '/']).any(|part| of(part).is_some());
    of(name).filter(|_| !is_other)
}

fn named(wanted: &str) -> Option<&'static str> {
    static NAMES: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
        let of_line = |line: &'static str| {
            let name = line.split('|').next().unwrap_or_default();
            line.split('|').map(move |other| (name_words(other).join(" "), name))
        };
        LANGUAGES.lines().flat_map(of_line).filter(|(key, _)| !key.is_empty()).collect()
    });
    NAMES.get(wanted).copied()
}

/// Of a code with a script or a region: `es-MX`, `zh-Hans-CN`, `pt_BR`.
fn before_region(text: &str, words: &[String]) -> Option<&'static str> {
    let (code, behind) = words.split_first()?;
    let is_tag = text.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')) && !behind.is_empty();
    let fits = is_tag && (2..=3).contains(&code.len()) && behind.iter().all(|part| (2..=4).contains(&part.len()));
    named(code).filter(|_| fits)
}

/// Of several names that are all of one language: `Spanish; Castilian`, `Persian/Farsi`.
fn all_one(text: &str) -> Option<&'static str> {
    let parts = text.split([';', '/', ',', '(', ')']).map(|part| name_words(part).join(" "));
    let mut names = parts.filter(|part| !part.is_empty()).map(|part| named(&part));
    let first = names.next()??;
    names.all(|name| name == Some(first)).then_some(first)
}

/// The languages that are meant by a name beside itself: whoever asks for Chinese is served by each of
/// them.
pub(crate) fn kinds_of(name: &str) -> &'static [&'static str] {
    match name {
        "Chinese" => &["Mandarin", "Cantonese", "Taiwanese", "Fukienese", "Toisanese", "Shanghainese", "Hakka"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_lead_to_the_english_name() {
        for (text, want) in [
            ("es", "Spanish"),
            ("es-MX", "Spanish"),
            ("spa", "Spanish"),
            ("Español", "Spanish"),
            ("SPANISH", "Spanish"),
            ("Spanish Language", "Spanish"),
            ("vi", "Vietnamese"),
            ("Tiếng Việt", "Vietnamese"),
            ("中文", "Chinese"),
            ("chi", "Chinese"),
            ("zh-Hans-CN", "Chinese"),
            ("Chinese (Mandarin)", "Mandarin"),
            ("Mandarin Chinese", "Mandarin"),
            ("ase", "American Sign Language"),
            ("Sign Language", "American Sign Language"),
            ("Farsi/Persian", "Persian"),
            ("Filipino", "Tagalog"),
            ("fr_CA", "French"),
            ("Spanish (Mexico)", "Spanish"),
            ("Portuguese (Brazil)", "Portuguese"),
            ("العربية", "Arabic"),
            ("한국어", "Korean"),
        ] {
            assert_eq!(language_name(text), Some(want), "{text}");
        }
        for unknown in ["Klingon", "", "other", "Spanish/English", "Spanish (English)", "to be stated"] {
            assert_eq!(language_name(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn several_languages_of_one_text_are_several() {
        for (text, want) in [
            ("Spanish, French", vec!["Spanish", "French"]),
            ("English and Spanish", vec!["English", "Spanish"]),
            ("Spanish; French; Klingon", vec!["Spanish", "French", "Klingon"]),
            ("English, Spanish, and French", vec!["English", "Spanish", "French"]),
            ("en/es-MX", vec!["en", "es-MX"]),
            ("Spanish (Mexico, Cuba) & French", vec!["Spanish (Mexico, Cuba)", "French"]),
            ("Spanish/Klingon", vec!["Spanish", "Klingon"]),
            ("Filipino; Tagalog", vec!["Filipino; Tagalog"]),
            ("Chinese, Mandarin", vec!["Chinese, Mandarin"]),
            ("Klingon and Vulcan", vec!["Klingon and Vulcan"]),
            ("Andean", vec!["Andean"]),
            (" ", vec![]),
        ] {
            assert_eq!(languages_in(text), want, "{text}");
        }
    }

    #[test]
    fn no_name_stands_for_two_languages() {
        let mut all: Vec<(String, &str)> = Vec::new();
        for line in LANGUAGES.lines() {
            let name = line.split('|').next().unwrap();
            let mut keys: Vec<String> = line.split('|').map(|text| name_words(text).join(" ")).collect();
            keys.sort();
            keys.dedup();
            all.extend(keys.into_iter().map(|key| (key, name)));
        }
        all.sort();
        for pair in all.windows(2) {
            assert!(pair[0].0 != pair[1].0 && !pair[0].0.is_empty(), "{pair:?}");
        }
    }
}
