//! Tables for people: as wide as the terminal, colored where it shows colors.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, Table, Width,
};
use coverdex_core::CoverageStatus;
use coverdex_core::NetworkStatus;

use crate::output::Look;
use crate::words;

/// Columns from which nothing needs to be squeezed.
pub(crate) const ROOMY: u16 = 96;

/// Columns of `stated` with a blank at each side.
const SHORT_WORD: u16 = 8;

/// A table whose rows are one line each, mostly.
pub(crate) fn list(look: Look, header: &[&str]) -> Table {
    let mut table = grid(look, header);
    let style = table.style().row_separator(LineStyle::none());
    table.load_style(style);
    table
}

/// A table whose cells hold several lines: rows are set apart.
pub(crate) fn grid(look: Look, header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(look.width);
    if look.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.set_header(header.iter().map(|title| Cell::new(title).add_attribute(Attribute::Bold)));
    table
}

/// Keeps a column of codes in one line each.
pub(crate) fn unbroken(table: &mut Table, column: usize) {
    if let Some(column) = table.column_mut(column) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
}

/// Where room is scarce, lets columns of short words (`not stated`) wrap before others do.
pub(crate) fn narrow(look: Look, table: &mut Table, columns: std::ops::Range<usize>) {
    if look.width >= ROOMY {
        return;
    }
    for column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(SHORT_WORD)));
        }
    }
}

/// Keeps a column from taking more than so many columns of the terminal.
pub(crate) fn at_most(table: &mut Table, column: usize, width: u16) {
    if let Some(column) = table.column_mut(column) {
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(width)));
    }
}

/// A cell of a payer's or a person's words.
pub(crate) fn text(text: impl AsRef<str>) -> Cell {
    Cell::new(words::shown(text.as_ref()))
}

/// A cell of a number.
pub(crate) fn number(text: impl AsRef<str>) -> Cell {
    Cell::new(text.as_ref()).set_alignment(CellAlignment::Right)
}

/// A cell in the color of a status: green what is covered, yellow what needs a look, red what is not.
pub(crate) fn status(status: CoverageStatus, words: &str) -> Cell {
    let color = match status {
        CoverageStatus::Covered => Color::Green,
        CoverageStatus::NotCovered | CoverageStatus::NotListed => Color::Red,
        // What needs a look.
        _ => Color::Yellow,
    };
    text(words).fg(color)
}

/// Words that begin a part of a page, bold where colors are shown.
#[cfg(feature = "sandbox")]
pub(crate) fn strong(look: Look, text: &str) -> String {
    if look.color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// A cell in the color of a provider's standing.
pub(crate) fn standing(status: NetworkStatus, words: &str) -> Cell {
    let color = match status {
        NetworkStatus::InNetwork => Color::Green,
        NetworkStatus::OtherNetworksOnly | NetworkStatus::NotInDirectory | NetworkStatus::NoSuchNetwork => Color::Red,
        _ => Color::Yellow,
    };
    text(words).fg(color)
}

/// A flag's cell: a restriction stands out.
pub(crate) fn flag(words: &str) -> Cell {
    let cell = Cell::new(words);
    if words == "no" || words == "not stated" || words.is_empty() { cell } else { cell.fg(Color::Yellow) }
}

/// A cell of a condition: the one that decided stands out.
pub(crate) fn decided(words: &str, decided: bool) -> Cell {
    if decided { text(words).add_attribute(Attribute::Bold) } else { text(words) }
}

/// The table's lines without the blanks at their ends.
pub(crate) fn render(table: &Table) -> String {
    table.trim_fmt() + "\n"
}

/// Wraps a paragraph to a width; it keeps the blanks it begins with, further lines begin with `indent`.
pub(crate) fn wrap(look: Look, paragraph: &str, indent: &str) -> String {
    let width = usize::from(look.width.min(110));
    let mut lines = String::new();
    let mut line: String = paragraph.chars().take_while(|c| *c == ' ').collect();
    for word in paragraph.split_whitespace() {
        if !line.trim().is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push_str(&line);
            lines.push('\n');
            indent.clone_into(&mut line);
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push_str(&line);
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_the_width_and_are_plain_without_color() {
        let look = Look { width: 40, color: false };
        let mut table = grid(look, &["Drug", "Status"]);
        let words = "unknown: the plan's drug list is incomplete, 990 of 33,005 entries are missing";
        table.add_row([text("a drug with a long name 20 mg"), status(CoverageStatus::Unknown, words)]);
        let text = render(&table);
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        let colored = Look { color: true, ..look };
        let mut table = list(colored, &["Status"]);
        table.add_row([status(CoverageStatus::Covered, "covered")]);
        assert!(render(&table).contains('\u{1b}'));
    }

    #[test]
    fn paragraphs_wrap_between_words() {
        let look = Look { width: 20, color: false };
        assert_eq!(wrap(look, "one two three four five six", "  "), "one two three four\n  five six\n");
    }
}
