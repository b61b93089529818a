import Dispatch

/// Makes a call outside the caller's actor. Cancelling the task ends it, with `CancellationError`.
func cancellable<Answer>(_ call: (CancelToken) throws -> Answer) async throws -> Answer {
    try Task.checkCancellation()
    let token = CancelToken()
    return try await withTaskCancellationHandler {
        try interruptible { try call(token) }
    } onCancel: {
        token.cancel()
    }
}

/// Makes a call that reads or writes whole datasets on a thread of its own: in a task it would keep one of the few
/// threads that all tasks share. Cancelling the task ends it, with `CancellationError`.
func onItsOwnThread<Answer: Sendable>(
    _ call: @escaping @Sendable (CancelToken) throws -> Answer
) async throws -> Answer {
    try Task.checkCancellation()
    let token = CancelToken()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(with: Result { try interruptible { try call(token) } })
            }
        }
    } onCancel: {
        token.cancel()
    }
}

/// In a task a cancelled call is what cancelled tasks throw.
private func interruptible<Answer>(_ call: () throws -> Answer) throws -> Answer {
    do {
        return try call()
    } catch Failure.Interrupted {
        throw CancellationError()
    }
}
