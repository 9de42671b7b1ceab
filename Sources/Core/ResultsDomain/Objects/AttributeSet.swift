/// A set of an entity's attributes, by their place in its list.
public struct AttributeSet: Hashable, Sendable {
  /// Ascending places in `EntityDescription.attributes`.
  public private(set) var indexes: [Int]

  /// A set of places, in any order.
  public init(indexes: some Sequence<Int> = []) {
    let all = Array(indexes)
    let isAscending = zip(all, all.dropFirst()).allSatisfy { $0 < $1 }
    self.indexes = isAscending ? all : Set(all).sorted()
  }

  /// Whether nothing is in the set.
  public var isEmpty: Bool { indexes.isEmpty }

  /// Whether an attribute's place is in the set.
  public func contains(_ index: Int) -> Bool { indexes.contains(index) }

  /// The attributes' names, in the entity's order.
  public func names(in entity: EntityDescription) -> [String] {
    indexes.filter(entity.attributes.indices.contains).map { entity.attributes[$0].name }
  }

  /// The attributes that are in both sets.
  public func intersection(_ other: AttributeSet) -> AttributeSet {
    // A set that is within the other is shared and not copied.
    indexes.allSatisfy(other.contains)
      ? self : AttributeSet(indexes: indexes.filter(other.contains))
  }

  /// The attributes that are in either set.
  public func union(_ other: AttributeSet) -> AttributeSet {
    AttributeSet(indexes: indexes + other.indexes)
  }
}
