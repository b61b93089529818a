package org.coverdex

import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.readText
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject

/** The payer of `tests/questions`: `check` builds its dataset and says where it is. */
internal object Payer {
    /** The store with the dataset. */
    val store: Path = Path(setting("COVERDEX_STORE"))

    /** A store with a dataset of the same payer, of a later day. */
    val later: Path = Path(setting("COVERDEX_LATER"))

    /** All questions. */
    val questions: List<JsonObject> by lazy {
        val text = Path(setting("COVERDEX_QUESTIONS")).readText()
        Json.parseToJsonElement(text).jsonObject.getValue("questions").jsonArray.map { it.jsonObject }
    }

    private fun setting(name: String): String =
        System.getenv(name) ?: error("$name is not set: run bindings/mobile/check")
}
