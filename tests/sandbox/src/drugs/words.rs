//! Words of drug files: forms, salts and ingredients in short, RxNorm's dose forms.

/// Salts and ingredients in the capitals of pharmacy systems.
const SHORT: [(&str, &str); 12] = [
    ("HYDROCHLORIDE", "HCL"),
    ("HYDROBROMIDE", "HBR"),
    ("POTASSIUM", "POT"),
    ("SODIUM", "SOD"),
    ("TARTRATE", "TART"),
    ("SUCCINATE", "SUCC"),
    ("SULFATE", "SULF"),
    ("MALEATE", "MAL"),
    ("HYDROCHLOROTHIAZIDE", "HCTZ"),
    ("ACETAMINOPHEN", "APAP"),
    ("ASPIRIN", "ASA"),
    ("MAGNESIUM", "MAG"),
];

/// A word of a substance in short; itself where nothing is shorter.
pub(super) fn short(word: &str) -> &str {
    SHORT.iter().find(|(long, _)| *long == word).map_or(word, |(_, short)| *short)
}

/// The form in the capitals of pharmacy systems, for a form without its release.
pub(super) fn form_in_capitals(form: &str) -> Option<&'static str> {
    Some(match form {
        "tablet" => "TAB",
        "capsule" => "CAP",
        "injection" => "INJ",
        "solution" => "SOLN",
        "suspension" => "SUSP",
        "cream" => "CREAM",
        "ointment" => "OINT",
        "gel" => "GEL",
        "lotion" => "LOTION",
        "syrup" => "SYRUP",
        "suppository" => "SUPP",
        "patch" => "PATCH",
        _ => return None,
    })
}

/// RxNorm's dose form of a directory's form and route, where it has one that says the same.
pub(super) fn form_of_rxnorm(form: &str, route: &str) -> Option<&'static str> {
    Some(match (form, route) {
        ("tablet" | "tablet, film coated" | "tablet, coated" | "tablet, sugar coated", "oral") => "Oral Tablet",
        ("capsule" | "capsule, gelatin coated" | "capsule, liquid filled" | "capsule, coated", "oral") => {
            "Oral Capsule"
        }
        (
            "tablet, extended release" | "tablet, film coated, extended release" | "tablet, coated, extended release",
            "oral",
        ) => "Extended Release Oral Tablet",
        ("capsule, extended release" | "capsule, coated, extended release", "oral") => "Extended Release Oral Capsule",
        ("tablet, delayed release", "oral") => "Delayed Release Oral Tablet",
        ("capsule, delayed release" | "capsule, delayed release pellets", "oral") => "Delayed Release Oral Capsule",
        ("tablet, orally disintegrating", "oral") => "Disintegrating Oral Tablet",
        ("tablet, chewable", "oral") => "Chewable Tablet",
        ("solution", "oral") => "Oral Solution",
        ("suspension" | "powder, for suspension", "oral") => "Oral Suspension",
        ("cream", "topical") => "Topical Cream",
        ("ointment", "topical") => "Topical Ointment",
        ("gel", "topical") => "Topical Gel",
        ("lotion", "topical") => "Topical Lotion",
        ("ointment", "ophthalmic") => "Ophthalmic Ointment",
        ("solution" | "solution/ drops", "ophthalmic") => "Ophthalmic Solution",
        ("suspension" | "suspension/ drops", "ophthalmic") => "Ophthalmic Suspension",
        ("suppository", "rectal") => "Rectal Suppository",
        ("injection, solution", _) => "Injectable Solution",
        ("injection", _) => "Injection",
        ("injection, suspension", _) => "Injectable Suspension",
        _ => return None,
    })
}

/// The form as a drug file writes it, with the route where that is one.
pub(super) fn form_in_file(form: &str, route: &str) -> String {
    match (form, route) {
        ("solution", "oral") => "oral solution".to_owned(),
        ("suspension" | "powder, for suspension", "oral") => "oral suspension".to_owned(),
        ("cream", "topical") => "topical cream".to_owned(),
        ("ointment", "topical") => "topical ointment".to_owned(),
        ("gel", "topical") => "topical gel".to_owned(),
        ("lotion", "topical") => "lotion".to_owned(),
        ("solution/ drops", "ophthalmic") => "eye drops".to_owned(),
        ("patch" | "patch, extended release", "transdermal") => "transdermal patch".to_owned(),
        ("suppository", "rectal") => "rectal suppository".to_owned(),
        _ => form.replace(", ", ","),
    }
}
