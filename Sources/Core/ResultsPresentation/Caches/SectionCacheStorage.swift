public import ResultsDomain
import ResultsStoreKit

/// Storage for named caches of lists: the port that an adapter implements.
///
/// A cache is a shortcut and never the truth: whatever fails here, a list is fetched from its store instead. Bytes are stored unchanged;
/// their reader validates them. A storage can be used from any thread, and by several processes.
public protocol SectionCacheStorage: Sendable {
  /// Returns the bytes stored under a name, or `nil` if there are none.
  func load(_ name: String) throws(SectionCacheFailure) -> [UInt8]?

  /// Opens the bytes stored under a name, for partial reading, or returns `nil` if there are none.
  ///
  /// The default implementation loads all of them with `load(_:)`.
  func open(_ name: String) throws(SectionCacheFailure) -> (any CacheData)?

  /// Stores bytes under a name, replacing those stored before.
  ///
  /// If the process ends during the call, either the old bytes or the new ones remain.
  func save(_ bytes: [UInt8], as name: String) throws(SectionCacheFailure)

  /// Removes the cache with a name.
  /// - Returns: Whether there was one.
  @discardableResult
  func remove(_ name: String) throws(SectionCacheFailure) -> Bool

  /// Removes all caches.
  /// - Returns: The number of caches removed.
  @discardableResult
  func removeAll() throws(SectionCacheFailure) -> Int

  /// All caches, in the order of the bytes of their names.
  func entries() throws(SectionCacheFailure) -> [SectionCacheEntry]
}

extension SectionCacheStorage {
  /// Opens the bytes stored under a name, by loading all of them.
  public func open(_ name: String) throws(SectionCacheFailure) -> (any CacheData)? {
    try load(name).map(InMemoryCacheData.init)
  }

  /// Deletes the cache with a name, or all caches for `nil`.
  /// - Returns: The number of caches deleted.
  /// - Throws: `SectionCacheFailure` if something cannot be removed.
  @discardableResult
  public func deleteCache(named name: String?) throws(SectionCacheFailure) -> Int {
    guard let name else { return try removeAll() }
    return try remove(name) ? 1 : 0
  }
}

/// The entry of one cache in a storage.
public struct SectionCacheEntry: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The size in bytes.
  public let byteCount: Int
  /// The time it was written, if the storage knows it.
  public let writtenAt: Instant?

  /// Creates an entry.
  public init(name: String, byteCount: Int, writtenAt: Instant?) {
    self.name = name
    self.byteCount = byteCount
    self.writtenAt = writtenAt
  }
}

/// A failure to read, write or remove a cache.
///
/// No fetch fails because of it; a list is then read from its store.
public struct SectionCacheFailure: Error, Hashable, Sendable {
  /// The failed action.
  public enum Action: String, Hashable, Sendable {
    /// Reading a cache, or the list of caches.
    case read
    /// Writing a cache.
    case write
    /// Removing a cache.
    case remove
  }

  /// The failed action.
  public let action: Action
  /// The path of the cache, or its name.
  public let location: String
  /// The cause, as a clause.
  public let detail: String

  /// Creates a failure.
  public init(_ action: Action, at location: String, _ detail: String) {
    self.action = action
    self.location = location
    self.detail = detail
  }
}

extension SectionCacheFailure: CustomStringConvertible {
  /// The failure, and its consequence for the list.
  public var description: String {
    switch action {
    case .read: "The cache \(location) cannot be read: \(detail). The list is read from the store."
    case .write: "The cache \(location) cannot be written: \(detail). The list is not cached."
    case .remove: "The cache \(location) cannot be removed: \(detail)."
    }
  }
}

/// The bytes of one stored cache, read as needed.
///
/// They are the bytes stored when they were opened, or cannot be read any more, even if the cache is replaced meanwhile.
/// Their reader validates them.
public protocol CacheData: Sendable {
  /// The number of bytes.
  var count: Int { get }

  /// Returns all bytes in a range, or `nil` if they cannot be read.
  /// - Precondition: The range is within `0..<count`.
  func bytes(in range: Range<Int>) -> [UInt8]?
}

/// The bytes of a cache in memory.
public struct InMemoryCacheData: CacheData {
  private let bytes: [UInt8]

  /// Creates data in memory.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes.
  public var count: Int { bytes.count }

  /// The bytes in a range.
  public func bytes(in range: Range<Int>) -> [UInt8]? {
    range == 0..<bytes.count ? bytes : Array(bytes[range])
  }
}
