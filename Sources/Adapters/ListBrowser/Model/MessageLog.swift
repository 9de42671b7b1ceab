import TerminalFrontEnd

/// The last messages of a browser, the newest last.
struct MessageLog: Hashable, Sendable {
  /// The number of messages that are kept.
  static let most = 100
  /// The number of bytes above which the middle of a message is left out.
  static let mostBytes = 4096
  private(set) var messages: [String] = []

  /// Keeps a message, unless it is the last one again.
  mutating func note(_ message: String) {
    guard !message.isEmpty, messages.last != message else { return }
    messages.append(message)
    if messages.count > MessageLog.most { messages.removeFirst() }
  }

  /// Returns a message without its middle: what happened stands at its beginning, and what to do at its end.
  static func shortened(_ message: String) -> String {
    let scalars = message.unicodeScalars
    guard scalars.count > 1400 else { return message }
    return String(scalars.prefix(1000)) + "…" + String(scalars.suffix(300))
  }

  /// The messages in lines of at most a number of columns, the newest first.
  func lines(columns: Int, _ measure: DisplayWidth) -> [String] {
    messages.reversed().flatMap { message in
      FormBox.wrapped(message, max(columns - 2, 8), measure).enumerated().map { index, line in
        index == 0 ? line : "  " + line
      }
    }
  }
}
