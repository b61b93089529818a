package org.coverdex

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking

/** Prints what calls cost from Kotlin, with the library that `jna.library.path` names: the middle of many. */
internal fun main(): Unit = runBlocking {
    Dataset.open(Payer.store).use { onThreads ->
        Dataset.open(Payer.store, Dispatchers.Unconfined).use { here ->
            val plan = "H9231-001-000-2026"
            val native = NativeDataset.open(Payer.store.toString())
            measured("the dataset's date, a call with next to nothing in it") { native.asOf() }
            measured("coverage by NDC, the generated call") { native.coverage(plan, "99001-0120-30") }
            measured("coverage by NDC, in the thread that asks") { here.coverage(plan, "99001-0120-30") }
            measured("coverage by NDC, on another thread and back") { onThreads.coverage(plan, "99001-0120-30") }
            measured("drug search while typing") { here.searchDrugs("atorv", plan, codes = false) }
            native.close()
        }
    }
}

private inline fun measured(what: String, call: () -> Unit) {
    repeat(5_000) { call() }
    val nanos = LongArray(5_000) {
        val begun = System.nanoTime()
        call()
        System.nanoTime() - begun
    }
    nanos.sort()
    println("%-60s %8.1f µs, p99 %8.1f µs".format(what, nanos[2_500] / 1e3, nanos[4_950] / 1e3))
}
