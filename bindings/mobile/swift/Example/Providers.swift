import Coverdex
import Foundation

/// Shows who is near, a page after another: `next` of an answer asks for the one behind it.
func showProviders(_ dataset: Dataset, _ question: ProvidersQuestion, pages: Int32?) async throws {
    for answer in try await dataset.searchProviders(question) {
        print(heading(answer))
        var (page, shown) = (answer, Int32(1))
        print(list(page))
        while let next = page.next {
            if let pages {
                guard shown < pages else { break }
            } else {
                guard Keyboard.isTerminal else { break }
                print("Enter shows more, q ends: ", terminator: "")
                guard let line = readLine(), line.isEmpty else { break }
            }
            // A plan's text may mean several years; each has its pages.
            let following = try await dataset.searchProviders(question.with(page: next))
            guard let following = following.first(where: { $0.asked.plan == answer.asked.plan }) else { break }
            (page, shown) = (following, shown + 1)
            print(list(page))
        }
        print(ending(page), terminator: "\n\n")
    }
}

private func heading(_ answer: ProvidersAnswer) -> String {
    let plan = answer.asked.plan.map { id in "in networks of \(answer.asked.planName ?? ""), \(id)" }
    let place = answer.place.label.isEmpty ? nil : "near \(answer.place.label)"
    let reach = answer.place.withinKm.map { "within \(miles($0))" }
    let count = answer.total == 1 ? "1 practice location" : "\(grouped(answer.total)) practice locations"
    var lines = ["\(count) " + [plan, place, reach].compactMap { $0 }.joined(separator: ", ")]
    if !answer.readAs.isEmpty { lines.append("Looked for: " + answer.readAs.joined(separator: ", ")) }
    if answer.total == 0 {
        if let nearest = answer.nearestKm { lines.append("The nearest is \(miles(nearest)) away.") }
        if !answer.similarNames.isEmpty {
            lines.append("Did you mean: " + answer.similarNames.joined(separator: ", ") + "?")
        }
        lines.append(Caveat.directoryIncomplete.words())
    }
    let similar = answer.similarSpecialties.filter { $0.total ?? 0 > 0 }.prefix(3)
    if !similar.isEmpty {
        let each = similar.map { "\($0.name) (\(grouped($0.total ?? 0)))" }
        lines.append("Similar, and not among these: " + each.joined(separator: ", "))
    }
    return (lines + answer.notes).joined(separator: "\n") + "\n"
}

private func list(_ answer: ProvidersAnswer) -> String {
    zip(Int(answer.offset + 1)..., answer.results).map { number, practice in
        let place = practice.location
        let state = [place?.state, place?.zip?.rawValue].compactMap { $0 }.joined(separator: " ")
        let address = [place?.address, place?.city, state].compactMap { $0 }.filter { !$0.isEmpty }
        let near = place?.precision == .point ? "" : "about "
        // Each network is named: a doctor may be in the vision network alone.
        let networks = practice.networks.map { "\($0.label ?? $0.key.id) (\($0.kind))" }
        let distance = practice.distanceKm.map { near + miles($0) } ?? "distance unknown"
        return """
            \(number). \(practice.name.isEmpty ? "(no name)" : practice.name), \(distance)
               \(practice.phone ?? "no phone stated") - \(word(for: practice.acceptingNewPatients))
               \(practice.specialties.isEmpty ? "specialty not stated" : practice.specialties.joined(separator: ", "))
               \(address.isEmpty ? "place not stated" : address.joined(separator: ", "))
               \(networks.isEmpty ? "network not stated" : "in " + networks.joined(separator: ", "))

            """
    }.joined(separator: "\n")
}

private func ending(_ answer: ProvidersAnswer) -> String {
    var lines: [String] = []
    if answer.next != nil { lines.append("There are more.") }
    if answer.placeNotStated > 0 {
        lines.append("Not shown, because their place is not stated: \(grouped(answer.placeNotStated)).")
    }
    if answer.inDoubt > 0 { lines.append("May fit, the payer's data is unclear: \(grouped(answer.inDoubt)).") }
    for gap in answer.asked.gaps {
        lines.append("Incomplete: \(gap.network.label ?? gap.network.key.id): \(gap.reason)")
    }
    lines.append("Directories have errors: call before you go.")
    return (lines + [source(answer.origin)]).joined(separator: "\n")
}

private func word(for accepting: Accepting?) -> String {
    switch accepting {
    case .yes: "takes new patients"
    case .existingAndFamily: "takes its patients and their families"
    case .existingOnly: "takes its own patients only"
    case .no: "takes no new patients"
    case nil: "new patients: not stated"
    }
}

private func miles(_ kilometers: Double) -> String {
    String(format: "%.1f miles", locale: Locale(identifier: "en_US_POSIX"), kilometers / 1.609344)
}
