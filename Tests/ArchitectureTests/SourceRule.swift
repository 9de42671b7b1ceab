import Testing

/// A construct that sources may use only with a comment next to it that gives the reason.
struct SourceRule: Hashable, CustomTestStringConvertible {
  /// The text of the construct.
  let construct: String
  /// The folder to which the rule applies.
  let folder: String
  /// What to do instead.
  let instead: String

  var testDescription: String { "\(construct) in \(folder)" }

  /// Returns the violations in a source text.
  ///
  /// A reason is a `//` comment of at least three words on the line directly above or below.
  func violations(in text: String, of path: String) -> [String] {
    guard text.contains(construct) else { return [] }
    let source = SourceCode(text)
    return source.code.indices.compactMap { index in
      guard source.code[index].contains(construct) else { return nil }
      let adjacent = [index - 1, index + 1].filter(source.lines.indices.contains)
      guard !adjacent.contains(where: { Self.isReason(source.lines[$0]) }) else { return nil }
      return "\(path):\(index + 1): \(construct) without a reason next to it; \(instead)"
    }
  }

  private static func isReason(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    return words.first == "//" && words.count > 3
  }

  static let all =
    [
      ("fatalError(", "throw a typed error"),
      ("try!", "throw"),
      ("as!", "use as? and return nil"),
      ("@unchecked Sendable", "use Mutex or an actor"),
      ("nonisolated(unsafe)", "use Mutex or a Sendable type"),
    ].map { SourceRule(construct: $0, folder: "Sources", instead: $1) }
    + [
      (".random(", "take a generator"),
      ("SystemRandomNumberGenerator", "take a generator"),
      ("Task.sleep", "take a clock"),
      ("ContinuousClock", "take a clock"),
      ("SuspendingClock", "take a clock"),
    ].map { SourceRule(construct: $0, folder: "Sources/Core", instead: $1) }
}
