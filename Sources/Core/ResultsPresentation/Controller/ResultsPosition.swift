import ResultsDomain

/// How far a reader of a list has come: a generation, and the life it is counted in.
///
/// It has a text form, for a reader to keep and to come back with, in another process too:
///
/// ```swift
/// let position = ResultsPosition("17.3w5e11264sgsf")
/// ```
public struct ResultsPosition: Hashable, Sendable {
  /// The life of the list.
  public var life: ResultsLife
  /// The generation, from 1.
  public var generation: Int

  /// A position in a life.
  public init(life: ResultsLife, generation: Int) {
    self.life = life
    self.generation = generation
  }
}

extension ResultsPosition: LosslessStringConvertible {
  /// Reads the text form: the generation's digits, a point, the life.
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

extension ResultsList {
  /// The generation, and the life it is counted in: where a reader that comes back goes on from.
  public var position: ResultsPosition { snapshot.position }
}

/// The life of a delta: told, but no part of what makes two deltas equal, as equal transitions give equal deltas in every list (R36).
struct LifeMark: Hashable, Sendable {
  var life = ResultsLife.unknown

  static func == (left: LifeMark, right: LifeMark) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

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
