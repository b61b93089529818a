package org.coverdex

/**
 * Why a call has no answer. Its kind is its class; [message] is for people and names the thing and what is wrong
 * with it.
 */
public sealed class CoverdexException(private val problem: Problem, cause: Throwable) :
    Exception("${problem.subject}: ${problem.message}", cause) {

    /** The thing: a plan, a file, … */
    public val subject: String get() = problem.subject

    /** What is wrong with it: [message] without the subject. */
    public val reason: String get() = problem.message

    /** The way out, where there is one. */
    public val hint: String? get() = problem.hint

    /** What may have been meant. */
    public val candidates: List<String> get() = problem.candidates

    /** All damaged files, where the whole dataset was looked through. */
    public val damages: List<Damage> get() = problem.damages

    /** The text is not a plan, drug, county, … of any known spelling. */
    public class InvalidInput internal constructor(problem: Problem, cause: Throwable) :
        CoverdexException(problem, cause)

    /** Well formed, but nothing in the dataset has this name. */
    public class NotFound internal constructor(problem: Problem, cause: Throwable) : CoverdexException(problem, cause)

    /** Several things fit: [candidates] names them. */
    public class Ambiguous internal constructor(problem: Problem, cause: Throwable) : CoverdexException(problem, cause)

    /** There is no dataset at this path. */
    public class DatasetMissing internal constructor(problem: Problem, cause: Throwable) :
        CoverdexException(problem, cause)

    /**
     * Truncated, altered or inconsistent: reading it again will not help. Nothing that the system refuses, or that
     * may pass, is called so.
     */
    public class DatasetDamaged internal constructor(problem: Problem, cause: Throwable) :
        CoverdexException(problem, cause)

    /** Written by a newer Coverdex than this one reads. */
    public class DatasetTooNew internal constructor(problem: Problem, cause: Throwable) :
        CoverdexException(problem, cause)

    /**
     * A publication that must not be taken: not signed, signed with another key, older than what was there, or of
     * another series. Its bytes may be whole.
     */
    public class Refused internal constructor(problem: Problem, cause: Throwable) : CoverdexException(problem, cause)

    /**
     * The operating system refused (permission, memory, open files, …), or the dataset was removed, replaced or
     * written to while it was read: the dataset may be whole.
     */
    public class Io internal constructor(problem: Problem, cause: Throwable) : CoverdexException(problem, cause)

    /** Anything else: a fault of the library. */
    public class Other internal constructor(problem: Problem, cause: Throwable) : CoverdexException(problem, cause)
}
