import Foundation

extension Failure: LocalizedError, CustomStringConvertible {
    /// What is wrong with what, of whatever kind.
    public var problem: Problem {
        switch self {
        case .InvalidInput(let problem), .NotFound(let problem), .Ambiguous(let problem),
            .DatasetMissing(let problem), .DatasetDamaged(let problem), .DatasetTooNew(let problem),
            .Refused(let problem), .Io(let problem), .Interrupted(let problem), .Other(let problem):
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

/// Makes a call of the library. What the generated code throws beside a ``Failure`` becomes one: the library
/// panicked, and that call alone ended, or its answer cannot be read.
func answer<Answer>(_ call: () throws -> Answer) throws(Failure) -> Answer {
    do {
        return try call()
    } catch let failure as Failure {
        throw failure
    } catch {
        let message = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        throw .Other(
            problem: Problem(
                subject: "coverdex", message: "internal error: \(message)", hint: "this is a bug: report it",
                candidates: [], damages: []))
    }
}
