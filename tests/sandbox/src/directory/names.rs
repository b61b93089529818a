//! People's names, drawn as the United States have them: a few hundred thousand Smiths, and a long
//! tail of names that few share.

use crate::random::Draw;

/// Family names of the 2010 census with their bearers in thousands.
const FAMILIES: &[(&str, u32)] = &[
    ("Smith", 2443),
    ("Johnson", 1933),
    ("Williams", 1625),
    ("Brown", 1437),
    ("Jones", 1425),
    ("Garcia", 1166),
    ("Miller", 1161),
    ("Davis", 1116),
    ("Rodriguez", 1095),
    ("Martinez", 1060),
    ("Hernandez", 1043),
    ("Lopez", 875),
    ("Gonzalez", 841),
    ("Wilson", 802),
    ("Anderson", 784),
    ("Thomas", 756),
    ("Taylor", 751),
    ("Moore", 724),
    ("Jackson", 708),
    ("Martin", 703),
    ("Lee", 693),
    ("Perez", 682),
    ("Thompson", 665),
    ("White", 660),
    ("Harris", 624),
    ("Sanchez", 613),
    ("Clark", 563),
    ("Ramirez", 557),
    ("Lewis", 532),
    ("Robinson", 530),
    ("Walker", 523),
    ("Young", 484),
    ("Allen", 483),
    ("King", 465),
    ("Wright", 459),
    ("Scott", 440),
    ("Torres", 438),
    ("Nguyen", 438),
    ("Hill", 434),
    ("Flores", 434),
    ("Green", 430),
    ("Adams", 428),
    ("Nelson", 425),
    ("Baker", 419),
    ("Hall", 407),
    ("Rivera", 391),
    ("Campbell", 386),
    ("Mitchell", 384),
    ("Carter", 376),
    ("Roberts", 377),
    ("Gomez", 366),
    ("Phillips", 361),
    ("Evans", 356),
    ("Turner", 349),
    ("Diaz", 347),
    ("Parker", 337),
    ("Cruz", 334),
    ("Edwards", 333),
    ("Collins", 329),
    ("Reyes", 327),
    ("Stewart", 325),
    ("Morris", 318),
    ("Morales", 311),
    ("Murphy", 308),
    ("Cook", 302),
    ("Rogers", 302),
    ("Gutierrez", 294),
    ("Ortiz", 286),
    ("Morgan", 286),
    ("Cooper", 281),
    ("Peterson", 279),
    ("Bailey", 278),
    ("Reed", 277),
    ("Kelly", 267),
    ("Howard", 264),
    ("Ramos", 263),
    ("Kim", 262),
    ("Cox", 262),
    ("Ward", 260),
    ("Richardson", 259),
    ("Watson", 252),
    ("Brooks", 252),
    ("Chavez", 250),
    ("Wood", 250),
    ("James", 249),
    ("Bennett", 247),
    ("Gray", 246),
    ("Mendoza", 242),
    ("Ruiz", 238),
    ("Hughes", 236),
    ("Price", 235),
    ("Alvarez", 234),
    ("Castillo", 231),
    ("Sanders", 230),
    ("Patel", 229),
    ("Myers", 229),
    ("Long", 228),
    ("Ross", 228),
    ("Foster", 227),
    ("Jimenez", 227),
    ("Chen", 170),
    ("Singh", 95),
    ("Khan", 69),
    ("O'Brien", 130),
    ("O'Connor", 71),
    ("Nuñez", 90),
    ("Muñoz", 95),
    ("Peña", 75),
    ("Ibañez", 12),
    ("De La Cruz", 60),
    ("St. John", 17),
    ("Van Dyke", 14),
    ("McDonald", 140),
    ("MacLeod", 9),
    ("Al-Masri", 3),
    ("D'Angelo", 16),
];

/// What the rest, more than half of the people, are made of.
const STEMS: [&str; 48] = [
    "Abern", "Baum", "Brand", "Cald", "Carm", "Dal", "Den", "Dor", "Eisen", "Falk", "Fern", "Gold", "Gray", "Hal",
    "Harr", "Hol", "Iver", "Jan", "Kahl", "Kell", "Kirch", "Kol", "Lam", "Lind", "Lor", "Mar", "Mel", "Mont", "Nor",
    "Ols", "Pal", "Pav", "Pell", "Quin", "Ras", "Rein", "Rosen", "Sal", "Schell", "Stan", "Sten", "Tal", "Thorn",
    "Ven", "Vog", "Wal", "Wein", "Zim",
];
const ENDINGS: [&str; 40] = [
    "berg", "berger", "by", "dale", "don", "ell", "enko", "er", "erson", "ett", "field", "ford", "gate", "ham", "hart",
    "hauser", "holm", "ian", "ier", "ich", "ini", "ino", "ka", "kamp", "ley", "lund", "man", "mann", "mer", "meyer",
    "more", "oski", "ovic", "quist", "ridge", "sen", "son", "stein", "ton", "well",
];

const WOMEN: &[(&str, u32)] = &[
    ("Mary", 90),
    ("Patricia", 76),
    ("Jennifer", 74),
    ("Linda", 70),
    ("Elizabeth", 68),
    ("Barbara", 60),
    ("Susan", 55),
    ("Jessica", 52),
    ("Sarah", 50),
    ("Karen", 48),
    ("Lisa", 46),
    ("Nancy", 44),
    ("Sandra", 40),
    ("Ashley", 38),
    ("Emily", 38),
    ("Kimberly", 38),
    ("Michelle", 37),
    ("Amanda", 36),
    ("Melissa", 35),
    ("Stephanie", 34),
    ("Rebecca", 33),
    ("Laura", 32),
    ("Cynthia", 30),
    ("Amy", 30),
    ("Angela", 29),
    ("Anna", 28),
    ("Nicole", 27),
    ("Maria", 40),
    ("Priya", 8),
    ("Mei", 6),
    ("Fatima", 6),
    ("Zoë", 2),
    ("Renée", 3),
    ("Siobhan", 2),
    ("Jo Ann", 4),
];
const MEN: &[(&str, u32)] = &[
    ("James", 92),
    ("Robert", 88),
    ("John", 87),
    ("Michael", 86),
    ("David", 78),
    ("William", 74),
    ("Richard", 66),
    ("Joseph", 56),
    ("Thomas", 54),
    ("Charles", 52),
    ("Christopher", 50),
    ("Daniel", 48),
    ("Matthew", 46),
    ("Anthony", 42),
    ("Mark", 42),
    ("Steven", 38),
    ("Paul", 36),
    ("Andrew", 36),
    ("Joshua", 35),
    ("Kenneth", 33),
    ("Kevin", 33),
    ("Brian", 32),
    ("George", 30),
    ("Timothy", 30),
    ("Ronald", 28),
    ("Jason", 28),
    ("Edward", 27),
    ("José", 30),
    ("Juan", 24),
    ("Luis", 20),
    ("Raj", 7),
    ("Wei", 6),
    ("Ahmed", 6),
    ("François", 1),
    ("Sean", 12),
];

/// A person's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonName {
    /// Family name.
    pub family: String,
    /// Given name.
    pub given: &'static str,
    /// The middle name's first letter.
    pub middle: Option<char>,
    /// Whether the given name is a woman's.
    pub woman: bool,
}

impl PersonName {
    pub(crate) fn of(draw: Draw) -> Self {
        let woman = draw.and(1).hits(480_000);
        let given = weighted(draw.and(2), if woman { WOMEN } else { MEN });
        let family = match draw.and(3).below(100) {
            0..=43 => weighted(draw.and(4), FAMILIES).to_owned(),
            44..=47 => format!("{}-{}", weighted(draw.and(4), FAMILIES), weighted(draw.and(5), FAMILIES)),
            _ => {
                // Squaring the draw makes some of the made names common.
                let at = |what: u64, n: usize| {
                    let part = draw.and(what).below(1_000);
                    usize::try_from(part * part * n as u64 / 1_000_000).unwrap_or(0)
                };
                let stem = STEMS.get(at(6, STEMS.len())).copied().unwrap_or("Hol");
                let ending = ENDINGS.get(at(7, ENDINGS.len())).copied().unwrap_or("man");
                let prefix = draw.and(8).one_of(&["", "", "", "", "", "", "Mc", "Van ", "De "], "");
                format!("{prefix}{stem}{ending}")
            }
        };
        let letter = draw.and(9).one_of(&['A', 'B', 'C', 'D', 'E', 'J', 'L', 'M', 'N', 'R', 'S', 'T'], 'M');
        Self { family, given, middle: draw.and(10).hits(400_000).then_some(letter), woman }
    }

    /// Given names, middle initial and family name, as people read them.
    #[must_use]
    pub fn text(&self) -> String {
        match self.middle {
            Some(middle) => format!("{} {middle} {}", self.given, self.family),
            None => format!("{} {}", self.given, self.family),
        }
    }
}

fn weighted<T: Copy + Default>(draw: Draw, all: &[(T, u32)]) -> T {
    let total: u64 = all.iter().map(|(_, weight)| u64::from(*weight)).sum();
    let mut left = draw.below(total);
    for (item, weight) in all {
        if left < u64::from(*weight) {
            return *item;
        }
        left -= u64::from(*weight);
    }
    T::default()
}

/// Places that share their names with places in other states.
pub(crate) const CITIES: [&str; 24] = [
    "Springfield",
    "Franklin",
    "Clinton",
    "Georgetown",
    "Salem",
    "Fairview",
    "Madison",
    "Arlington",
    "Ashland",
    "Dover",
    "Hudson",
    "Jackson",
    "Manchester",
    "Milton",
    "Newport",
    "Oxford",
    "Riverside",
    "Burlington",
    "Cleveland",
    "St. Marys",
    "O'Fallon",
    "La Grange",
    "Winchester",
    "Lebanon",
];
pub(crate) const STREETS: [&str; 16] = [
    "MAIN ST",
    "OAK AVE",
    "PARK BLVD",
    "MAPLE ST",
    "HOSPITAL DR",
    "WASHINGTON ST",
    "LAKE RD",
    "N 2ND ST",
    "ELM ST",
    "HIGHLAND AVE",
    "CHURCH ST",
    "US HIGHWAY 60",
    "MEDICAL CENTER DR",
    "W BROADWAY",
    "RIVER RD",
    "COLLEGE ST",
];
