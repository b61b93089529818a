import Foundation
import XCTest

@testable import Coverdex

/// The dataset of the questions that every door is asked.
let store = ProcessInfo.processInfo.environment["COVERDEX_STORE"] ?? ""

final class LibraryTests: XCTestCase {
    /// The generated code ends the process where the library is another one than it was written for.
    func testTheLibraryIsTheOneOfThisPackage() { uniffiEnsureCoverdexMobileInitialized() }

    func testACallOutsideATaskBlocks() throws {
        let dataset = try Dataset(path: store)
        let answers = try dataset.coverage(plan: "H9231-001-000-2026", drug: "eliquis 5 mg")
        XCTAssertEqual(answers.map(\.coverage.status), [.covered])
        XCTAssertEqual(answers.first?.plan, PlanId(rawValue: "H9231-001-000-2026"))
    }

    func testACallInATaskDoesNot() async throws {
        let dataset = try await Dataset.open(path: store)
        let answers = try await dataset.coverage(plan: "H9231-001", drug: "eliquis 5 mg")
        XCTAssertEqual(answers.first?.coverage.statement.tier?.display, "Preferred Brand")
        let verified = try await Dataset.verify(URL(fileURLWithPath: store))
        XCTAssertGreaterThan(verified.files, 0)
    }

    func testFailuresAreApartAndSayTheWayOut() async throws {
        let dataset = try await Dataset.open(path: store)
        do {
            _ = try await dataset.coverage(plan: "H9231-009", drug: "eliquis 5 mg")
            XCTFail("there is no such plan")
        } catch let failure as Failure {
            guard case .NotFound(let problem) = failure else { return XCTFail("\(failure)") }
            XCTAssertEqual(problem.subject, "plan H9231-009")
            XCTAssertEqual(failure.errorDescription, "plan H9231-009: not in this dataset")
            XCTAssertEqual((failure as any Error).localizedDescription, failure.description)
            XCTAssertEqual(failure.recoverySuggestion, problem.hint)
        }
        do {
            _ = try await Dataset.open(path: store + "/nothing")
            XCTFail("nothing is there")
        } catch Failure.DatasetMissing {}
    }

    func testAnswersAndIdentifiersAreCodable() async throws {
        let dataset = try await Dataset.open(path: store)
        let answers = try await dataset.coverage(plan: "H9231-001", drug: "eliquis 5 mg")
        let read = try JSONDecoder().decode([CoverageAnswer].self, from: JSONEncoder().encode(answers))
        XCTAssertEqual(read, answers)
        let npi = try JSONEncoder().encode([Npi(rawValue: "1419354281")])
        XCTAssertEqual(String(decoding: npi, as: UTF8.self), "[\"1419354281\"]")
    }

    func testQuestionsAreWrittenAsPeopleSayThem() async throws {
        let dataset = try await Dataset.open(path: store)
        let here = Place.point(latitude: 32.3, longitude: -106.78)
        guard case .point(let text) = here else { return XCTFail("\(here)") }
        XCTAssertEqual(text, "32.30000,-106.78000")
        let near = try await dataset.searchProviders(ProvidersQuestion(place: here, withinKm: 100))
        XCTAssertGreaterThan(near[0].total, 0)
        let found = try await dataset.explainProvider(
            "Patrick O'Hara", search: ProvidersQuestion(plan: "H9231-001-000-2026", place: here))
        XCTAssertFalse(found[0].conditions.isEmpty)
    }

    /// What the library uses of the interfaces that Apple asks reasons for: files' lengths and times, the time that
    /// passes during a call, the room that an install finds.
    func testThePrivacyManifestIsInTheBundle() throws {
        let file = try XCTUnwrap(Bundle.module.url(forResource: "PrivacyInfo", withExtension: "xcprivacy"))
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        let manifest = try XCTUnwrap(list as? [String: Any])
        XCTAssertEqual(manifest["NSPrivacyTracking"] as? Bool, false)
        XCTAssertEqual((manifest["NSPrivacyTrackingDomains"] as? [Any])?.count, 0)
        XCTAssertEqual((manifest["NSPrivacyCollectedDataTypes"] as? [Any])?.count, 0)
        let used = try XCTUnwrap(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        let reasons = used.map { one in
            let reasons = one["NSPrivacyAccessedAPITypeReasons"] as? [String]
            return (one["NSPrivacyAccessedAPIType"] as? String ?? "", reasons ?? [])
        }
        XCTAssertEqual(
            Dictionary(uniqueKeysWithValues: reasons),
            [
                "NSPrivacyAccessedAPICategoryFileTimestamp": ["C617.1"],
                "NSPrivacyAccessedAPICategorySystemBootTime": ["35F9.1"],
                "NSPrivacyAccessedAPICategoryDiskSpace": ["E174.1"],
            ])
    }
}
