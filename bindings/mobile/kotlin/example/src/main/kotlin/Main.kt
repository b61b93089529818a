package example

import java.io.PrintStream
import kotlin.system.exitProcess
import kotlinx.coroutines.runBlocking
import org.coverdex.CoverdexException
import org.coverdex.Dataset
import org.coverdex.ProvidersQuestion

private val USAGE = """
    usage: example DATASET [COMMAND]

      type PLAN                      type a drug's name: results come as you type, Enter shows the first one's card
      card PLAN DRUG                 whether a plan covers a drug
      near PLAN PLACE [SPECIALTY]    in-network providers near a point (30.27,-97.74), a ZIP or a county
                                     (Travis County, TX); Enter shows the next page

    DATASET is a dataset folder or a store. Without a command its plans are listed.
""".trimIndent()

/** Asked well and answered. */
internal const val ANSWERED = 0

/** Asked for something that is not there, or that several things fit. */
internal const val NOT_ANSWERED = 1

/** Wrong usage. */
internal const val MISUSED = 2

/** No dataset to ask. */
internal const val NO_DATASET = 3

fun main(args: Array<String>) {
    // What a terminal shows is UTF-8, whatever the JVM takes it for.
    val out = PrintStream(System.out, true, Charsets.UTF_8)
    exitProcess(runBlocking { run(args.toList(), Input.standard(), out) })
}

/** How many providers a page shows. */
internal const val PAGE = 10

internal suspend fun run(args: List<String>, input: Input, out: PrintStream, page: Int = PAGE): Int {
    val folder = args.firstOrNull() ?: return misused(out)
    return try {
        Dataset.open(folder).use { dataset -> command(dataset, args.drop(1), input, out, page) }
    } catch (failure: CoverdexException) {
        out.println(told(failure))
        when (failure) {
            // An app installs the dataset anew here, and goes on without one meanwhile.
            is CoverdexException.DatasetDamaged, is CoverdexException.DatasetMissing -> NO_DATASET
            // An app asks for an update of itself.
            is CoverdexException.DatasetTooNew -> NO_DATASET
            // The dataset may be whole: an app tries again, and deletes nothing.
            is CoverdexException.Refused, is CoverdexException.Io, is CoverdexException.Other -> NO_DATASET
            else -> NOT_ANSWERED
        }
    }
}

private suspend fun command(dataset: Dataset, args: List<String>, input: Input, out: PrintStream, page: Int): Int {
    val plan = args.getOrNull(1)
    val rest = args.drop(2)
    return when {
        args.isEmpty() -> plans(dataset, out)
        plan == null -> misused(out)
        args[0] == "type" && rest.isEmpty() -> type(dataset, plan, input, out)
        args[0] == "card" && rest.isNotEmpty() -> card(dataset, plan, rest.joinToString(" "), out)
        args[0] == "near" && rest.size in 1..2 -> {
            // A question that is kept: further pages ask the same, with the token of the page before.
            val question = ProvidersQuestion(plan, place = place(rest[0]), specialty = rest.getOrNull(1), limit = page)
            near(dataset, question, input, out)
        }
        else -> misused(out)
    }
}

private fun misused(out: PrintStream): Int {
    out.println(USAGE)
    return MISUSED
}

/** Why a call has no answer, for people: the thing, what is wrong with it, what may be meant, the way out. */
private fun told(failure: CoverdexException): String = buildString {
    append(failure.message)
    failure.candidates.forEach { append("\n  - ").append(it) }
    failure.hint?.let { append("\n").append(it) }
}

private suspend fun plans(dataset: Dataset, out: PrintStream): Int {
    for (plan in dataset.plans().results.map { it.plan }) {
        val kind = plan.typeCode ?: "type not stated"
        val drugs = if (plan.formulary) "has a drug list" else "no drug list"
        out.println("%-20s  %s (%s, %s)".format(plan.id, plan.name ?: "name not stated", kind, drugs))
    }
    out.println("Data as of ${day(dataset.asOf)}, source: ${dataset.source}")
    return ANSWERED
}

/** `2026-11-05T08:00:00.123Z` for people. */
internal fun day(asOf: String): String = asOf.take("2026-11-05T08:00".length).replace('T', ' ') + " UTC"
