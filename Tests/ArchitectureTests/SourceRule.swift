import Testing

/// A construct that sources may not use unless a comment beside it says why.
struct SourceRule: Hashable, CustomTestStringConvertible {
  /// The construct, as it stands in code.
  let construct: String
  /// The folder it is kept out of.
  let folder: String
  /// What to do instead.
  let instead: String

  var testDescription: String { "\(construct) in \(folder)" }

  /// What is wrong in one source text; nothing if all is well.
  ///
  /// A reason is a `//` comment of at least three words on the line directly above or below.
  func violations(in text: String, of path: String) -> [String] {
    guard text.contains(construct) else { return [] }
    let source = SourceCode(text)
    return source.code.indices.compactMap { index in
      guard source.code[index].contains(construct) else { return nil }
      let beside = [index - 1, index + 1].filter(source.lines.indices.contains)
      guard !beside.contains(where: { Self.isReason(source.lines[$0]) }) else { return nil }
      return "\(path):\(index + 1): \(construct) without a reason beside it; \(instead)"
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
      ("as!", "use as? and answer nil"),
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
