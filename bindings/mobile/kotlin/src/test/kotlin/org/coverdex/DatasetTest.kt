package org.coverdex

import java.time.LocalDate
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicReference
import kotlin.concurrent.thread
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** The layer by itself: types, errors, cancelling, threads. */
internal class DatasetTest {
    @Test
    fun answersHaveTypesOfTheirOwn() = runBlocking {
        val answer = dataset.coverage(PLAN, "eliquis 5 mg").single()
        assertEquals(PlanId(PLAN), answer.plan)
        assertEquals("2026-11-05T08:00:00Z", answer.origin.asOf)
        val ndc: Ndc11? = answer.packages.first().ndc11
        assertEquals(11, ndc?.value?.length)
        when (val verdict = answer.verdict) {
            is Verdict.Covered -> assertEquals(Restriction.NO, verdict.restrictions?.stepTherapy)
            else -> error("$verdict")
        }
        assertTrue(answer.caveats.contains(Caveat.TIER_IS_NO_PRICE))
        assertEquals("A tier is not a price.", Caveat.TIER_IS_NO_PRICE.words())
        val roles = dataset.provider("2410000113", plan = PLAN).first().provider!!.locations.flatMap { it.roles }
        val days: List<LocalDate> = roles.flatMap { it.inactiveDates }.mapNotNull { it.ended }
        assertTrue(days.all { it.year > 2000 })
    }

    @Test
    fun whatFitsSeveralOrNothingIsAnAnswer() = runBlocking {
        val nothing = dataset.coverage(PLAN, "no such drug").single().verdict
        assertTrue(nothing is Verdict.NotFound, "$nothing")
        val listed = dataset.coverage(PLAN, "lipitor 20 mg").single().verdict
        assertTrue(listed is Verdict.NotCovered && listed.tier?.code == "0", "$listed")
    }

    @Test
    fun aPageFollowsThePageBefore() = runBlocking {
        val first = dataset.searchDrugs("a", limit = 1).single()
        val second = dataset.searchDrugs("a", limit = 1, page = first.next).single()
        assertTrue(first.results.single() != second.results.single())
        val refused = assertThrows<CoverdexException.InvalidInput> {
            runBlocking { dataset.searchDrugs("b", limit = 1, page = first.next) }
        }
        assertTrue(refused.hint!!.isNotEmpty())
    }

    @Test
    fun aPlaceIsNamedInFourWays() = runBlocking {
        val county = Place.County("Doña Ana County, NM")
        val near = dataset.searchProviders(plan = PLAN, place = county, specialty = "heart doctor").first()
        assertEquals(PlaceKind.COUNTY, near.place.kind)
        assertEquals("José Núñez", near.results.first().name)
        val point = dataset.searchProviders(plan = PLAN, place = Place.at(32.31, -106.75), withinKm = 16.0).first()
        assertEquals(PlaceKind.POINT, point.place.kind)
        assertThrows<CoverdexException.InvalidInput> {
            runBlocking { dataset.plans(place = Place.State("NM")) }
        }
        Unit
    }

    @Test
    fun anErrorSaysTheWayOut() {
        val ambiguous = assertThrows<CoverdexException.Ambiguous> {
            runBlocking { dataset.plansCovering("eliquis 5 mg", Place.County("Baltimore, MD")) }
        }
        assertTrue(ambiguous.candidates.size > 1, "$ambiguous")
        assertEquals("${ambiguous.subject}: ${ambiguous.reason}", ambiguous.message)
        assertThrows<CoverdexException.NotFound> { runBlocking { dataset.coverage("H0000-999", "eliquis 5 mg") } }
        assertThrows<CoverdexException.InvalidInput> { runBlocking { dataset.searchDrugs("a", limit = -1) } }
        assertThrows<CoverdexException.InvalidInput> { runBlocking { dataset.plans(year = -2026) } }
    }

    @Test
    fun aCancelledCoroutineEndsItsCall() = runBlocking {
        val begun = CountDownLatch(1)
        val ended = CompletableDeferred<Throwable?>()
        val asking = launch(Dispatchers.Default) {
            cancellable(Dispatchers.IO) { token ->
                begun.countDown()
                while (!token.isCancelled()) Thread.onSpinWait()
                val failure = runCatching { native.info(token) }.exceptionOrNull()
                ended.complete(failure)
            }
        }
        begun.await()
        val cancelledAt = System.nanoTime()
        asking.cancelAndJoin()
        val failure = withTimeout(10_000) { ended.await() }
        println("a cancelled call ended after ${(System.nanoTime() - cancelledAt) / 1_000} µs")
        assertTrue(failure is Failure.Interrupted, "$failure")
        assertTrue(asking.isCancelled)
    }

    @Test
    fun aCoroutineThatIsCancelledBeforeItAsksDoesNotAsk() = runBlocking {
        val seen = AtomicReference<Throwable>()
        val asking = launch(start = CoroutineStart.UNDISPATCHED) {
            try {
                kotlinx.coroutines.yield()
                dataset.info()
            } catch (cancelled: CancellationException) {
                seen.set(cancelled)
                throw cancelled
            }
        }
        asking.cancelAndJoin()
        assertTrue(seen.get() is CancellationException)
    }

    @Test
    fun aCallThatAnsweredIsNotUndoneByCancelling() = runBlocking {
        val asking = async { dataset.counties("Baltimore, MD") }
        assertEquals(2, asking.await().results.size)
        asking.cancel()
        assertFalse(asking.isCancelled)
    }

    @Test
    fun aCallRunsInTheThreadThatAsks() = runBlocking {
        Dataset.open(Payer.store, Dispatchers.Unconfined).use { here ->
            val own = Thread.currentThread()
            here.info()
            assertEquals(own, Thread.currentThread())
            assertNull(here.coverage(PLAN, "99001-0120-30").single().coverage.varies)
        }
    }

    @Test
    fun sixteenThreadsAskAtOnce() {
        val want = runBlocking { dataset.coverage(PLAN, "eliquis 5 mg") }
        val wrong = AtomicReference<Any>()
        val threads = List(16) { n ->
            thread {
                runBlocking {
                    repeat(50) {
                        val got = dataset.coverage(PLAN, "eliquis 5 mg")
                        if (got != want) wrong.set(got)
                        if (dataset.searchDrugs("eliqis", PLAN).first().results.isEmpty()) wrong.set(n)
                    }
                }
            }
        }
        threads.forEach { it.join() }
        assertNull(wrong.get())
    }

    @Test
    fun manyCoroutinesAskAndSomeAreCancelled() = runBlocking {
        val answers = List(200) { n ->
            async(Dispatchers.Default) { dataset.searchDrugs("at".take(1 + n % 2), limit = 5).first() }
        }
        answers.filterIndexed { n, _ -> n % 3 == 0 }.forEach { it.cancel() }
        val kept = answers.filterIndexed { n, _ -> n % 3 != 0 }.awaitAll()
        assertTrue(kept.all { it.results.isNotEmpty() })
    }

    @Test
    fun aClosedDatasetSaysSo() {
        val closed = Dataset.open(Payer.store)
        closed.close()
        closed.close()
        val refused = assertThrows<IllegalStateException> { runBlocking { closed.info() } }
        assertEquals("the dataset ${closed.folder} is closed", refused.message)
        assertTrue(closed.asOf.isNotEmpty())
    }

    @Test
    fun aDatasetClosesOnceItsCallsHaveEnded() = runBlocking {
        val want = dataset.coverage(PLAN, "eliquis 5 mg")
        var (answered, refused) = 0 to 0
        repeat(20) {
            val other = Dataset.open(Payer.store)
            val asking = List(20) {
                async(Dispatchers.Default) {
                    runCatching { repeat(20) { assertEquals(want, other.coverage(PLAN, "eliquis 5 mg")) } }
                }
            }
            delay(it.toLong())
            other.close()
            for (result in asking.awaitAll()) {
                if (result.isSuccess) answered++ else refused++
                val failure = result.exceptionOrNull() ?: continue
                assertEquals("the dataset ${other.folder} is closed", failure.message, failure.stackTraceToString())
            }
        }
        assertTrue(answered + refused == 400 && refused > 0, "$answered answered, $refused refused")
    }

    @Test
    fun aTextThatIsNoUnicodeIsAnInvalidInput() {
        val emoji = "\uD83D\uDC8A"
        val refused = assertThrows<CoverdexException.InvalidInput> {
            runBlocking { dataset.searchDrugs(emoji.take(1)) }
        }
        assertTrue(refused.subject == "text" && refused.hint != null, "$refused")
        assertTrue(runBlocking { dataset.searchDrugs(emoji + "\u0000").single().results.isEmpty() })
        assertThrows<CoverdexException.InvalidInput> { Dataset.open("/tmp/" + emoji.take(1)) }
    }

    @Test
    fun aFaultInsideTheLibraryEndsTheCallAlone() = runBlocking {
        val status = UniffiRustCallStatus()
        // What is no question: the library panics over it.
        UniffiLib.uniffi_coverdex_mobile_fn_method_nativedataset_plans(
            native.uniffiCloneHandle(), FfiConverterString.lower("?"), FfiConverterOptionalTypeCancelToken.lower(null),
            status,
        )
        assertTrue(status.isPanic())
        val fault = InternalException(FfiConverterString.lift(status.error_buf))
        val told = assertThrows<CoverdexException.Other> {
            runBlocking { cancellable(Dispatchers.IO) { throw fault } }
        }
        assertEquals("call: it failed inside the library", told.message)
        // Coroutines copy an exception on its way, and name the one before as its cause.
        assertTrue(generateSequence<Throwable>(told) { it.cause }.any { it is InternalException })
        assertEquals(2, dataset.counties("Baltimore, MD").results.size)
    }

    companion object {
        private const val PLAN = "H9231-001-000-2026"

        private val dataset = Dataset.open(Payer.store)
        private val native = NativeDataset.open(Payer.store.toString())

        @AfterAll
        @JvmStatic
        fun close() {
            dataset.close()
            native.close()
        }
    }
}
