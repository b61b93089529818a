package org.coverdex

import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.boolean
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.double
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import kotlinx.serialization.json.add
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestFactory
import org.junit.jupiter.api.assertThrows

/** The questions that every door is asked, with their right answers. */
internal class QuestionsTest {
    @TestFactory
    fun rightAnswer(): List<DynamicTest> {
        val (leftOut, asked) = Payer.questions.partition { "sources" in it.args }
        println("${asked.size} questions; ${leftOut.size} left out: a phone has no payer's resources to look up")
        return asked.map { question -> dynamicTest(question.text("id")) { answerIsRight(question) } }
    }

    private fun answerIsRight(question: JsonObject) = runBlocking {
        val error = question["error"]
        val want = error ?: question.getValue("answer")
        val got = if (error == null) {
            ask(question.text("verb"), question.args)
        } else {
            document(assertThrows<CoverdexException> { runBlocking { ask(question.text("verb"), question.args) } })
        }
        assertEquals(emptyList<String>(), differences(want, got))
    }

    private suspend fun ask(verb: String, args: JsonObject): JsonElement {
        val all = answers(verb, args)
        return if (all is List<*> && verb in FIRST_COUNTS) byYear(all.filterNotNull()) else document(all)
    }

    /** What the verb's function gives. */
    private suspend fun answers(verb: String, args: JsonObject): Any = with(args) {
        when (verb) {
            "info" -> dataset.info()
            "counties" -> dataset.counties(text("text"))
            "plans" -> dataset.plans(said("text"), place, said("type"), audience, number("year"))
            "coverage" -> dataset.coverage(text("plan"), text("drug"), place)
            "coverage_matrix" ->
                dataset.coverageMatrix(texts("drugs"), texts("plans"), place, number("year"), audience)
            "compare" -> dataset.compare(
                texts("drugs"), texts("providers"), texts("plans"), place, number("year"), number("beside"), audience,
            )
            "same_ingredient" -> dataset.sameIngredient(
                text("plan"), text("drug"), place, isSaid("not_listed"), number("limit") ?: 20, page(verb),
            )
            "explain_coverage" -> dataset.explainCoverage(text("plan"), text("drug"), place)
            "plans_covering" -> dataset.plansCovering(text("drug"), place ?: NOWHERE, number("year"), audience)
            "search_drugs" ->
                dataset.searchDrugs(text("text"), said("plan"), number("limit") ?: 10, page = page(verb))
            "search_providers" -> dataset.searchProviders(search(verb))
            "provider", "network_status" ->
                dataset.provider(text("npi"), said("name"), said("plan"), said("network"), networkKind)
            "network_matrix" -> dataset.networkMatrix(
                texts("providers"), texts("plans"), place, number("year"), audience, networkKind,
            )
            "plans_taking" -> dataset.plansTaking(
                text("provider"), place ?: NOWHERE, said("name"), number("year"), audience, networkKind,
            )
            "practicing_at" ->
                dataset.practicingAt(said("address"), said("phone"), number("limit") ?: 20, page(verb))
            "explain_provider" -> dataset.explainProvider(text("provider"), search(verb))
            else -> error("no verb $verb")
        }
    }

    private suspend fun JsonObject.search(verb: String) = ProvidersQuestion(
        plan = said("plan"),
        network = said("network"),
        networkKind = networkKind,
        place = place,
        withinKm = this["within_km"]?.jsonPrimitive?.double,
        specialty = said("specialty"),
        name = said("name"),
        kind = said("kind")?.let { ProviderKind.valueOf(it.uppercase()) },
        gender = said("gender"),
        language = said("language"),
        accepting = isSaid("accepting"),
        city = said("city"),
        limit = number("limit") ?: 20,
        offset = number("offset") ?: 0,
        page = page(verb),
    )

    /** A page token: a text, or that of another question's answer. */
    private suspend fun JsonObject.page(verb: String): PageToken? = when (val page = this["page"]) {
        null -> null
        is JsonObject -> {
            val former = ask(verb, page)
            val first = if (former is JsonArray) former.first() else former
            PageToken(first.jsonObject.text("next"))
        }
        else -> PageToken(page.jsonPrimitive.content)
    }

    @Test
    fun everyVerbIsAsked() {
        assertEquals(349, Payer.questions.size)
        assertEquals(Payer.questions.size, Payer.questions.map { it.text("id") }.toSet().size)
    }

    @Test
    fun whatDiffersIsSeen() {
        val one = buildJsonObject { put("a", 1) }
        val contains = buildJsonObject { putJsonArray("contains") { add(one) } }
        assertEquals(emptyList<String>(), differences(one, buildJsonObject { put("a", 1.0); put("b", 2) }))
        for ((want, got) in listOf(
            one to JsonObject(emptyMap()),
            one to buildJsonObject { put("a", true) },
            one to buildJsonObject { put("a", "1") },
            contains to JsonArray(listOf(buildJsonObject { put("a", 2) })),
            contains to JsonPrimitive("a"),
            JsonArray(listOf(one)) to JsonArray(listOf(one, one)),
            JsonPrimitive("É") to JsonPrimitive("E\u0301"),
        )) {
            assertTrue(differences(want, got).isNotEmpty(), "$want and $got")
        }
    }

    companion object {
        private val dataset = Dataset.open(Payer.store)

        /** Verbs whose further years stand in `also` of the first. */
        private val FIRST_COUNTS = setOf("search_drugs", "search_providers", "provider", "network_status")

        /** In Kotlin a place that a question cannot do without is no option. */
        private val NOWHERE = Place.County("")

        @AfterAll
        @JvmStatic
        fun close() = dataset.close()

        private val JsonObject.args get() = getValue("args").jsonObject

        private fun JsonObject.text(name: String) = getValue(name).jsonPrimitive.content

        private fun JsonObject.said(name: String) = this[name]?.jsonPrimitive?.contentOrNull

        private fun JsonObject.texts(name: String) = this[name]?.jsonArray.orEmpty().map { it.jsonPrimitive.content }

        private fun JsonObject.number(name: String) = this[name]?.jsonPrimitive?.int

        private fun JsonObject.isSaid(name: String) = this[name]?.jsonPrimitive?.boolean ?: false

        private val JsonObject.audience get() = said("audience")?.let { Audience.valueOf(it.uppercase()) }

        private val JsonObject.networkKind get() = said("network_kind")?.let { NetworkKind.valueOf(it.uppercase()) }

        private val JsonObject.place: Place?
            get() = said("county")?.let(Place::County) ?: said("zip")?.let(Place::Zip)
                ?: said("at")?.let(Place::Point) ?: said("state")?.let(Place::State)

        /** The document of an error. */
        private fun document(error: CoverdexException) = buildJsonObject {
            put("kind", error::class.simpleName!!.replace(Regex("(?<=.)[A-Z]")) { "_" + it.value }.lowercase())
            put("subject", error.subject)
            put("message", error.reason)
            put("hint", error.hint)
            putJsonArray("candidates") { error.candidates.forEach { add(it) } }
        }
    }
}
