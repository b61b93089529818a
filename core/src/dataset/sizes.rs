//! Where a dataset's bytes are.

use super::Dataset;
use crate::Result;
use crate::format::DRUG_INDEX;

/// Where the bytes are: by file, and inside the database by table and index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sizes {
    /// Every file but the manifest, by path.
    pub files: Vec<FileSize>,
    /// Tables and indexes of the database, largest first; empty where SQLite was compiled without
    /// its `dbstat` table.
    pub tables: Vec<TableSize>,
    /// Packages of the catalogue.
    pub packages: u64,
    /// Distinct formularies.
    pub formularies: u64,
    /// Bytes of the catalogue: names, codes, their search index.
    pub catalogue_bytes: u64,
    /// Bytes of what the formularies list.
    pub formulary_bytes: u64,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileSize {
    /// Path inside the dataset.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
}

/// One table or index of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableSize {
    /// Its name.
    pub name: String,
    /// For an index the table that it belongs to.
    pub index_of: Option<String>,
    /// Bytes of its pages.
    pub bytes: u64,
    /// Of those, bytes that nothing uses.
    pub unused: u64,
    /// What it serves.
    pub part: SizePart,
}

/// What bytes serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SizePart {
    /// Drugs: names, codes and how they are found.
    Catalogue,
    /// What formularies list.
    Formularies,
    /// Plans and their networks.
    Plans,
    /// The sync report and SQLite's own.
    Other,
}

impl Sizes {
    /// Bytes of the catalogue for each of its packages; `None` where tables were not told apart, or
    /// nothing is there.
    #[must_use]
    pub fn bytes_per_package(&self) -> Option<f64> {
        self.ratio(self.catalogue_bytes, self.packages)
    }

    /// Bytes of the formularies for each package of the catalogue and each distinct formulary.
    #[must_use]
    pub fn bytes_per_package_and_formulary(&self) -> Option<f64> {
        self.ratio(self.formulary_bytes, self.packages * self.formularies)
    }

    #[allow(clippy::cast_precision_loss, reason = "a ratio for people, of numbers far below 2^52")]
    fn ratio(&self, bytes: u64, of: u64) -> Option<f64> {
        (of > 0 && !self.tables.is_empty()).then(|| bytes as f64 / of as f64)
    }
}

impl SizePart {
    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Catalogue => "catalogue",
            Self::Formularies => "formularies",
            Self::Plans => "plans",
            Self::Other => "other",
        }
    }

    fn of_table(name: &str) -> Self {
        match name {
            "drug_line" | "package" | "rxnorm" | "rxnorm_set" | "array" => Self::Catalogue,
            "formulary" | "formulary_term" | "term" | "term_conflict" | "tier" => Self::Formularies,
            "plan" | "network" | "plan_network" | "plan_area" | "plan_link" | "plan_tier" => Self::Plans,
            _ => Self::Other,
        }
    }
}

impl Dataset {
    /// Where the bytes are. Walks every page of the database.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let sizes = Dataset::open(path)?.sizes()?;
    /// for file in &sizes.files {
    ///     println!("{}: {} bytes", file.path, file.bytes);
    /// }
    /// assert!(sizes.files.iter().any(|file| file.path == "coverdex.sqlite"));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if it cannot be read.
    pub fn sizes(&self) -> Result<Sizes> {
        let manifest = self.manifest();
        let count = |name: &str| manifest.counts.get(name).copied().unwrap_or(0);
        let files: Vec<FileSize> =
            manifest.files.iter().map(|file| FileSize { path: file.path.clone(), bytes: file.length }).collect();
        let tables = self.inner.database.with_cancelled_by(&self.cancel, table_sizes)?;
        let of_part = |part| tables.iter().filter(|t: &&TableSize| t.part == part).map(|t| t.bytes).sum::<u64>();
        let in_index = |file: &&FileSize| file.path.split('/').next() == Some(DRUG_INDEX);
        let index: u64 = files.iter().filter(in_index).map(|file| file.bytes).sum();
        Ok(Sizes {
            catalogue_bytes: of_part(SizePart::Catalogue) + index,
            formulary_bytes: of_part(SizePart::Formularies),
            packages: count("packages"),
            formularies: count("formularies"),
            files,
            tables,
        })
    }
}

fn table_sizes(connection: &rusqlite::Connection) -> rusqlite::Result<Vec<TableSize>> {
    let compiled_in: bool =
        connection.query_row("SELECT sqlite_compileoption_used('ENABLE_DBSTAT_VTAB')", [], |row| row.get(0))?;
    if !compiled_in {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare(
        "SELECT d.name, s.tbl_name, sum(d.pgsize) AS bytes, sum(d.unused)
         FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name
         GROUP BY d.name ORDER BY bytes DESC, d.name",
    )?;
    let rows = statement.query_map([], |row| {
        let (name, table): (String, Option<String>) = (row.get(0)?, row.get(1)?);
        let (bytes, unused): (i64, i64) = (row.get(2)?, row.get(3)?);
        let part = SizePart::of_table(table.as_deref().unwrap_or(&name));
        let index_of = table.filter(|table| *table != name);
        let number = |value: i64| u64::try_from(value).unwrap_or(0);
        Ok(TableSize { name, index_of, bytes: number(bytes), unused: number(unused), part })
    })?;
    rows.collect()
}
