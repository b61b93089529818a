package org.coverdex

import java.time.LocalDate
import kotlin.math.round
import kotlin.reflect.full.memberProperties
import kotlin.reflect.full.primaryConstructor
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonPrimitive

// Answers as the documents that the command prints, for the questions that every door is asked. Documents lay the
// fields of some records beside those of the record around them, and name a few otherwise.

/** The document of an answer, or of a list of answers. */
internal fun document(value: Any?): JsonElement = when {
    value == null -> JsonNull
    value is String -> JsonPrimitive(value)
    value is Boolean -> JsonPrimitive(value)
    value is Number -> JsonPrimitive(value)
    value is Enum<*> -> JsonPrimitive(value.name.lowercase())
    value is LocalDate || value::class.isValue -> JsonPrimitive(value.toString())
    value is List<*> -> JsonArray(value.map(::document))
    value is Map<*, *> -> JsonObject(value.entries.associate { (name, own) -> name.toString() to document(own) })
    value is Info -> info(value)
    value is Varies -> varies(value)
    value is ProviderAnswer -> provider(value)
    else -> JsonObject(fields(value))
}

/** The document of the first answer, with those for further years of the plan in `also`. */
internal fun byYear(answers: List<Any>): JsonElement {
    val also = answers.drop(1).map(::document)
    val first = document(answers.first()) as JsonObject
    return if (also.isEmpty()) first else JsonObject(first + ("also" to JsonArray(also)))
}

/** Properties whose fields stand beside those of the record around them. */
private val LAID_BESIDE = setOf("origin", "coverage", "drug", "statement", "line", "asked", "practice", "answer", "key")

private fun isLaidBeside(around: Any, name: String, value: Any?): Boolean = when {
    value == null -> name == "coverage"
    value is Plan || name in LAID_BESIDE -> true
    around is PlanStanding && name == "standing" -> true
    around is TierCount && name == "tier" -> true
    around is NetworkGap && name == "network" -> true
    else -> false
}

private fun fields(value: Any): Map<String, JsonElement> {
    val properties = value::class.memberProperties.associateBy { it.name }
    val order = value::class.primaryConstructor?.parameters.orEmpty().map { it.name!! }
    val own = mutableMapOf<String, JsonElement>()
    val beside = mutableListOf<Map<String, JsonElement>>()
    for (name in order) {
        val field = properties.getValue(name).getter.call(value)
        when {
            !isLaidBeside(value, name, field) -> own[snake(name)] = document(kilometers(name, field))
            field == null -> Unit
            // What a plan says of itself counts least.
            field is Plan -> beside.add(0, fields(field))
            else -> beside += fields(field)
        }
    }
    val laid = beside.fold(emptyMap<String, JsonElement>()) { sum, more -> sum + more }
    return renamed(value, laid + notes(laid, own))
}

/** Notes of what is laid beside stand behind those of the record around it. */
private fun notes(beside: Map<String, JsonElement>, own: Map<String, JsonElement>): Map<String, JsonElement> {
    val (more, mine) = (beside["notes"] ?: return own) to (own["notes"] ?: return own)
    return own + ("notes" to JsonArray(mine.jsonArray + more.jsonArray))
}

private fun renamed(value: Any, fields: Map<String, JsonElement>): Map<String, JsonElement> {
    val all = fields.toMutableMap()
    fun rename(from: String, to: String) { all.remove(from)?.let { all[to] = it } }
    when (value) {
        is Plan -> {
            rename("id", "plan")
            rename("type_code", "type")
        }
        is Standing, is NetworkAnswer -> rename("status", "network_status")
        is AskedNetworks -> rename("networks", "asked_networks")
        is AskedDrug, is AskedProvider -> {
            val problem = all.remove("problem")
            val notes = all.getValue("notes").jsonArray
            if (problem != null && problem != JsonNull) all["notes"] = JsonArray(listOf(problem) + notes)
        }
        is PracticeLocation -> identified(all, value.npi, value.statedNpi)
        is Provider -> identified(all, value.npi, value.statedNpi)
        is NetworkMatrixPlan, is PlanStanding ->
            all["complete"] = JsonPrimitive(all.getValue("gaps").jsonArray.isEmpty())
        is PlanBeside -> all.putIfAbsent("name", JsonNull)
        // A phone has nothing to look the payer's resources up in.
        is CoverageExplanation, is ProviderExplanation -> all["sources"] = JsonNull
    }
    return all
}

private fun identified(all: MutableMap<String, JsonElement>, npi: Npi?, stated: String?) {
    all["npi"] = JsonPrimitive(npi?.value ?: stated ?: "")
    all["npi_valid"] = JsonPrimitive(npi != null)
}

/** Documents give kilometers to the meter. */
private fun kilometers(name: String, value: Any?): Any? =
    if (name.endsWith("Km") && value is Double) round(value * 1000.0) / 1000.0 else value

private fun varies(varies: Varies): JsonElement {
    val all = fields(varies).toMutableMap()
    val of = all.remove("of")!!
    for (name in listOf("prior_authorization", "step_therapy", "quantity_limit")) {
        all[name] = JsonArray(listOf(all.getValue(name), of))
    }
    return JsonObject(all)
}

private val LISTS_OF_A_PROVIDER =
    listOf("aliases", "other_names", "languages", "phones", "locations", "networks", "inactive", "inactive_dates")

private fun provider(answer: ProviderAnswer): JsonElement = buildJsonObject {
    val empty = JsonArray(emptyList())
    for (name in LISTS_OF_A_PROVIDER) put(name, empty)
    for (name in listOf("kind", "gender", "reason")) put(name, JsonNull)
    put("shared_role", JsonPrimitive(false))
    put("npi", JsonPrimitive(answer.npi.value))
    put("network_status", if (answer.provider == null) JsonPrimitive("not_in_directory") else JsonNull)
    for (part in listOfNotNull(answer.provider, answer.standing, answer.asked, answer.origin)) {
        fields(part).forEach { (name, value) -> put(name, value) }
    }
    put("summary", JsonPrimitive(answer.summary))
    put("notes", document(answer.notes))
}

private fun info(info: Info): JsonElement {
    val all = fields(info).toMutableMap()
    val reasons = all.remove("reasons")!!.jsonArray.map { it as JsonObject }
    val resources = all.remove("resources")!!.jsonArray.map { counts ->
        val type = (counts as JsonObject).getValue("resource")
        JsonObject(counts + ("type" to type) + ("reasons" to JsonArray(reasons.filter { it["resource"] == type })))
    }
    val report = mapOf(
        "resources" to JsonArray(resources),
        "plans" to all.remove("plans")!!,
        "tiers" to all.remove("tiers")!!,
    )
    return JsonObject(all + ("report" to JsonObject(report)))
}

private fun snake(name: String): String = name.replace(Regex("[A-Z]")) { "_" + it.value.lowercase() }

/** Where an answer is not what the rules of tests/questions/README.md ask for. */
internal fun differences(want: JsonElement, got: JsonElement?, at: String = ""): List<String> = when {
    got == null -> listOf("$at is not there")
    want is JsonObject && want.keys == setOf("contains") ->
        if (got !is JsonArray) {
            listOf("$at: $got is no list")
        } else {
            want.getValue("contains").jsonArray
                .filter { element -> got.none { differences(element, it).isEmpty() } }
                .map { "$at: contains no $it" }
        }
    want is JsonObject ->
        if (got !is JsonObject) {
            listOf("$at: $got is no object")
        } else {
            want.flatMap { (name, own) -> differences(own, got[name], "$at.$name") }
        }
    want is JsonArray ->
        if (got !is JsonArray || got.size != want.size) {
            listOf("$at: $got is not $want")
        } else {
            want.zip(got).flatMapIndexed { n, (a, b) -> differences(a, b, "$at[$n]") }
        }
    isSame(want.jsonPrimitive, got as? JsonPrimitive) -> emptyList()
    else -> listOf("$at: $got is not $want")
}

private fun isSame(want: JsonPrimitive, got: JsonPrimitive?): Boolean = when {
    got == null || want.isString != got.isString -> false
    want.isString || want.content == got.content -> want.content == got.content
    else -> want.content.toDoubleOrNull()?.let { it == got.content.toDoubleOrNull() } ?: false
}
