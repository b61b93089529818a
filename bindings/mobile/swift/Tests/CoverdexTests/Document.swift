@testable import Coverdex

extension JSON {
    /// The document of an answer, as `coverdex --json` prints it.
    init(_ value: Any) {
        switch value {
        case let json as JSON: self = json
        case let text as String: self = .text(text)
        case let id as any Identifier: self = .text(id.rawValue)
        case let flag as Bool: self = .flag(flag)
        case let number as Int32: self = .number(Double(number))
        case let number as Int64: self = .number(Double(number))
        case let number as Double: self = .number(number)
        case let answer as any Document: self = .object(answer.document)
        default:
            let mirror = Mirror(reflecting: value)
            switch mirror.displayStyle {
            case .optional: self = mirror.children.first.map { JSON($0.value) } ?? .null
            case .collection: self = .list(mirror.children.map { JSON($0.value) })
            case .dictionary:
                let pairs = mirror.children.compactMap { $0.value as? (key: String, value: Int64) }
                self = .object(Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, JSON($0.value)) }))
            case .enum: self = .text(snakeCase("\(value)"))
            default: self = .object(fields(of: value))
            }
        }
    }
}

func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
}

/// The fields of a struct; those of the structs that a document has no name for stand beside them. Kilometers are
/// told to the meter.
private func fields(of value: Any) -> [String: JSON] {
    var own: [String: JSON] = [:]
    var beside: [String: JSON] = [:]
    var notes: [JSON] = []
    for (label, value) in Mirror(reflecting: value).children {
        let field = snakeCase(label ?? "")
        let json = JSON(value)
        if ["origin", "coverage", "statement", "asked", "line", "practice", "key", "answer"].contains(field) {
            if case .object(let inner) = json { beside.merge(inner) { one, _ in one } }
        } else if let drug = value as? AskedDrug {
            beside.merge(drug.document) { one, _ in one }
            notes = drug.document["notes"]?.list ?? []
        } else if let plan = value as? Plan {
            beside.merge(plan.head) { one, _ in one }
        } else if case .number(let number) = json, field.hasSuffix("_km") {
            own[field] = .number((number * 1000).rounded() / 1000)
        } else {
            own[field] = json
        }
    }
    var all = own.merging(beside) { one, _ in one }
    if !notes.isEmpty { all["notes"] = .list((own["notes"]?.list ?? []) + notes) }
    return all
}

/// An answer whose document has other fields than itself.
protocol Document {
    var document: [String: JSON] { get }
}

extension Plan {
    /// What tells a plan among others.
    var head: [String: JSON] {
        [
            "plan": JSON(id), "name": JSON(name as Any), "types": JSON(types), "audience": JSON(audience),
            "year": JSON(year as Any),
        ]
    }
}

extension PlanHere: Document {
    var document: [String: JSON] {
        fields(of: plan).merging(plan.head) { $1 }.merging([
            "type": JSON(plan.typeCode as Any), "offered": JSON(offered as Any),
        ]) { $1 }
    }
}

extension PlanBeside: Document {
    var document: [String: JSON] {
        ["plan": JSON(plan?.id as Any), "name": JSON(plan?.name as Any), "changes": JSON(changes)]
    }
}

extension AskedDrug: Document {
    var document: [String: JSON] {
        fields(of: self).merging(["notes": JSON([problem].compactMap { $0 } + notes)]) { $1 }
    }
}

extension AskedProvider: Document {
    var document: [String: JSON] {
        fields(of: self).merging(["notes": JSON([problem].compactMap { $0 } + notes)]) { $1 }
    }
}

extension Varies: Document {
    var document: [String: JSON] {
        fields(of: self).merging([
            "prior_authorization": JSON([priorAuthorization, of]), "step_therapy": JSON([stepTherapy, of]),
            "quantity_limit": JSON([quantityLimit, of]),
        ]) { $1 }
    }
}

extension AskedNetworks: Document {
    var document: [String: JSON] {
        let all = fields(of: self).merging(["asked_networks": JSON(networks as Any)]) { $1 }
        return all.filter { $0.key != "networks" }
    }
}

extension NetworkGap: Document {
    var document: [String: JSON] { fields(of: network).merging(["reason": JSON(reason)]) { $1 } }
}

extension NetworkMatrixPlan: Document {
    var document: [String: JSON] { fields(of: self).merging(["complete": JSON(gaps.isEmpty)]) { $1 } }
}

extension PlanStanding: Document {
    var document: [String: JSON] {
        plan.head.merging(standing.document) { $1 }
            .merging(["complete": JSON(gaps.isEmpty), "gaps": JSON(gaps)]) { $1 }
    }
}

extension Standing: Document {
    var document: [String: JSON] { fields(of: self).merging(["network_status": JSON(status)]) { $1 } }
}

extension PracticeLocation: Document {
    var document: [String: JSON] {
        fields(of: self).merging(["npi": JSON(npi?.rawValue ?? statedNpi ?? ""), "npi_valid": JSON(npi != nil)]) { $1 }
    }
}

/// No payer's resources are at hand to look anything up in.
extension CoverageExplanation: Document {
    var document: [String: JSON] { fields(of: self).merging(["sources": .null]) { $1 } }
}

extension ProviderExplanation: Document {
    var document: [String: JSON] { fields(of: self).merging(["sources": .null]) { $1 } }
}

extension ProviderAnswer: Document {
    var document: [String: JSON] {
        let nobody: [String: JSON] = [
            "kind": .null, "aliases": .list([]), "other_names": .list([]), "gender": .null, "languages": .list([]),
            "phones": .list([]), "locations": .list([]), "npi": JSON(npi), "network_status": .text("not_in_directory"),
        ]
        let nowhere: [String: JSON] = [
            "network_status": .null, "reason": .null, "networks": .list([]), "inactive": .list([]),
            "inactive_dates": .list([]), "shared_role": .flag(false),
        ]
        var all = nowhere.merging(asked.document) { $1 }.merging(fields(of: origin)) { $1 }
        all.merge(["summary": JSON(summary), "notes": JSON(notes)]) { $1 }
        if let standing {
            all.merge(fields(of: standing).merging(["network_status": JSON(standing.status)]) { $1 }) { $1 }
        }
        guard let provider else { return all.merging(nobody) { standing == nil || $0 == .null ? $1 : $0 } }
        let npi = provider.npi?.rawValue ?? provider.statedNpi ?? ""
        return all.merging(fields(of: provider)) { $1 }.merging(["npi": JSON(npi)]) { $1 }
    }
}

extension Info: Document {
    var document: [String: JSON] {
        let resources = self.resources.map { resource in
            JSON.object(
                fields(of: resource).merging([
                    "type": JSON(resource.resource),
                    "reasons": JSON(reasons.filter { $0.resource == resource.resource }),
                ]) { $1 })
        }
        let tiers = self.tiers.map { JSON.object(fields(of: $0).merging(fields(of: $0.tier)) { one, _ in one }) }
        let plans = self.plans.map { JSON.object(fields(of: $0).merging($0.head) { $1 }) }
        return fields(of: self).merging([
            "report": .object(["resources": .list(resources), "plans": .list(plans), "tiers": .list(tiers)])
        ]) { $1 }
    }
}

extension Failure {
    /// The error document.
    var document: JSON {
        let name = Mirror(reflecting: self).children.first?.label ?? ""
        return .object([
            "kind": .text(String(snakeCase(name).dropFirst())), "subject": .text(problem.subject),
            "message": .text(problem.message), "hint": JSON(problem.hint as Any),
            "candidates": JSON(problem.candidates),
        ])
    }
}
