//! The words of drug texts: one table for builder and reader.
//!
//! | table | from |
//! |---|---|
//! | [`form`] | dosage forms of the US FDA's NDC Directory, RxNorm's dose forms (Technical Documentation, appendix 2), and their abbreviations on claims and drug files (`TBEC`, `CP24`) |
//! | [`release`] | the same, and USP General Chapter 1151 on delayed and extended release |
//! | [`salt`], [`is_metal`] | salts, esters and hydrates of the substances in the NDC Directory (April 2019), USP General Chapter 1121 |
//! | [`is_free_base`] | NDC Directory, April 2019: bases that at least one in ten of their products, from at least five labelers, contain as such |
//! | [`said_for`] | short names on prescriptions that mean one thing; names that have been confused (MTX, HCT, MSO4) are on ISMP's list of error-prone abbreviations and are left out |
//! | [`is_device`] | device and package words of brand names in the NDC Directory |
//! | [`is_direction`] | words of prescription directions |
//!
//! All words are folded (see [`crate::fold`]) and stand alone: a word may stand in several tables, and
//! its place in the text decides.

#![allow(clippy::match_same_arms, reason = "a table has a row for each kind of word, also where two mean the same")]
#![allow(clippy::unnecessary_wraps, reason = "the rows of a table are what its function returns")]

/// What a dosage-form word means: canonical form words, and the release that it implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FormWord {
    /// Canonical words; none for a word that changes nothing.
    pub(crate) words: &'static [&'static str],
    /// Release that the word implies.
    pub(crate) release: Option<ReleaseWord>,
    /// Whether the word is a form also inside a name, before the strength.
    pub(crate) strong: bool,
}

/// What a release word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReleaseWord {
    /// `er`, `extended`: extended release of any kind.
    Extended,
    /// `xl`, `sr`, `la`: extended release under a suffix that tells products apart.
    Suffix(&'static str),
    /// `dr`, `ec`: delayed release.
    Delayed,
    /// `ir`: immediate release, said.
    Immediate,
    /// `24h`: hours of an extended release.
    Hours(u16),
}

const fn strong(words: &'static [&'static str]) -> Option<FormWord> {
    Some(FormWord { words, release: None, strong: true })
}

const fn weak(words: &'static [&'static str]) -> Option<FormWord> {
    Some(FormWord { words, release: None, strong: false })
}

const fn released(words: &'static [&'static str], release: ReleaseWord) -> Option<FormWord> {
    Some(FormWord { words, release: Some(release), strong: true })
}

/// What a dosage-form word means.
#[allow(clippy::too_many_lines)]
pub(crate) fn form(word: &str) -> Option<FormWord> {
    use ReleaseWord::{Delayed, Extended, Hours};
    match word {
        "tablet" | "tablets" | "tab" | "tabs" | "tbl" | "caplet" | "caplets" => strong(&["tablet"]),
        "capsule" | "capsules" | "cap" | "caps" | "softgel" | "softgels" | "capsul" => strong(&["capsule"]),
        "tber" | "tbcr" | "tbsr" => released(&["tablet"], Extended),
        "tb24" => released(&["tablet"], Hours(24)),
        "tb12" => released(&["tablet"], Hours(12)),
        "tbec" | "tbdr" => released(&["tablet"], Delayed),
        "cper" | "cpcr" | "cpsr" => released(&["capsule"], Extended),
        "cp24" => released(&["capsule"], Hours(24)),
        "cp12" => released(&["capsule"], Hours(12)),
        "cpdr" | "cpep" => released(&["capsule"], Delayed),
        "tbdp" => strong(&["tablet", "disintegrating"]),
        "odt" => strong(&["disintegrating"]),
        "disintegrating" | "dispersible" | "disint" | "disinteg" => strong(&["disintegrating"]),
        "chew" | "chewable" | "chewables" | "chewing" => strong(&["chewable"]),
        "sublingual" | "subl" | "sl" => strong(&["sublingual"]),
        "buccal" | "effervescent" | "sprinkle" | "sprinkles" | "osmotic" | "soluble" => match word {
            "buccal" => strong(&["buccal"]),
            "effervescent" => strong(&["effervescent"]),
            "osmotic" => strong(&["osmotic"]),
            "soluble" => weak(&["soluble"]),
            _ => strong(&["sprinkle"]),
        },
        "solution" | "solutions" | "soln" | "sol" | "solr" => strong(&["solution"]),
        "suspension" | "susp" | "suspensions" | "susr" => strong(&["suspension"]),
        "syrup" | "syrp" => strong(&["syrup"]),
        "elixir" | "elix" | "elx" => strong(&["elixir"]),
        "liquid" | "liqd" | "liq" => weak(&["liquid"]),
        "emulsion" | "emul" => strong(&["emulsion"]),
        "concentrate" | "conc" => weak(&["concentrate"]),
        "tincture" => strong(&["tincture"]),
        "drop" | "drops" | "gtt" | "gtts" => strong(&["drop"]),
        "injection" | "injections" | "injectable" | "inj" => strong(&["injection"]),
        "subcutaneous" | "subq" | "intravenous" | "intramuscular" | "parenteral" | "infusion" => strong(&["injection"]),
        "iv" | "im" | "sc" | "sq" => weak(&["injection"]),
        "vial" | "vials" => weak(&["solution"]),
        "pen" | "pens" | "sopn" => weak(&["pen"]),
        "injector" => weak(&["pen"]),
        "autoinjector" | "soaj" => weak(&["autoinjector"]),
        "syringe" | "syringes" | "sosy" => strong(&["syringe"]),
        "cartridge" | "cartridges" | "soct" => strong(&["cartridge"]),
        "lyophilized" | "lyophilised" | "reconstituted" | "reconst" => strong(&["powder"]),
        "powder" | "powd" | "pwd" | "pwdr" | "powdr" | "powders" => weak(&["powder"]),
        "cream" | "creams" | "crea" | "crm" | "cre" => strong(&["cream"]),
        "ointment" | "ointments" | "oint" | "ungt" => strong(&["ointment"]),
        "gel" | "gels" => weak(&["gel"]),
        "jelly" => weak(&["jelly"]),
        "lotion" | "lotions" | "lotn" => strong(&["lotion"]),
        "foam" => weak(&["foam"]),
        "paste" | "pste" => strong(&["paste"]),
        "shampoo" | "sham" | "shampoos" => strong(&["shampoo"]),
        "soap" | "swab" | "pad" | "pads" | "stick" | "cloth" | "wipe" | "wipes" | "swabs" => match word {
            "soap" => weak(&["soap"]),
            "stick" => weak(&["stick"]),
            "swab" | "swabs" => weak(&["swab"]),
            "pad" | "pads" => weak(&["pad"]),
            _ => weak(&["cloth"]),
        },
        "spray" | "sprays" => weak(&["spray"]),
        "aerosol" | "aerosols" | "aero" | "aers" | "aer" => strong(&["aerosol"]),
        "aepb" => strong(&["powder", "inhaler"]),
        "inhaler" | "inhalers" | "inhal" => strong(&["inhaler"]),
        "inhalation" | "inhalant" | "inh" => strong(&["inhalation"]),
        "nebulization" | "nebulizer" | "nebu" | "neb" | "nebs" => strong(&["nebulization"]),
        "patch" | "patches" | "ptch" => strong(&["patch"]),
        "pttw" | "ptwk" => strong(&["patch"]),
        "pt24" => released(&["patch"], Hours(24)),
        "pt72" => released(&["patch"], Hours(72)),
        "film" | "films" | "strip" | "strips" => match word {
            "film" | "films" => weak(&["film"]),
            _ => weak(&["strip"]),
        },
        "suppository" | "suppositories" | "supp" | "suppos" => strong(&["suppository"]),
        "enema" | "enemas" | "enem" => strong(&["enema"]),
        "lozenge" | "lozenges" | "loz" | "troche" | "troches" => strong(&["lozenge"]),
        "gum" => weak(&["gum"]),
        "granule" | "granules" | "gran" => strong(&["granule"]),
        "pellet" | "pellets" | "plt" => weak(&["pellet"]),
        "packet" | "packets" | "pack" | "pkt" | "pack(s)" => weak(&["packet"]),
        "kit" | "kits" => weak(&["kit"]),
        "ring" | "insert" | "implant" | "device" | "wafer" | "oil" | "sponge" | "tape" | "disc" => match word {
            "ring" => weak(&["ring"]),
            "insert" => weak(&["insert"]),
            "implant" => weak(&["implant"]),
            "device" => weak(&["device"]),
            "wafer" => weak(&["wafer"]),
            "oil" => weak(&["oil"]),
            "sponge" => weak(&["sponge"]),
            "tape" => weak(&["tape"]),
            _ => weak(&["disc"]),
        },
        "mouthwash" | "rinse" | "douche" | "irrigation" | "irrigant" | "gas" => match word {
            "mouthwash" => strong(&["mouthwash"]),
            "rinse" => weak(&["rinse"]),
            "douche" => strong(&["douche"]),
            "gas" => weak(&["gas"]),
            _ => strong(&["irrigation"]),
        },
        "ophthalmic" | "ophth" | "opth" | "opht" | "oph" | "op" | "eye" | "eyes" => match word {
            "op" => weak(&["ophthalmic"]),
            _ => strong(&["ophthalmic"]),
        },
        "otic" | "ear" | "ears" => strong(&["otic"]),
        "nasal" | "nose" | "nas" => strong(&["nasal"]),
        "vaginal" | "vag" => strong(&["vaginal"]),
        "rectal" | "rect" => strong(&["rectal"]),
        "dental" | "dentifrice" | "urethral" | "intrauterine" | "intrathecal" | "epidural" => match word {
            "dental" | "dentifrice" => weak(&["dental"]),
            "urethral" => weak(&["urethral"]),
            "intrauterine" => weak(&["intrauterine"]),
            "epidural" => weak(&["epidural"]),
            _ => weak(&["intrathecal"]),
        },
        "metered" | "mdi" => strong(&["metered"]),
        "dpi" => strong(&["powder", "inhaler"]),
        "multilayer" => weak(&["multilayer"]),
        "liposomal" | "augmented" => match word {
            "liposomal" => weak(&["liposomal"]),
            _ => weak(&["augmented"]),
        },
        "coated" | "filmcoated" | "sugar" | "gelatin" | "filled" | "particle" | "particles" | "topical"
        | "transdermal" | "system" | "orally" | "product" | "external" | "top" | "td" | "prefilled" | "actuated"
        | "breath" | "blister" | "blistr" | "mucous" | "membrane" | "dose" => weak(&[]),
        "oral" | "mouth" => weak(&[]),
        _ => None,
    }
}

/// What a release word means. `la`, `cd`, `sa`, `pa` and `cr` are words of other names too: they count
/// behind a name only.
pub(crate) fn release(word: &str) -> Option<ReleaseWord> {
    use ReleaseWord::{Delayed, Extended, Immediate, Suffix};
    Some(match word {
        "er" | "extended" | "sustained" | "controlled" | "prolonged" | "timed" | "ext" => Extended,
        "xr" => Suffix("xr"),
        "xl" => Suffix("xl"),
        "sr" => Suffix("sr"),
        "cr" => Suffix("cr"),
        "la" => Suffix("la"),
        "cd" => Suffix("cd"),
        "sa" => Suffix("sa"),
        "xt" => Suffix("xt"),
        "dr" | "ec" | "delayed" | "enteric" | "del" => Delayed,
        "ir" | "immediate" => Immediate,
        _ => return None,
    })
}

/// Words that stand beside a release word and say nothing more.
pub(crate) fn is_release_filler(word: &str) -> bool {
    matches!(word, "release" | "rel" | "acting" | "action")
}

/// The one spelling of a salt, ester or hydrate.
#[allow(clippy::too_many_lines)]
pub(crate) fn salt(word: &str) -> Option<&'static str> {
    const SALTS: [&str; 121] = [
        "acefurate",
        "acetate",
        "aceponate",
        "acetonide",
        "alafenamide",
        "arginine",
        "ascorbate",
        "aspartate",
        "axetil",
        "benzathine",
        "benzoate",
        "besylate",
        "bicarbonate",
        "bisulfate",
        "bitartrate",
        "borate",
        "bromide",
        "butyrate",
        "calcium",
        "camsylate",
        "caproate",
        "carbonate",
        "chloride",
        "cilexetil",
        "citrate",
        "cyclamate",
        "cypionate",
        "decanoate",
        "dichloride",
        "diacetate",
        "diethylamine",
        "dihydrochloride",
        "dimeglumine",
        "dimesylate",
        "diphosphate",
        "dipropionate",
        "disodium",
        "disoproxil",
        "ditosylate",
        "edisylate",
        "enanthate",
        "epolamine",
        "erbumine",
        "esylate",
        "estolate",
        "etabonate",
        "etexilate",
        "ethylsuccinate",
        "fluoride",
        "fumarate",
        "furoate",
        "gluconate",
        "glycinate",
        "hemifumarate",
        "hexacetonide",
        "hippurate",
        "hyclate",
        "hydrobromide",
        "hydrochloride",
        "hydroxide",
        "iodide",
        "isethionate",
        "lactate",
        "lactobionate",
        "laurate",
        "lauroxil",
        "lysine",
        "magnesium",
        "malate",
        "maleate",
        "mandelate",
        "marboxil",
        "medoxomil",
        "meglumine",
        "mesylate",
        "mofetil",
        "monohydrochloride",
        "mucate",
        "napadisylate",
        "napsylate",
        "nitrate",
        "olamine",
        "orotate",
        "oxalate",
        "oxide",
        "oxoglurate",
        "palmitate",
        "pamoate",
        "phenylbutyrate",
        "phosphate",
        "pidolate",
        "pivalate",
        "pivoxil",
        "polistirex",
        "potassium",
        "probutate",
        "procaine",
        "propionate",
        "proxetil",
        "pyrophosphate",
        "resinate",
        "salicylate",
        "silicate",
        "sodium",
        "stearate",
        "subsalicylate",
        "succinate",
        "sulfate",
        "sulfite",
        "tannate",
        "tartrate",
        "tebutate",
        "teoclate",
        "thiocyanate",
        "tosylate",
        "trihydrochloride",
        "trisodium",
        "tromethamine",
        "undecanoate",
        "valerate",
        "xinafoate",
    ];
    let word = match word {
        "hcl" | "hci" | "hydrochlorid" => "hydrochloride",
        "hbr" => "hydrobromide",
        "pot" => "potassium",
        "sod" | "na" => "sodium",
        "mag" => "magnesium",
        "sulf" | "sulphate" | "so4" => "sulfate",
        "tar" | "tart" | "tartr" => "tartrate",
        "suc" | "succ" => "succinate",
        "acet" => "acetate",
        "phos" | "phosp" => "phosphate",
        "cit" => "citrate",
        "mal" | "maleat" => "maleate",
        "fum" => "fumarate",
        "bes" | "besyl" => "besylate",
        "mesyl" => "mesylate",
        "pam" => "pamoate",
        "dipr" | "dipro" => "dipropionate",
        "propion" => "propionate",
        "chlor" => "chloride",
        "carb" => "carbonate",
        "glucon" => "gluconate",
        "calc" => "calcium",
        "bitart" => "bitartrate",
        "embonate" => "pamoate",
        "esilate" => "esylate",
        "besilate" => "besylate",
        "mesilate" => "mesylate",
        "tosilate" => "tosylate",
        "trometamol" => "tromethamine",
        "hydrogensulfate" => "bisulfate",
        "zinc" => return Some("zinc"),
        other => other,
    };
    let known = SALTS.into_iter().find(|salt| *salt == word);
    known.or_else(|| hydrate(word))
}

/// The one spelling of a hydrate.
pub(crate) fn hydrate(word: &str) -> Option<&'static str> {
    const HYDRATES: [&str; 12] = [
        "anhydrous",
        "monohydrate",
        "dihydrate",
        "trihydrate",
        "tetrahydrate",
        "pentahydrate",
        "hexahydrate",
        "heptahydrate",
        "hemihydrate",
        "sesquihydrate",
        "hydrate",
        "hemipentahydrate",
    ];
    let word = match word {
        "mono" | "monohyd" => "monohydrate",
        "anhyd" => "anhydrous",
        other => other,
    };
    HYDRATES.into_iter().find(|hydrate| *hydrate == word)
}

/// Whether an unknown word behind an ingredient has a salt's ending. Names of acids that are drugs
/// beside others (clavulanate) are none.
pub(crate) fn ends_like_salt(word: &str) -> bool {
    const DRUGS: [&str; 17] = [
        "clavulanate",
        "folate",
        "fluoride",
        "glutamate",
        "methotrexate",
        "mycophenolate",
        "picosulfate",
        "propylthiouracilate",
        "tazobactamate",
        "valproate",
        "mononitrate",
        "dinitrate",
        "trinitrate",
        "divalproate",
        "alendronate",
        "phenolate",
        "carbamate",
    ];
    word.len() >= 7 && word.ends_with("ate") && !DRUGS.contains(&word)
}

/// Metals and other bases whose salts are ingredients as a whole: potassium chloride is no salt of
/// potassium that could go unsaid.
pub(crate) fn is_metal(word: &str) -> bool {
    matches!(
        word,
        "potassium"
            | "sodium"
            | "calcium"
            | "magnesium"
            | "zinc"
            | "iron"
            | "ferrous"
            | "ferric"
            | "aluminum"
            | "ammonium"
            | "silver"
            | "barium"
            | "selenium"
            | "copper"
            | "cupric"
            | "strontium"
            | "bismuth"
            | "manganese"
            | "chromium"
            | "chromic"
            | "gallium"
            | "hydrogen"
            | "carbon"
            | "nitrous"
            | "stannous"
            | "selenious"
    )
}

/// Esters with an action of their own: a name without them is another drug.
pub(crate) fn is_ester(salt: &str) -> bool {
    matches!(
        salt,
        "benzathine"
            | "butyrate"
            | "caproate"
            | "cypionate"
            | "decanoate"
            | "enanthate"
            | "hexacetonide"
            | "lauroxil"
            | "probutate"
            | "procaine"
            | "undecanoate"
            | "valerate"
    )
}

/// Bases that are drugs of their own beside their salts: a text without a salt names the base.
pub(crate) fn is_free_base(name: &str) -> bool {
    matches!(
        name,
        "acetazolamide"
            | "acyclovir"
            | "allopurinol"
            | "ampicillin"
            | "aripiprazole"
            | "azathioprine"
            | "bacitracin"
            | "benzocaine"
            | "buprenorphine"
            | "caffeine"
            | "carvedilol"
            | "chlorothiazide"
            | "cimetidine"
            | "clonidine"
            | "dexamethasone"
            | "doxycycline"
            | "epinephrine"
            | "erythromycin"
            | "esomeprazole"
            | "estradiol"
            | "etoposide"
            | "fentanyl"
            | "flurbiprofen"
            | "haloperidol"
            | "hydrocortisone"
            | "ibuprofen"
            | "indomethacin"
            | "lidocaine"
            | "methylprednisolone"
            | "mupirocin"
            | "naproxen"
            | "nicotine"
            | "norethindrone"
            | "omeprazole"
            | "ondansetron"
            | "paliperidone"
            | "phenobarbital"
            | "phenytoin"
            | "prednisolone"
            | "prochlorperazine"
            | "rivastigmine"
            | "testosterone"
            | "tobramycin"
            | "trimethoprim"
    )
}

/// What is said for an ingredient on prescriptions, bottles and by people.
pub(crate) fn said_for(word: &str) -> Option<&'static [&'static str]> {
    Some(match word {
        "hctz" => &["hydrochlorothiazide"],
        "apap" | "paracetamol" => &["acetaminophen"],
        "asa" => &["aspirin"],
        "acetylsalicylic" => &["aspirin"],
        "tmp" => &["trimethoprim"],
        "smx" | "smz" => &["sulfamethoxazole"],
        "amox" => &["amoxicillin"],
        "clav" => &["clavulanate"],
        "ntg" => &["nitroglycerin"],
        "kcl" => &["potassium", "chloride"],
        "nacl" => &["sodium", "chloride"],
        "pcn" => &["penicillin"],
        "tcn" => &["tetracycline"],
        "inh" => &["isoniazid"],
        "mvi" => &["multivitamin"],
        "salbutamol" => &["albuterol"],
        "levothyroxin" => &["levothyroxine"],
        "frusemide" => &["furosemide"],
        "lignocaine" => &["lidocaine"],
        "adrenaline" => &["epinephrine"],
        "glyceryltrinitrate" => &["nitroglycerin"],
        "ciclosporin" | "cyclosporin" => &["cyclosporine"],
        "mpa" => &["medroxyprogesterone"],
        "ee" => &["ethinyl", "estradiol"],
        "eth" => &["ethinyl"],
        "estrad" => &["estradiol"],
        "noreth" => &["norethindrone"],
        "hydrocod" | "hydroco" => &["hydrocodone"],
        "oxycod" => &["oxycodone"],
        "acetamin" | "acetaminop" => &["acetaminophen"],
        "bisop" => &["bisoprolol"],
        "enala" => &["enalapril"],
        "spironol" => &["spironolactone"],
        "triamt" => &["triamterene"],
        "metopr" | "metoprol" => &["metoprolol"],
        "levothyrox" => &["levothyroxine"],
        "fluticas" => &["fluticasone"],
        "budeson" => &["budesonide"],
        "formot" => &["formoterol"],
        "salmet" => &["salmeterol"],
        "triamcinol" => &["triamcinolone"],
        "betameth" => &["betamethasone"],
        "clotrim" => &["clotrimazole"],
        "hydrocort" => &["hydrocortisone"],
        "medroxypr" => &["medroxyprogesterone"],
        "methylpred" => &["methylprednisolone"],
        _ => return None,
    })
}

/// The short words that stand for an ingredient's word, to be found by them while typing.
#[cfg(feature = "build")]
pub(crate) fn short_words(word: &str) -> &'static [&'static str] {
    match word {
        "hydrochlorothiazide" => &["hctz"],
        "acetaminophen" => &["apap", "paracetamol"],
        "aspirin" => &["asa"],
        "trimethoprim" => &["tmp"],
        "sulfamethoxazole" => &["smx", "smz"],
        "nitroglycerin" => &["ntg"],
        "albuterol" => &["salbutamol"],
        "epinephrine" => &["adrenaline"],
        "furosemide" => &["frusemide"],
        "hydrochloride" => &["hcl"],
        "hydrobromide" => &["hbr"],
        "ophthalmic" => &["eye"],
        "otic" => &["ear"],
        "nasal" => &["nose"],
        "disintegrating" => &["odt"],
        _ => &[],
    }
}

/// Words for devices and packages in names: they need not be typed, and what was typed must be there.
pub(crate) fn is_device(word: &str) -> bool {
    matches!(
        word,
        "actpen"
            | "aerosphere"
            | "autohaler"
            | "autoinject"
            | "clickject"
            | "digihaler"
            | "diskus"
            | "ellipta"
            | "flexhaler"
            | "flexpen"
            | "flextouch"
            | "handihaler"
            | "hfa"
            | "inhub"
            | "innolet"
            | "junior"
            | "kwikpen"
            | "mdv"
            | "neohaler"
            | "penfill"
            | "pf"
            | "pressair"
            | "pushtronex"
            | "rediject"
            | "redihaler"
            | "respiclick"
            | "respimat"
            | "rotahaler"
            | "sdv"
            | "sensoready"
            | "sidekick"
            | "smartpen"
            | "solostar"
            | "sureclick"
            | "tempo"
            | "turbuhaler"
            | "twisthaler"
    )
}

/// Words of directions and labels: what is taken how often, by which way, and why.
pub(crate) fn is_direction(word: &str) -> bool {
    const DIRECTIONS: &str = "\
        ac after apply as at be bedtime before bid bottle brand by daily day days disp dosage ea each \
        evening every food for generic give half hs in inject instill is meal meals med medication \
        medicine month monthly morning my name needed night nightly noon of once one otc pain pc per \
        pill pills place po prescription prn puff puffs put q q12h q4h q6h q8h qam qd qhs qid qod qpm \
        qty refill refills rx sig stat strength tabs/day take takes taking the three thrice tid time \
        times to twice two until use week weekly weeks while x";
    DIRECTIONS.split(' ').any(|direction| direction == word)
}

/// Words of labels beside a name: how much is in it, which the strength says, and coatings.
pub(crate) fn is_label_word(word: &str) -> bool {
    matches!(word, "coated" | "low" | "dose" | "regular" | "extra" | "maximum" | "original" | "strength" | "safety")
}

/// Directions that stand before a drug: `take`, `apply`.
pub(crate) fn is_instruction(word: &str) -> bool {
    matches!(word, "take" | "takes" | "taking" | "apply" | "inject" | "use" | "give" | "instill" | "sig" | "rx" | "my")
}

/// Words that join others and tell nothing apart.
pub(crate) fn is_glue(word: &str) -> bool {
    matches!(word, "and" | "with" | "in" | "of" | "for" | "the" | "usp" | "nf" | "w" | "or" | "per")
}

/// Words beside an insulin that its name need not have.
pub(crate) fn is_insulin_kind(word: &str) -> bool {
    matches!(word, "insulin" | "nph" | "isophane" | "regular" | "human" | "mix")
}

/// Insulins by brand: a bare number of units is said of them for units a milliliter.
pub(crate) fn is_insulin(word: &str) -> bool {
    matches!(
        word,
        "insulin"
            | "admelog"
            | "afrezza"
            | "apidra"
            | "basaglar"
            | "fiasp"
            | "humalog"
            | "humulin"
            | "insulatard"
            | "lantus"
            | "levemir"
            | "lyumjev"
            | "myxredlin"
            | "novolin"
            | "novolog"
            | "rezvoglar"
            | "ryzodeg"
            | "semglee"
            | "soliqua"
            | "toujeo"
            | "tresiba"
            | "xultophy"
    )
}
