import EventLog

/// Files in memory that a test writes, renames, copies and truncates; the clock ticks with each change.
final class ScriptedLogFiles: LogFiles {
  final class File: LogFile {
    let inode: Int64
    var bytes: [UInt8] = []
    var modified: Int64 = 0
    var isReadable = true

    init(inode: Int64) { self.inode = inode }

    func status() throws(LogFileError) -> LogFileStatus {
      guard isReadable else { throw .unreadable(path: "it", reason: "no permission") }
      return LogFileStatus(device: 1, inode: inode, size: Int64(bytes.count), modified: modified)
    }

    func read(at offset: Int64, atMost count: Int) throws(LogFileError) -> [UInt8] {
      guard isReadable else { throw .unreadable(path: "it", reason: "no permission") }
      return Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
  }

  static let folder = "/logs/"
  private(set) var files: [String: File] = [:]
  private var time: Int64 = 0
  private var lastInode: Int64 = 0

  private var tick: Int64 {
    time += 1
    return time
  }

  func open(_ path: String) throws(LogFileError) -> (any LogFile)? {
    guard let file = files[String(path.dropFirst(Self.folder.count))] else { return nil }
    _ = try file.status()
    return file
  }

  func status(of path: String) -> LogFileStatus? {
    try? files[String(path.dropFirst(Self.folder.count))]?.status()
  }

  func names(besides path: String) -> [String] { files.keys.sorted() }

  /// Creates an empty file.
  func create(_ name: String) {
    lastInode += 1
    files[name] = File(inode: lastInode)
    files[name]?.modified = tick
  }

  func append(_ text: String, to name: String = "app.log") {
    if files[name] == nil { create(name) }
    files[name]?.bytes += text.utf8
    files[name]?.modified = tick
  }

  func rename(_ name: String, to other: String) {
    files[other] = files.removeValue(forKey: name)
  }

  func copy(_ name: String, to other: String) {
    create(other)
    files[other]?.bytes = files[name]?.bytes ?? []
  }

  func truncate(_ name: String = "app.log") {
    files[name]?.bytes = []
    files[name]?.modified = tick
  }

  func remove(_ name: String) { files[name] = nil }
}
