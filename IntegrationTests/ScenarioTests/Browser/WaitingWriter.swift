import ResultsStoreKit
import Foundation

/// A process of `sqlite3` that stays in a transaction, so that nobody else can write.
final class WaitingWriter {
  private let process = Process()
  private let input = Pipe()

  /// Begins a transaction in a file.
  init(_ path: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: TerminalRun.sqlite3)
    process.arguments = ["-batch", path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let sql = ".timeout 5000\nBEGIN IMMEDIATE;\nSELECT 'begun';\n"
    try input.fileHandleForWriting.write(contentsOf: Data(sql.utf8))
    _ = output.fileHandleForReading.availableData
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Ends the transaction, and the process.
  func finish() throws {
    try input.fileHandleForWriting.write(contentsOf: Data("ROLLBACK;\n".utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
