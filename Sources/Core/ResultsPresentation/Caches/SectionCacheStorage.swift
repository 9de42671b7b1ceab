public import ResultsDomain

/// Keeps named caches of lists: the port that a front end's or program's storage implements.
///
/// A cache is a shortcut and never the truth: whatever fails here, a list is fetched from its store instead. Bytes are kept as they
/// are; what is in them is checked by who reads them. It can be used from any thread, and by several processes.
public protocol SectionCacheStorage: Sendable {
  /// The bytes kept under a name, or `nil` if there are none.
  func load(_ name: String) throws(SectionCacheFailure) -> [UInt8]?

  /// Opens the bytes kept under a name, to be read piece by piece, or gives `nil` if there are none.
  ///
  /// A storage that does not say how hands them over as `load(_:)` does.
  func open(_ name: String) throws(SectionCacheFailure) -> (any CacheData)?

  /// Keeps bytes under a name, in place of those kept before.
  ///
  /// A process that ends in the middle leaves the old bytes or the new ones.
  func save(_ bytes: [UInt8], as name: String) throws(SectionCacheFailure)

  /// Removes what is kept under a name.
  /// - Returns: Whether there was anything.
  @discardableResult
  func remove(_ name: String) throws(SectionCacheFailure) -> Bool

  /// Removes everything that is kept.
  /// - Returns: How many caches there were.
  @discardableResult
  func removeAll() throws(SectionCacheFailure) -> Int

  /// What is kept, in the order of the names' bytes.
  func entries() throws(SectionCacheFailure) -> [SectionCacheEntry]
}

extension SectionCacheStorage {
  /// Opens the bytes kept under a name, all of which are in memory then.
  public func open(_ name: String) throws(SectionCacheFailure) -> (any CacheData)? {
    try load(name).map(InMemoryCacheData.init)
  }

  /// Deletes the cache of a name, or all of them for `nil`.
  /// - Returns: How many caches there were.
  /// - Throws: `SectionCacheFailure` if something cannot be removed.
  @discardableResult
  public func deleteCache(named name: String?) throws(SectionCacheFailure) -> Int {
    guard let name else { return try removeAll() }
    return try remove(name) ? 1 : 0
  }
}

/// One cache of a storage, as the storage knows it.
public struct SectionCacheEntry: Hashable, Sendable {
  /// The name it is kept under.
  public let name: String
  /// How many bytes it takes.
  public let byteCount: Int
  /// When it was written, if the storage knows.
  public let writtenAt: Instant?

  /// One cache of a storage.
  public init(name: String, byteCount: Int, writtenAt: Instant?) {
    self.name = name
    self.byteCount = byteCount
    self.writtenAt = writtenAt
  }
}

/// Why a cache could not be read, written or removed.
///
/// No fetch fails because of it; a list is then read from its store.
public struct SectionCacheFailure: Error, Hashable, Sendable {
  /// What was to be done.
  public enum Action: String, Hashable, Sendable {
    /// Reading a cache, or the list of caches.
    case read
    /// Writing a cache.
    case write
    /// Removing a cache.
    case remove
  }

  /// What was to be done.
  public let action: Action
  /// Where: a path, or the cache's name.
  public let place: String
  /// What went wrong, as a clause.
  public let detail: String

  /// Why a cache could not be read, written or removed.
  public init(_ action: Action, at place: String, _ detail: String) {
    self.action = action
    self.place = place
    self.detail = detail
  }
}

extension SectionCacheFailure: CustomStringConvertible {
  /// What went wrong, and that nothing is lost.
  public var description: String {
    switch action {
    case .read: "The cache \(place) cannot be read: \(detail). The list is read from the store."
    case .write: "The cache \(place) cannot be written: \(detail). The list is not kept."
    case .remove: "The cache \(place) cannot be removed: \(detail)."
    }
  }
}

/// The bytes kept under one name, of which as much is read as is needed.
///
/// They are those that were kept when they were opened, whatever is kept under the name meanwhile, or cannot be read any more.
/// Who reads them checks what is in them.
public protocol CacheData: Sendable {
  /// The number of bytes.
  var count: Int { get }

  /// The bytes in a range, or `nil` if they cannot be read, all of them.
  /// - Precondition: The range is within `0..<count`.
  func bytes(in range: Range<Int>) -> [UInt8]?
}

/// Kept bytes that are in memory altogether.
public struct InMemoryCacheData: CacheData {
  private let bytes: [UInt8]

  /// Bytes in memory.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes.
  public var count: Int { bytes.count }

  /// The bytes in a range.
  public func bytes(in range: Range<Int>) -> [UInt8]? {
    range == 0..<bytes.count ? bytes : Array(bytes[range])
  }
}
