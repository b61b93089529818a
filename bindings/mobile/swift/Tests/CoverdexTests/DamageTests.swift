import Foundation
import XCTest

@testable import Coverdex

/// Datasets that are not as they should be: each is told apart, with words for people, and no answer is a wrong one.
final class DamageTests: XCTestCase {
    private var folder = URL(fileURLWithPath: "/")

    /// A copy of the live dataset, to be damaged.
    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.copyItem(atPath: Dataset(path: store).folder, toPath: folder.path)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

    func testAWholeDatasetIsFoundWhole() async throws {
        let verified = try await Dataset.verify(folder)
        XCTAssertEqual(verified.dataset, try Dataset(path: store).id)
        XCTAssertEqual(Int(verified.files), try files().count)
    }

    func testAnAlteredByteIsFoundInEachFile() async throws {
        for file in try files() {
            let whole = try Data(contentsOf: file)
            for at in [0, whole.count / 2, whole.count - 1] {
                var altered = whole
                altered[at] ^= 0x10
                try altered.write(to: file)
                await assertDamaged(file, "byte \(at)")
                try assertNoWrongAnswer("\(file.lastPathComponent), byte \(at)")
            }
            try whole.write(to: file)
        }
        _ = try await Dataset.verify(folder)
    }

    func testATruncatedFileIsFound() async throws {
        for file in try files() {
            let whole = try Data(contentsOf: file)
            for length in [0, whole.count / 2, whole.count - 1] {
                try whole.prefix(length).write(to: file)
                await assertDamaged(file, "\(length) of \(whole.count) bytes")
                try assertNoWrongAnswer("\(file.lastPathComponent), \(length) of \(whole.count) bytes")
            }
            try whole.write(to: file)
        }
    }

    func testAFileThatIsNotThereIsFound() async throws {
        for file in try files() where file.lastPathComponent != "manifest.json" {
            let whole = try Data(contentsOf: file)
            try FileManager.default.removeItem(at: file)
            await assertDamaged(file, "removed")
            try assertNoWrongAnswer("\(file.lastPathComponent) removed")
            try whole.write(to: file)
        }
    }

    func testANewerFormatAsksForANewerApp() async throws {
        try alterManifest { $0["min_reader"] = 99 }
        await assertTooNew { _ = try await Dataset.open(path: self.folder.path) }
        await assertTooNew { _ = try await Dataset.verify(self.folder) }
    }

    func testWhatIsNoDatasetIsMissing() async throws {
        let files = FileManager.default
        let empty = folder.appendingPathComponent("empty")
        try files.createDirectory(at: empty, withIntermediateDirectories: true)
        let paths = [
            folder.appendingPathComponent("nothing").path, empty.path,
            folder.appendingPathComponent("manifest.json").path,
        ]
        for path in paths {
            for call in [
                { _ = try await Dataset.open(path: path) },
                { _ = try await Dataset.verify(URL(fileURLWithPath: path)) },
            ] {
                do {
                    try await call()
                    XCTFail("\(path) is a dataset")
                } catch Failure.DatasetMissing(let problem) {
                    assertWords(Failure.DatasetMissing(problem: problem), name: path)
                } catch {
                    XCTFail("\(path): \(error)")
                }
            }
        }
    }

    /// An app removes what it has open, or the system clears its caches.
    func testADatasetRemovedWhileItIsOpenGivesNoWrongAnswer() throws {
        let dataset = try Dataset(path: folder.path)
        let before = try answers(dataset)
        for file in try files() { try FileManager.default.removeItem(at: file) }
        do {
            let after = try answers(dataset)
            XCTAssertEqual(after, before)
        } catch .Io {
        } catch {
            XCTFail("\(error)")
        }
    }

    // MARK: -

    /// The files of the dataset; what is remembered of the way to it is no part of it.
    private func files() throws -> [URL] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return try XCTUnwrap(all).compactMap { $0 as? URL }.filter {
            try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
                && $0.lastPathComponent != "crawl.json"
        }
    }

    private func alterManifest(_ alter: (inout [String: Any]) -> Void) throws {
        let file = folder.appendingPathComponent("manifest.json")
        var manifest = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        alter(&manifest)
        try JSONSerialization.data(withJSONObject: manifest).write(to: file)
    }

    private struct Answers: Equatable {
        let coverage: [[CoverageAnswer]]
        let drugs: [DrugPage]
        let providers: [ProvidersAnswer]
        let plans: PlansFound
    }

    private func answers(_ dataset: Dataset) throws(Failure) -> Answers {
        var coverage: [[CoverageAnswer]] = []
        for drug in ["eliquis 5 mg", "metformin", "00003-0894-21"] {
            coverage.append(try dataset.coverage(plan: "H9231-001", drug: drug))
        }
        return Answers(
            coverage: coverage,
            drugs: try dataset.searchDrugs(DrugsQuestion(text: "e", plan: "H9231-001")),
            providers: try dataset.searchProviders(
                ProvidersQuestion(plan: "H9231-001", place: .state(text: "NM"), name: "o")),
            plans: try dataset.plans(PlansQuestion()))
    }

    private func assertNoWrongAnswer(_ what: String, line: UInt = #line) throws {
        let right = try answers(Dataset(path: store))
        do {
            let told = try answers(Dataset(path: folder.path))
            XCTAssertEqual(told, right, what, line: line)
        } catch Failure.DatasetDamaged, Failure.DatasetTooNew {
        } catch {
            XCTFail("\(what): \(error)", line: line)
        }
    }

    private func assertDamaged(_ file: URL, _ what: String, line: UInt = #line) async {
        do {
            _ = try await Dataset.verify(folder)
            XCTFail("\(file.lastPathComponent), \(what): found whole", line: line)
        } catch Failure.DatasetDamaged(let problem) {
            assertWords(Failure.DatasetDamaged(problem: problem), name: file.lastPathComponent, line: line)
        } catch {
            XCTFail("\(file.lastPathComponent), \(what): \(error)", line: line)
        }
    }

    private func assertTooNew(line: UInt = #line, _ call: () async throws -> Void) async {
        do {
            try await call()
            XCTFail("it is read", line: line)
        } catch Failure.DatasetTooNew(let problem) {
            assertWords(Failure.DatasetTooNew(problem: problem), name: "", line: line)
        } catch {
            XCTFail("\(error)", line: line)
        }
    }

    /// What an app shows: the thing by its name, what is wrong with it, the way out.
    private func assertWords(_ failure: Failure, name: String, line: UInt = #line) {
        let error: any Error = failure
        let damages = failure.problem.damages.map { "\($0.file): \($0.message)" }.joined(separator: "; ")
        let words = "\(error.localizedDescription) [\(damages)]"
        XCTAssertTrue(name.isEmpty || words.contains(name), "\(name) is not named: \(words)", line: line)
        XCTAssertFalse(failure.problem.subject.isEmpty || failure.problem.message.isEmpty, words, line: line)
        XCTAssertEqual(error.localizedDescription, "\(failure.problem.subject): \(failure.problem.message)", line: line)
        XCTAssertEqual(failure.failureReason, failure.problem.message, line: line)
        XCTAssertFalse((failure.recoverySuggestion ?? "").isEmpty, "no way out: \(words)", line: line)
    }
}
