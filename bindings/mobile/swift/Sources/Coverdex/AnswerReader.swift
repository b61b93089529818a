import coverdex_mobileFFI

/// Reads an answer where the library wrote it. `generate` puts it in the place of uniffi's reader, which copies each
/// field out of a `Data`: these functions have the names of uniffi's, and differ by the reader that they take.
@_documentation(visibility: private)
public struct AnswerReader {
    fileprivate var next: UnsafeRawPointer
    fileprivate let end: UnsafeRawPointer

    /// The buffer must stay until all is read.
    init(_ buffer: RustBuffer) {
        next = buffer.data.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(bitPattern: 1)!
        end = next + Int(buffer.len)
    }

    /// The answer ends within a value.
    struct EndOfAnswer: Error {}
}

@inline(__always)
func readInt<T: FixedWidthInteger>(_ reader: inout AnswerReader) throws -> T {
    let bytes = try readBytes(&reader, count: MemoryLayout<T>.size)
    var value: T = 0
    withUnsafeMutableBytes(of: &value) { $0.copyMemory(from: bytes) }
    return T(bigEndian: value)
}

@inline(__always)
func readBytes(_ reader: inout AnswerReader, count: Int) throws -> UnsafeRawBufferPointer {
    guard count >= 0, count <= reader.end - reader.next else { throw AnswerReader.EndOfAnswer() }
    defer { reader.next += count }
    return UnsafeRawBufferPointer(start: reader.next, count: count)
}

func readFloat(_ reader: inout AnswerReader) throws -> Float { Float(bitPattern: try readInt(&reader)) }

func readDouble(_ reader: inout AnswerReader) throws -> Double { Double(bitPattern: try readInt(&reader)) }

func hasRemaining(_ reader: AnswerReader) -> Bool { reader.next < reader.end }
