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
