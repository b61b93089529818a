import Coverdex
import Foundation
import XCTest

/// What README.md shows compiles, runs, and is what stands here.
final class ReadmeTests: XCTestCase {
    func testItsExampleAnswers() async throws {
        let folder = URL(fileURLWithPath: store)
        // README
        let dataset = try await Dataset.open(folder)
        for answer in try await dataset.coverage(plan: "H9231-001", drug: "eliquis 5 mg") {
            print(answer.plan, answer.coverage.status, answer.coverage.statement.tier?.display ?? "tier not stated")
        }
        let typed = try await dataset.searchDrugs(DrugsQuestion(text: "eliq", plan: "H9231-001", limit: 5))
        let search = ProvidersQuestion(
            plan: "H9231-001", place: .point(latitude: 32.32, longitude: -106.77), accepting: true, limit: 1)
        let near = try await dataset.searchProviders(search)
        if let next = near.first?.next { _ = try await dataset.searchProviders(search.with(page: next)) }
        // end
        XCTAssertEqual(typed.first?.results.first?.name.lowercased(), "eliquis")
        XCTAssertEqual(near.first?.results.first?.acceptingNewPatients, .yes)
    }

    func testItsExampleIsTheOneThatWasRun() throws {
        let here = URL(fileURLWithPath: #filePath)
        let own = try String(contentsOf: here, encoding: .utf8)
        let readme = try String(
            contentsOf: here.appendingPathComponent("../../../README.md").standardizedFileURL, encoding: .utf8)
        let lines = own.components(separatedBy: "\n")
        let from = try XCTUnwrap(lines.firstIndex { $0.hasSuffix(" // README") })
        let to = try XCTUnwrap(lines.firstIndex { $0.hasSuffix(" // end") })
        let run = lines[(from + 1)..<to].map { String($0.dropFirst(8)) }.joined(separator: "\n")
        XCTAssertTrue(readme.contains("```swift\nimport Coverdex\n\n\(run)\n```"), "README.md has not:\n\(run)")
    }
}
