import Foundation
import XCTest

@testable import Coverdex

/// The questions that every door is asked, with their right answers.
final class QuestionTests: XCTestCase {
    func testEveryQuestionHasItsRightAnswer() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../../tests/questions/questions.json")
        let questions = try JSONDecoder().decode(JSON.self, from: Data(contentsOf: file))["questions"]?.list ?? []
        let dataset = try await Dataset.open(path: store)
        var (right, left) = (0, 0)
        for question in questions {
            let args = Args(question["args"])
            // The payer's resources are not in a dataset.
            if args["sources"] != nil {
                left += 1
                continue
            }
            let differences: [String]
            do {
                let answer = try await ask(dataset, question["verb"]?.text ?? "", args)
                differences = question["answer"].map { JSON.differences($0, answer) } ?? ["it has an answer: \(answer)"]
            } catch let failure as Failure {
                differences =
                    question["error"].map { JSON.differences($0, failure.document) } ?? ["it failed: \(failure)"]
            }
            right += differences.isEmpty ? 1 : 0
            if !differences.isEmpty {
                XCTFail("\(question["id"]?.text ?? ""): \(differences.joined(separator: "\n    "))")
            }
        }
        print("\(questions.count - left) questions asked, \(right) right")
        print("\(left) left out: they look into the payer's resources")
        XCTAssertGreaterThan(right, 300)
    }
}

/// What a question's verb is called with.
struct Args {
    private let fields: JSON

    init(_ fields: JSON?) { self.fields = fields ?? .object([:]) }

    subscript(name: String) -> JSON? { fields[name] }

    func text(_ name: String) -> String? { fields[name]?.text }

    func texts(_ name: String) -> [String] { fields[name]?.list.compactMap(\.text) ?? [] }

    func providers(_ name: String) -> [ProviderText] { texts(name).map { ProviderText(text: $0) } }

    func flag(_ name: String) -> Bool { fields[name] == .flag(true) }

    func real(_ name: String) -> Double? {
        guard case .number(let number) = fields[name] else { return nil }
        return number
    }

    func number(_ name: String) -> Int32? { real(name).map { Int32($0) } }

    /// A variant of an enum by its name in documents.
    func named<Kind: CaseIterable>(_ name: String) -> Kind? {
        text(name).flatMap { text in Kind.allCases.first { snakeCase("\($0)") == text } }
    }

    var place: Place? {
        text("county").map { .county(text: $0) } ?? text("zip").map { .zip(text: $0) }
            ?? text("at").map { .point(text: $0) } ?? text("state").map { .state(text: $0) }
    }
}

/// The document of a verb's answer.
private func ask(_ dataset: Dataset, _ verb: String, _ args: Args) async throws -> JSON {
    let (plan, drug, place) = (args.text("plan") ?? "", args.text("drug") ?? "", args.place)
    let (year, limit) = (args.number("year"), args.number("limit"))
    let (audience, networkKind) = (args.named("audience") as Audience?, args.named("network_kind") as NetworkKind?)
    let nowhere = Place.county(text: "")
    var page = args.text("page").map { PageToken(rawValue: $0) }
    if case .object = args["page"] {
        let former = try await ask(dataset, verb, Args(args["page"]))
        let next = (former.list.first ?? former)["next"]?.text
        page = PageToken(rawValue: try XCTUnwrap(next, "there is no further page"))
    }
    let search = ProvidersQuestion(
        plan: args.text("plan"), network: args.text("network"), networkKind: networkKind, place: place,
        withinKm: args.real("within_km"), specialty: args.text("specialty"), name: args.text("name"),
        kind: args.named("kind"), gender: args.text("gender"), language: args.text("language"),
        accepting: args.flag("accepting"), city: args.text("city"), limit: limit ?? 20,
        offset: args.number("offset") ?? 0, page: page)
    switch verb {
    case "info": return JSON(try await dataset.info())
    case "counties": return JSON(try await dataset.counties(args.text("text") ?? ""))
    case "plans":
        return JSON(
            try await dataset.plans(
                PlansQuestion(
                    text: args.text("text"), typeCode: args.text("type"), audience: audience, year: year,
                    place: place)))
    case "coverage": return JSON(try await dataset.coverage(plan: plan, drug: drug, at: place))
    case "explain_coverage": return JSON(try await dataset.explainCoverage(plan: plan, drug: drug, at: place))
    case "coverage_matrix":
        return JSON(
            try await dataset.coverageMatrix(
                MatrixQuestion(
                    drugs: args.texts("drugs"), plans: args.texts("plans"), place: place, year: year,
                    audience: audience)))
    case "compare":
        return JSON(
            try await dataset.compare(
                ComparisonQuestion(
                    drugs: args.texts("drugs"), providers: args.providers("providers"), plans: args.texts("plans"),
                    place: place, year: year, beside: args.number("beside"), audience: audience)))
    case "same_ingredient":
        return JSON(
            try await dataset.sameIngredient(
                OptionsQuestion(
                    plan: plan, drug: drug, place: place, notListed: args.flag("not_listed"), limit: limit ?? 20,
                    page: page)))
    case "plans_covering":
        return JSON(
            try await dataset.plansCovering(
                CoveringQuestion(drug: drug, place: place ?? nowhere, year: year, audience: audience)))
    case "search_drugs":
        return firstWithOthers(
            try await dataset.searchDrugs(
                DrugsQuestion(
                    text: args.text("text") ?? "", plan: args.text("plan"), limit: limit ?? 10, page: page)))
    case "search_providers": return firstWithOthers(try await dataset.searchProviders(search))
    case "provider", "network_status":
        return firstWithOthers(
            try await dataset.provider(
                ProviderQuestion(
                    npi: args.text("npi") ?? "", name: args.text("name"), plan: args.text("plan"),
                    network: args.text("network"), networkKind: networkKind)))
    case "network_matrix":
        return JSON(
            try await dataset.networkMatrix(
                NetworkMatrixQuestion(
                    providers: args.providers("providers"), plans: args.texts("plans"), place: place, year: year,
                    audience: audience, networkKind: networkKind)))
    case "plans_taking":
        let provider = ProviderText(text: args.text("provider") ?? "", name: args.text("name"))
        return JSON(
            try await dataset.plansTaking(
                TakingQuestion(
                    provider: provider, place: place ?? nowhere, year: year, audience: audience,
                    networkKind: networkKind)))
    case "practicing_at":
        return JSON(
            try await dataset.practicingAt(
                PracticingAtQuestion(
                    address: args.text("address"), phone: args.text("phone"), limit: limit ?? 20, page: page)))
    case "explain_provider":
        let provider = ProviderText(text: args.text("provider") ?? "")
        return JSON(try await dataset.explainProvider(provider, search: search))
    default: throw CocoaError(.featureUnsupported, userInfo: ["verb": verb])
    }
}

/// The first answer; those of further years of the plan stand in `also`.
private func firstWithOthers<Answer>(_ answers: [Answer]) -> JSON {
    guard let first = answers.first, case .object(var fields) = JSON(first) else { return .null }
    if answers.count > 1 { fields["also"] = JSON(Array(answers.dropFirst())) }
    return .object(fields)
}
