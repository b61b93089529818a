import Coverdex
import Foundation

/// What a person is shown of a plan and a drug. `nil` is "not stated", which is not "no".
func card(_ answer: CoverageAnswer) -> String {
    let coverage = answer.coverage
    var lines = [answer.drug.readAs ?? answer.drug.query]
    if let readAs = answer.drug.readAs, readAs.lowercased() != answer.drug.query.lowercased() {
        lines.append("asked for: \(answer.drug.query)")
    }
    lines.append([answer.planName, answer.plan.rawValue].compactMap { $0 }.joined(separator: ", "))
    lines.append("")

    lines.append(row("Covered", word(for: coverage.status)))
    if coverage.listed > 0 {
        let tiers = coverage.varies.map(\.tiers) ?? []
        let tier = coverage.statement.tier.map(name(of:)) ?? tiers.map(name(of:)).joined(separator: "; ")
        lines.append(row("Tier", tier.isEmpty ? "not stated" : tier))
    }
    if let restrictions = coverage.restrictions {
        lines.append(row("Prior authorization", word(for: restrictions.priorAuthorization)))
        lines.append(row("Step therapy", word(for: restrictions.stepTherapy)))
        lines.append(row("Quantity limit", word(for: restrictions.quantityLimit)))
        let mail = coverage.statement.mailOrder.map { $0 ? "yes" : "no" }
        lines.append(row("Mail order", mail ?? "not stated"))
    }
    if coverage.listed > 0 {
        let others = coverage.notOnThisList > 0 ? ", \(grouped(coverage.notOnThisList)) others not" : ""
        lines.append(row("Packages", "\(grouped(coverage.listed)) on the list\(others)"))
    }
    if coverage.status != .covered || coverage.varies != nil { lines.append(row("In words", coverage.summary)) }

    // A drug that fits several is an answer too: a person chooses.
    lines += choice("Which of these?", answer.drug.candidates)
    lines += choice("It may also be one of these, which the payer describes less exactly:", coverage.mayBe)

    // The rows above are words, not letters to explain, and one is of mail order.
    let caveats = answer.caveats.filter { $0 != .restrictions && $0 != .mailOrderNotStated }.map { $0.words() }
    let notes = ([answer.drug.problem].compactMap { $0 } + answer.drug.notes + answer.notes + caveats)
    if !notes.isEmpty { lines += [""] + notes }
    lines += ["", "Drug list: " + completeness(coverage), source(answer.origin)]
    return lines.joined(separator: "\n")
}

private func choice(_ question: String, _ candidates: [Candidate]) -> [String] {
    guard !candidates.isEmpty else { return [] }
    let names = candidates.prefix(8).map { "  \($0.name)" + ($0.differs.map { " (\($0))" } ?? "") }
    let more = candidates.count > names.count ? ["  and \(candidates.count - names.count) more"] : []
    return ["", question] + names + more
}

private func row(_ name: String, _ text: String) -> String {
    "  " + name.padding(toLength: 21, withPad: " ", startingAt: 0) + text
}

private func word(for status: CoverageStatus) -> String {
    switch status {
    case .covered: "yes"
    case .notCovered: "no: listed, not covered"
    case .notListed: "no: not on the plan's list"
    case .unknown: "unknown"
    case .mixed: "some packages"
    case .conflict: "the payer contradicts itself"
    case .ambiguous: "depends on which drug is meant"
    case .notFound: "nothing in this data fits"
    }
}

private func word(for restriction: Restriction) -> String {
    switch restriction {
    case .yes: "yes"
    case .no: "no"
    case .varies: "on some packages"
    case .conflict: "the payer contradicts itself"
    case .notStated: "not stated"
    }
}

/// The payer's code, and its words where there are any.
func name(of tier: Tier) -> String { ["tier " + tier.code, tier.display].compactMap { $0 }.joined(separator: ", ") }

/// Absence means something only where the list was received completely.
private func completeness(_ coverage: Coverage) -> String {
    if coverage.reason == .noDrugBenefit { return "none: the plan has no drug benefit" }
    if coverage.reason == .noFormularyPublished { return "none is published" }
    guard coverage.complete else { return "not received completely; what is not there may be covered" }
    guard coverage.gaps > 0 else { return "received completely" }
    return "received but for \(grouped(coverage.gaps)) of \(grouped(coverage.expected)) entries"
}

func source(_ origin: Origin) -> String { "Source: \(origin.source), as of \(origin.asOf.prefix(10))" }

func grouped(_ number: some BinaryInteger) -> String {
    Int(number).formatted(IntegerFormatStyle<Int>(locale: Locale(identifier: "en_US")))
}
