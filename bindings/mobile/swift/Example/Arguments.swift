import Coverdex

/// The command line.
struct Arguments {
    enum Verb: String { case drugs, coverage, providers }

    struct Wrong: Error { let message: String }

    private(set) var verb: Verb?
    private(set) var texts: [String: String] = [:]
    private(set) var flags: Set<String> = []

    init(_ words: some Sequence<String>) throws {
        var words = Array(words)[...]
        guard let first = words.popFirst(), first != "help", first != "--help" else { return }
        guard let verb = Verb(rawValue: first) else { throw Wrong(message: "there is no \"\(first)\"") }
        self.verb = verb
        while let word = words.popFirst() {
            let name = String(word.dropFirst(2))
            switch name {
            case _ where !word.hasPrefix("--"): throw Wrong(message: "what is \"\(word)\"? quote what has blanks")
            case "accepting": flags.insert(name)
            case "data", "plan", "drug", "specialty", "name", "limit", "pages", "zip", "county", "near":
                guard let text = words.popFirst() else { throw Wrong(message: "\(word) needs a value") }
                texts[name] = text
            default: throw Wrong(message: "there is no \(word)")
            }
        }
    }

    func required(_ name: String) throws -> String {
        guard let text = texts[name] else { throw Wrong(message: "--\(name) is missing") }
        return text
    }

    func number(_ name: String) throws -> Int32? {
        guard let text = texts[name] else { return nil }
        guard let number = Int32(text), number > 0 else { throw Wrong(message: "--\(name) \(text): not a number") }
        return number
    }

    /// The library says what is wrong with a place.
    func place() throws -> Place? {
        let places = [
            texts["zip"].map { Place.zip(text: $0) }, texts["county"].map { Place.county(text: $0) },
            texts["near"].map { Place.point(text: $0) },
        ].compactMap { $0 }
        guard places.count < 2 else { throw Wrong(message: "name one place") }
        return places.first
    }
}
