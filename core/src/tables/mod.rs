//! Whole tables for analysts, read in batches of rows: what the door to Python gives out as Arrow and
//! what `coverdex export` writes as Parquet. The columns of each table are defined here once.

mod column;
mod formulary;
mod plans;
mod practice;

use std::fmt;

pub use column::{Batch, Column, ColumnKind, PlainValues, TextValues, TextsValues, Values};

use crate::Result;
use crate::dataset::Dataset;
use crate::plans::PlanFilter;

use column::Columns;

/// Rows of a batch at most.
const MOST_ROWS: usize = 1 << 16;

/// Which table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TableQuery {
    /// One row for each plan that fits.
    Plans(PlanFilter),
    /// One row for each package or entry that the formulary of a plan lists, in each year that the text may mean.
    Formulary(String),
    /// One row for each role of a provider at a place. Specialty and network hold within one role, so a
    /// provider with two roles at one place has two rows.
    PracticeLocations(PracticeQuery),
}

/// Which practice locations; what is not said fits all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PracticeQuery {
    /// Roles in one of this plan's networks, by id or name; of several years that the text may mean, the first.
    pub plan: Option<String>,
    /// Roles in this network, `SYSTEM|ID`, or an id that only one network has; not beside a plan.
    pub network: Option<String>,
    /// Places in this county, by name and state or FIPS code.
    pub county: Option<String>,
    /// Places in this state, by name or letters; not beside a county.
    pub state: Option<String>,
    /// Inactive roles too.
    pub inactive: bool,
}

/// A table that is read batch by batch.
pub struct Table {
    name: &'static str,
    columns: &'static [Column],
    rows: Box<dyn Rows>,
}

/// Where the rows of a table come from.
trait Rows: Send {
    /// The next rows, at most so many; none: the table is at its end.
    fn next(&mut self, most: usize) -> Result<Batch>;

    /// The same rows in several stretches, in their order, if none was read.
    fn split(self: Box<Self>, parts: usize) -> Vec<Box<dyn Rows>>;
}

impl Table {
    fn new<C: Columns>(name: &'static str, rows: impl Rows + 'static) -> Self {
        Self { name, columns: C::COLUMNS, rows: Box::new(rows) }
    }

    /// The table's name: `plans`, `formulary`, `practice_locations`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its columns, in their order.
    #[must_use]
    pub fn columns(&self) -> &'static [Column] {
        self.columns
    }

    /// The next rows: at most so many, and at most 65,536; `None` behind the last.
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if they cannot be read,
    /// [`Interrupted`](crate::ErrorKind::Interrupted) if the dataset's token was cancelled.
    pub fn next_batch(&mut self, most: usize) -> Result<Option<Batch>> {
        let batch = self.rows.next(most.clamp(1, MOST_ROWS))?;
        Ok((batch.rows > 0).then_some(batch))
    }
}

impl Table {
    /// The same rows as several tables, in their order, for as many threads to read; one, if it is not worth it or
    /// a batch was read.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, PracticeQuery, TableQuery};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let mut rows = 0;
    /// for mut part in dataset.table(TableQuery::PracticeLocations(PracticeQuery::default()))?.split(2) {
    ///     while let Some(batch) = part.next_batch(1_000)? {
    ///         rows += batch.rows;
    ///     }
    /// }
    /// assert!(rows > 10);
    /// # Ok(())
    /// # });
    /// ```
    #[must_use]
    pub fn split(self, parts: usize) -> Vec<Self> {
        let (name, columns) = (self.name, self.columns);
        self.rows.split(parts.max(1)).into_iter().map(|rows| Self { name, columns, rows }).collect()
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Dataset {
    /// A whole table. The token that the dataset is [bound to](Dataset::cancelled_by) stops reading it.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, TableQuery, Values};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let mut table = dataset.table(TableQuery::Formulary("H9231-001-000-2027".to_owned()))?;
    /// let batch = table.next_batch(1_000)?.unwrap();
    /// assert_eq!((batch.rows, batch.columns.len()), (4, table.columns().len()));
    /// assert!(table.next_batch(1_000)?.is_none());
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for a
    /// plan, network or county, and for practice locations of a dataset without a directory;
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) for a plan beside a network and a county beside a state.
    pub fn table(&self, query: TableQuery) -> Result<Table> {
        match query {
            TableQuery::Plans(filter) => plans::table(self, &filter),
            TableQuery::Formulary(plan) => formulary::table(self, &plan),
            TableQuery::PracticeLocations(query) => practice::table(self, &query),
        }
    }
}

/// Rows that are read one by one, numbered from a first to a last.
fn filled<C: Columns>(most: usize, mut next: impl FnMut(&mut C) -> Result<bool>) -> Result<Batch> {
    let mut columns = C::default();
    let mut rows = 0;
    while rows < most && next(&mut columns)? {
        rows += 1;
    }
    Ok(Batch { rows, columns: columns.finish() })
}
