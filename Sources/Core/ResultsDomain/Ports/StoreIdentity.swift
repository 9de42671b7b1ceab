/// What a store is called, and what tells it from others.
public struct StoreIdentity: Hashable, Sendable {
  /// What to call it in messages: a path, or a name.
  public let name: String
  /// A text that no other store has; the same after the store is opened again, if it lasts.
  public let uniqueName: String

  /// The identity of a store.
  public init(name: String, uniqueName: String) {
    self.name = name
    self.uniqueName = uniqueName
  }
}
