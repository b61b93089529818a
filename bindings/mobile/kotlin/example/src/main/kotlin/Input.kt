package example

import java.io.BufferedReader
import java.io.PrintStream
import java.io.Reader
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn

/**
 * What a person types. Without a terminal each line is a text that the field holds, for scripts and tests.
 *
 * An app has its text field in place of this file.
 */
internal class Input(reader: Reader, val isTerminal: Boolean) {
    private val reader = BufferedReader(reader)

    /** What the field holds after each key, or each line. */
    fun texts(): Flow<String> = flow {
        if (isTerminal) {
            withoutLines()
            keys { emit(it) }
        } else {
            while (true) emit(reader.readLine() ?: break)
        }
    }.flowOn(Dispatchers.IO)

    private suspend fun keys(typed: suspend (String) -> Unit) {
        var text = ""
        while (true) {
            when (val key = reader.read()) {
                -1, END, NEW_LINE, RETURN -> return
                BACKSPACE, DELETE -> text = text.dropLast(1)
                else -> if (key >= ' '.code) text += key.toChar()
            }
            typed(text)
        }
    }

    /** Asks whether to go on; a script says so with a line, and its end ends it. */
    fun isMoreWanted(out: PrintStream): Boolean {
        if (isTerminal) {
            out.print("\nEnter for more, q to end: ")
            out.flush()
        }
        val line = reader.readLine() ?: return false
        return line.trim() != "q"
    }

    companion object {
        private const val END = 4
        private const val BACKSPACE = 8
        private const val NEW_LINE = 10
        private const val RETURN = 13
        private const val DELETE = 127

        fun standard() = Input(System.`in`.reader(), isTerminal = isTerminal())

        /** From Java 22 on there is a console without a terminal too, and it says so. */
        private fun isTerminal(): Boolean {
            val console = System.console() ?: return false
            return runCatching { console.javaClass.getMethod("isTerminal").invoke(console) as Boolean }.getOrDefault(true)
        }

        /** Each key is read as it is typed, and not shown; on systems without `stty` each line. */
        private fun withoutLines() {
            // However the program ends, the terminal is as it was.
            Runtime.getRuntime().addShutdownHook(Thread { terminal("icanon", "echo") })
            terminal("-icanon", "-echo")
        }

        private fun terminal(vararg modes: String) {
            runCatching { ProcessBuilder("stty", *modes).inheritIO().start().waitFor() }
        }
    }
}
