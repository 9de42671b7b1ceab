#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// Asks the user for a password on the terminal, which does not show what is typed.
package enum PasswordPrompt {
  /// How a question ended.
  enum Answer: Equatable {
    case password(String)
    /// The input ended before a line was complete.
    case ended
    /// The interrupt key was typed.
    case interrupted
  }

  /// Asks for a password; it blocks the thread until a line was typed.
  ///
  /// The interrupt key ends the process, as everywhere in a shell.
  /// - Parameter question: The question, without escape sequences.
  /// - Returns: The password, or `nil` if standard input or standard error is no terminal, or if nothing was typed.
  package static func ask(_ question: String) -> String? {
    guard SystemCalls.isTerminal(0), SystemCalls.isTerminal(2) else { return nil }
    let answer = answer(from: 0, asking: { write(question, 2) })
    write("\n", 2)
    switch answer {
    case .password(let password): return password.isEmpty ? nil : password
    case .ended, nil: return nil
    case .interrupted: Interruption.signal(number: SIGINT).endProcess()
    }
  }

  /// Reads a line from a terminal, which is left as it was found.
  /// - Parameters:
  ///   - input: The terminal's descriptor.
  ///   - ask: Shows the question; what was typed before it does not count.
  /// - Returns: The answer, or `nil` if the terminal cannot be changed.
  static func answer(from input: Int32, asking ask: () -> Void) -> Answer? {
    var found = termios()
    guard tcgetattr(input, &found) == 0 else { return nil }
    var quiet = found
    // Without ISIG the interrupt key is read here, so that the terminal can be restored before the process ends.
    quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard tcsetattr(input, TCSAFLUSH, &quiet) == 0 else { return nil }
    defer { tcsetattr(input, TCSAFLUSH, &found) }
    ask()
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(input, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return .ended }
      switch byte {
      case 0x0A, 0x0D: return .password(String(decoding: bytes, as: UTF8.self))
      case 0x03: return .interrupted
      case 0x04: if bytes.isEmpty { return .ended }
      case 0x15: bytes = []
      case 0x08, 0x7F:
        // A character of UTF-8 ends with bytes that begin with the bits 10.
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
      default: bytes.append(byte)
      }
    }
  }

  private static func write(_ text: String, _ output: Int32) {
    let bytes = Array(text.utf8)
    bytes.withUnsafeBytes { bytes in try? SystemCalls.write(bytes, to: output) }
  }
}
