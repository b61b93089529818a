import Foundation

/// A JSON value of the question file, or of an answer's document.
enum JSON: Equatable, Decodable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSON].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    subscript(field: String) -> JSON? {
        guard case .object(let fields) = self else { return nil }
        return fields[field]
    }

    var list: [JSON] {
        guard case .list(let list) = self else { return [] }
        return list
    }

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// Where an answer is not what is wanted, by the rules of tests/questions/README.md.
    static func differences(_ want: JSON, _ got: JSON, at path: String = "") -> [String] {
        switch (want, got) {
        case (.object(let fields), _) where Array(fields.keys) == ["contains"]:
            guard case .list(let list) = got else { return ["\(path): \(got) is no list"] }
            return fields["contains"]!.list
                .filter { one in !list.contains { differences(one, $0).isEmpty } }
                .map { "\(path): contains no \($0)" }
        case (.object(let fields), .object(let others)):
            return fields.flatMap { name, value in
                others[name].map { differences(value, $0, at: "\(path).\(name)") } ?? ["\(path).\(name) is not there"]
            }
        case (.list(let list), .list(let others)) where list.count == others.count:
            return zip(list, others).enumerated().flatMap { differences($1.0, $1.1, at: "\(path)[\($0)]") }
        default:
            return want == got ? [] : ["\(path): \(got) is not \(want)"]
        }
    }
}
