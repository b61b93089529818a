//! Facts as bytes: equal facts have equal bytes, whatever came before them, so that they can be
//! kept small and compared without being read.

use coverdex_core::{Error, Result};

use crate::model::{Individual, OrganizationFacts, Phone, Place};
use coverdex_core::ids::NetworkKey;

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

    fn phones(&mut self, phones: &[Phone]) {
        self.each(phones, |ink, phone| {
            ink.0.push(u8::from(phone.fax));
            ink.text(&phone.number);
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

    fn phones(&mut self) -> Result<Vec<Phone>> {
        self.each(|page| Ok(Phone { fax: page.byte()? == 1, number: page.text()? }))
    }
}

fn short() -> Error {
    Error::invalid("build", "a record ends early")
}

impl Inked for Individual {
    fn write(&self, ink: &mut Ink) {
        ink.each(&self.npis, |ink, npi| ink.text(npi));
        ink.flag(self.active);
        ink.maybe(self.name.as_deref());
        ink.maybe(self.family.as_deref());
        ink.each(&self.given, |ink, given| ink.text(given));
        ink.maybe(self.gender.as_deref());
        ink.each(&self.languages, |ink, language| ink.text(language));
        ink.phones(&self.phones);
    }

    fn read(page: &mut Page<'_>) -> Result<Self> {
        Ok(Self {
            npis: page.each(Page::text)?,
            active: page.flag()?,
            name: page.maybe()?,
            family: page.maybe()?,
            given: page.each(Page::text)?,
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
        ink.maybe(self.name.as_deref());
        ink.each(&self.aliases, |ink, alias| ink.text(alias));
        ink.each(&self.types, |ink, kind| ink.text(kind));
        ink.each(&self.network_keys, |ink, key| {
            ink.text(key.system());
            ink.text(key.id());
        });
        ink.phones(&self.phones);
    }

    fn read(page: &mut Page<'_>) -> Result<Self> {
        Ok(Self {
            npis: page.each(Page::text)?,
            active: page.flag()?,
            name: page.maybe()?,
            aliases: page.each(Page::text)?,
            types: page.each(Page::text)?,
            network_keys: page.each(|page| NetworkKey::new(&page.text()?, &page.text()?))?,
            phones: page.phones()?,
        })
    }
}

impl Inked for Place {
    fn write(&self, ink: &mut Ink) {
        ink.flag(self.active);
        ink.maybe(self.name.as_deref());
        ink.each(&self.lines, |ink, line| ink.text(line));
        ink.maybe(self.city.as_deref());
        ink.maybe(self.state.as_deref());
        ink.maybe(self.zip.as_deref());
        ink.maybe(self.district.as_deref());
        match self.position {
            Some((lat, lon)) => {
                ink.0.push(1);
                ink.0.extend(lat.to_bits().to_le_bytes());
                ink.0.extend(lon.to_bits().to_le_bytes());
            }
            None => ink.0.push(0),
        }
        ink.phones(&self.phones);
        ink.maybe(self.hours.as_deref());
    }

    fn read(page: &mut Page<'_>) -> Result<Self> {
        Ok(Self {
            active: page.flag()?,
            name: page.maybe()?,
            lines: page.each(Page::text)?,
            city: page.maybe()?,
            state: page.maybe()?,
            zip: page.maybe()?,
            district: page.maybe()?,
            position: match page.byte()? {
                0 => None,
                _ => Some((page.number()?, page.number()?)),
            },
            phones: page.phones()?,
            hours: page.maybe()?,
        })
    }
}

impl Page<'_> {
    fn number(&mut self) -> Result<f64> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or_else(short)?;
        self.0 = rest;
        Ok(f64::from_bits(u64::from_le_bytes(*bytes)))
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
        let phones = vec![Phone { fax: false, number: "1".into() }, Phone { fax: true, number: "2".into() }];
        returns(&Individual {
            npis: vec!["1".into(), "x".repeat(300)],
            active: Some(false),
            name: Some("A B".into()),
            family: None,
            given: vec!["A".into()],
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
        returns(&Place { position: Some((1.5, -2.25)), phones, hours: Some("Mo".into()), ..Place::default() });
        returns(&Place { lines: vec!["1 Main St".into()], zip: Some("123".into()), ..Place::default() });
    }
}
