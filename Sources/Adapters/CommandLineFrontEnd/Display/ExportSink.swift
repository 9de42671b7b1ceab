import Foundation
import TerminalFrontEnd

/// Where an export goes: standard output, or a file that takes its name only when it is whole.
struct ExportSink {
  private let path: String
  private let temporary: String
  private let output: TerminalOutput
  private let handle: FileHandle?

  /// Opens the sink.
  /// - Throws: `CommandFailure` if the file cannot be made.
  init(path: String) throws {
    self.path = path
    temporary = path + ".part"
    guard path != "-" else {
      output = .standard
      handle = nil
      return
    }
    guard FileManager.default.createFile(atPath: temporary, contents: nil),
      let handle = FileHandle(forWritingAtPath: temporary)
    else {
      throw CommandFailure(
        .cannotCreate,
        "\(path) cannot be made.",
        remedy: "Check that its folder is there and may be written to."
      )
    }
    self.handle = handle
    output = TerminalOutput(descriptor: handle.fileDescriptor)
  }

  /// Writes some text.
  /// - Throws: `TerminalOutputError`.
  func write(_ text: String) throws { try output.write(text) }

  /// Makes the file whole.
  /// - Throws: `TerminalOutputError`, or `CommandFailure` if the file cannot take its name.
  func close() throws {
    try output.flush()
    guard let handle else { return }
    do {
      try handle.close()
      guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      throw CommandFailure(
        .inputOutput,
        "\(path) cannot be written (\(error.localizedDescription)).",
        remedy: "What was there before is still there."
      )
    }
  }
}
