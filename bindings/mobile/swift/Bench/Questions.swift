import Coverdex
import Foundation

/// A list that is gone through again and again.
struct Ring<Item: Sendable>: Sendable {
    let items: [Item]

    subscript(number: Int) -> Item { items[number % items.count] }
}

/// What is asked: drawn from what the dataset holds.
struct Questions: Sendable, CustomStringConvertible {
    let plans: Ring<String>
    let codes: Ring<String>
    let names: Ring<String>
    let providers: Ring<ProvidersQuestion>
    private let texts: Ring<String>

    init(drawnFrom dataset: Dataset) throws {
        let found = try dataset.plans(PlansQuestion()).results.map(\.plan)
        let plans = found.filter(\.formulary).map(\.id.rawValue)
        guard let plan = plans.first else { throw Nothing(what: "plan has a drug list") }
        var codes: [String] = []
        var names: [String] = []
        for letter in "abcdefghijklmnopqrstuvwxyz" {
            let pages = try dataset.searchDrugs(DrugsQuestion(text: String(letter), plan: plan, limit: 200))
            for line in pages.first?.results ?? [] {
                codes += line.ndc11.map(\.rawValue)
                if let strength = line.strength, !line.name.isEmpty { names.append("\(line.name) \(strength)") }
            }
        }
        var providers: [ProvidersQuestion] = []
        for plan in found where !plan.networks.isEmpty {
            for state in ["AZ", "CA", "FL", "GA", "IL", "KY", "LA", "MI", "NC", "NM", "NV", "OH", "TX", "VA"] {
                let here = ProvidersQuestion(plan: plan.id.rawValue, place: .state(text: state), limit: 5)
                for practice in try dataset.searchProviders(here).first?.results ?? [] {
                    guard let county = practice.location?.countyFips, let specialty = practice.specialties.first
                    else { continue }
                    providers.append(
                        ProvidersQuestion(
                            plan: plan.id.rawValue, place: .county(text: county.rawValue), specialty: specialty,
                            limit: 20, countSimilar: false))
                }
            }
            if providers.count > 300 { break }
        }
        guard !codes.isEmpty, !names.isEmpty else { throw Nothing(what: "drug is there") }
        guard !providers.isEmpty else { throw Nothing(what: "provider is in a plan's network") }
        // A prime step: neighbours are not asked one after another.
        let step = { (list: [String]) in (0..<list.count).map { list[$0 * 7919 % list.count] } }
        (self.plans, self.codes, self.names) = (Ring(items: plans), Ring(items: step(codes)), Ring(items: step(names)))
        self.providers = Ring(items: providers)
        let typed = [
            "atorvastatin", "lisinopril 20", "metformin 500 mg", "gabapentin", "omeprazole", "sertraline",
            "bupropion xl 150", "pantoprazole 40 mg", "rosuvastatin", "duloxetine",
        ]
        texts = Ring(items: typed.flatMap { text in (2...text.count).map { String(text.prefix($0)) } })
    }

    /// A page while somebody types.
    func typed(_ number: Int) -> DrugsQuestion {
        DrugsQuestion(text: texts[number], plan: plans[0], limit: 10, codes: false)
    }

    func coverage(_ dataset: Dataset, _ number: Int, by drugs: Ring<String>) throws -> [CoverageAnswer] {
        try dataset.coverage(plan: plans[number], drug: drugs[number])
    }

    var description: String {
        "\(plans.items.count) plans, \(codes.items.count) packages, \(names.items.count) names, "
            + "\(providers.items.count) searches for providers"
    }

    struct Nothing: Error { let what: String }
}
