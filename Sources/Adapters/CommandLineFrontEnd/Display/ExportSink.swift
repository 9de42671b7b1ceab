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
  /// - Throws: `CommandFailure` if the file cannot be made, or is a database that the export would replace.
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
    guard !ExportSink.isDatabase(target) else {
      throw CommandFailure(
        .cannotCreate,
        "\(path) is a database, which an export would replace.",
        remedy: "Name another file; this one was not touched."
      )
    }
    let isDevice = ExportSink.isDevice(target)
    let file = isDevice ? target : target + ".\(ProcessInfo.processInfo.processIdentifier).part"
    guard isDevice || FileManager.default.createFile(atPath: file, contents: nil),
      let handle = FileHandle(forWritingAtPath: file)
    else {
      throw CommandFailure(
        .cannotCreate,
        "\(path) cannot be made.",
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

  /// Whether something is there that is no plain file and so cannot be replaced: a terminal, a pipe, `/dev/null`.
  private static func isDevice(_ path: String) -> Bool {
    var info = stat()
    guard stat(path, &info) == 0 else { return false }
    return info.st_mode & S_IFMT != S_IFREG
  }

  private static func isDatabase(_ path: String) -> Bool {
    guard !isDevice(path), let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }
}
