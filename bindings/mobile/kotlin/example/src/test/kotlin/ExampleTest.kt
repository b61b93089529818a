package example

import java.io.ByteArrayOutputStream
import java.io.PipedReader
import java.io.PipedWriter
import java.io.PrintStream
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

internal class ExampleTest {
    @Test
    fun plansAreListed() {
        val (code, said) = ran(store)
        assertEquals(ANSWERED, code)
        assertTrue("H9231-001-000-2026    Piñon Mesa Choice (HMO) (MA-PD, has a drug list)" in said, said)
        assertTrue(said.endsWith("Data as of 2026-11-05 08:00 UTC, source: folder\n"), said)
    }

    @Test
    fun aCardSaysWhatIsStatedAndWhatIsNot() {
        val (code, said) = ran(store, "card", PLAN, "eliquis", "5", "mg")
        assertEquals(
            """
            Eliquis 5 MG Oral Tablet
            Piñon Mesa Choice (HMO), H9231-001-000-2026

              covered
              tier                 tier 3, Preferred Brand
              prior authorization  no
              step therapy         no
              quantity limit       not stated
              mail order           yes
              packages             1 on the list

            A tier is not a price.
            By law a month of covered insulin costs at most ${'$'}35, and recommended adult vaccines in Part D ${'$'}0, whatever the tier.
            Data as of 2026-11-05 08:00 UTC, source: folder, drug list complete

            """.trimIndent(),
            said,
        )
        assertEquals(ANSWERED, code)
    }

    @Test
    fun aCardSaysWhatVaries() {
        val (_, said) = ran(store, "card", PLAN, "atorvastatin 20 mg")
        assertTrue("covered; varies: T1–T2 by manufacturer; step therapy on 1 of 3 packages" in said, said)
        assertTrue("tier 1, Preferred Generic or tier 2, Generic" in said, said)
        assertTrue("step therapy         on some packages" in said, said)
        val (_, years) = ran(store, "card", "H9231-001", "eliquis 5 mg")
        assertTrue("H9231-001-000-2026\n" in years && "H9231-001-000-2027\n" in years, years)
    }

    @Test
    fun anIncompleteListIsNoNo() {
        val (code, said) = ran(store, "card", "H9231-020-000-2026", "lipitor 20 mg")
        assertTrue("unknown: the plan's drug list is incomplete" in said, said)
        assertTrue("drug list incomplete: 2 of 4 entries missing" in said, said)
        assertEquals(ANSWERED, code)
    }

    @Test
    fun wrongInputIsTold() {
        val (unknown, plan) = ran(store, "card", "H0000-999", "eliquis 5 mg")
        assertEquals("plan H0000-999: not in this dataset\nlist the plans that are there\n", plan)
        assertEquals(NOT_ANSWERED, unknown)
        val (several, drugs) = ran(store, "card", PLAN, "atorvastatin")
        assertTrue("which is meant?\n  - atorvastatin 20 mg Oral Tablet\n  - atorvastatin 40 mg" in drugs, drugs)
        assertEquals(NOT_ANSWERED, several)
        assertEquals(NOT_ANSWERED, ran(store, "card", PLAN, "no such drug").first)
        assertEquals(NOT_ANSWERED, ran(store, "near", PLAN, "Nowhere County, NM").first)
        assertEquals(NOT_ANSWERED, ran(store, "type", "H0000-999").first)
        for (args in listOf(emptyList(), listOf(store, "card"), listOf(store, "card", PLAN), listOf(store, "sing", PLAN))) {
            val (code, said) = ran(*args.toTypedArray())
            assertTrue(code == MISUSED && said.startsWith("usage: "), said)
        }
    }

    @Test
    fun aDatasetThatIsMissingOrDamagedIsTold(@TempDir folder: Path) {
        val (missing, said) = ran("$folder", "card", PLAN, "eliquis 5 mg")
        assertTrue(missing == NO_DATASET && said.startsWith("dataset $folder: neither a dataset"), said)
        val live = Path.of(store).resolve(Files.readString(Path.of(store, "CURRENT")).trim())
        val copy = folder.resolve("copy")
        Files.walk(live).use { files -> files.forEach { Files.copy(it, copy.resolve(live.relativize(it))) } }
        val rows = copy.resolve("coverdex.sqlite")
        Files.write(rows, Files.readAllBytes(rows).copyOf(8_192))
        val (damaged, told) = ran("$copy", "card", PLAN, "eliquis 5 mg")
        assertTrue(damaged == NO_DATASET && told.startsWith("$rows: "), told)
    }

    @Test
    fun eachTextTypedIsSearchedFor() = runBlocking {
        val typed = PipedWriter()
        val reader = PipedReader(typed)
        val (bytes, out) = output()
        val running = async(Dispatchers.IO) { run(listOf(store, "type", PLAN), Input(reader, isTerminal = false), out) }
        for (text in listOf("ato", "", "eliqu", "lipi")) {
            typed.write("$text\n")
            typed.flush()
            withTimeout(30_000) { while (text !in "$bytes") delay(5) }
        }
        typed.close()
        assertEquals(ANSWERED, running.await())
        val said = bytes.toString(Charsets.UTF_8)
        assertTrue(
            said.startsWith(
                """
                ato:
                  atorvastatin 20 mg Oral Tablet                    covered, varies by package
                  atorvastatin 40 mg tablet, film coated            covered, tier 2, Generic
                  Lipitor 20 MG Oral Tablet                         not covered
                eliqu:
                  Eliquis 5 MG Oral Tablet                          covered, tier 3, Preferred Brand
                """.trimIndent(),
            ),
            said,
        )
        assertTrue("Lipitor 20 MG Oral Tablet\nPiñon Mesa Choice (HMO)" in said, "the first one's card: $said")
    }

    @Test
    fun aTextTypedMeanwhileEndsTheSearchBefore() {
        val texts = List(500) { "atorvastatin 20 mg".take(1 + it % 18) } + "eliquis"
        val (code, said) = ran(store, "type", PLAN, input = texts.joinToString("\n"))
        val shown = said.lines().filter { it.endsWith(":") }
        assertTrue(shown.size < texts.size, "none of ${texts.size} was cancelled")
        assertEquals("eliquis:", shown.last())
        assertTrue(said.substringAfter("eliquis:\n").startsWith("  Eliquis 5 MG"), said)
        assertEquals(ANSWERED, code)
    }

    @Test
    fun whoIsNearIsShownWithPhoneAndDistance() {
        val (code, said) = ran(store, "near", PLAN, "Doña Ana County, NM", "heart doctor")
        assertTrue("1 place of practice near Doña Ana County, NM within 131 km" in said, said)
        assertTrue(" 1. José Núñez  9.1 km\n    Cardiovascular Disease\n    Mesilla Heart Clinic, 2450 S" in said, said)
        assertTrue("(575) 555-2110 · takes new patients" in said, said)
        assertTrue("1 more in network, place not stated." in said, said)
        assertEquals(ANSWERED, code)
        for (place in listOf("88011", "32.31,-106.75")) {
            assertTrue("5. Mesilla Valley Pharmacy" in ran(store, "near", PLAN, place).second, place)
        }
    }

    @Test
    fun aPageFollowsAsLongAsOneIsWanted() {
        val numbers = { said: String -> Regex("""^ ?(\d+)\. """, RegexOption.MULTILINE).findAll(said).count() }
        val first = ran(store, "near", PLAN, "88011", page = 2).second
        assertEquals(2, numbers(first))
        assertFalse("Data as of" in first, first)
        val all = ran(store, "near", PLAN, "88011", input = "\n\n\n\n\n", page = 2).second
        assertEquals(5, numbers(all))
        assertTrue("Data as of" in all, all)
        assertEquals(4, numbers(ran(store, "near", PLAN, "88011", input = "\nq\n\n", page = 2).second))
    }

    @Test
    fun theProgramItselfTakesAScript() {
        val java = Path.of(System.getProperty("java.home"), "bin", "java")
        val classes = System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")
        val program = ProcessBuilder("$java", "-cp", classes, "example.MainKt", store, "type", PLAN)
            .redirectErrorStream(true).start()
        program.outputStream.use { it.write("eliquis\n".toByteArray()) }
        val said = program.inputStream.readBytes().decodeToString()
        assertTrue(program.waitFor(60, TimeUnit.SECONDS))
        assertEquals(ANSWERED, program.exitValue(), said)
        assertTrue("Piñon Mesa Choice (HMO), H9231-001-000-2026" in said, said)
    }

    private fun ran(vararg args: String, input: String = "", page: Int = PAGE): Pair<Int, String> {
        val (bytes, out) = output()
        val code = runBlocking { run(args.toList(), Input(input.reader(), isTerminal = false), out, page) }
        return code to bytes.toString(Charsets.UTF_8)
    }

    private fun output(): Pair<ByteArrayOutputStream, PrintStream> {
        val bytes = ByteArrayOutputStream()
        return bytes to PrintStream(bytes, true, Charsets.UTF_8)
    }

    companion object {
        private const val PLAN = "H9231-001-000-2026"

        private val store = System.getenv("COVERDEX_STORE") ?: error("COVERDEX_STORE is not set: run bindings/mobile/check")
    }
}
