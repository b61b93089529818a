/// An identifier of the field, as text. Where the library takes one, it says what is wrong with it.
public protocol Identifier: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible
where RawValue == String {}

extension Identifier {
    public var description: String { rawValue }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// A county's FIPS code, such as `24005`.
public struct CountyFips: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A day, such as `2026-01-31`.
public struct Day: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A package NDC in its eleven-digit form, without hyphens.
public struct Ndc11: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A National Provider Identifier: ten digits.
public struct Npi: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What to ask with for the next page of the same question. It belongs to one dataset and one question: another
/// refuses it.
public struct PageToken: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// One plan, in one year where its id states one: `H1234-567-000-2026`.
public struct PlanId: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A product NDC, hyphenated.
public struct ProductNdc: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// An RxNorm code.
public struct Rxcui: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A state by its two letters.
public struct StateCode: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A five-digit ZIP code.
public struct Zip5: Identifier {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}
