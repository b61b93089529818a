//! The codes of a line.

use rusqlite::Connection;

use crate::data::{LineRow, package_row, rxnorm_codes};
use crate::ids::{Ndc11, Rxcui};

/// The codes of a line.
#[derive(Default)]
pub(crate) struct Codes {
    pub(crate) products: Vec<String>,
    pub(crate) rxcui: Vec<Rxcui>,
    pub(crate) ndc11: Vec<Ndc11>,
}

impl Codes {
    pub(crate) fn of(connection: &Connection, line: &LineRow) -> rusqlite::Result<Self> {
        let mut codes = Self::default();
        let mut sets = Vec::new();
        for package in line.range() {
            let row = package_row(connection, package)?;
            codes.ndc11.extend(row.ndc11);
            let product = row.product_ndc();
            if codes.products.last() != product.as_ref() {
                codes.products.extend(product);
            }
            sets.push(row.rxnorm_set);
        }
        sets.sort_unstable();
        sets.dedup();
        for set in sets {
            codes.rxcui.extend(rxnorm_codes(connection, set)?);
        }
        codes.rxcui.sort_unstable();
        codes.rxcui.dedup();
        codes.products.sort_unstable();
        codes.products.dedup();
        Ok(codes)
    }
}
