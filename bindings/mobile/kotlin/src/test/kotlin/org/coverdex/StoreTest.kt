package org.coverdex

import java.nio.file.Path
import kotlin.io.path.ExperimentalPathApi
import kotlin.io.path.copyToRecursively
import kotlin.io.path.deleteRecursively
import kotlin.io.path.exists
import kotlin.io.path.readBytes
import kotlin.io.path.readText
import kotlin.io.path.writeBytes
import kotlin.io.path.writeText
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

/** Installing what was downloaded. */
@OptIn(ExperimentalPathApi::class)
internal class StoreTest {
    @TempDir
    lateinit var work: Path

    private val store get() = work.resolve("store")

    @Test
    fun anInstalledDatasetIsLive() = runBlocking {
        val download = downloaded(Payer.store)
        val installed = Dataset.install(download, into = store)
        download.deleteRecursively()
        assertFalse(installed.wasThere)
        assertNull(installed.former)
        assertTrue(installed.bytes > 0)
        assertLive(installed)
        assertEquals(coverage(Payer.store), coverage(store))
        assertEquals(installed.dataset, Dataset.verify(store).dataset)

        val again = Dataset.install(Payer.store, into = store)
        assertEquals(installed.copy(wasThere = true), again)
    }

    @Test
    fun aLaterDatasetTakesItsPlaceAndTheFormerStaysUntilItIsRemoved() = runBlocking {
        val old = Dataset.install(Payer.store, into = store)
        Dataset.open(store).use { open ->
            val new = Dataset.install(Payer.later, into = store)
            assertNotEquals(old.dataset, new.dataset)
            assertEquals(old.folder, new.former)
            assertLive(new)
            // Who has the former one open goes on with it.
            assertEquals(old.dataset, open.coverage(PLAN, DRUG).first().origin.dataset)

            assertEquals(old.dataset, Dataset.rollback(store).dataset)
            assertLive(old)
            assertFalse(Path.of(new.folder).exists())

            Dataset.install(Payer.later, into = store)
            assertTrue(Dataset.removeFormer(store))
            assertFalse(Dataset.removeFormer(store))
            assertFalse(Path.of(old.folder).exists())
            assertLive(new)
        }
        val refused = assertThrows<CoverdexException.NotFound> { runBlocking { Dataset.rollback(store) } }
        assertTrue(refused.hint != null, "$refused")
    }

    @Test
    fun aDownloadThatWillNotDoIsRefused() = runBlocking {
        val old = Dataset.install(Payer.store, into = store)
        val download = downloaded(Payer.later)
        val rows = download.resolve("coverdex.sqlite")
        val bytes = rows.readBytes()
        rows.writeBytes(bytes.copyOf().also { it[it.size / 2] = (it[it.size / 2] + 1).toByte() })
        val damaged = assertThrows<CoverdexException.DatasetDamaged> {
            runBlocking { Dataset.install(download, into = store) }
        }
        assertEquals("$rows", damaged.subject)
        assertLive(old)

        rows.writeBytes(bytes)
        val manifest = download.resolve("manifest.json")
        manifest.writeText(manifest.readText().replace(Regex("\"min_reader\": *\\d+"), "\"min_reader\": 999"))
        assertThrows<CoverdexException.DatasetTooNew> { runBlocking { Dataset.install(download, into = store) } }
        assertThrows<CoverdexException.DatasetMissing> { runBlocking { Dataset.install(work, into = store) } }
        assertLive(old)
        // Nothing is wrong with the store.
        assertEquals(Dataset.verify(Payer.later).dataset, Dataset.install(Payer.later, into = store).dataset)
    }

    @Test
    fun aStoreThatIsNoneIsToldSo() {
        assertThrows<CoverdexException> { runBlocking { Dataset.rollback(work.resolve("none")) } }
        assertThrows<CoverdexException> { runBlocking { Dataset.removeFormer(work.resolve("none")) } }
        val file = work.resolve("file")
        file.writeText("")
        assertThrows<CoverdexException> { runBlocking { Dataset.install(Payer.store, into = file) } }
    }

    @Test
    fun aCancelledInstallLeavesTheFormerLive() = runBlocking {
        val old = Dataset.install(Payer.store, into = store)
        var cancelled = 0
        for (wait in 0..40) {
            var failure: Throwable? = null
            val installing = launch(Dispatchers.Default, start = CoroutineStart.UNDISPATCHED) {
                failure = runCatching { Dataset.install(Payer.later, into = store) }.exceptionOrNull()
            }
            Thread.sleep(wait * 2L)
            installing.cancel()
            installing.join()
            // The call has ended: the store is nobody's, and whichever is live is whole.
            val live = Dataset.verify(store).dataset
            when (failure) {
                null -> assertNotEquals(old.dataset, live)
                is CancellationException -> cancelled++
                else -> throw AssertionError(failure)
            }
            if (live != old.dataset) assertEquals(old.dataset, Dataset.rollback(store).dataset)
            assertLive(old)
        }
        println("$cancelled of 41 installs were cancelled")
        assertTrue(cancelled > 0)
    }

    @Test
    fun ofSeveralInstallsAtOnceOneWrites() = runBlocking {
        val all = List(8) { async(Dispatchers.IO) { runCatching { Dataset.install(Payer.later, into = store) } } }
        val (installed, refused) = all.awaitAll().partition { it.isSuccess }
        assertTrue(installed.isNotEmpty())
        for (failure in refused.map { it.exceptionOrNull() }) {
            assertTrue(failure is CoverdexException.Io && failure.hint != null, "$failure")
        }
        assertLive(installed.first().getOrThrow())
    }

    private suspend fun coverage(path: Path) = Dataset.open(path).use { it.coverage(PLAN, DRUG) }

    private fun assertLive(installed: Installed) = Dataset.open(store).use { dataset ->
        assertEquals(installed.dataset, dataset.id)
        assertEquals(installed.asOf, dataset.asOf)
        assertEquals(installed.folder, dataset.folder)
    }

    private fun downloaded(from: Path): Path {
        val live = Path.of(Dataset.open(from).use { it.folder })
        return live.copyToRecursively(work.resolve("download"), followLinks = false, overwrite = false)
    }

    companion object {
        private const val PLAN = "H9231-001"
        private const val DRUG = "eliquis 5 mg"
    }
}
