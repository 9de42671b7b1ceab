/// A stored value that the entity's struct cannot hold; it affects that row only.
public struct RowError: Error, Hashable, Sendable {
  /// The row's identity.
  public let id: ObjectID
  /// The attribute whose value does not fit.
  public let attribute: String
  /// The stored value.
  public let value: Value

  /// A value that does not fit.
  public init(id: ObjectID, attribute: String, value: Value) {
    self.id = id
    self.attribute = attribute
    self.value = value
  }
}

extension RowError: CustomStringConvertible {
  /// What happened and what to do; the stored value itself is not shown.
  public var description: String {
    let kind =
      switch value {
      case .null: "nothing"
      case .integer: "an integer"
      case .real: "a real"
      case .text: "a text"
      case .blob: "a blob"
      }
    return "\(id) has \(kind) in \(attribute), which cannot hold that. Correct the stored value."
  }
}
