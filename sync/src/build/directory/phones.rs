//! Phones as they are kept: ten digits as a number, anything else as a text in a list.

use coverdex_core::phone::PhoneNumber;
use coverdex_core::providers::layout::phone::LISTED;

use crate::build::intern::Interner;
use crate::model::Phone;

/// Phones of one place, provider or role in their order, spellings of one number once.
pub(super) fn shown<'a>(phones: impl Iterator<Item = &'a Phone>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for phone in phones {
        let text = PhoneNumber::fold(&phone.number)
            .map_or_else(|| phone.number.split_whitespace().collect::<Vec<_>>().join(" "), |phone| phone.to_string());
        if !text.is_empty() && !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
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
            [one] => PhoneNumber::fold(one).filter(|phone| phone.extension().is_none()),
            _ => None,
        };
        CodedPhones(
            plain.map_or_else(|| LISTED + u64::from(self.lists.number(phones.to_vec())), |phone| phone.number()),
        )
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
