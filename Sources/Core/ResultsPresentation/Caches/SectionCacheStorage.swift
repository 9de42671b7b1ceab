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
