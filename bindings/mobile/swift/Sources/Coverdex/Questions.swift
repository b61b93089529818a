import Foundation

extension ProviderText: ExpressibleByStringLiteral {
    /// An NPI, or words of a name.
    public init(stringLiteral text: String) { self.init(text: text) }
}

extension Place {
    /// A point, such as where the phone is, to a meter. Plans are not sold at points.
    public static func point(latitude: Double, longitude: Double) -> Place {
        let posix = Locale(identifier: "en_US_POSIX")
        return .point(text: String(format: "%.5f,%.5f", locale: posix, latitude, longitude))
    }
}

// The next page of a question is the same question with the token of the page before.

extension ProvidersQuestion {
    /// The same question, for the page that `next` of an answer names.
    public func with(page: PageToken?) -> Self {
        Self(
            plan: plan, network: network, networkKind: networkKind, place: place, withinKm: withinKm,
            specialty: specialty, name: name, kind: kind, gender: gender, language: language, accepting: accepting,
            city: city, limit: limit, offset: offset, page: page, countSimilar: countSimilar)
    }
}

extension DrugsQuestion {
    /// The same question, for the page that `next` of an answer names.
    public func with(page: PageToken?) -> Self {
        Self(text: text, plan: plan, limit: limit, codes: codes, page: page)
    }
}

extension OptionsQuestion {
    /// The same question, for the page that `next` of an answer names.
    public func with(page: PageToken?) -> Self {
        Self(plan: plan, drug: drug, place: place, notListed: notListed, limit: limit, page: page)
    }
}

extension PracticingAtQuestion {
    /// The same question, for the page that `next` of an answer names.
    public func with(page: PageToken?) -> Self {
        Self(address: address, phone: phone, limit: limit, page: page)
    }
}
