import Foundation
import ResultsDomain
import ResultsPresentation

/// The operations on files and folders of caches.
enum CacheFile {
  /// An error of the file system, as a clause.
  struct Failure: Error {
    let detail: String

    init(_ detail: String) { self.detail = detail }
    init(_ error: any Error) { detail = error.localizedDescription }
  }

  /// The size that no cache exceeds: it would hold some hundred million rows.
  private static let largest = 1 << 32

  /// Creates a folder that only its owner may read, unless it exists.
  static func createFolder(_ folder: URL) throws(Failure) {
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw Failure(error)
    }
  }

  /// Writes a new file, and waits until it is on the disk.
  static func write(_ parts: [[UInt8]], to file: URL) throws(Failure) {
    let path = file.path(percentEncoded: false)
    let isMade = FileManager.default.createFile(
      atPath: path,
      contents: nil,
      attributes: [.posixPermissions: 0o600]
    )
    guard isMade else { throw Failure("no file can be created there") }
    do {
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      for part in parts { try handle.write(contentsOf: Data(part)) }
      try handle.synchronize()
    } catch {
      throw Failure(error)
    }
  }

  /// Renames a file, and replaces a file that has the name.
  static func rename(_ file: URL, to target: URL) throws(Failure) {
    #if os(Windows)
    do {
      _ = try FileManager.default.replaceItemAt(target, withItemAt: file)
    } catch {
      throw Failure(error)
    }
    #else
    let (old, new) = (file.path(percentEncoded: false), target.path(percentEncoded: false))
    guard Foundation.rename(old, new) == 0 else { throw Failure(String(cString: strerror(errno))) }
    #endif
  }

  /// Files below this size are read at once and closed.
  private static let smallestOpen = 1 << 18

  /// Opens a file: its content after the heading, or all of it if it has another heading; `nil` if there is no file.
  ///
  /// A large file stays open and is read on access, except on systems where an open file cannot be replaced.
  static func open(_ file: URL, after heading: [UInt8]) throws(Failure) -> (any CacheData)? {
    #if !os(Windows)
    if let attributes = attributes(of: file), smallestOpen..<largest ~= size(of: attributes),
      attributes[.type] as? FileAttributeType == .typeRegular
    {
      return try OpenCacheFile(file.path(percentEncoded: false), after: heading)
    }
    #endif
    return try content(of: file, after: heading).map(InMemoryCacheData.init)
  }

  /// Returns the content of a file after its heading, or all of it if it has another heading; `nil` if there is no file.
  static func content(of file: URL, after heading: [UInt8]) throws(Failure) -> [UInt8]? {
    // Checked by name before opening: opening a pipe, or a link to one, would block.
    guard let attributes = attributes(of: file) else { return nil }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw Failure("it is not a regular file")
    }
    let size = size(of: attributes)
    guard size <= largest else { throw Failure("it is larger than any cache") }
    guard let stream = fopen(file.path(percentEncoded: false), "rb") else {
      throw Failure(String(cString: strerror(errno)))
    }
    defer { fclose(stream) }
    let start = read(min(heading.count, size), from: stream)
    // A file that replaced it meanwhile may be shorter or longer; the decoder checks what was read.
    let rest = read(size - start.count, from: stream)
    return start == heading ? rest : start + rest
  }

  private static func read(_ count: Int, from stream: UnsafeMutablePointer<FILE>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = fread(buffer.baseAddress, 1, count, stream)
    }
  }

  /// Removes a file.
  /// - Returns: Whether it existed.
  static func remove(_ file: URL) throws(Failure) -> Bool {
    do {
      try FileManager.default.removeItem(at: file)
      return true
    } catch let error as CocoaError where error.code == .fileNoSuchFile {
      return false
    } catch {
      throw Failure(error)
    }
  }

  /// Returns the names in a folder; none if there is no folder.
  static func names(in folder: URL) throws(Failure) -> [String] {
    let path = folder.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw Failure(error)
    }
  }

  /// Returns the size of a file in bytes, or `nil` if it is not a regular file.
  static func size(of file: URL) -> Int? {
    attributes(of: file).flatMap { attributes in
      attributes[.type] as? FileAttributeType == .typeRegular ? size(of: attributes) : nil
    }
  }

  /// Returns whether a name is that of a symbolic link.
  static func isLink(_ folder: URL) -> Bool {
    // A trailing slash would follow the link.
    var path = folder.path(percentEncoded: false)
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeSymbolicLink
  }

  /// Returns when a file was last modified, or `nil` if it does not exist.
  static func modificationDate(_ file: URL) -> Instant? {
    let date = attributes(of: file)?[.modificationDate] as? Date
    return date.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1_000_000).rounded()) }
      .map { Instant(microseconds: $0) }
  }

  /// Returns the first line of a file, if it is no longer than the longest heading.
  static func heading(of file: URL) -> String? {
    guard size(of: file) != nil, let handle = try? FileHandle(forReadingFrom: file),
      let start = try? handle.read(upToCount: 65_536)
    else { return nil }
    try? handle.close()
    return start.firstIndex(of: UInt8(ascii: "\n")).map {
      String(decoding: start[..<$0], as: UTF8.self)
    }
  }

  private static func attributes(of file: URL) -> [FileAttributeKey: Any]? {
    try? FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
  }

  private static func size(of attributes: [FileAttributeKey: Any]) -> Int {
    (attributes[.size] as? NSNumber)?.intValue ?? 0
  }
}

// MARK: - Open files

#if !os(Windows)
/// The content of an open file, read on access.
///
/// The file is not mapped: a mapped file that is truncated would crash the process. A file that is replaced keeps its content here.
private final class OpenCacheFile: CacheData {
  private let descriptor: Int32
  /// The offset of the content in the file.
  private let start: Int
  let count: Int

  /// Opens a file; the content follows its heading, or is all of it if it has another heading.
  init(_ path: String, after heading: [UInt8]) throws(CacheFile.Failure) {
    // Without blocking: opening a pipe in the file's place would wait.
    descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw CacheFile.Failure(String(cString: strerror(errno))) }
    var status = stat()
    let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    let begins = OpenCacheFile.bytes(of: descriptor, in: 0..<min(heading.count, size)) == heading
    start = begins ? heading.count : 0
    count = size - start
  }

  deinit { close(descriptor) }

  func bytes(in range: Range<Int>) -> [UInt8]? {
    OpenCacheFile.bytes(of: descriptor, in: start + range.lowerBound..<start + range.upperBound)
  }

  private static func bytes(of descriptor: Int32, in range: Range<Int>) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
      while initialized < range.count {
        let target = buffer.baseAddress.map { $0 + initialized }
        let readCount = pread(
          descriptor,
          target,
          range.count - initialized,
          off_t(range.lowerBound + initialized)
        )
        if readCount > 0 { initialized += readCount }
        guard readCount > 0 || (readCount < 0 && errno == EINTR) else { return }
      }
    }
    return bytes.count == range.count ? bytes : nil
  }
}
#endif
