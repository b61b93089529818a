import Dispatch

/// Makes a call outside the caller's actor. Cancelling the task ends it, with `CancellationError`.
func cancellable<Answer>(_ call: (CancelToken) throws -> Answer) async throws -> Answer {
    try Task.checkCancellation()
    let token = CancelToken()
    return try await withTaskCancellationHandler {
        do {
            return try call(token)
        } catch Failure.Interrupted {
            throw CancellationError()
        }
    } onCancel: {
        token.cancel()
    }
}

/// Makes a call that reads or writes whole datasets: it would keep one of the few threads that all tasks share.
func onItsOwnThread<Answer: Sendable>(_ call: @escaping @Sendable () throws -> Answer) async throws -> Answer {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global(qos: .utility).async {
            continuation.resume(with: Result(catching: call))
        }
    }
}
