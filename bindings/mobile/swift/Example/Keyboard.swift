import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What is typed, read on a thread of its own: reading blocks.
enum Keyboard {
    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// The lines of standard input.
    static func lines() -> AsyncStream<String> {
        stream { send in
            while let line = readLine() { send(line) }
        }
    }

    /// The text after each key, until Enter. The terminal is as before when this ends.
    static func texts() -> AsyncStream<String> {
        stream { send in
            var before = termios()
            tcgetattr(STDIN_FILENO, &before)
            var raw = before
            raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &raw)
            defer { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
            var typed: [UInt8] = []
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) == 1 {
                switch byte {
                case 0x0A, 0x0D, 0x04: return
                case 0x7F, 0x08:
                    // A character may be several bytes.
                    while let last = typed.popLast(), last & 0xC0 == 0x80 {}
                case 0x20...: typed.append(byte)
                default: continue
                }
                if let text = String(bytes: typed, encoding: .utf8) { send(text) }
            }
        }
    }

    private static func stream(_ read: @escaping @Sendable (_ send: (String) -> Void) -> Void) -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                read { continuation.yield($0) }
                continuation.finish()
            }
        }
    }
}
