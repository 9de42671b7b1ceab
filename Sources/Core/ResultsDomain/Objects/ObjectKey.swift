/// The key that tells an object from the others of its entity; compared bytewise.
public enum ObjectKey: Hashable, Sendable {
  /// An integer key.
  case integer(Int64)
  /// A text key, compared as UTF-8 bytes.
  case text(String)
  /// The parts of a compound key, in key order.
  case compound([Value])

  /// Whether two keys have the same bytes.
  public static func == (left: ObjectKey, right: ObjectKey) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left == right
    case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
    case (.compound(let left), .compound(let right)): left == right
    default: false
    }
  }

  /// Feeds the bytes into a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .integer(let number): hasher.combine(number)
    case .text(let text): hasher.combine(Value.text(text))
    case .compound(let parts): hasher.combine(parts)
    }
  }

  /// The key's parts as values, one for an integer or a text.
  public var parts: [Value] {
    switch self {
    case .integer(let number): [.integer(number)]
    case .text(let text): [.text(text)]
    case .compound(let parts): parts
    }
  }

  /// A key made of parts that fit an identity, or `nil` if they do not.
  public init?(parts: [Value], of identity: EntityIdentity) {
    switch (identity, parts.count == 1 ? parts[0] : .null) {
    case (.integer, .integer(let number)): self = .integer(number)
    case (.text, .text(let text)): self = .text(text)
    case (.compound(let names), _) where names.count == parts.count: self = .compound(parts)
    default: return nil
    }
  }
}

extension ObjectKey: CustomStringConvertible {
  /// The key as people write it: a number, a text, or the parts with commas.
  public var description: String {
    switch self {
    case .integer(let number): String(number)
    case .text(let text): text
    case .compound(let parts):
      parts.map { part in part.text ?? part.description }.joined(separator: ",")
    }
  }
}
