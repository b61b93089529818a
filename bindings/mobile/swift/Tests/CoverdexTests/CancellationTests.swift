import Foundation
import XCTest

@testable import Coverdex

final class CancellationTests: XCTestCase {
    func testACancelledTokenEndsTheCallsThatHaveIt() throws {
        let dataset = try Dataset(path: store)
        let token = CancelToken()
        token.cancel()
        XCTAssertTrue(token.isCancelled())
        XCTAssertThrowsError(try dataset.info(cancel: token)) { error in
            guard case Failure.Interrupted = error else { return XCTFail("\(error)") }
        }
        XCTAssertNoThrow(try dataset.info())
    }

    func testACancelledTaskAsksNothing() async throws {
        let dataset = try await Dataset.open(path: store)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await dataset.searchDrugs(DrugsQuestion(text: "a"))
        }
        task.cancel()
        await assertCancelled(task)
    }

    func testCancellingATaskEndsTheCallThatItIsIn() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await cancellable { token in
                begin.finish()
                let end = Date() + 10
                while !token.isCancelled() {
                    guard Date() < end else { return }
                }
                throw Failure.Interrupted(
                    problem: Problem(subject: "call", message: "cancelled", hint: nil, candidates: [], damages: []))
            }
        }
        for await _ in begun {}
        task.cancel()
        await assertCancelled(task)
    }

    /// A person types; each letter cancels the search of the one before.
    func testTheLastLetterHasTheAnswer() async throws {
        let dataset = try await Dataset.open(path: store)
        var searches: [Task<[DrugPage], any Error>] = []
        for text in ["e", "el", "eli", "eliq"] {
            searches.last?.cancel()
            searches.append(Task { try await dataset.searchDrugs(DrugsQuestion(text: text, limit: 5)) })
        }
        for search in searches.dropLast() {
            do { _ = try await search.value } catch is CancellationError {}
        }
        let pages = try await searches[3].value
        XCTAssertEqual(pages.first?.query, "eliq")
        XCTAssertEqual(pages.first?.results.isEmpty, false)
    }

    func testATaskGroupAsksOneDatasetFromManyThreads() async throws {
        let dataset = try await Dataset.open(path: store)
        let want = try await dataset.coverage(plan: "H9231-001", drug: "eliquis 5 mg")
        try await withThrowingTaskGroup(of: [CoverageAnswer].self) { group in
            for _ in 0..<200 {
                group.addTask { try await dataset.coverage(plan: "H9231-001", drug: "eliquis 5 mg") }
            }
            for try await answers in group { XCTAssertEqual(answers, want) }
        }
    }

    /// What is let go of while a call is in it stays until that call ends.
    func testADatasetLetGoOfStaysForItsCalls() async throws {
        weak var gone: Dataset?
        let want = try await Dataset(path: store).coverage(plan: "H9231-001", drug: "eliquis 5 mg")
        let tasks = try {
            let dataset = try Dataset(path: store)
            gone = dataset
            return (0..<50).map { _ in
                Task { try await dataset.coverage(plan: "H9231-001", drug: "eliquis 5 mg") }
            }
        }()
        for task in tasks {
            let answers = try await task.value
            XCTAssertEqual(answers, want)
        }
        // A task lets go of what it has a moment after its value is there.
        for _ in 0..<1_000 where gone != nil { try await Task.sleep(nanoseconds: 1_000_000) }
        XCTAssertNil(gone)
    }

    /// A token may be cancelled when its calls have ended, by many threads, again and again.
    func testATokenOutlivesItsCalls() throws {
        let token = CancelToken()
        do {
            let dataset = try Dataset(path: store)
            _ = try dataset.info(cancel: token)
        }
        DispatchQueue.concurrentPerform(iterations: 100) { _ in token.cancel() }
        XCTAssertTrue(token.isCancelled())
    }

    private func assertCancelled<Answer: Sendable>(_ task: Task<Answer, any Error>, line: UInt = #line) async {
        do {
            _ = try await task.value
            XCTFail("it has an answer", line: line)
        } catch is CancellationError {
        } catch {
            XCTFail("\(error)", line: line)
        }
    }
}
