import ResultsDomain
import Synchronization

/// Knows the follower of every store object that is listened to.
enum FollowerRegistry {
  private struct Entry: Sendable {
    weak let follower: StoreFollower?
  }

  /// Followers by the identity of their store, which each keeps alive; so an identity means another store only after its
  /// follower is gone.
  private static let followers = Mutex<[ObjectIdentifier: Entry]>([:])

  /// The follower of a store object; a store that is a value has one for each list.
  static func follower(of store: any Store) -> StoreFollower {
    guard let identity = identity(of: store) else { return StoreFollower(store) }
    return followers.withLock { followers in
      if let follower = followers[identity]?.follower { return follower }
      let follower = StoreFollower(store)
      followers[identity] = Entry(follower: follower)
      return follower
    }
  }

  /// Forgets the follower of a store if it is gone.
  static func forget(_ store: any Store) {
    guard let identity = identity(of: store) else { return }
    // Whoever may be found instead is kept until the lock is released: letting go of it could come back here.
    let present = followers.withLock { followers in
      let present = followers[identity]?.follower
      if present == nil { followers[identity] = nil }
      return present
    }
    withExtendedLifetime(present) {}
  }

  private static func identity(of store: any Store) -> ObjectIdentifier? {
    type(of: store) is AnyClass ? ObjectIdentifier(store as AnyObject) : nil
  }
}
