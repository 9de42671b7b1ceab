public import ResultsDomain
import Synchronization

/// One object of a manager: a stored one, perhaps with changes that wait to be saved, or a new one.
///
/// A manager has at most one for an identity. What is set waits for `StoreManager.save()`.
public final class ManagedObject: Sendable {
  /// The object's entity.
  public let entity: EntityDescription
  weak let manager: StoreManager?
  private let state: Mutex<State>

  private struct State {
    var key: ObjectKey?
    var values: [Value]
    /// What the store held when it was last read or written; `nil` as long as the object is new.
    var stored: Row?
  }

  init(new entity: EntityDescription, key: ObjectKey?, of manager: StoreManager) {
    self.entity = entity
    self.manager = manager
    let values = Array(repeating: Value.null, count: entity.attributes.count)
    state = Mutex(State(key: key, values: values))
  }

  init(_ row: Row, of manager: StoreManager) {
    entity = row.entity
    self.manager = manager
    state = Mutex(State(key: row.id.key, values: row.values, stored: row))
  }

  /// The identity, or `nil` as long as the object has not been saved.
  public var id: ObjectID? { state.withLock { $0.stored?.id } }

  /// The value of an attribute, null if the entity has none of that name; setting such a one does nothing.
  public subscript(attribute: String) -> Value {
    get {
      guard let index = entity.index(of: attribute) else { return .null }
      return state.withLock { $0.values[index] }
    }
    set {
      guard let index = entity.index(of: attribute) else { return }
      state.withLock { $0.values[index] = newValue }
      // Outside the object's lock: the manager takes its own first, then its objects'.
      manager?.noteChange(of: self)
    }
  }

  /// Whether anything waits to be saved; always so for a new object.
  public var isChanged: Bool {
    state.withLock { state in state.stored.map { $0.values != state.values } ?? true }
  }

  /// The key it was given, its values, and what the store last held.
  var content: (key: ObjectKey?, values: [Value], stored: Row?) {
    state.withLock { ($0.key, $0.values, $0.stored) }
  }

  /// Takes over what the store holds; values that wait to be saved stay.
  func refresh(_ row: Row) {
    state.withLock { state in
      guard let stored = state.stored, stored.values == state.values else { return }
      state.values = row.values
      state.stored = row
    }
  }

  /// Notes what has been written; values set meanwhile wait for the next time.
  func wasSaved(_ row: Row) { state.withLock { $0.stored = row } }

  /// Takes back what waits to be saved.
  func revert() {
    state.withLock { state in
      if let stored = state.stored { state.values = stored.values }
    }
  }
}
