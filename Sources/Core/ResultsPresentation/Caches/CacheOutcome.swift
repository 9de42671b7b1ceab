/// How a list with a cache name was opened.
public enum CacheOutcome: Hashable, Sendable {
  /// From the cache: it was made of this very version.
  case hit
  /// From the cache, with the rows that changed since it was made placed one by one.
  case replayed(changes: Int)
  /// From the store, for a reason.
  case miss(CacheMiss)
}

extension CacheOutcome: CustomStringConvertible {
  /// The outcome in a few words.
  public var description: String {
    switch self {
    case .hit: "hit"
    case .replayed(let changes): "hit, \(changes) \(changes == 1 ? "change" : "changes") replayed"
    case .miss(let reason): "miss, \(reason)"
    }
  }
}

/// Why a list was not opened from its cache.
public enum CacheMiss: String, Error, Hashable, Sendable, CaseIterable {
  /// There is no cache of the name.
  case none
  /// The storage could not be read.
  case unreadable
  /// The bytes are not those that were written.
  case damaged
  /// It was written by a version of this library with another form of caches or keys.
  case otherFormat
  /// It holds the keys of a list that an index of the store has, or counts over an index that the store has no longer.
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
  /// The policy for rows of a section that stand apart is another one.
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
  /// The store cannot tell any more what changed since it was made.
  case tooOld
  /// So much changed since it was made that the store is read faster anew.
  case tooManyChanges
  /// What the store tells of the changes since does not fit the cache, or rows of the store do not.
  case disagreement
  /// The store keeps nothing by which a version can be found again.
  case unsupportedByStore
  /// The list is frozen: what it shows depends on when it was first fetched, which no cache can know.
  case frozen
}

extension CacheMiss: CustomStringConvertible {
  /// The reason as a clause.
  public var description: String {
    switch self {
    case .none: "there is no cache of that name"
    case .unreadable: "the cache cannot be read"
    case .damaged: "the cache is damaged"
    case .otherFormat: "the cache has the form of another version"
    case .otherKeys: "the store has another index for the list now"
    case .entity: "the cache is of another entity"
    case .schema: "the entity's attributes are others now"
    case .predicate: "the predicate is another one"
    case .arguments: "the predicate's constants are others"
    case .order: "the order is another one"
    case .sections: "the section key is another one"
    case .contiguity: "sections that stand apart are treated differently"
    case .timeZone: "the time zone is another one"
    case .calendar: "the calendar is another one"
    case .locale: "the locale is another one"
    case .titles: "the titles are others"
    case .otherStore: "the cache is of another store"
    case .tooOld: "the store's history does not reach back to the cache"
    case .tooManyChanges: "too much has changed since the cache was made"
    case .disagreement: "the cache does not fit the store's history"
    case .unsupportedByStore: "the store keeps no versions that a cache could name"
    case .frozen: "a frozen list is not cached"
    }
  }
}
