/// A set of an entity's attributes, by index.
public struct AttributeSet: Hashable, Sendable {
  /// Indexes into `EntityDescription.attributes`, ascending.
  public private(set) var indexes: [Int]

  /// Creates a set from indexes in any order.
  public init(indexes: some Sequence<Int> = []) {
    let all = Array(indexes)
    let isAscending = zip(all, all.dropFirst()).allSatisfy { $0 < $1 }
    self.indexes = isAscending ? all : Set(all).sorted()
  }

  /// Creates a set from ascending indexes.
  init(ascending indexes: [Int]) { self.indexes = indexes }

  /// Whether the set is empty.
  public var isEmpty: Bool { indexes.isEmpty }

  /// Whether the attribute at an index is in the set.
  public func contains(_ index: Int) -> Bool { indexes.contains(index) }

  /// The names of the attributes, in the entity's order.
  public func names(in entity: EntityDescription) -> [String] {
    indexes.filter(entity.attributes.indices.contains).map { entity.attributes[$0].name }
  }

  /// Returns the attributes that are in both sets.
  public func intersection(_ other: AttributeSet) -> AttributeSet {
    // A subset of the other set is returned without a copy.
    indexes.allSatisfy(other.contains)
      ? self : AttributeSet(indexes: indexes.filter(other.contains))
  }

  /// Returns the attributes that are in either set.
  public func union(_ other: AttributeSet) -> AttributeSet {
    AttributeSet(indexes: indexes + other.indexes)
  }
}
