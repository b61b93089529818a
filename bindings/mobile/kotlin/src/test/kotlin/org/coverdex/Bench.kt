package org.coverdex

import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicLong
import kotlin.coroutines.CoroutineContext
import kotlin.io.path.Path
import kotlin.io.path.readLines
import kotlin.random.Random
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

// Prints what calls cost from Kotlin: `kotlin/bench DATASET [SECONDS]`. Questions are drawn from the dataset itself.

private const val THREADS = 16
private const val WARM_UP = 5_000
private const val MEMORY_CALLS = 100_000

internal fun main(args: Array<String>) {
    val folder = args.firstOrNull() ?: error("a dataset, and for how many seconds 16 threads ask")
    val seconds = args.getOrNull(1)?.toInt() ?: 60
    val wrong = Dataset.open(folder, Dispatchers.Unconfined).use { here ->
        Dataset.open(folder, Dispatchers.IO).use { onThreads ->
            runBlocking {
                println("$here, from ${here.source}")
                val questions = questions(here)
                calls(folder, here, onThreads, questions)
                cancelled(folder)
                memory(here, onThreads, questions)
                atOnce(here, questions, seconds)
            }
        }
    }
    exitProcess(if (wrong == 0L) 0 else 1)
}

/** What is asked, each with an answer. */
private class Questions(
    val coverage: List<Pair<String, String>>,
    val coverageByName: List<Pair<String, String>>,
    val typed: List<Pair<String, String>>,
    val near: List<ProvidersQuestion>,
) {
    /** One of all of them, by number. */
    suspend fun ask(dataset: Dataset, number: Int): Any = when (number % 4) {
        0 -> coverage[number / 4 % coverage.size].let { (plan, ndc) -> dataset.coverage(plan, ndc) }
        1 -> coverageByName[number / 4 % coverageByName.size].let { (plan, name) -> dataset.coverage(plan, name) }
        2 -> typed[number / 4 % typed.size].let { (plan, text) -> dataset.searchDrugs(text, plan, codes = false) }
        else -> dataset.searchProviders(near[number / 4 % near.size])
    }
}

private suspend fun questions(dataset: Dataset): Questions {
    val random = Random(7)
    val plans = dataset.plans().results.map { it.plan }
    val listed = plans.filter { it.formulary }.take(6).flatMap { plan ->
        ('a'..'z').flatMap { letter -> dataset.searchDrugs("$letter", plan.id.value, limit = 50).first().results }
            .filter { it.ndc11.isNotEmpty() && it.coverage?.status == CoverageStatus.COVERED }
            .map { plan.id.value to it }
    }.shuffled(random).take(500)
    val near = plans.filter { it.networks.isNotEmpty() }.shuffled(random).take(30).flatMap { plan ->
        val all = dataset.searchProviders(plan.id.value, limit = 20, offset = random.nextInt(200)).first().results
        all.mapNotNull { practice ->
            val county = practice.location?.countyFips ?: return@mapNotNull null
            val specialty = practice.specialties.firstOrNull() ?: return@mapNotNull null
            ProvidersQuestion(plan = plan.id.value, place = Place.County(county.value), specialty = specialty)
        }.take(10)
    }
    check(listed.isNotEmpty() && near.isNotEmpty()) { "nothing to ask in this dataset" }
    println("${listed.size} drugs of ${listed.distinctBy { it.first }.size} plans, ${near.size} searches for providers")
    return Questions(
        coverage = listed.map { (plan, line) -> plan to line.ndc11.random(random).value },
        coverageByName = listed.map { (plan, line) ->
            plan to listOfNotNull(line.name, line.strength, line.form).joinToString(" ")
        },
        typed = listed.flatMap { (plan, line) -> listOf(3, 6).map { plan to line.name.take(it) } },
        near = near.distinct().take(200),
    )
}

/** Times of calls, in nanoseconds. */
private class Times(private val nanos: LongArray) {
    init {
        nanos.sort()
    }

    fun micros(share: Double): Double = nanos[((nanos.size - 1) * share).toInt()] / 1e3
}

private fun report(what: String, times: Times, more: String = "") {
    val (middle, late) = times.micros(0.5) to times.micros(0.99)
    println("%-56s p50 %9.1f µs   p99 %9.1f µs%s".format(what, middle, late, more))
}

private inline fun measured(what: String, calls: Int, call: (Int) -> Any) {
    repeat(WARM_UP.coerceAtMost(calls)) { call(it) }
    val times = LongArray(calls) { number ->
        val begun = System.nanoTime()
        call(number)
        System.nanoTime() - begun
    }
    report(what, Times(times))
}

private suspend fun calls(folder: String, here: Dataset, onThreads: Dataset, questions: Questions): Unit =
    NativeDataset.open(folder).use { native ->
        measured("a call that gives one text", 20_000) { native.asOf() }
        measured("a token made and closed", 20_000) { CancelToken().close() }
        for ((name, asked) in listOf("NDC" to questions.coverage, "name" to questions.coverageByName)) {
            fun question(number: Int) = asked[number % asked.size]
            val packages = asked.sumOf { (plan, drug) -> native.coverage(plan, drug).first().packages.size }
            println("coverage by $name: %.1f packages an answer".format(packages.toDouble() / asked.size))
            measured("coverage by $name, the generated call", 20_000) {
                val (plan, drug) = question(it)
                native.coverage(plan, drug)
            }
            measured("coverage by $name, in the thread that asks", 20_000) {
                val (plan, drug) = question(it)
                here.coverage(plan, drug)
            }
            measured("coverage by $name, through Dispatchers.IO", 20_000) {
                val (plan, drug) = question(it)
                onThreads.coverage(plan, drug)
            }
        }
        for ((name, dataset) in listOf("in the thread that asks" to here, "through Dispatchers.IO" to onThreads)) {
            measured("drugs while typing, 10 with tiers, $name", 10_000) {
                val (plan, text) = questions.typed[it % questions.typed.size]
                dataset.searchDrugs(text, plan, codes = false)
            }
            measured("20 providers near a county, $name", 4_000) {
                dataset.searchProviders(questions.near[it % questions.near.size])
            }
        }
    }

/** How soon a call ends once its coroutine is cancelled: for the coroutine, and for the thread that ran it. */
private suspend fun cancelled(folder: String) {
    val threads = Executors.newFixedThreadPool(2)
    val ended = AtomicLong()
    val dispatcher = object : CoroutineDispatcher() {
        override fun dispatch(context: CoroutineContext, block: Runnable) = threads.execute {
            block.run()
            ended.set(System.nanoTime())
        }
    }
    Dataset.open(folder, dispatcher).use { dataset ->
        val plans = dataset.plans().results.map { it.plan.id.value }
        val drugs = dataset.searchDrugs("a", plans.first(), limit = 40).first().results.map { it.name }
        val long: List<Pair<String, suspend () -> Unit>> = listOf(
            "a name that nobody has" to { dataset.searchProviders(name = "zzyzx quuxbar") },
            "drugs by one letter, all of them" to { dataset.searchDrugs("a", limit = 10_000) },
            "everyone anywhere, 5,000 results" to { dataset.searchProviders(limit = 5_000) },
            "40 drugs x all plans" to { dataset.coverageMatrix(drugs, plans) },
        )
        for ((what, call) in long) cancelled(what, ended, call)
    }
    threads.shutdown()
}

private suspend fun cancelled(what: String, ended: AtomicLong, call: suspend () -> Unit) {
    repeat(20) { call() }
    val whole = LongArray(10) {
        val begun = System.nanoTime()
        call()
        System.nanoTime() - begun
    }.sorted()[5]
    val forCoroutine = mutableListOf<Long>()
    val forThread = mutableListOf<Long>()
    repeat(400) { number ->
        ended.set(0)
        runBlocking(Dispatchers.Default) {
            var seen = 0L
            val asking = launch(start = CoroutineStart.UNDISPATCHED) {
                try {
                    call()
                } catch (cancelled: CancellationException) {
                    seen = System.nanoTime()
                    throw cancelled
                }
            }
            val until = System.nanoTime() + whole * (number % 20) / 25
            while (System.nanoTime() < until) Thread.onSpinWait()
            val begun = System.nanoTime()
            asking.cancel()
            asking.join()
            // Set anew after the call that measures: a call that had answered was not cancelled.
            while (ended.get() == 0L) delay(1)
            if (seen != 0L) {
                forCoroutine += seen - begun
                forThread += (ended.get() - begun).coerceAtLeast(0)
            }
        }
    }
    if (forCoroutine.isEmpty()) return println("$what: had answered before it was cancelled, always")
    val ms = whole / 1e6
    println("%-44s whole %.1f ms, cancelled %d of 400 times".format("cancel: $what", ms, forCoroutine.size))
    for ((who, nanos) in listOf("the coroutine goes on" to forCoroutine, "the thread is free" to forThread)) {
        val times = Times(nanos.toLongArray())
        report("   $who after", times, "   at most %.1f µs".format(times.micros(1.0)))
    }
}

/** Whether memory stays what it is. */
private suspend fun memory(here: Dataset, onThreads: Dataset, questions: Questions) {
    repeat(20_000) { questions.ask(if (it % 2 == 0) here else onThreads, it) }
    println("memory over $MEMORY_CALLS calls, half of them through Dispatchers.IO")
    for (asked in 0..MEMORY_CALLS step MEMORY_CALLS / 5) {
        if (asked > 0) {
            repeat(MEMORY_CALLS / 5) { questions.ask(if (it % 2 == 0) here else onThreads, it) }
        }
        repeat(3) {
            System.gc()
            delay(100)
        }
        val runtime = Runtime.getRuntime()
        val heap = (runtime.totalMemory() - runtime.freeMemory()) / 1e6
        println("   after %6d calls: %.1f MB resident, of it %.1f MB private; Java heap %.1f MB".format(
            asked, resident("VmRSS"), resident("RssAnon"), heap,
        ))
    }
}

/** What the system says of this process, in MB; Linux alone says it here. */
private fun resident(what: String): Double =
    runCatching { Path("/proc/self/status").readLines().first { it.startsWith("$what:") } }
        .map { line -> line.filter(Char::isDigit).toLong() * 1024 / 1e6 }
        .getOrDefault(Double.NaN)

/** Sixteen threads ask at once; each answer is compared with that which one thread got. */
private suspend fun atOnce(here: Dataset, questions: Questions, seconds: Int): Long {
    val kinds = 4
    val number = kinds * maxOf(questions.coverage.size, questions.typed.size, questions.near.size)
    val right = List(number) { questions.ask(here, it) }
    val threads = Executors.newFixedThreadPool(THREADS)
    val (answers, wrong) = AtomicLong() to AtomicLong()
    val begun = System.nanoTime()
    val asking = List(THREADS) { thread ->
        threads.submit {
            val random = Random(thread)
            while ((System.nanoTime() - begun).nanoseconds < seconds.seconds) {
                val asked = random.nextInt(number)
                val got = runBlocking { questions.ask(here, asked) }
                if (got != right[asked]) wrong.incrementAndGet()
                answers.incrementAndGet()
            }
        }
    }
    asking.forEach { it.get() }
    threads.shutdown()
    println("$THREADS threads for $seconds s: ${answers.get()} answers, ${wrong.get()} wrong")
    return wrong.get()
}
