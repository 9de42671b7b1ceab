import Foundation

/// The reading end of a pipe, and what came out of it and was not taken yet.
struct PipeReader {
  /// The descriptor; below 0 once it was closed.
  var descriptor: Int32
  private var bytes: [UInt8] = []
  private var hasEnded = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Whether nothing more comes.
  var isAtEnd: Bool { hasEnded || descriptor < 0 }

  /// What was not taken yet.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Reads what is there; call it when there is something.
  mutating func read() {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.read(descriptor, &chunk, chunk.count)
    if count > 0 { bytes += chunk[..<count] } else { hasEnded = true }
  }

  /// Takes a whole line, without its end.
  mutating func takeLine() -> String? {
    guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
    defer { bytes.removeSubrange(...end) }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Takes everything that is left, or `nil` if nothing is.
  mutating func takeRest() -> String? {
    guard !bytes.isEmpty else { return nil }
    defer { bytes = [] }
    return text
  }
}
