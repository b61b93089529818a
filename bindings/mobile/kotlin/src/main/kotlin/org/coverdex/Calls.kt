package org.coverdex

import java.nio.charset.CharacterCodingException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext

/** Runs a call of the library, and says its failures as exceptions of this package. */
internal fun <T> translated(call: () -> T): T = try {
    call()
} catch (failure: Failure) {
    throw exception(failure)
} catch (fault: InternalException) {
    // A panic, which ends at the library's edge.
    throw CoverdexException.Other(problem("call", "it failed inside the library", null), fault)
} catch (missing: LinkageError) {
    val hint = "the jar has it under JNA's folder for this platform, or jna.library.path names its folder"
    throw CoverdexException.Other(problem("library coverdex_mobile", "it cannot be loaded: ${missing.message}", hint), missing)
} catch (invalid: CharacterCodingException) {
    val hint = "a character was cut in two: cut texts at whole characters"
    throw CoverdexException.InvalidInput(problem("text", "it is no valid Unicode", hint), invalid)
}

private fun problem(subject: String, message: String, hint: String?) =
    Problem(subject, message, hint, emptyList(), emptyList())

private fun exception(failure: Failure): Exception = when (failure) {
    is Failure.InvalidInput -> CoverdexException.InvalidInput(failure.problem, failure)
    is Failure.NotFound -> CoverdexException.NotFound(failure.problem, failure)
    is Failure.Ambiguous -> CoverdexException.Ambiguous(failure.problem, failure)
    is Failure.DatasetMissing -> CoverdexException.DatasetMissing(failure.problem, failure)
    is Failure.DatasetDamaged -> CoverdexException.DatasetDamaged(failure.problem, failure)
    is Failure.DatasetTooNew -> CoverdexException.DatasetTooNew(failure.problem, failure)
    is Failure.Refused -> CoverdexException.Refused(failure.problem, failure)
    is Failure.Io -> CoverdexException.Io(failure.problem, failure)
    is Failure.Other -> CoverdexException.Other(failure.problem, failure)
    // Nobody else has the token: the coroutine was cancelled.
    is Failure.Interrupted -> CancellationException("the call was cancelled")
}

/**
 * Runs a blocking call where [dispatcher] says, and ends it early if the coroutine is cancelled. The coroutine goes on
 * at once then; the call ends at its next check.
 */
internal suspend fun <T> cancellable(dispatcher: CoroutineDispatcher, call: (CancelToken) -> T): T =
    suspendCancellableCoroutine { continuation ->
        val token = CancelToken()
        continuation.invokeOnCancellation { end(token) }
        val run = Runnable { continuation.resumeWith(runCatching { translated { token.use(call) } }) }
        if (dispatcher.isDispatchNeeded(continuation.context)) {
            dispatcher.dispatch(continuation.context, run)
        } else {
            run.run()
        }
    }

/**
 * Runs a blocking call on [Dispatchers.IO], and ends it early if the coroutine is cancelled. The coroutine goes on once
 * the call has ended: nothing is written behind its back.
 */
internal suspend fun <T> ended(call: (CancelToken) -> T): T = CancelToken().use { token ->
    coroutineScope {
        // Unconfined: whoever cancels ends the call, however busy the coroutine's own threads are.
        val watching = launch(Dispatchers.Unconfined) {
            try {
                awaitCancellation()
            } finally {
                end(token)
            }
        }
        try {
            withContext(Dispatchers.IO) { translated { call(token) } }
        } finally {
            watching.cancel()
        }
    }
}

private fun end(token: CancelToken) {
    try {
        token.cancel()
    } catch (_: IllegalStateException) {
        // The call has ended, and its token is gone.
    }
}
