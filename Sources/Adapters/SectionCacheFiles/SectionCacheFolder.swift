public import Foundation
import ResultsDomain
public import ResultsPresentation

/// A storage of list caches: a folder beside the store, with a file for each named cache.
///
/// A file is written under another name, synchronised with the disk and renamed, so that a process that ends in between leaves the old
/// file or the new one. The store's own file is never touched. Only the owner may read the folder, because keys contain data.
public struct SectionCacheFolder: SectionCacheStorage {
  /// The folder, created when the first cache is written.
  public let folder: URL
  /// Whether writing and removing are refused.
  public let isReadOnly: Bool

  /// Creates a storage in a folder.
  public init(at folder: URL, isReadOnly: Bool = false) {
    self.folder = folder
    self.isReadOnly = isReadOnly
  }

  /// Creates a storage beside a store's file: the folder with the file's name followed by `-caches`.
  public init(besideStoreAt path: String, isReadOnly: Bool = false) {
    self.init(
      at: URL(filePath: path + "-caches", directoryHint: .isDirectory),
      isReadOnly: isReadOnly
    )
  }

  /// Creates a storage for a store that is not a file, such as a database on a server: a folder of its own below the program's folder in
  /// `XDG_CACHE_HOME` or `~/.cache`.
  ///
  /// It is `nil` where the environment names no folder. Stores that share a name share the folder: each finds the caches of the other, and
  /// does not use them.
  /// - Parameters:
  ///   - name: The store's name, which must not contain a password.
  ///   - program: The program's name.
  ///   - isReadOnly: Whether writing and removing are refused.
  ///   - environment: The variables of the environment.
  public init?(
    forStoreNamed name: String,
    of program: String,
    isReadOnly: Bool = false,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    let caches: URL
    if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") {
      caches = URL(filePath: folder, directoryHint: .isDirectory)
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      caches = URL(filePath: home, directoryHint: .isDirectory).appending(path: ".cache")
    } else {
      return nil
    }
    self.init(
      at: caches.appending(path: program)
        .appending(path: CacheFileName.folderName(of: name), directoryHint: .isDirectory),
      isReadOnly: isReadOnly
    )
  }

  /// Returns the bytes saved under a name, or `nil` if there are none.
  ///
  /// A file that does not begin with exactly that name is returned whole, and the decoder finds it damaged.
  /// - Throws: `SectionCacheFailure` for what is not a regular file, is larger than any cache or cannot be read.
  public func load(_ name: String) throws(SectionCacheFailure) -> [UInt8]? {
    let file = folder.appending(path: CacheFileName.fileName(of: name))
    do {
      return try CacheFile.content(of: file, after: CacheFileName.heading(of: name))
    } catch {
      throw SectionCacheFailure(.read, at: file.path(percentEncoded: false), error.detail)
    }
  }

  /// Opens the bytes saved under a name, or returns `nil` if there are none; a large file stays open as long as it may be read.
  /// - Throws: As `load(_:)`.
  public func open(_ name: String) throws(SectionCacheFailure) -> (any CacheData)? {
    let file = folder.appending(path: CacheFileName.fileName(of: name))
    do {
      return try CacheFile.open(file, after: CacheFileName.heading(of: name))
    } catch {
      throw SectionCacheFailure(.read, at: file.path(percentEncoded: false), error.detail)
    }
  }

  /// Saves bytes under a name.
  /// - Throws: `SectionCacheFailure` if the storage is read-only or the file system fails.
  public func save(_ bytes: [UInt8], as name: String) throws(SectionCacheFailure) {
    try refuseIfReadOnly(.write, name)
    let target = folder.appending(path: CacheFileName.fileName(of: name))
    let draft = folder.appending(path: CacheFileName.draftName())
    do throws(CacheFile.Failure) {
      try CacheFile.createFolder(folder)
      try CacheFile.write([CacheFileName.heading(of: name), bytes], to: draft)
      try CacheFile.rename(draft, to: target)
    } catch {
      // The draft is useless now, and may not exist.
      _ = try? CacheFile.remove(draft)
      throw SectionCacheFailure(.write, at: target.path(percentEncoded: false), error.detail)
    }
    removeAbandonedDrafts()
  }

  /// Removes the cache with a name.
  /// - Throws: `SectionCacheFailure` if it exists and cannot be removed.
  @discardableResult
  public func remove(_ name: String) throws(SectionCacheFailure) -> Bool {
    try refuseIfReadOnly(.remove, name)
    return try remove(file: CacheFileName.fileName(of: name))
  }

  /// Removes all caches and abandoned drafts; other files in the folder stay.
  /// - Throws: `SectionCacheFailure` for the first file that cannot be removed.
  @discardableResult
  public func removeAll() throws(SectionCacheFailure) -> Int {
    try refuseIfReadOnly(.remove, folder.path(percentEncoded: false))
    var count = 0
    for file in try files() where isOwn(file) {
      if CacheFileName.isDraft(file) { try remove(file: file) }
      if CacheFileName.isCache(file), try remove(file: file) { count += 1 }
    }
    return count
  }

  /// Returns the saved caches in the order of their names' bytes; a file whose cache name is not known is left out.
  /// - Throws: `SectionCacheFailure` if the folder cannot be read.
  public func entries() throws(SectionCacheFailure) -> [SectionCacheEntry] {
    var entries: [SectionCacheEntry] = []
    for file in try files() where CacheFileName.isCache(file) {
      let url = folder.appending(path: file)
      guard let size = CacheFile.size(of: url),
        let name = CacheFileName.name(ofFile: file, heading: { CacheFile.heading(of: url) })
      else { continue }
      entries.append(
        SectionCacheEntry(name: name, byteCount: size, writtenAt: CacheFile.modificationDate(url))
      )
    }
    return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

extension SectionCacheFolder {
  private func refuseIfReadOnly(
    _ action: SectionCacheFailure.Action,
    _ location: String
  ) throws(SectionCacheFailure) {
    guard isReadOnly else { return }
    throw SectionCacheFailure(action, at: location, "the store was opened for reading only")
  }

  /// Returns whether a file was written by this library, as far as can be seen.
  ///
  /// A folder that is a link may belong to another program, so a file name is not enough there.
  private func isOwn(_ file: String) -> Bool {
    guard CacheFileName.isDraft(file) || CacheFileName.isCache(file) else { return false }
    return !CacheFile.isLink(folder)
      || CacheFile.heading(of: folder.appending(path: file))?
        .hasPrefix(CacheFileName.headingStart) == true
  }

  /// Returns the names of the folder's files; none if there is no folder.
  private func files() throws(SectionCacheFailure) -> [String] {
    do {
      return try CacheFile.names(in: folder)
    } catch {
      throw SectionCacheFailure(.read, at: folder.path(percentEncoded: false), error.detail)
    }
  }

  @discardableResult
  private func remove(file: String) throws(SectionCacheFailure) -> Bool {
    let url = folder.appending(path: file)
    do {
      return try CacheFile.remove(url)
    } catch {
      throw SectionCacheFailure(.remove, at: url.path(percentEncoded: false), error.detail)
    }
  }

  /// Removes the drafts of processes that ended while writing, long enough ago that none can still be in use.
  private func removeAbandonedDrafts() {
    let limit = Int64(Date().timeIntervalSince1970 - 3600) * 1_000_000
    for file in (try? files()) ?? [] where CacheFileName.isDraft(file) && isOwn(file) {
      let url = folder.appending(path: file)
      guard let written = CacheFile.modificationDate(url), written.microseconds < limit else {
        continue
      }
      _ = try? CacheFile.remove(url)
    }
  }
}
