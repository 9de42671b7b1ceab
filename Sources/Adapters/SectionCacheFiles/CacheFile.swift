import Foundation
import ResultsDomain
import ResultsPresentation

/// The few things that are done with files and folders of caches.
enum DurableFile {
  /// What went wrong, as a clause.
  struct Failure: Error {
    let detail: String

    init(_ detail: String) { self.detail = detail }
    init(_ error: any Error) { detail = error.localizedDescription }
  }

  /// No cache is larger: it would be one of some hundred million rows.
  private static let largest = 1 << 32

  /// Makes a folder that only its owner may read, unless it is there.
  static func makeFolder(_ folder: URL) throws(Failure) {
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

  /// Writes a new file and waits until the disk has it.
  static func write(_ parts: [[UInt8]], to file: URL) throws(Failure) {
    let path = file.path(percentEncoded: false)
    let isMade = FileManager.default.createFile(
      atPath: path,
      contents: nil,
      attributes: [.posixPermissions: 0o600]
    )
    guard isMade else { throw Failure("no file can be made there") }
    do {
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      for part in parts { try handle.write(contentsOf: Data(part)) }
      try handle.synchronize()
    } catch {
      throw Failure(error)
    }
  }

  /// Gives a file another name, in place of a file that has it.
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

  /// Files up to this size are read at once and closed.
  private static let largestHeld = 1 << 18

  /// The content of a file after its heading, or all of it if it has another heading; `nil` if there is no file.
  ///
  /// A large file stays open and is read when it is asked for, except where an open file could not be replaced.
  static func open(_ file: URL, after heading: [UInt8]) throws(Failure) -> (any CacheData)? {
    #if !os(Windows)
    if let attributes = attributes(of: file), largestHeld..<largest ~= size(of: attributes),
      attributes[.type] as? FileAttributeType == .typeRegular
    {
      return try KeptFile(file.path(percentEncoded: false), after: heading)
    }
    #endif
    return try content(of: file, after: heading).map(InMemoryCacheData.init)
  }

  /// The content of a file after its heading, or all of it if it has another heading; `nil` if there is no file.
  static func content(of file: URL, after heading: [UInt8]) throws(Failure) -> [UInt8]? {
    // Asked of the name itself: a pipe, or a link to one, would be waited for.
    guard let attributes = attributes(of: file) else { return nil }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw Failure("it is no file")
    }
    let size = size(of: attributes)
    guard size <= largest else { throw Failure("it is larger than any cache") }
    guard let stream = fopen(file.path(percentEncoded: false), "rb") else {
      throw Failure(String(cString: strerror(errno)))
    }
    defer { fclose(stream) }
    let start = read(min(heading.count, size), from: stream)
    // A file that was renamed into place meanwhile may be shorter or longer; what is read of it is checked by its reader.
    let rest = read(size - start.count, from: stream)
    return start == heading ? rest : start + rest
  }

  private static func read(_ count: Int, from stream: UnsafeMutablePointer<FILE>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = fread(buffer.baseAddress, 1, count, stream)
    }
  }

  /// Removes a file.
  /// - Returns: Whether it was there.
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

  /// The names in a folder; none if there is no folder.
  static func names(in folder: URL) throws(Failure) -> [String] {
    let path = folder.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw Failure(error)
    }
  }

  /// How many bytes a file has, or `nil` if it is none.
  static func size(of file: URL) -> Int? {
    attributes(of: file).flatMap { attributes in
      attributes[.type] as? FileAttributeType == .typeRegular ? size(of: attributes) : nil
    }
  }

  /// Whether a name is that of a symbolic link.
  static func isLink(_ folder: URL) -> Bool {
    // With a slash at its end the name would be that of what the link names.
    var path = folder.path(percentEncoded: false)
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeSymbolicLink
  }

  /// When a file was last written, or `nil` if it is not there.
  static func writtenAt(_ file: URL) -> Instant? {
    let date = attributes(of: file)?[.modificationDate] as? Date
    return date.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1_000_000).rounded()) }
      .map { Instant(microseconds: $0) }
  }

  /// The first line of a file, if it ends within what a long name takes.
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
/// The content of a file that is open, read at the places that are asked for.
///
/// The file is not mapped: one that becomes shorter would end the process. One that is replaced stays what it was.
final class KeptFile: CacheData {
  private let descriptor: Int32
  /// Where the content begins.
  private let start: Int
  let count: Int

  /// Opens a file; the content comes after its heading, or is all of it if it has another heading.
  init(_ path: String, after heading: [UInt8]) throws(DurableFile.Failure) {
    // Not blocking: a pipe in the file's place would be waited for.
    descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw DurableFile.Failure(String(cString: strerror(errno))) }
    var status = stat()
    let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    let begins = KeptFile.bytes(of: descriptor, in: 0..<min(heading.count, size)) == heading
    start = begins ? heading.count : 0
    count = size - start
  }

  deinit { close(descriptor) }

  func bytes(in range: Range<Int>) -> [UInt8]? {
    KeptFile.bytes(of: descriptor, in: start + range.lowerBound..<start + range.upperBound)
  }

  private static func bytes(of descriptor: Int32, in range: Range<Int>) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
      while initialized < range.count {
        let place = buffer.baseAddress.map { $0 + initialized }
        let got = pread(
          descriptor,
          place,
          range.count - initialized,
          off_t(range.lowerBound + initialized)
        )
        if got > 0 { initialized += got }
        guard got > 0 || (got < 0 && errno == EINTR) else { return }
      }
    }
    return bytes.count == range.count ? bytes : nil
  }
}
#endif
