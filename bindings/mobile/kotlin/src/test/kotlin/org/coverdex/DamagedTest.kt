package org.coverdex

import java.nio.file.Path
import kotlin.io.path.ExperimentalPathApi
import kotlin.io.path.copyToRecursively
import kotlin.io.path.createDirectory
import kotlin.io.path.deleteExisting
import kotlin.io.path.isRegularFile
import kotlin.io.path.readBytes
import kotlin.io.path.readText
import kotlin.io.path.relativeTo
import kotlin.io.path.walk
import kotlin.io.path.writeBytes
import kotlin.io.path.writeText
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestFactory
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

/** Datasets that are damaged, cut short, newer, or not there. */
@OptIn(ExperimentalPathApi::class)
internal class DamagedTest {
    @TestFactory
    fun eachDamageIsFound(@TempDir folder: Path): List<DynamicTest> = files.flatMap { file ->
        damages.map { (what, damage) ->
            dynamicTest("$file $what") {
                val copy = copied(folder.resolve("$file-$what".replace('/', '-')))
                damage(copy.resolve(file))
                foundByVerify(copy, file, isGone = what == "removed")
                noWrongAnswer(copy)
            }
        }
    }

    private fun foundByVerify(copy: Path, file: Path, isGone: Boolean) {
        val found = assertThrows<CoverdexException> { runBlocking { Dataset.verify(copy) } }
        if (isGone && file == manifest) {
            assertTrue(found is CoverdexException.DatasetMissing, "$found")
            assertEquals("dataset $copy", found.subject)
        } else {
            assertTrue(found is CoverdexException.DatasetDamaged, "$found")
            assertEquals(copy.resolve(file).toString(), found.subject)
            // A manifest that cannot be read names no other files to look through.
            val damaged = if (file == manifest) emptyList() else listOf(found.subject)
            assertEquals(damaged, found.damages.map { it.file })
        }
        assertTrue(found.reason.isNotEmpty() && !found.hint.isNullOrEmpty(), "$found")
        assertEquals("${found.subject}: ${found.reason}", found.message)
    }

    /** Each question has the answer of the whole dataset, or none: then the damage is told. */
    private fun noWrongAnswer(copy: Path) {
        for ((question, want) in questions.zip(wanted)) {
            val got = runCatching { Dataset.open(copy).use { runBlocking { question(it) } } }
            when (val failure = got.exceptionOrNull()) {
                null -> assertEquals(want, got.getOrNull())
                is CoverdexException.DatasetDamaged, is CoverdexException.DatasetMissing -> Unit
                else -> throw AssertionError("not told as damage", failure)
            }
        }
    }

    @Test
    fun aNewerDatasetIsNotCalledDamaged(@TempDir folder: Path) {
        val copy = copied(folder.resolve("newer"))
        val text = copy.resolve(manifest).readText()
        copy.resolve(manifest).writeText(text.replace(Regex("\"min_reader\": *\\d+"), "\"min_reader\": 999"))
        for (call in waysIn) {
            val newer = assertThrows<CoverdexException.DatasetTooNew> { call(copy) }
            assertEquals("dataset $copy", newer.subject)
            assertTrue("999" in newer.reason && "update" in newer.hint!!, "$newer ${newer.hint}")
        }
    }

    @Test
    fun aDatasetThatIsNotThereIsMissing(@TempDir folder: Path) {
        val file = folder.resolve("file")
        file.writeText("no dataset")
        val empty = folder.resolve("empty").createDirectory()
        for (path in listOf(empty, folder.resolve("no/such/folder"), file, Path.of(""))) {
            for (call in waysIn) {
                val missing = assertThrows<CoverdexException.DatasetMissing> { call(path) }
                assertEquals("dataset $path", missing.subject)
                assertTrue(missing.reason.isNotEmpty() && !missing.hint.isNullOrEmpty(), "$missing")
            }
        }
    }

    @Test
    fun aWholeDatasetIsVerified() = runBlocking {
        val verified = Dataset.verify(Payer.store)
        val id = Dataset.open(Payer.store).use { it.id }
        assertEquals(id, verified.dataset)
        assertTrue(verified.files > 1 && verified.bytes > 0)
    }

    private fun copied(copy: Path): Path {
        whole.copyToRecursively(copy, followLinks = false, overwrite = false)
        return copy
    }

    companion object {
        private const val PLAN = "H9231-001-000-2026"

        private val whole = Path.of(Dataset.open(Payer.store).use { it.folder })

        private val manifest = Path.of("manifest.json")

        /** The dataset's files. What the crawl left beside them is none of it. */
        private val files = whole.walk().filter { it.isRegularFile() }.map { it.relativeTo(whole) }
            .filter { it != Path.of("crawl.json") }.sorted().toList()

        private val waysIn = listOf<(Path) -> Unit>(
            { Dataset.open(it).close() },
            { runBlocking { Dataset.verify(it) } },
        )

        private val damages = mapOf<String, (Path) -> Unit>(
            "altered" to { file ->
                val bytes = file.readBytes()
                bytes[bytes.size / 2] = (bytes[bytes.size / 2].toInt() xor 0x55).toByte()
                file.writeBytes(bytes)
            },
            "cut short" to { file -> file.writeBytes(file.readBytes().copyOf(file.readBytes().size / 2)) },
            "emptied" to { file -> file.writeBytes(ByteArray(0)) },
            "removed" to { file -> file.deleteExisting() },
        )

        private val questions = listOf<suspend (Dataset) -> Any>(
            { it.info().copy(folder = "") },
            { it.coverage(PLAN, "eliquis 5 mg") },
            { it.coverage(PLAN, "99001-0120-30") },
            { it.searchDrugs("ator", PLAN) },
            { it.searchProviders(PLAN, place = Place.County("Doña Ana County, NM"), specialty = "heart doctor") },
            { it.provider("2410000113", plan = PLAN) },
        )

        private val wanted = Dataset.open(Payer.store).use { whole -> runBlocking { questions.map { it(whole) } } }
    }
}
