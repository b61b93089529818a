import Coverdex
import Foundation

/// How fast the package answers, and whether it keeps to its memory: `coverdex-bench FOLDER [SECONDS]`.
@main
struct Bench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else {
            print("usage: coverdex-bench FOLDER [SECONDS]   FOLDER: a dataset with drugs and a directory; SECONDS: 5")
            exit(2)
        }
        let dataset = try Dataset(path: arguments[1])
        let questions = try Questions(drawnFrom: dataset)
        let native = try NativeCalls(path: arguments[1])
        print(questions.description)
        for (what, drugs) in [("by NDC", questions.codes), ("by name", questions.names)] {
            try measure("coverage \(what), C function alone: Rust and its buffer") { number in
                try native.coverage(plan: questions.plans[number], drug: drugs[number])
            }
            try measure("coverage \(what), blocking") { _ = try questions.coverage(dataset, $0, by: drugs) }
            try await measure("coverage \(what), async") { number in
                _ = try await dataset.coverage(plan: questions.plans[number], drug: drugs[number])
            }
        }
        try measure("drugs typed, page of 10 with a plan, C function alone") { number in
            try native.searchDrugs(questions.typed(number))
        }
        try measure("drugs typed, page of 10 with a plan, blocking") { number in
            _ = try dataset.searchDrugs(questions.typed(number))
        }
        try await measure("drugs typed, page of 10 with a plan, async") { number in
            _ = try await dataset.searchDrugs(questions.typed(number))
        }
        try measure("providers, page of 20, county, plan, specialty, C function alone", calls: 5_000) { number in
            try native.searchProviders(questions.providers[number])
        }
        try measure("providers, page of 20, county, plan, specialty, blocking", calls: 5_000) { number in
            _ = try dataset.searchProviders(questions.providers[number])
        }
        try await measure("providers, page of 20, county, plan, specialty, async", calls: 5_000) { number in
            _ = try await dataset.searchProviders(questions.providers[number])
        }
        try await cancelling(dataset)
        let seconds = arguments.dropFirst(2).first.flatMap(Double.init) ?? 5
        try await manyAtOnce(dataset, questions, seconds: seconds)
        try memory(dataset, questions)
    }
}

// MARK: - Figures

func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// Prints median and 99th percentile of single calls, after a warm-up of a tenth.
func measure(_ what: String, calls: Int = 20_000, _ call: (Int) throws -> Void) throws {
    for number in 0..<calls / 10 { try call(number) }
    var times: [UInt64] = []
    times.reserveCapacity(calls)
    for number in 0..<calls {
        let begun = now()
        try call(number)
        times.append(now() - begun)
    }
    figure(what, times)
}

func measure(_ what: String, calls: Int = 20_000, _ call: @Sendable (Int) async throws -> Void) async throws {
    for number in 0..<calls / 10 { try await call(number) }
    var times: [UInt64] = []
    times.reserveCapacity(calls)
    for number in 0..<calls {
        let begun = now()
        try await call(number)
        times.append(now() - begun)
    }
    figure(what, times)
}

func figure(_ what: String, _ unsorted: [UInt64], more: String = "") {
    let times = unsorted.sorted()
    let at = { (share: Double) in Double(times[min(Int(Double(times.count) * share), times.count - 1)]) / 1000 }
    let numbers = String(format: "p50 %9.1f µs   p99 %9.1f µs", at(0.5), at(0.99))
    print(what.padding(toLength: 66, withPad: " ", startingAt: 0) + numbers + more)
}

/// Resident and private memory of this process, in kilobytes; nil where the system does not tell in this way.
func resident() -> (all: Int, own: Int)? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    func field(_ name: String) -> Int? {
        status.split(separator: "\n").first { $0.hasPrefix(name) }?
            .split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    }
    guard let all = field("VmRSS:"), let own = field("RssAnon:") else { return nil }
    return (all, own)
}

// MARK: - Cancelling, many at once, memory

/// From `cancel()` of a task to its `CancellationError`, at moments spread over the time that the call takes.
func cancelling(_ dataset: Dataset) async throws {
    let misspelt = ProvidersQuestion(name: "qwertzuiop asdfgh")
    let everything = DrugsQuestion(text: "a", limit: 10_000)
    let calls: [(String, @Sendable () async throws -> Void)] = [
        ("a name that nobody has", { _ = try await dataset.searchProviders(misspelt) }),
        ("10,000 drugs with codes", { _ = try await dataset.searchDrugs(everything) }),
    ]
    for (what, call) in calls {
        try await call()
        let begun = now()
        try await call()
        let whole = now() - begun
        var late: [UInt64] = []
        var ended = 0
        for share in 0..<200 {
            let task = Task.detached { try await call() }
            // A thread of its own: a blocked task would keep one of few.
            let cancelled = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: Double(whole) / 1e9 * Double(share) / 200)
                    let at = now()
                    task.cancel()
                    continuation.resume(returning: at)
                }
            }
            do {
                try await task.value
                ended += 1
            } catch is CancellationError {
                let end = now()
                late.append(end > cancelled ? end - cancelled : 0)
            }
        }
        guard !late.isEmpty else { fatalError("\(what): nothing was cancelled") }
        let most = String(
            format: "   most %.1f µs (call %.1f ms; %d ended first)", Double(late.max()!) / 1000, Double(whole) / 1e6,
            ended)
        figure("cancel to CancellationError: \(what)", late, more: most)
    }
}

/// Sixteen threads, then sixteen tasks; every answer is compared with what one thread was told before.
func manyAtOnce(_ dataset: Dataset, _ questions: Questions, seconds: Double) async throws {
    let count = 500
    let coverage = try (0..<count).map { try questions.coverage(dataset, $0, by: questions.codes) }
    let typed = try (0..<count).map { try dataset.searchDrugs(questions.typed($0)) }
    let providers = try (0..<count).map { try dataset.searchProviders(questions.providers[$0]) }

    let threads = Tally()
    let until = Date() + seconds
    let running = DispatchGroup()
    for lane in 0..<16 {
        running.enter()
        Thread.detachNewThread {
            var (answers, wrong, number) = (0, 0, lane)
            while Date() < until {
                let at = number % count
                do {
                    let right =
                        switch number % 3 {
                        case 0: try questions.coverage(dataset, at, by: questions.codes) == coverage[at]
                        case 1: try dataset.searchDrugs(questions.typed(at)) == typed[at]
                        default: try dataset.searchProviders(questions.providers[at]) == providers[at]
                        }
                    wrong += right ? 0 : 1
                } catch {
                    wrong += 1
                }
                answers += 1
                number += 7
            }
            threads.add(answers, wrong)
            running.leave()
        }
    }
    await withCheckedContinuation { ended in running.notify(queue: .global()) { ended.resume() } }
    print("16 threads, \(seconds) s: \(threads.description)")

    let tasks = Tally()
    let last = Date() + seconds
    await withTaskGroup(of: Void.self) { group in
        for lane in 0..<16 {
            group.addTask {
                var (answers, wrong, number) = (0, 0, lane)
                while Date() < last {
                    let at = number % count
                    do {
                        let right =
                            switch number % 3 {
                            case 0:
                                try await dataset.coverage(plan: questions.plans[at], drug: questions.codes[at])
                                    == coverage[at]
                            case 1: try await dataset.searchDrugs(questions.typed(at)) == typed[at]
                            default: try await dataset.searchProviders(questions.providers[at]) == providers[at]
                            }
                        wrong += right ? 0 : 1
                    } catch {
                        wrong += 1
                    }
                    answers += 1
                    number += 7
                }
                tasks.add(answers, wrong)
            }
        }
    }
    print("16 tasks, \(seconds) s: \(tasks.description)")
}

/// Memory over 100,000 calls: it must not grow.
func memory(_ dataset: Dataset, _ questions: Questions) throws {
    guard resident() != nil else { return print("memory: not measured on this system") }
    for round in 0...5 {
        if round > 0 {
            for number in 0..<20_000 {
                switch number % 3 {
                case 0: _ = try questions.coverage(dataset, number, by: questions.codes)
                case 1: _ = try dataset.searchDrugs(questions.typed(number))
                default: _ = try dataset.searchProviders(questions.providers[number])
                }
            }
        }
        let (all, own) = resident() ?? (0, 0)
        let megabytes = { (kilobytes: Int) in String(format: "%.1f MB", Double(kilobytes) / 1024) }
        print("memory after \(round * 20_000) calls: resident \(megabytes(all)), private \(megabytes(own))")
    }
}

/// Answers, and how many of them were wrong.
final class Tally: @unchecked Sendable, CustomStringConvertible {
    private let lock = NSLock()
    private var (answers, wrong) = (0, 0)

    func add(_ answers: Int, _ wrong: Int) {
        lock.lock()
        defer { lock.unlock() }
        self.answers += answers
        self.wrong += wrong
    }

    var description: String { "\(answers) answers, \(wrong) wrong" }
}
