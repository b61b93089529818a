package example

import java.io.PrintStream
import org.coverdex.Caveat
import org.coverdex.Coverage
import org.coverdex.CoverageAnswer
import org.coverdex.CoverageReason
import org.coverdex.CoverageStatus
import org.coverdex.Dataset
import org.coverdex.Restriction
import org.coverdex.Tier
import org.coverdex.Verdict
import org.coverdex.verdict

/** Whether a plan covers a drug: one card for each year that the plan's text means. */
internal suspend fun card(dataset: Dataset, plan: String, drug: String, out: PrintStream): Int {
    val answers = dataset.coverage(plan, drug)
    for ((n, answer) in answers.withIndex()) {
        if (n > 0) out.println()
        print(answer, out)
    }
    val isUnclear = answers.all { it.verdict is Verdict.Ambiguous || it.verdict is Verdict.NotFound }
    return if (isUnclear) NOT_ANSWERED else ANSWERED
}

private fun print(answer: CoverageAnswer, out: PrintStream) {
    out.println(answer.drug.readAs ?: answer.drug.query)
    out.println(listOfNotNull(answer.planName, answer.plan).joinToString(", "))
    out.println()
    when (val verdict = answer.verdict) {
        is Verdict.Ambiguous -> candidates("Several drugs fit; which is meant?", verdict.candidates.map { it.name }, out)
        // The drug may exist: this payer's data does not name it.
        is Verdict.NotFound -> {
            val near = verdict.candidates.map { it.name }
            candidates("Nothing in this data fits${if (near.isEmpty()) "." else "; near it:"}", near, out)
        }
        else -> statement(answer.coverage, out)
    }
    val mayBe = answer.coverage.mayBe.map { it.name }
    if (mayBe.isNotEmpty()) {
        candidates("It may also be one of these, which the payer describes less exactly:", mayBe, out)
    }
    out.println()
    // The legend of short forms is for tables.
    val caveats = (answer.caveats - Caveat.RESTRICTIONS).map { it.words() }
    (listOfNotNull(answer.drug.problem) + answer.drug.notes + answer.notes + caveats).forEach { out.println(it) }
    out.println("Data as of ${day(answer.origin.asOf)}, source: ${answer.origin.source}, ${answer.coverage.completeness}")
}

private fun candidates(what: String, names: List<String>, out: PrintStream) {
    out.println("  $what")
    names.forEach { out.println("  - $it") }
}

private fun statement(coverage: Coverage, out: PrintStream) {
    // The sentence says why, and what varies between packages.
    out.println("  ${coverage.summary}")
    if (coverage.listed == 0) return
    val tiers = coverage.varies?.tiers.orEmpty()
    val tier = coverage.statement.tier?.words ?: tiers.joinToString(" or ") { it.words }.ifEmpty { NOT_STATED }
    line("tier", tier, out)
    val restrictions = coverage.restrictions ?: return
    line("prior authorization", restrictions.priorAuthorization.words, out)
    line("step therapy", restrictions.stepTherapy.words, out)
    line("quantity limit", restrictions.quantityLimit.words, out)
    line("mail order", coverage.statement.mailOrder?.let { if (it) "yes" else "no" } ?: NOT_STATED, out)
    val others = if (coverage.notOnThisList > 0) ", ${coverage.notOnThisList} others not" else ""
    line("packages", "${coverage.listed} on the list$others", out)
}

private fun line(name: String, value: String, out: PrintStream) = out.println("  %-20s %s".format(name, value))

/** Null is what the payer does not state: never a no. */
private const val NOT_STATED = "not stated"

internal val Tier.words: String get() = listOfNotNull("tier $code", display).joinToString(", ")

private val Restriction.words: String
    get() = when (this) {
        Restriction.YES -> "yes"
        Restriction.NO -> "no"
        Restriction.VARIES -> "on some packages"
        Restriction.CONFLICT -> "the payer says two things"
        Restriction.NOT_STATED -> NOT_STATED
    }

internal val CoverageStatus.words: String
    get() = when (this) {
        CoverageStatus.COVERED -> "covered"
        CoverageStatus.NOT_COVERED -> "not covered"
        CoverageStatus.NOT_LISTED -> "not on the list"
        CoverageStatus.UNKNOWN -> "unknown"
        CoverageStatus.MIXED -> "some packages covered"
        CoverageStatus.CONFLICT -> "the payer says two things"
        CoverageStatus.AMBIGUOUS -> "several drugs"
        CoverageStatus.NOT_FOUND -> "nothing fits"
    }

/** A list counts as complete if only a few entries are missing; the line says how many. */
private val Coverage.completeness: String
    get() = when {
        reason == CoverageReason.NO_DRUG_BENEFIT -> "no drug benefit"
        reason == CoverageReason.NO_FORMULARY_PUBLISHED -> "no drug list published"
        complete && gaps > 0 -> "drug list complete but for $gaps of $expected entries"
        complete -> "drug list complete"
        gaps > 0 -> "drug list incomplete: $gaps of $expected entries missing"
        else -> "drug list incomplete"
    }
