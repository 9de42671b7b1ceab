public import Foundation
import ResultsDomain
public import ResultsPresentation

/// Keeps each named cache of a store's lists in a file of its own, in a folder beside the store.
///
/// A file is written under another name, synchronised with the disk and renamed, so that a process that ends in the middle leaves
/// the old file or the new one. The store's own file is never touched. Only the owner may read the folder: keys hold data.
public struct SectionCacheFolder: SectionCacheStorage {
  /// The folder; it is made when the first cache is written.
  public let folder: URL
  /// Whether nothing may be written or removed.
  public let isReadOnly: Bool

  /// The caches of a folder.
  public init(at folder: URL, isReadOnly: Bool = false) {
    self.folder = folder
    self.isReadOnly = isReadOnly
  }

  /// The caches of a store's file: the folder of its name followed by `-caches`.
  public init(besideStoreAt path: String, isReadOnly: Bool = false) {
    self.init(
      at: URL(filePath: path + "-caches", directoryHint: .isDirectory),
      isReadOnly: isReadOnly
    )
  }

  /// The bytes kept under a name, or `nil` if there are none.
  ///
  /// A file that does not begin with that very name is handed over whole: its reader finds it damaged.
  /// - Throws: `SectionCacheFailure` for what is no file, is larger than any cache or cannot be read.
  public func load(_ name: String) throws(SectionCacheFailure) -> [UInt8]? {
    let file = folder.appending(path: CacheFileName.fileName(of: name))
    do {
      return try DurableFile.content(of: file, after: CacheFileName.heading(of: name))
    } catch {
      throw SectionCacheFailure(.read, at: file.path(percentEncoded: false), error.detail)
    }
  }

  /// Opens the bytes kept under a name, or gives `nil` if there are none; a large file stays open as long as it may be read.
  /// - Throws: As `load(_:)`.
  public func open(_ name: String) throws(SectionCacheFailure) -> (any CacheData)? {
    let file = folder.appending(path: CacheFileName.fileName(of: name))
    do {
      return try DurableFile.open(file, after: CacheFileName.heading(of: name))
    } catch {
      throw SectionCacheFailure(.read, at: file.path(percentEncoded: false), error.detail)
    }
  }

  /// Keeps bytes under a name.
  /// - Throws: `SectionCacheFailure` if nothing may be written or the disk refuses.
  public func save(_ bytes: [UInt8], as name: String) throws(SectionCacheFailure) {
    try refuseIfReadOnly(.write, name)
    let target = folder.appending(path: CacheFileName.fileName(of: name))
    let draft = folder.appending(path: CacheFileName.draftName())
    do throws(DurableFile.Failure) {
      try DurableFile.makeFolder(folder)
      try DurableFile.write([CacheFileName.heading(of: name), bytes], to: draft)
      try DurableFile.rename(draft, to: target)
    } catch {
      // The draft is of no use to anybody, and may not even be there.
      _ = try? DurableFile.remove(draft)
      throw SectionCacheFailure(.write, at: target.path(percentEncoded: false), error.detail)
    }
    removeAbandonedDrafts()
  }

  /// Removes what is kept under a name.
  /// - Throws: `SectionCacheFailure` if it is there and cannot be removed.
  @discardableResult
  public func remove(_ name: String) throws(SectionCacheFailure) -> Bool {
    try refuseIfReadOnly(.remove, name)
    return try remove(file: CacheFileName.fileName(of: name))
  }

  /// Removes all caches, and what was left of writing them; other files of the folder stay.
  /// - Throws: `SectionCacheFailure` for the first that cannot be removed.
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

  /// What is kept, in the order of the names' bytes; a file whose name cannot be told is left out.
  /// - Throws: `SectionCacheFailure` if the folder cannot be read.
  public func entries() throws(SectionCacheFailure) -> [SectionCacheEntry] {
    var entries: [SectionCacheEntry] = []
    for file in try files() where CacheFileName.isCache(file) {
      let place = folder.appending(path: file)
      guard let size = DurableFile.size(of: place),
        let name = CacheFileName.name(ofFile: file, heading: { DurableFile.heading(of: place) })
      else { continue }
      entries.append(
        SectionCacheEntry(name: name, byteCount: size, writtenAt: DurableFile.writtenAt(place))
      )
    }
    return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

extension SectionCacheFolder {
  private func refuseIfReadOnly(
    _ action: SectionCacheFailure.Action,
    _ place: String
  ) throws(SectionCacheFailure) {
    guard isReadOnly else { return }
    throw SectionCacheFailure(action, at: place, "the store was opened for reading only")
  }

  /// Whether a file was written by this library, as far as it tells.
  ///
  /// A folder that is a link may be anybody's, so that a name is not enough there.
  private func isOwn(_ file: String) -> Bool {
    guard CacheFileName.isDraft(file) || CacheFileName.isCache(file) else { return false }
    return !DurableFile.isLink(folder)
      || DurableFile.heading(of: folder.appending(path: file))?
        .hasPrefix(CacheFileName.headingStart) == true
  }

  /// The names of the folder's files; none if there is no folder.
  private func files() throws(SectionCacheFailure) -> [String] {
    do {
      return try DurableFile.names(in: folder)
    } catch {
      throw SectionCacheFailure(.read, at: folder.path(percentEncoded: false), error.detail)
    }
  }

  @discardableResult
  private func remove(file: String) throws(SectionCacheFailure) -> Bool {
    let place = folder.appending(path: file)
    do {
      return try DurableFile.remove(place)
    } catch {
      throw SectionCacheFailure(.remove, at: place.path(percentEncoded: false), error.detail)
    }
  }

  /// Removes what processes left that ended while they wrote, long enough ago that none can be writing it still.
  private func removeAbandonedDrafts() {
    let limit = Int64(Date().timeIntervalSince1970 - 3600) * 1_000_000
    for file in (try? files()) ?? [] where CacheFileName.isDraft(file) && isOwn(file) {
      let place = folder.appending(path: file)
      guard let written = DurableFile.writtenAt(place), written.microseconds < limit else {
        continue
      }
      _ = try? DurableFile.remove(place)
    }
  }
}
