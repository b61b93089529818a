//! Phones as they are kept: ten digits as a number, anything else as a text in a list.

use coverdex_core::build::phone::PhoneNumber;
use coverdex_core::build::providers::layout::phone::LISTED;

use crate::build::intern::Interner;
use crate::model::{Day, Period, Phone};

/// Phones of one place, provider or role that are in use on a day, in their order, spellings of one
/// number once.
pub(super) fn shown<'a>(phones: impl Iterator<Item = &'a Phone>, today: Day) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for phone in phones.filter(|phone| phone.period.holds_on(today)) {
        let text = PhoneNumber::fold(&phone.number)
            .map_or_else(|| phone.number.split_whitespace().collect::<Vec<_>>().join(" "), |phone| phone.to_string());
        if !text.is_empty() && !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

/// Phones as roles state them, before the day is known by which their periods are judged: one plain
/// number without a period as itself, all else in a list.
#[derive(Debug, Default)]
pub(super) struct StatedPhones {
    lists: Interner<Vec<Phone>>,
}

impl StatedPhones {
    pub(super) fn code(&mut self, phones: &[Phone]) -> CodedPhones {
        let plain = match phones {
            [] => return CodedPhones(0),
            [one] if one.period == Period::default() => plain(&one.number),
            _ => None,
        };
        CodedPhones(plain.unwrap_or_else(|| LISTED + u64::from(self.lists.number(phones.to_vec()))))
    }

    /// What was coded, for comparing: the plain number, or the list.
    pub(super) fn stated(&self, coded: CodedPhones) -> (u64, Option<&Vec<Phone>>) {
        match coded.0.checked_sub(LISTED) {
            Some(list) => (0, u32::try_from(list).ok().and_then(|list| self.lists.value(list))),
            None => (coded.0, None),
        }
    }

    /// The phones that are in use on a day, as they are shown.
    pub(super) fn shown(&self, coded: CodedPhones, today: Day) -> Vec<String> {
        match self.stated(coded) {
            (_, Some(list)) => shown(list.iter(), today),
            (number, None) => PhoneNumber::from_number(number, None).iter().map(PhoneNumber::to_string).collect(),
        }
    }
}

/// The ten digits of a phone that has nothing else.
fn plain(text: &str) -> Option<u64> {
    PhoneNumber::fold(text).filter(|phone| phone.extension().is_none()).map(|phone| phone.number())
}

/// Lists of phones that are no single plain number.
#[derive(Debug, Default)]
pub(super) struct PhoneLists {
    lists: Interner<Vec<String>>,
}

/// Phones coded before the lists have their final numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CodedPhones(pub(super) u64);

impl PhoneLists {
    pub(super) fn code(&mut self, phones: &[String]) -> CodedPhones {
        let plain = match phones {
            [] => return CodedPhones(0),
            [one] => plain(one),
            _ => None,
        };
        CodedPhones(plain.unwrap_or_else(|| LISTED + u64::from(self.lists.number(phones.to_vec()))))
    }

    /// The phones that were coded, as they are shown.
    pub(super) fn shown(&self, coded: CodedPhones) -> Vec<String> {
        match coded.0.checked_sub(LISTED) {
            Some(list) => u32::try_from(list).ok().and_then(|list| self.lists.value(list)).cloned().unwrap_or_default(),
            None => PhoneNumber::from_number(coded.0, None).iter().map(PhoneNumber::to_string).collect(),
        }
    }

    /// The lists in the order of their content, and the final code of a coded phone.
    pub(super) fn ordered(&self) -> (Vec<&Vec<String>>, impl Fn(CodedPhones) -> u64) {
        let mut order: Vec<(usize, &Vec<String>)> = self.lists.values().enumerate().collect();
        order.sort_by_key(|(_, list)| *list);
        let mut place = vec![0_u64; order.len()];
        for (at, (number, _)) in (0..).zip(&order) {
            if let Some(place) = place.get_mut(*number) {
                *place = at;
            }
        }
        let code = move |coded: CodedPhones| match coded.0.checked_sub(LISTED) {
            Some(list) => LISTED + usize::try_from(list).ok().and_then(|list| place.get(list)).copied().unwrap_or(0),
            None => coded.0,
        };
        (order.into_iter().map(|(_, list)| list).collect(), code)
    }
}
