public import ResultsDomain

/// How far the file of a log has been followed: committed with the events of its lines, so that no line is lost or stored twice.
public struct LogSource: Entity {
  /// The key: the machine and the path of the file, as in `a3:/var/log/app.log`.
  public var name: String
  /// The device of the file that is read: the path may name another one by now.
  public var device: Int64
  /// The number of the file on its device.
  public var inode: Int64
  /// The number of bytes whose lines are stored.
  public var offset: Int64
  /// The digest of the first of these bytes, at most 1,024: a file that begins in another way is another one.
  public var head: String
  /// The rotated files that are not to be read any more, one in each line: inode, number of first bytes, and their digest.
  public var finished: String

  /// A file of which nothing has been read.
  public init(name: String, device: Int64 = 0, inode: Int64 = 0) {
    (self.name, self.device, self.inode) = (name, device, inode)
    (offset, head, finished) = (0, "", "")
  }

  /// A source without a name, to be filled from a row.
  public init() { self.init(name: "") }

  /// The entity LogSource.
  public static let schema = EntitySchema<LogSource>("LogSource", textIdentity: \.name) {
    Attribute(\.device, "device")
    Attribute(\.inode, "inode")
    Attribute(\.offset, "offset")
    Attribute(\.head, "head")
    Attribute(\.finished, "finished")
  }

  /// The most bytes that a digest is made of.
  static let longestHead = 1024
  /// The most rotated files that are remembered.
  private static let mostFinished = 64

  /// The number of bytes of which `head` is the digest.
  var headLength: Int { Int(min(offset, Int64(Self.longestHead))) }

  /// Whether a file can be the one that is read, as far as its number shows; devices may have other numbers after a restart.
  func isRead(_ status: LogFileStatus) -> Bool {
    status.inode == inode && (status.device == device || headLength > 0)
  }

  /// Returns the first bytes of a file that has what was read of this one; `nil` for a file that has not.
  func head(of file: any LogFile, _ status: LogFileStatus) throws(LogFileError) -> [UInt8]? {
    guard status.size >= offset else { return nil }
    let bytes = try file.read(at: 0, atMost: headLength)
    return Self.digest(of: bytes) == head ? bytes : nil
  }

  /// Notes that the lines up to an offset were read, with the first bytes of the file: as many as were read, or more.
  mutating func advance(to offset: Int64, _ bytes: [UInt8]) {
    self.offset = offset
    head = Self.digest(of: bytes.prefix(headLength))
  }

  /// Notes that another file is read, from its start.
  mutating func begin(_ status: LogFileStatus) {
    (device, inode, offset, head) = (status.device, status.inode, 0, "")
  }

  /// Whether a rotated file is among those that are not to be read any more.
  func hasFinished(_ file: any LogFile, _ status: LogFileStatus) throws(LogFileError) -> Bool {
    for line in finished.utf8.split(separator: 0x0A) {
      let parts = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
      guard parts.count == 3, parts[0] == "\(status.inode)", let length = Int(parts[1]),
        (0...Self.longestHead).contains(length), length <= status.size
      else { continue }
      if try Self.digest(of: file.read(at: 0, atMost: length)) == parts[2] { return true }
    }
    return false
  }

  /// Notes that a file is not to be read any more.
  mutating func finish(_ file: any LogFile, _ status: LogFileStatus) throws(LogFileError) {
    let bytes = try file.read(at: 0, atMost: Int(min(status.size, Int64(Self.longestHead))))
    let known = finished.utf8.split(separator: 0x0A).suffix(Self.mostFinished - 1)
      .map { String(decoding: $0, as: UTF8.self) }
    finished = (known + ["\(status.inode) \(bytes.count) \(Self.digest(of: bytes))"])
      .joined(separator: "\n")
  }

  /// The digest of some bytes, FNV-1a in 64 bits; an empty text for none.
  private static func digest(of bytes: some Collection<UInt8>) -> String {
    guard !bytes.isEmpty else { return "" }
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return String(hash, radix: 16)
  }
}

/// What the system says about a file.
public struct LogFileStatus: Hashable, Sendable {
  /// The device.
  public var device: Int64
  /// The number of the file on its device.
  public var inode: Int64
  /// The number of bytes.
  public var size: Int64
  /// The time of the last change of its content, in nanoseconds since 1970.
  public var modified: Int64

  /// A status.
  public init(device: Int64, inode: Int64, size: Int64, modified: Int64) {
    (self.device, self.inode, self.size, self.modified) = (device, inode, size, modified)
  }
}

/// A file that is open, whatever has become of its path.
public protocol LogFile {
  /// Its present status.
  func status() throws(LogFileError) -> LogFileStatus
  /// Reads bytes from an offset; fewer than asked for only at the end of the file.
  func read(at offset: Int64, atMost count: Int) throws(LogFileError) -> [UInt8]
}

/// The port through which files are followed.
public protocol LogFiles {
  /// Opens the file of a path; `nil` if there is none.
  /// - Throws: `LogFileError`.
  func open(_ path: String) throws(LogFileError) -> (any LogFile)?
  /// The status of the file of a path; `nil` if there is none, or none that can be looked at.
  func status(of path: String) -> LogFileStatus?
  /// The names of what is in the folder of a path; none if it cannot be read.
  func names(besides path: String) -> [String]
}

/// Why a file cannot be read.
public enum LogFileError: Error, Hashable, Sendable {
  /// It is a folder, a pipe or a device.
  case notOrdinary(path: String)
  /// The system refuses it; the reason has no full stop.
  case unreadable(path: String, reason: String)
}

extension LogFileError: CustomStringConvertible {
  /// What is wrong.
  public var description: String {
    switch self {
    case .notOrdinary(let path): "\(path) is no ordinary file."
    case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)."
    }
  }
}
