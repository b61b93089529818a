import XCTest
import coverdex_mobileFFI

@testable import Coverdex

/// What the library never does: it must not end the app all the same.
final class PanicTests: XCTestCase {
    /// A panic unwinds to the call's end, with the status that the generated code throws for.
    func testAPanicEndsItsCallAlone() throws {
        var status = RustCallStatus()
        var byte: UInt8 = 0
        _ = withUnsafePointer(to: &byte) {
            ffi_coverdex_mobile_rustbuffer_from_bytes(ForeignBytes(len: -1, data: $0), &status)
        }
        XCTAssertEqual(status.code, 2)
        let message = UnsafeBufferPointer(start: status.errorBuf.data, count: Int(status.errorBuf.len))
        XCTAssertTrue(String(decoding: message, as: UTF8.self).contains("negative"))
        var freed = RustCallStatus()
        ffi_coverdex_mobile_rustbuffer_free(status.errorBuf, &freed)
        XCTAssertEqual(try Dataset(path: store).coverage(plan: "H9231-001-000-2026", drug: "eliquis 5 mg").count, 1)
    }

    /// The generated code throws an error of its own kind for it.
    func testWhatIsThrownBesideFailuresIsOne() {
        struct Panicked: LocalizedError { let errorDescription: String? = "index out of bounds" }
        XCTAssertThrowsError(try answer { throw Panicked() }) { error in
            guard case Failure.Other(let problem) = error else { return XCTFail("\(error)") }
            XCTAssertEqual(error.localizedDescription, "coverdex: internal error: index out of bounds")
            XCTAssertNotNil(problem.hint)
        }
        let missing = Problem(subject: "dataset x", message: "no such folder", hint: nil, candidates: [], damages: [])
        XCTAssertThrowsError(try answer { throw Failure.DatasetMissing(problem: missing) }) { error in
            XCTAssertEqual(error as? Failure, .DatasetMissing(problem: missing))
        }
    }

    /// An answer that ends within a value is refused, not read beyond.
    func testAnAnswerIsReadToItsEndOnly() throws {
        var bytes: [UInt8] = [0, 0, 0, 2, 0x68, 0x69, 0xFF, 0xFF, 0xFF, 0xFF, 0x40]
        let count = UInt64(bytes.count)
        try bytes.withUnsafeMutableBufferPointer { bytes in
            var reader = AnswerReader(RustBuffer(capacity: count, len: count, data: bytes.baseAddress))
            let length: Int32 = try readInt(&reader)
            XCTAssertEqual(String(decoding: try readBytes(&reader, count: Int(length)), as: UTF8.self), "hi")
            let negative: Int32 = try readInt(&reader)
            XCTAssertThrowsError(try readBytes(&reader, count: Int(negative)))
            XCTAssertTrue(hasRemaining(reader))
            XCTAssertThrowsError(try readInt(&reader) as Int16)
            XCTAssertEqual(try readInt(&reader) as UInt8, 0x40)
            XCTAssertFalse(hasRemaining(reader))
        }
        var empty = AnswerReader(RustBuffer(capacity: 0, len: 0, data: nil))
        XCTAssertFalse(hasRemaining(empty))
        XCTAssertThrowsError(try readDouble(&empty))
    }

    /// Numbers at their ends are refused, or have an answer.
    func testNumbersAtTheirEndsDoNotPanic() throws {
        let dataset = try Dataset(path: store)
        var questions: [ProvidersQuestion] = []
        for number in [Int32.min, -1, 0, 1, 10_000, 10_001, .max] {
            questions.append(ProvidersQuestion(place: .state(text: "NM"), limit: number))
            questions.append(ProvidersQuestion(place: .state(text: "NM"), offset: number))
        }
        let ends: [Double] = [.infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
        for within in [-1, 0] + ends {
            for place in [Place.point(latitude: 32.3, longitude: -106.78), .zip(text: "88001")] {
                questions.append(ProvidersQuestion(place: place, withinKm: within))
            }
        }
        for (latitude, longitude) in [(91, 0), (-91, 0), (90, 180), (0, 181), (Double.nan, 0), (0, .infinity)] {
            questions.append(ProvidersQuestion(place: .point(latitude: latitude, longitude: longitude)))
        }
        for question in questions {
            assertNoPanic("\(question)") { () throws(Failure) in _ = try dataset.searchProviders(question) }
        }
        for year in [Int32.min, -1, 0, 65_535, 65_536, .max] {
            assertNoPanic("year \(year)") { () throws(Failure) in _ = try dataset.plans(PlansQuestion(year: year)) }
        }
        let long = String(repeating: "a", count: 100_000)
        for text in ["", " ", "\0", "\u{FEFF}e", "👩‍⚕️", long, "%", "'\";--", "\u{202E}"] {
            assertNoPanic(text) { () throws(Failure) in _ = try dataset.searchDrugs(DrugsQuestion(text: text)) }
            assertNoPanic(text) { () throws(Failure) in _ = try dataset.coverage(plan: text, drug: text) }
            assertNoPanic(text) { () throws(Failure) in _ = try dataset.coverage(plan: "H9231-001", drug: text) }
            assertNoPanic(text) { () throws(Failure) in _ = try dataset.counties(text) }
            assertNoPanic(text) { () throws(Failure) in
                _ = try dataset.searchProviders(ProvidersQuestion(place: .state(text: "NM"), name: text))
            }
            assertNoPanic(text) { () throws(Failure) in
                _ = try dataset.searchProviders(ProvidersQuestion(page: PageToken(rawValue: text)))
            }
        }
    }

    private func assertNoPanic(_ what: String, line: UInt = #line, _ call: () throws(Failure) -> Void) {
        do {
            try call()
        } catch .Other(let problem) {
            XCTFail("\(what.prefix(80)): \(problem)", line: line)
        } catch {}
    }
}
