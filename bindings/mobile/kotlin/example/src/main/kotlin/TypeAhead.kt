package example

import java.io.PrintStream
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.collectLatest
import org.coverdex.Coverage
import org.coverdex.CoverageStatus
import org.coverdex.Dataset
import org.coverdex.DrugLine
import org.coverdex.DrugPage

/**
 * Searches for each text that the field holds. A new text cancels the search for the one before: the call ends, and
 * its results are never shown. An app collects the flow of its text field so, in the scope of its view model.
 *
 * @return what was found for the last text
 */
internal suspend fun typeAhead(dataset: Dataset, plan: String, texts: Flow<String>, show: (DrugPage) -> Unit): DrugPage? {
    var last: DrugPage? = null
    texts.collectLatest { text ->
        last = null
        if (text.isBlank()) return@collectLatest
        // A list that is shown while typing needs no codes.
        val page = dataset.searchDrugs(text, plan, limit = 8, codes = false).first()
        show(page)
        last = page
    }
    return last
}

/** Reads what is typed, then shows the card of the first result. */
internal suspend fun type(dataset: Dataset, plan: String, input: Input, out: PrintStream): Int {
    // A wrong plan is told before anything is typed.
    dataset.searchDrugs("a", plan, limit = 1)
    if (input.isTerminal) out.println("Type a drug's name; Enter for the first one's card.")
    val page = typeAhead(dataset, plan, input.texts()) { page ->
        if (input.isTerminal) out.print(CLEARED)
        print(page, out)
    } ?: return NOT_ANSWERED
    val first = page.results.firstOrNull() ?: return NOT_ANSWERED
    out.println()
    return card(dataset, plan, first.title, out)
}

/** The terminal's screen, empty. */
private const val CLEARED = "\u001B[H\u001B[2J"

private fun print(page: DrugPage, out: PrintStream) {
    out.println("${page.query}:")
    if (page.results.isEmpty()) out.println("  no such drug")
    for (line in page.results) out.println("  %-48s  %s".format(line.title, line.coverage?.short.orEmpty()))
    if (page.next != null) out.println("  and more")
    if (page.ignored.isNotEmpty()) out.println("  played no part: ${page.ignored.joinToString()}")
    page.notes.forEach { out.println("  $it") }
    if (page.complete == false) out.println("  The plan's drug list is incomplete.")
}

/** Name, strength and form. */
internal val DrugLine.title: String get() = listOfNotNull(name, strength, form).joinToString(" ")

/** What fits beside a name. */
private val Coverage.short: String
    get() = when {
        status != CoverageStatus.COVERED -> status.words
        statement.tier != null -> "${status.words}, ${statement.tier?.words}"
        varies != null -> "${status.words}, varies by package"
        else -> status.words
    }
