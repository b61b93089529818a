import Coverdex
import Foundation

/// Shows what fits while a person types, until the input ends. Throws what the last search failed with.
@MainActor
func typeDrugs(_ dataset: Dataset, plan: String?) async throws {
    var failure: (any Error)?
    var shown = 0
    let inTerminal = Keyboard.isTerminal
    let typeAhead = TypeAhead(dataset: dataset, plan: plan) { text, result in
        var lines: [String]
        switch result {
        case .found(let page): (lines, failure) = (list(page), nil)
        case .failed(let error as Failure):
            (lines, failure) = ([words(for: error)], error)
        case .failed(let error): (lines, failure) = ([error.localizedDescription], error)
        }
        if inTerminal {
            // The line that is typed, and below it what was found, cut so that it is a line each; the cursor goes
            // back behind the text.
            lines = lines.flatMap { $0.split(separator: "\n") }.map { String($0.prefix(79)) }
            let below = lines.map { "\r\n\($0)" }.joined()
            write("\r\u{1B}[JDrug: \(text)\(below)\u{1B}[\(lines.count)A\r\u{1B}[\(6 + text.count)C")
            shown = lines.count
        } else if failure == nil {
            write("\(text)\n" + lines.map { "  \($0)\n" }.joined() + "\n")
        }
    }
    if inTerminal {
        write("Type a drug's name; Enter ends.\r\nDrug: ")
        for await text in Keyboard.texts() {
            write("\r\u{1B}[KDrug: \(text)")
            typeAhead.typed(text)
        }
        await typeAhead.finish()
        write(String(repeating: "\n", count: shown) + "\r\n")
    } else {
        for await text in Keyboard.lines() { typeAhead.typed(text) }
        await typeAhead.finish()
        if let failure { throw failure }
    }
}

private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

/// A line for each drug.
func list(_ page: DrugPage) -> [String] {
    var lines = page.results.map { drug in
        let name = [drug.name, drug.strength, drug.form].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        let coverage = drug.coverage.map { " - " + short($0) } ?? ""
        return (name.isEmpty ? "(no name)" : name) + coverage + (drug.misspelt ? " (spelled nearly so)" : "")
    }
    if lines.isEmpty { lines.append("no drug fits") }
    if page.next != nil { lines.append("and more") }
    if !page.ignored.isEmpty { lines.append("not looked for: " + page.ignored.joined(separator: ", ")) }
    return lines + page.notes
}

/// Coverage in half a line.
private func short(_ coverage: Coverage) -> String {
    var parts = [coverage.summary]
    if let tier = coverage.statement.tier { parts.append(name(of: tier)) }
    if let restrictions = coverage.restrictions {
        for (restriction, name) in [
            (restrictions.priorAuthorization, "prior authorization"), (restrictions.stepTherapy, "step therapy"),
            (restrictions.quantityLimit, "quantity limit"),
        ] where restriction == .yes { parts.append(name) }
    }
    return parts.joined(separator: ", ")
}
