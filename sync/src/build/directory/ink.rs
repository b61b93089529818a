//! Facts as bytes: equal facts have equal bytes, whatever came before them, so that they can be
//! kept small and compared without being read.

use coverdex_core::{Error, Result};

use crate::model::{
    Accepting, AcceptingPatients, Address, Day, Individual, NetworkClaim, NetworkName, OrganizationFacts, Period,
    PersonName, Phone, Place, ServiceFacts, SourceId, Specialty,
};
use coverdex_core::NetworkKey;

/// A fact that can be kept as bytes.
pub(super) trait Inked: Sized {
    fn write(&self, ink: &mut Ink);
    fn read(page: &mut Page<'_>) -> Result<Self>;
}

/// Writes the parts of a fact.
#[derive(Debug, Default)]
pub(super) struct Ink(pub(super) Vec<u8>);

/// Reads the parts of a fact.
#[derive(Debug)]
pub(super) struct Page<'a>(pub(super) &'a [u8]);

impl Ink {
    fn count(&mut self, count: usize) {
        super::pack::leb128(&mut self.0, count as u64);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Absent and empty texts are one.
    fn maybe(&mut self, text: Option<&str>) {
        self.text(text.unwrap_or_default());
    }

    fn each<T>(&mut self, all: &[T], write: impl Fn(&mut Self, &T)) {
        self.count(all.len());
        for one in all {
            write(self, one);
        }
    }

    fn flag(&mut self, flag: Option<bool>) {
        self.0.push(flag.map_or(2, u8::from));
    }

    /// The days of a period; the year 0 and the last that there is stand for none.
    fn period(&mut self, period: Period) {
        for day in [period.start.unwrap_or(Day::MIN), period.end.unwrap_or(Day::MAX)] {
            self.0.extend_from_slice(&day.to_le_bytes());
        }
    }

    fn source(&mut self, source: Option<SourceId>) {
        self.0.push(u8::from(source.is_some()));
        self.0.extend(source.iter().flat_map(|source| source.0.to_le_bytes()));
    }

    fn key(&mut self, key: &NetworkKey) {
        self.text(key.system());
        self.text(key.id());
    }

    fn address(&mut self, address: &Address) {
        self.each(&address.lines, |ink, line| ink.text(line));
        self.maybe(address.city.as_deref());
        self.maybe(address.state.as_deref());
        self.maybe(address.zip.as_deref());
        self.maybe(address.district.as_deref());
        self.period(address.period);
        self.flag(Some(address.abroad));
    }

    fn accepting(&mut self, all: &[AcceptingPatients]) {
        self.each(all, |ink, stated| {
            ink.0.push(match stated.status {
                Accepting::Yes => 0,
                Accepting::No => 1,
                Accepting::ExistingOnly => 2,
                Accepting::ExistingAndFamily => 3,
            });
            match &stated.from_network {
                None => ink.0.push(0),
                Some(NetworkClaim::Key(key)) => {
                    ink.0.push(1);
                    ink.key(key);
                }
                Some(NetworkClaim::Reference(source)) => {
                    ink.0.push(2);
                    ink.0.extend_from_slice(&source.0.to_le_bytes());
                }
            }
        });
    }

    fn phones(&mut self, phones: &[Phone]) {
        self.each(phones, |ink, phone| {
            ink.text(&phone.number);
            ink.period(phone.period);
        });
    }
}

impl Page<'_> {
    fn byte(&mut self) -> Result<u8> {
        let (byte, rest) = self.0.split_first().ok_or_else(short)?;
        self.0 = rest;
        Ok(*byte)
    }

    fn count(&mut self) -> Result<usize> {
        let mut count = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            count |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(count);
            }
            shift += 7;
        }
    }

    pub(super) fn text(&mut self) -> Result<String> {
        let length = self.count()?;
        let (text, rest) = self.0.split_at_checked(length).ok_or_else(short)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).map_err(|_| short())
    }

    fn maybe(&mut self) -> Result<Option<String>> {
        self.text().map(|text| Some(text).filter(|text| !text.is_empty()))
    }

    fn each<T>(&mut self, read: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        (0..self.count()?).map(|_| read(self)).collect()
    }

    fn flag(&mut self) -> Result<Option<bool>> {
        Ok(match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or_else(short)?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn period(&mut self) -> Result<Period> {
        let start = Some(Day::from_le_bytes(self.array()?)).filter(|day| *day != Day::MIN);
        let end = Some(Day::from_le_bytes(self.array()?)).filter(|day| *day != Day::MAX);
        Ok(Period { start, end })
    }

    fn source(&mut self) -> Result<Option<SourceId>> {
        Ok(match self.byte()? {
            0 => None,
            _ => Some(SourceId(u128::from_le_bytes(self.array()?))),
        })
    }

    fn key(&mut self) -> Result<NetworkKey> {
        NetworkKey::new(&self.text()?, &self.text()?)
    }

    fn address(&mut self) -> Result<Address> {
        Ok(Address {
            lines: self.each(Page::text)?,
            city: self.maybe()?,
            state: self.maybe()?,
            zip: self.maybe()?,
            district: self.maybe()?,
            period: self.period()?,
            abroad: self.flag()? == Some(true),
        })
    }

    fn accepting(&mut self) -> Result<Vec<AcceptingPatients>> {
        self.each(|page| {
            let status = match page.byte()? {
                0 => Accepting::Yes,
                1 => Accepting::No,
                2 => Accepting::ExistingOnly,
                _ => Accepting::ExistingAndFamily,
            };
            let from_network = match page.byte()? {
                0 => None,
                1 => Some(NetworkClaim::Key(page.key()?)),
                _ => Some(NetworkClaim::Reference(SourceId(u128::from_le_bytes(page.array()?)))),
            };
            Ok(AcceptingPatients { status, from_network })
        })
    }

    fn phones(&mut self) -> Result<Vec<Phone>> {
        self.each(|page| Ok(Phone { number: page.text()?, period: page.period()? }))
    }
}

fn short() -> Error {
    Error::invalid("build", "a record ends early")
}

impl Inked for Individual {
    fn write(&self, ink: &mut Ink) {
        ink.each(&self.npis, |ink, npi| ink.text(npi));
        ink.flag(self.active);
        ink.period(self.period);
        ink.each(&self.names, |ink, name| {
            ink.text(&name.text);
            ink.maybe(name.family.as_deref());
            ink.each(&name.given, |ink, given| ink.text(given));
            ink.flag(Some(name.former));
            ink.period(name.period);
        });
        ink.maybe(self.gender.as_deref());
        ink.each(&self.languages, |ink, language| ink.text(language));
        ink.phones(&self.phones);
    }

    fn read(page: &mut Page<'_>) -> Result<Self> {
        Ok(Self {
            npis: page.each(Page::text)?,
            active: page.flag()?,
            period: page.period()?,
            names: page.each(|page| {
                Ok(PersonName {
                    text: page.text()?,
                    family: page.maybe()?,
                    given: page.each(Page::text)?,
                    former: page.flag()? == Some(true),
                    period: page.period()?,
                })
            })?,
            gender: page.maybe()?,
            languages: page.each(Page::text)?,
            phones: page.phones()?,
        })
    }
}

impl Inked for OrganizationFacts {
    fn write(&self, ink: &mut Ink) {
        ink.each(&self.npis, |ink, npi| ink.text(npi));
        ink.flag(self.active);
        ink.period(self.period);
        ink.maybe(self.name.as_deref());
        ink.each(&self.aliases, |ink, alias| ink.text(alias));
        ink.each(&self.types, |ink, kind| ink.text(kind));
        ink.each(&self.network_keys, Ink::key);
        ink.each(&self.addresses, Ink::address);
        ink.phones(&self.phones);
    }

    fn read(page: &mut Page<'_>) -> Result<Self> {
        Ok(Self {
            npis: page.each(Page::text)?,
            active: page.flag()?,
            period: page.period()?,
            name: page.maybe()?,
            aliases: page.each(Page::text)?,
            types: page.each(Page::text)?,
            network_keys: page.each(Page::key)?,
            addresses: page.each(Page::address)?,
            phones: page.phones()?,
        })
    }
}

impl Inked for Place {
    fn write(&self, ink: &mut Ink) {
        ink.flag(self.active);
        ink.maybe(self.name.as_deref());
        ink.address(&self.address);
        match self.position {
            Some((lat, lon)) => {
                ink.0.push(1);
                ink.0.extend(lat.to_bits().to_le_bytes());
                ink.0.extend(lon.to_bits().to_le_bytes());
            }
            None => ink.0.push(0),
        }
        ink.source(self.part_of);
        ink.source(self.organization);
        ink.accepting(&self.accepting);
        ink.phones(&self.phones);
        ink.maybe(self.hours.as_deref());
    }

    fn read(page: &mut Page<'_>) -> Result<Self> {
        Ok(Self {
            active: page.flag()?,
            name: page.maybe()?,
            address: page.address()?,
            position: match page.byte()? {
                0 => None,
                _ => Some((page.number()?, page.number()?)),
            },
            part_of: page.source()?,
            organization: page.source()?,
            accepting: page.accepting()?,
            phones: page.phones()?,
            hours: page.maybe()?,
        })
    }
}

impl Inked for ServiceFacts {
    fn write(&self, ink: &mut Ink) {
        ink.flag(self.active);
        ink.source(self.organization);
        ink.each(&self.networks, |ink, name| {
            ink.key(&name.key);
            ink.maybe(name.label.as_deref());
        });
        ink.each(&self.network_references, |ink, (source, label)| {
            ink.source(Some(*source));
            ink.maybe(label.as_deref());
        });
        ink.flag(Some(self.unreadable_network));
        ink.each(&self.places, |ink, place| ink.source(Some(*place)));
        ink.each(&self.specialties, |ink, specialty| {
            ink.maybe(specialty.text.as_deref());
            ink.maybe(specialty.taxonomy.as_deref());
        });
        ink.each(&self.types, |ink, kind| ink.text(kind));
        ink.accepting(&self.accepting);
        ink.phones(&self.phones);
        ink.maybe(self.hours.as_deref());
    }

    fn read(page: &mut Page<'_>) -> Result<Self> {
        Ok(Self {
            active: page.flag()?,
            organization: page.source()?,
            networks: page.each(|page| Ok(NetworkName { key: page.key()?, label: page.maybe()? }))?,
            network_references: page.each(|page| Ok((page.source()?.ok_or_else(short)?, page.maybe()?)))?,
            unreadable_network: page.flag()? == Some(true),
            places: page.each(Page::source)?.into_iter().flatten().collect(),
            specialties: page.each(|page| Ok(Specialty { text: page.maybe()?, taxonomy: page.maybe()? }))?,
            types: page.each(Page::text)?,
            accepting: page.accepting()?,
            phones: page.phones()?,
            hours: page.maybe()?,
        })
    }
}

impl Page<'_> {
    fn number(&mut self) -> Result<f64> {
        Ok(f64::from_bits(u64::from_le_bytes(self.array()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returns<T: Inked + PartialEq + std::fmt::Debug>(fact: &T) {
        let mut ink = Ink::default();
        fact.write(&mut ink);
        let mut page = Page(&ink.0);
        assert_eq!(&T::read(&mut page).unwrap(), fact);
        assert!(page.0.is_empty());
        for end in 0..ink.0.len() {
            assert!(T::read(&mut Page(ink.0.get(..end).unwrap())).is_err());
        }
    }

    #[test]
    fn facts_come_back_from_their_bytes() {
        let phones = vec![
            Phone { number: "1".into(), period: Period::default() },
            Phone { number: "2".into(), period: Period { start: Some(-1), end: Some(20_000) } },
        ];
        returns(&Individual {
            npis: vec!["1".into(), "x".repeat(300)],
            active: Some(false),
            period: Period { start: None, end: Some(3) },
            names: vec![PersonName {
                text: "A B".into(),
                given: vec!["A".into()],
                former: true,
                ..PersonName::default()
            }],
            gender: Some("female".into()),
            languages: vec!["French".into()],
            phones: phones.clone(),
        });
        returns(&OrganizationFacts {
            active: Some(true),
            aliases: vec!["Other".into()],
            types: vec!["ntwk".into()],
            network_keys: vec![NetworkKey::new("s", "1").unwrap()],
            ..OrganizationFacts::default()
        });
        returns(&ServiceFacts {
            networks: vec![NetworkName { key: NetworkKey::new("s", "1").unwrap(), label: Some("One".into()) }],
            network_references: vec![(SourceId(7), None)],
            unreadable_network: true,
            ..ServiceFacts::default()
        });
        returns(&Place { position: Some((1.5, -2.25)), phones, hours: Some("Mo".into()), ..Place::default() });
        let address = Address { lines: vec!["1 Main St".into()], zip: Some("123".into()), ..Address::default() };
        let status = Accepting::ExistingOnly;
        let claims = [
            None,
            Some(NetworkClaim::Key(NetworkKey::new("s", "1").unwrap())),
            Some(NetworkClaim::Reference(SourceId(7))),
        ];
        let accepting = claims.map(|from_network| AcceptingPatients { status, from_network }).to_vec();
        returns(&Place { address, part_of: Some(SourceId(5)), accepting, ..Place::default() });
    }
}
