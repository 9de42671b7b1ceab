import ResultsDomain

/// The position of a client in the changes of a list: a generation, and the life it is counted in.
///
/// Its text form lets a client store it and return with it, in another process too:
///
/// ```swift
/// let position = ResultsPosition("17.3w5e11264sgsf")
/// ```
public struct ResultsPosition: Hashable, Sendable {
  /// The life of the list.
  public var life: ResultsLife
  /// The generation, from 1.
  public var generation: Int

  /// Creates a position in a life.
  public init(life: ResultsLife, generation: Int) {
    self.life = life
    self.generation = generation
  }
}

extension ResultsPosition: LosslessStringConvertible {
  /// Parses the text form: the generation's digits, a point, the life.
  /// - Returns: `nil` for a text that has no point, or no number before it.
  public init?(_ description: String) {
    guard let point = description.utf8.firstIndex(of: UInt8(ascii: ".")),
      let generation = Int(description[..<point])
    else { return nil }
    life = ResultsLife(String(description[description.utf8.index(after: point)...]))
    self.generation = generation
  }

  /// The text form.
  public var description: String { "\(generation).\(life.text)" }
}

extension ResultsSnapshot {
  /// The snapshot's generation, and the life it is counted in.
  public var position: ResultsPosition { ResultsPosition(life: life, generation: generation) }
}

/// The identity of one controller's list among all lists, including those of earlier runs of the program.
///
/// Generations are counted from 1 in each life, so a number alone means nothing to a client that returns later. Snapshots, deltas and
/// lines of the wire form name their life; a delta of another life is refused, and a position of another life is answered by a
/// reset (R44, R45). Two lives are equal if their texts have the same bytes.
public struct ResultsLife: Sendable {
  /// The life as an opaque text.
  public let text: String

  /// The life of a delta made by hand; no controller has it.
  public static let unknown = ResultsLife("")

  /// Creates a life from its text.
  public init(_ text: String) { self.text = text }

  /// Returns a new life of 64 random bits.
  public static func random(using generator: inout some RandomNumberGenerator) -> ResultsLife {
    // At most 13 digits, which a string stores inline.
    ResultsLife(String(generator.next() as UInt64, radix: 36))
  }
}

extension ResultsLife: Hashable {
  /// Returns whether two lives are equal, bytewise.
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
