/// A predicate over the properties of an entity's struct, such as `\.year > 1990 && .contains(\.title, "x")`.
public struct EntityPredicate<Root: Entity>: Sendable {
  /// The predicate over attribute names.
  public let predicate: FetchPredicate

  /// A predicate over attribute names, used where the entity is known.
  public init(_ predicate: FetchPredicate) { self.predicate = predicate }

  /// Every object.
  public static var all: Self { Self(.all) }
}
