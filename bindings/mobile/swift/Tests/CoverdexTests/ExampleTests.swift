import Coverdex
import Foundation
import XCTest

/// The example, run as a person runs it.
final class ExampleTests: XCTestCase {
    func testACoverageCard() throws {
        let run = try Example("coverage", "--data", store, "--plan", "H9231-001", "--drug", "eliquis 5 mg").finish()
        XCTAssertEqual(
            run.output,
            """
            Eliquis 5 MG Oral Tablet
            asked for: eliquis 5 mg
            Piñon Mesa Choice (HMO), H9231-001-000-2026

              Covered              yes
              Tier                 tier 3, Preferred Brand
              Prior authorization  no
              Step therapy         no
              Quantity limit       not stated
              Mail order           yes
              Packages             1 on the list

            H9231-001 read as H9231-001-000-2026
            A tier is not a price.
            By law a month of covered insulin costs at most $35, and recommended adult vaccines in Part D $0, \
            whatever the tier.

            Drug list: received completely
            Source: folder, as of 2026-11-05

            Eliquis 5 MG Oral Tablet
            asked for: eliquis 5 mg
            Piñon Mesa Choice (HMO), H9231-001-000-2027

              Covered              yes
              Tier                 tier 4, Non-Preferred Drug
              Prior authorization  yes
              Step therapy         no
              Quantity limit       yes
              Mail order           not stated
              Packages             1 on the list

            H9231-001 read as H9231-001-000-2027
            A tier is not a price.
            By law a month of covered insulin costs at most $35, and recommended adult vaccines in Part D $0, \
            whatever the tier.

            Drug list: received completely
            Source: folder, as of 2026-11-05


            """)
        XCTAssertEqual(run.code, 0)
    }

    func testWhatIsNotKnownIsNotCalledNotCovered() throws {
        let ask = { (plan: String, drug: String) in
            try Example("coverage", "--data", store, "--plan", plan, "--drug", drug).finish().output
        }
        let incomplete = try ask("H9231-020", "eliquis 5 mg")
        XCTAssertTrue(incomplete.contains("Covered              unknown"), incomplete)
        XCTAssertTrue(incomplete.contains("Drug list: not received completely"), incomplete)
        let unpublished = try ask("H9231-040", "eliquis 5 mg")
        XCTAssertTrue(unpublished.contains("Covered              unknown"), unpublished)
        let ambiguous = try ask("H9231-001-000-2026", "bupropion")
        XCTAssertTrue(ambiguous.contains("depends on which drug is meant"), ambiguous)
        XCTAssertTrue(ambiguous.contains("Which of these?\n  bupropion hydrochloride"), ambiguous)
        let unheardOf = try ask("H9231-001-000-2026", "qwertz")
        XCTAssertTrue(unheardOf.contains("Covered              nothing in this data fits"), unheardOf)
    }

    func testProvidersPageByPage() throws {
        let near = ["providers", "--data", store, "--zip", "88001", "--plan", "H9231-001-000-2026", "--limit", "2"]
        let run = try Example(near + ["--pages", "2"]).finish()
        XCTAssertEqual(
            run.output,
            """
            7 practice locations in networks of Piñon Mesa Choice (HMO), H9231-001-000-2026, near ZIP 88001, within \
            25.0 miles

            1. Bruno Apodaca, 1.4 miles
               (575) 555-2110 - new patients: not stated
               Internal Medicine
               2450 S Telshor Blvd Ste 200, Las Cruces, NM 88011
               in Piñon Mesa HMO (medical)

            2. Camila Duarte, 1.4 miles
               (575) 555-2110 - new patients: not stated
               Internal Medicine, Ophthalmology
               2450 S Telshor Blvd Ste 200, Las Cruces, NM 88011
               in Piñon Mesa HMO (medical), Piñon Mesa Vision (vision)

            3. José Núñez, 1.4 miles
               (575) 555-2110 - takes new patients
               Cardiovascular Disease
               2450 S Telshor Blvd Ste 200, Las Cruces, NM 88011
               in Piñon Mesa HMO (medical)

            4. Łucja Wiśniewska, 1.4 miles
               (575) 555-2110 - takes its own patients only
               Dermatology
               2450 S Telshor Blvd Ste 200, Las Cruces, NM 88011
               in Piñon Mesa HMO (medical)

            There are more.
            Not shown, because their place is not stated: 2.
            May fit, the payer's data is unclear: 2.
            Directories have errors: call before you go.
            Source: folder, as of 2026-11-05


            """)
        let all = try Example(near + ["--pages", "9"]).finish().output
        XCTAssertEqual((1...8).map { all.contains("\n\($0). ") }, Array(repeating: true, count: 7) + [false])
        XCTAssertFalse(all.contains("There are more."), all)
    }

    func testEachKindOfPlaceHasItsProviders() throws {
        for place in [["--near", "32.3,-106.78"], ["--county", "Doña Ana County, NM"], ["--zip", "88001"]] {
            let run = try Example(["providers", "--data", store, "--accepting"] + place).finish()
            XCTAssertTrue(run.output.contains("José Núñez"), "\(place): \(run)")
            XCTAssertTrue(run.output.contains("(575) 555-2110 - takes new patients"), "\(place): \(run)")
        }
        let nowhere = try Example("providers", "--data", store, "--zip", "88001", "--name", "qwertz").finish()
        XCTAssertTrue(nowhere.output.contains("no proof of being out of network"), nowhere.output)
    }

    /// Somebody types slowly: each line has its drugs before the next comes.
    func testDrugsWhileSomebodyTypes() throws {
        let typing = try Example("drugs", "--data", store, "--plan", "H9231-001-000-2026")
        typing.type("eli\n")
        XCTAssertEqual(
            typing.readParagraph(), "eli\n  Eliquis 5 MG Oral Tablet - covered, tier 3, Preferred Brand\n\n")
        typing.type("bupr\n")
        XCTAssertEqual(
            typing.readParagraph().split(separator: "\n").map { $0.prefix(28) },
            ["bupr", "  bupropion hydrochloride SR", "  bupropion hydrochloride XL"])
        let end = try typing.finish()
        XCTAssertEqual(end.output, "")
        XCTAssertEqual(end.code, 0)
    }

    /// Somebody types fast: the last line has its drugs, and those before it theirs or none.
    func testEachLetterEndsTheSearchBefore() throws {
        let typed = (1...7).map { String("eliquis".prefix($0)) }
        for _ in 0..<10 {
            let typing = try Example("drugs", "--data", store)
            typing.type(typed.joined(separator: "\n") + "\n")
            let shown = try typing.finish().output.components(separatedBy: "\n\n").dropLast()
            let texts = shown.map { String($0.prefix { $0 != "\n" }) }
            XCTAssertEqual(texts, typed.filter(texts.contains))
            XCTAssertEqual(shown.last, "eliquis\n  Eliquis 5 MG Oral Tablet")
        }
    }

    func testWhatIsWrongIsSaidWithTheWayOut() throws {
        let damaged = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: damaged) }
        try FileManager.default.copyItem(atPath: Dataset(path: store).folder, toPath: damaged.path)
        try Data("{".utf8).write(to: damaged.appendingPathComponent("manifest.json"))
        let card = { (folder: String, plan: String) in
            ["coverage", "--data", folder, "--plan", plan, "--drug", "eliquis 5 mg"]
        }
        let wrong: [([String], Int32, [String])] = [
            (card(store, "H9231-009"), 1, ["plan H9231-009: not in this dataset", "Did you mean: H9231-0", "Hint: "]),
            (card(store + "/nothing", "H9231-001"), 1, ["/nothing: no such folder", "download one"]),
            (card(damaged.path, "H9231-001"), 1, ["manifest.json", "download it again"]),
            (["drugs", "--data", store, "--plan", "H9231-009"], 1, ["plan H9231-009: not in this dataset"]),
            (["providers", "--data", store, "--zip", "00000"], 1, ["ZIP \"00000\": that is no ZIP code", "Hint: "]),
            (["providers", "--data", store, "--near", "somewhere"], 1, ["somewhere"]),
            (["providers", "--data", store, "--zip", "88001", "--specialty", "qwertz"], 1, ["specialty \"qwertz\""]),
            (["providers", "--data", store, "--zip", "88001", "--limit", "many"], 2, ["--limit many: not a number"]),
            (["coverage", "--data", store, "--plan", "H9231-001"], 2, ["--drug is missing", "usage: "]),
            (["cover"], 2, ["there is no \"cover\"", "usage: "]),
        ]
        for (arguments, code, words) in wrong {
            let example = try Example(arguments)
            example.type("eliquis\n")
            let run = try example.finish()
            XCTAssertEqual(run.code, code, "\(arguments): \(run)")
            XCTAssertEqual(run.output, "", "\(arguments)")
            for word in words { XCTAssertTrue(run.errors.contains(word), "\(arguments): no \"\(word)\" in \(run)") }
        }
        XCTAssertTrue(try Example("--help").finish().output.hasPrefix("usage: "))
    }
}

/// A run of the example.
private final class Example {
    struct Run {
        let output: String
        let errors: String
        let code: Int32
    }

    private let process = Process()
    private let (input, output, errors) = (Pipe(), Pipe(), Pipe())

    convenience init(_ arguments: String...) throws { try self.init(arguments) }

    init(_ arguments: [String]) throws {
        #if os(macOS)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let products = try XCTUnwrap(bundle).bundleURL.deletingLastPathComponent()
        #else
        let products = Bundle.main.bundleURL
        #endif
        process.executableURL = products.appendingPathComponent("coverdex-example")
        process.arguments = arguments
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
    }

    func type(_ text: String) {
        // It may have ended, and no longer read.
        signal(SIGPIPE, SIG_IGN)
        try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// What is shown until an empty line.
    func readParagraph() -> String {
        var data = Data()
        while !data.suffix(2).elementsEqual("\n\n".utf8) {
            let more = output.fileHandleForReading.readData(ofLength: 1)
            guard !more.isEmpty else { break }
            data += more
        }
        return String(decoding: data, as: UTF8.self)
    }

    func finish() throws -> Run {
        try input.fileHandleForWriting.close()
        let shown = output.fileHandleForReading.readDataToEndOfFile()
        let complained = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Run(
            output: String(decoding: shown, as: UTF8.self), errors: String(decoding: complained, as: UTF8.self),
            code: process.terminationStatus)
    }
}
