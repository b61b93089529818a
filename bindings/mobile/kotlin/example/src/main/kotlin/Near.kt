package example

import java.io.PrintStream
import org.coverdex.Accepting
import org.coverdex.Dataset
import org.coverdex.PageToken
import org.coverdex.Place
import org.coverdex.PracticeLocation
import org.coverdex.Precision
import org.coverdex.ProvidersAnswer
import org.coverdex.ProvidersQuestion

/** In-network providers near a place, page by page. */
internal suspend fun near(dataset: Dataset, question: ProvidersQuestion, input: Input, out: PrintStream): Int {
    var page: PageToken? = null
    do {
        val answer = dataset.searchProviders(question.copy(page = page)).first()
        if (page == null) head(answer, out)
        answer.results.forEachIndexed { n, practice -> print(answer.offset + n + 1, practice, out) }
        page = answer.next
        if (page == null) foot(answer, out)
    } while (page != null && input.isMoreWanted(out))
    return ANSWERED
}

/** A point, a ZIP or a county, by its look. */
internal fun place(text: String): Place = when {
    Regex("""\d{5}""").matches(text) -> Place.Zip(text)
    Regex("""-?[\d.]+ *, *-?[\d.]+""").matches(text) -> Place.Point(text)
    else -> Place.County(text)
}

private fun head(answer: ProvidersAnswer, out: PrintStream) {
    val within = answer.place.withinKm?.let { " within %.0f km".format(it) }.orEmpty()
    val plan = answer.asked.planName ?: answer.asked.plan?.value
    val count = if (answer.total == 1L) "1 place" else "%,d places".format(answer.total)
    out.println("$count of practice near ${answer.place.label}$within, in network of $plan")
    if (answer.readAs.isNotEmpty()) out.println("Read as: ${answer.readAs.joinToString()}")
    answer.notes.forEach { out.println(it) }
}

private fun print(number: Long, practice: PracticeLocation, out: PrintStream) {
    val location = practice.location
    // A place that is known by its ZIP or county alone is only about so far away.
    val about = if (location?.precision == Precision.POINT) "" else "about "
    val distance = practice.distanceKm?.let { "$about%.1f km".format(it) } ?: "distance unknown"
    out.println()
    out.println("%2d. %s  %s".format(number, practice.name.ifEmpty { "name not stated" }, distance))
    if (practice.specialties.isNotEmpty()) out.println("    ${practice.specialties.joinToString()}")
    val city = listOfNotNull(location?.city, location?.state).joinToString(", ")
    val house = location?.name.takeIf { it != practice.name }
    val address = listOfNotNull(house, location?.address, city.ifEmpty { null }, location?.zip)
    if (address.isNotEmpty()) out.println("    ${address.joinToString(", ")}")
    out.println("    ${practice.phone ?: "phone not stated"} · ${practice.acceptingNewPatients.words}")
    // Each network is named: a doctor may be in the vision network alone.
    val networks = practice.networks.map { "${it.label ?: it.key.id} (${it.kind.name.lowercase()})" }
    if (networks.isNotEmpty()) out.println("    in ${networks.joinToString()}")
    practice.statedNpi?.let { if (practice.npi == null) out.println("    NPI stated as $it, which is none") }
}

private fun foot(answer: ProvidersAnswer, out: PrintStream) {
    out.println()
    answer.nearestKm?.let { out.println("Nobody is so near; the nearest is %.1f km away.".format(it)) }
    val similar = answer.similarSpecialties.filter { it.total != 0L }
    if (similar.isNotEmpty()) out.println("See also: ${similar.joinToString { "${it.name} (${it.total ?: "?"})" }}")
    if (answer.placeNotStated > 0) out.println("${answer.placeNotStated} more in network, place not stated.")
    if (answer.inDoubt > 0) out.println("${answer.inDoubt} more may fit: what the payer says of them contradicts itself.")
    for (gap in answer.asked.gaps) out.println("Incomplete: ${gap.network.label ?: gap.network.key.id}: ${gap.reason}")
    out.println("Directories are incomplete: call before you go. Not being listed is no proof of being out of network.")
    out.println("Data as of ${day(answer.origin.asOf)}, source: ${answer.origin.source}")
}

private val Accepting?.words: String
    get() = when (this) {
        null -> "new patients: not stated"
        Accepting.YES -> "takes new patients"
        Accepting.EXISTING_AND_FAMILY -> "takes families of patients"
        Accepting.EXISTING_ONLY, Accepting.NO -> "takes no new patients"
    }
