import Foundation

extension Failure: LocalizedError, CustomStringConvertible {
    /// What is wrong with what, of whatever kind.
    public var problem: Problem {
        switch self {
        case .InvalidInput(let problem), .NotFound(let problem), .Ambiguous(let problem),
            .DatasetMissing(let problem), .DatasetDamaged(let problem), .DatasetTooNew(let problem),
            .Io(let problem), .Interrupted(let problem), .Other(let problem):
            problem
        }
    }

    /// The thing and what is wrong with it: `plan H1234-567: not in this dataset`.
    public var description: String { "\(problem.subject): \(problem.message)" }

    public var errorDescription: String? { description }

    public var failureReason: String? { problem.message }

    /// The way out, where there is one.
    public var recoverySuggestion: String? { problem.hint }
}
