import Foundation
import XCTest

@testable import Coverdex

/// A dataset of the same payer, of a later day.
private let later = URL(fileURLWithPath: ProcessInfo.processInfo.environment["COVERDEX_LATER"] ?? "")

/// Installing what was downloaded.
final class StoreTests: XCTestCase {
    private let files = FileManager.default
    private var work = URL(fileURLWithPath: "/")
    private let first = URL(fileURLWithPath: store)
    private var live: URL { work.appendingPathComponent("live") }

    override func setUpWithError() throws {
        work = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try files.createDirectory(at: work, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try files.removeItem(at: work) }

    func testAnInstalledDatasetIsLive() async throws {
        let download = work.appendingPathComponent("download")
        try files.copyItem(atPath: Dataset(first).folder, toPath: download.path)
        let installed = try await Dataset.install(download, into: live)
        try files.removeItem(at: download)
        XCTAssertFalse(installed.wasThere)
        XCTAssertNil(installed.former)
        let dataset = try await Dataset.open(live)
        XCTAssertEqual(dataset.id, installed.dataset)
        XCTAssertEqual(dataset.asOf, installed.asOf)
        XCTAssertEqual(dataset.folder, installed.folder)
        let answers = try await dataset.coverage(plan: "H9231-001", drug: "eliquis 5 mg")
        let want = try await Dataset.open(first).coverage(plan: "H9231-001", drug: "eliquis 5 mg")
        XCTAssertEqual(answers, want)
        let verified = try await Dataset.verify(live)
        XCTAssertEqual(verified.dataset, installed.dataset)

        let again = try await Dataset.install(first, into: live)
        XCTAssertTrue(again.wasThere)
        XCTAssertEqual(again.dataset, installed.dataset)
    }

    func testALaterDatasetTakesItsPlaceAndTheFormerStaysUntilItIsRemoved() async throws {
        let old = try await Dataset.install(first, into: live)
        let open = try await Dataset.open(live)
        let new = try await Dataset.install(later, into: live)
        XCTAssertNotEqual(new.dataset, old.dataset)
        XCTAssertEqual(new.former, old.folder)
        try await assertLive(new)

        // What was open goes on.
        let answers = try await open.coverage(plan: "H9231-001", drug: "eliquis 5 mg")
        XCTAssertEqual(answers.first?.origin.dataset, old.dataset)

        let back = try await Dataset.rollback(live)
        XCTAssertEqual(back.dataset, old.dataset)
        try await assertLive(old)
        XCTAssertFalse(files.fileExists(atPath: new.folder))

        try await Dataset.install(later, into: live)
        let (removed, removedAgain) = (try await Dataset.removeFormer(live), try await Dataset.removeFormer(live))
        XCTAssertTrue(removed)
        XCTAssertFalse(removedAgain)
        XCTAssertFalse(files.fileExists(atPath: old.folder))
        try await assertLive(new)
        await assertFailure("NotFound") {
            try await Dataset.rollback(self.live)
        }
    }

    func testADamagedDownloadIsRefused() async throws {
        let old = try await Dataset.install(first, into: live)
        let download = work.appendingPathComponent("download")
        try files.copyItem(atPath: Dataset(later).folder, toPath: download.path)
        let file = download.appendingPathComponent("coverdex.sqlite")
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
        await assertFailure("DatasetDamaged") {
            try await Dataset.install(download, into: self.live)
        }
        try await assertLive(old)
        await assertFailure("DatasetMissing") {
            try await Dataset.install(self.work.appendingPathComponent("nothing"), into: self.live)
        }
        try await assertLive(old)
    }

    func testAnInstallThatIsCancelledLeavesTheLiveOne() async throws {
        let old = try await Dataset.install(first, into: live)
        let (live, later) = (live, later)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await Dataset.install(later, into: live)
        }
        task.cancel()
        do {
            try await task.value
            XCTFail("it was installed")
        } catch is CancellationError {}
        try await assertLive(old)

        let token = CancelToken()
        token.cancel()
        let install = { () throws(Failure) in try Dataset.install(later, into: live, cancel: token) }
        XCTAssertThrowsError(try install()) { error in
            guard case Failure.Interrupted = error else { return XCTFail("\(error)") }
        }
        try await assertLive(old)
        try await Dataset.install(later, into: live)
    }

    func testAStoreThatCannotBeWrittenIsNoDamage() async throws {
        await assertFailure("Io") {
            try await Dataset.install(self.first, into: URL(fileURLWithPath: "/proc/coverdex"))
        }
    }

    // MARK: -

    private func assertLive(_ installed: Installed, line: UInt = #line) async throws {
        let dataset = try await Dataset.open(live)
        XCTAssertEqual(dataset.id, installed.dataset, line: line)
        let answers = try await dataset.coverage(plan: "H9231-001", drug: "eliquis 5 mg")
        XCTAssertEqual(answers.first?.origin.dataset, installed.dataset, line: line)
    }

    private func assertFailure<Answer>(
        _ kind: String, line: UInt = #line, _ call: () async throws -> Answer
    ) async {
        do {
            _ = try await call()
            XCTFail("it has an answer", line: line)
        } catch let failure as Failure where Mirror(reflecting: failure).children.first?.label == kind {
            XCTAssertFalse(failure.problem.message.isEmpty, line: line)
        } catch {
            XCTFail("\(error)", line: line)
        }
    }
}
