import EventLog
import Foundation

/// The files of the system.
struct SystemLogFiles: LogFiles {
  func open(_ path: String) throws(LogFileError) -> (any LogFile)? {
    // A pipe must not be waited for.
    let descriptor = Foundation.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno != ENOENT else { return nil }
      throw .unreadable(path: path, reason: SystemLogFile.reason)
    }
    return try SystemLogFile(descriptor, path: path)
  }

  func status(of path: String) -> LogFileStatus? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return LogFileStatus(status)
  }

  func names(besides path: String) -> [String] {
    let bytes = path.utf8
    let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? bytes.startIndex
    let folder = String(decoding: bytes[..<end], as: UTF8.self)
    return (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "/" : folder))
      ?? []
  }

  /// The whole path of a file, whose folder must exist; a link at its end stays one, since it may come to name another file.
  /// - Returns: `nil` if there is no such folder.
  static func wholePath(_ path: String) -> String? {
    let url = URL(fileURLWithPath: path)
    guard let folder = realpath(url.deletingLastPathComponent().path, nil) else { return nil }
    defer { free(folder) }
    let text = String(cString: folder)
    return (text == "/" ? "" : text) + "/" + url.lastPathComponent
  }

  /// The name of this machine.
  static var machine: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// An open file, which is closed with the object.
private final class SystemLogFile: LogFile {
  private let descriptor: Int32
  private let path: String

  init(_ descriptor: Int32, path: String) throws(LogFileError) {
    (self.descriptor, self.path) = (descriptor, path)
    guard try fileStatus().st_mode & S_IFMT == S_IFREG else { throw .notOrdinary(path: path) }
  }

  deinit { close(descriptor) }

  /// What the system says about its last error.
  static var reason: String { String(cString: strerror(errno)) }

  private func fileStatus() throws(LogFileError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .unreadable(path: path, reason: Self.reason)
    }
    return status
  }

  func status() throws(LogFileError) -> LogFileStatus { LogFileStatus(try fileStatus()) }

  func read(at offset: Int64, atMost count: Int) throws(LogFileError) -> [UInt8] {
    guard count > 0 else { return [] }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, let start = buffer.baseAddress {
        let read = pread(descriptor, start + filled, count - filled, off_t(offset) + off_t(filled))
        if read < 0, errno == EINTR { continue }
        if read < 0 { code = errno }
        guard read > 0 else { return }
        filled += read
      }
    }
    guard code == 0 || !bytes.isEmpty else {
      throw .unreadable(path: path, reason: String(cString: strerror(code)))
    }
    return bytes
  }
}

extension LogFileStatus {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    self.init(
      device: Int64(truncatingIfNeeded: status.st_dev),
      inode: Int64(truncatingIfNeeded: status.st_ino),
      size: Int64(status.st_size),
      modified: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    )
  }
}
