import ResultsDomain

/// Tells one controller's list from every other, also from that of an earlier run of the program.
///
/// Generations are counted from 1 in each life, so a number alone says nothing to who comes back later: the list may be another one by
/// then. Snapshots, deltas and lines of the wire form name their life, and what is of another life is refused or answered by a reset
/// (R44, R45). Two lives are the same if their texts have the same bytes.
public struct ResultsLife: Sendable {
  /// The life as text, without meaning of its own.
  public let text: String

  /// A life of which nothing is known, such as that of a delta made by hand; no controller has it.
  public static let unknown = ResultsLife("")

  /// A life that was written down as text.
  public init(_ text: String) { self.text = text }

  /// A new life, as 64 random bits make it.
  public static func random(using generator: inout some RandomNumberGenerator) -> ResultsLife {
    // At most 13 digits, which a string holds in place.
    ResultsLife(String(generator.next() as UInt64, radix: 36))
  }
}

extension ResultsLife: Hashable {
  /// Whether two lives are the same, bytewise.
  public static func == (left: ResultsLife, right: ResultsLife) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  /// Feeds the text's bytes into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(Value.text(text)) }
}

extension ResultsLife: CustomStringConvertible {
  /// The text, or `unknown`.
  public var description: String { text.isEmpty ? "unknown" : text }
}
