/// The way in which a list with a cache name was opened.
public enum CacheOutcome: Hashable, Sendable {
  /// From the cache, which is of this very version.
  case hit
  /// From the cache, with the changes since it was written applied.
  case replayed(changes: Int)
  /// From the store, for a reason.
  case miss(CacheMiss)
}

extension CacheOutcome: CustomStringConvertible {
  /// A short description.
  public var description: String {
    switch self {
    case .hit: "hit"
    case .replayed(let changes): "hit, \(changes) \(changes == 1 ? "change" : "changes") replayed"
    case .miss(let reason): "miss, \(reason)"
    }
  }
}

/// The reason why a list was not opened from its cache.
public enum CacheMiss: String, Error, Hashable, Sendable, CaseIterable {
  /// There is no cache with the name.
  case none
  /// The storage could not be read.
  case unreadable
  /// The bytes are not those that were written.
  case damaged
  /// It was written by a version of this library with another format of caches or keys.
  case otherFormat
  /// It holds the keys of a list that an index of the store has now, or counts over an index that the store no longer has.
  case otherKeys
  /// It is of another entity.
  case entity
  /// The entity has other attributes, types or another identity now.
  case schema
  /// The predicate is another one.
  case predicate
  /// The predicate has the same form and other constants.
  case arguments
  /// The sort descriptors are others.
  case order
  /// The section key is another one.
  case sections
  /// The policy for sections whose rows are not contiguous is another one.
  case contiguity
  /// Sections depend on another time zone.
  case timeZone
  /// Sections depend on another calendar.
  case calendar
  /// Titles are written for another locale.
  case locale
  /// Titles depend on something else that differs.
  case titles
  /// It was made of another store.
  case otherStore
  /// The store's history does not reach back to it.
  case tooOld
  /// Too much changed since it was written; reading the store is faster.
  case tooManyChanges
  /// The store's history since then, or rows of the store, do not fit the cache.
  case disagreement
  /// The store has no bookmarks, by which a version can be found again.
  case unsupportedByStore
  /// The list is frozen: its content depends on the time of its first fetch.
  case frozen
}

extension CacheMiss: CustomStringConvertible {
  /// The reason as a clause.
  public var description: String {
    switch self {
    case .none: "there is no cache with that name"
    case .unreadable: "the cache cannot be read"
    case .damaged: "the cache is damaged"
    case .otherFormat: "the cache has the format of another version"
    case .otherKeys: "the store has another index for the list now"
    case .entity: "the cache is of another entity"
    case .schema: "the entity's attributes are others now"
    case .predicate: "the predicate is another one"
    case .arguments: "the predicate's constants are others"
    case .order: "the order is another one"
    case .sections: "the section key is another one"
    case .contiguity: "the policy for sections that are not contiguous is another one"
    case .timeZone: "the time zone is another one"
    case .calendar: "the calendar is another one"
    case .locale: "the locale is another one"
    case .titles: "the titles are others"
    case .otherStore: "the cache is of another store"
    case .tooOld: "the store's history does not reach back to the cache"
    case .tooManyChanges: "too much has changed since the cache was written"
    case .disagreement: "the cache does not fit the store's history"
    case .unsupportedByStore: "the store has no bookmarks"
    case .frozen: "a frozen list is not cached"
    }
  }
}
