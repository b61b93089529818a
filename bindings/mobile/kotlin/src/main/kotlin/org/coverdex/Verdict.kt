package org.coverdex

/** What an answer to plan × drug comes to, each with what belongs to it: for a `when` that forgets nothing. */
public sealed interface Verdict {
    /** Covered: each package that the plan lists. A tier or restriction that varies by package is null or says so. */
    public data class Covered(val tier: Tier?, val restrictions: Restrictions?) : Verdict

    /** Listed, and in a tier that is not covered. */
    public data class NotCovered(val tier: Tier?) : Verdict

    /** Not on the plan's list, which was received as completely as the payer serves it. */
    public data class NotListed(val reason: CoverageReason?) : Verdict

    /** Nobody can tell from this dataset. */
    public data class Unknown(val reason: CoverageReason?) : Verdict

    /** Some packages are covered, others listed and not covered. */
    public data class Mixed(val varies: Varies?) : Verdict

    /** The payer says different things of it, or of some packages of it. */
    public data class Conflict(val varies: Varies?) : Verdict

    /** What was typed is several drugs. */
    public data class Ambiguous(val candidates: List<Candidate>) : Verdict

    /** No drug fits what was typed; [candidates] are near it. */
    public data class NotFound(val candidates: List<Candidate>) : Verdict
}

/** What the answer comes to. */
public val CoverageAnswer.verdict: Verdict
    get() = when (coverage.status) {
        CoverageStatus.COVERED -> Verdict.Covered(coverage.statement.tier, coverage.restrictions)
        CoverageStatus.NOT_COVERED -> Verdict.NotCovered(coverage.statement.tier)
        CoverageStatus.NOT_LISTED -> Verdict.NotListed(coverage.reason)
        CoverageStatus.UNKNOWN -> Verdict.Unknown(coverage.reason)
        CoverageStatus.MIXED -> Verdict.Mixed(coverage.varies)
        CoverageStatus.CONFLICT -> Verdict.Conflict(coverage.varies)
        CoverageStatus.AMBIGUOUS -> Verdict.Ambiguous(drug.candidates)
        CoverageStatus.NOT_FOUND -> Verdict.NotFound(drug.candidates)
    }
