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
