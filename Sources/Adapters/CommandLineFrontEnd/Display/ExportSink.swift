import Foundation
import TerminalFrontEnd

/// Where an export goes: standard output, a device, or a file that takes its name only when it is whole.
struct ExportSink {
  private let path: String
  /// The file that is being written, if it takes its name at the end.
  private let temporary: String?
  private let output: TerminalOutput
  private let handle: FileHandle?

  /// Opens the sink.
  /// - Throws: `CommandFailure` if the file cannot be made, or is a database, or belongs to one, that the export would replace.
  init(path: String) throws {
    guard path != "-" else {
      self.path = path
      temporary = nil
      output = .standard
      handle = nil
      return
    }
    // A link stays a link, and what it names is written.
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    try ExportSink.refuseDatabase(at: path)
    let isDevice = ExportSink.isDevice(target)
    let opened =
      isDevice
      ? FileHandle(forWritingAtPath: target).map { (target, $0) }
      : ExportSink.makeTemporary(beside: target)
    guard let (file, handle) = opened else {
      throw CommandFailure(
        .cannotCreate,
        "\(path) cannot be created.",
        remedy: "Check that its folder is there and may be written to."
      )
    }
    self.path = target
    self.handle = handle
    temporary = isDevice ? nil : file
    output = TerminalOutput(descriptor: handle.fileDescriptor)
  }

  /// Writes some text.
  /// - Throws: `TerminalOutputError`.
  func write(_ text: String) throws { try output.write(text) }

  /// Runs a closure whose writes do not wait for the reader of a pipe or a terminal.
  func withoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
    try output.withoutWaiting(body)
  }

  /// Makes the file whole.
  /// - Throws: `TerminalOutputError`, or `CommandFailure` if the file cannot take its name.
  func close() throws {
    try output.flush()
    guard let handle else { return }
    do {
      try handle.close()
      guard let temporary else { return }
      guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      throw CommandFailure(
        .inputOutput,
        "\(path) cannot be written (\(error.localizedDescription)).",
        remedy: "What was there before is still there."
      )
    }
  }

  /// Takes away what was written so far; what had the name before still has it.
  func abandon() {
    if let temporary { _ = unlink(temporary) }
  }

  /// Makes a file that nobody else has, beside the one that it is to replace and with the same owner and rights.
  private static func makeTemporary(beside target: String) -> (String, FileHandle)? {
    var old = stat()
    let replaces = stat(target, &old) == 0
    let file = "\(target).\(UUID().uuidString.lowercased()).part"
    // Until the rights are known to be those of the old file, nobody else may read the new one.
    let rights: mode_t = replaces ? 0o600 : 0o666
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights)
    guard descriptor >= 0 else { return nil }
    if replaces {
      // Only the system's administrator may give a file away; rights for a group are of use to that group only.
      let isSameOwner = fchown(descriptor, old.st_uid, old.st_gid) == 0
      fchmod(descriptor, old.st_mode & (isSameOwner ? 0o777 : 0o700))
    }
    return (file, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
  }

  /// Whether something is there that is no plain file and so cannot be replaced: a terminal, a pipe, `/dev/null`.
  private static func isDevice(_ path: String) -> Bool {
    var info = stat()
    guard stat(path, &info) == 0 else { return false }
    return info.st_mode & S_IFMT != S_IFREG
  }

  /// Refuses to replace a database, or what SQLite keeps beside one.
  /// - Throws: `CommandFailure`.
  static func refuseDatabase(at path: String) throws(CommandFailure) {
    guard path != "-" else { return }
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    if isDatabase(target) {
      throw CommandFailure(
        .cannotCreate,
        "\(path) is a database, which an export would replace.",
        remedy: "Name another file; this one was not touched."
      )
    }
    for suffix in ["-wal", "-shm", "-journal"] where target.hasSuffix(suffix) {
      let database = String(target.dropLast(suffix.count))
      guard FileManager.default.fileExists(atPath: database) else { continue }
      throw CommandFailure(
        .cannotCreate,
        "\(path) belongs to the database \(database), which an export would damage.",
        remedy: "Name another file; this one was not touched."
      )
    }
  }

  private static func isDatabase(_ path: String) -> Bool {
    guard !isDevice(path), let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }
}
