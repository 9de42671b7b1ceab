import Foundation
import Synchronization
import TerminalFrontEnd

/// The thread that waits for the terminal's input, and the editor that takes its turn on the terminal.
final class InputReader: Sendable {
  private let session: TerminalSession
  private let take: @Sendable (TerminalInput) -> Void
  private let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)

  init(_ session: TerminalSession, take: @escaping @Sendable (TerminalInput) -> Void) {
    self.session = session
    self.take = take
  }

  /// Starts to read.
  func start() {
    Thread.detachNewThread { [self] in
      session.readInput(take)
      let waiting = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      waiting?.resume()
    }
  }

  /// Has a text edited on the terminal by the user's editor.
  /// - Returns: The text that it has left, or the reason why there is none; the full screen is shown again, and is empty.
  func edit(_ text: String) async -> FormEvent {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0 = continuation }
      session.stopReading()
    }
    let event = await withCheckedContinuation { continuation in
      // A thread of its own: an editor runs for minutes.
      Thread.detachNewThread { [session] in
        continuation.resume(returning: Editor().edit(text, on: session))
      }
    }
    session.enter()
    start()
    return event
  }
}

/// The user's editor: `$VISUAL`, else `$EDITOR`, else `vi`.
private struct Editor {
  /// The command, which may have arguments.
  let command: String

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let names = ["VISUAL", "EDITOR"]
    command = names.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
  }

  /// The number of bytes that an editor may leave.
  private static let mostBytes = 16_000_000

  /// Returns the content of a file, or `nil` for one with more bytes than a form takes.
  private static func content(of file: URL) throws -> Data? {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let content = try handle.read(upToCount: mostBytes + 1) ?? Data()
    return content.count > mostBytes ? nil : content
  }

  /// Runs the editor on a file that only the user can read, and that is removed afterwards.
  func edit(_ text: String, on session: TerminalSession) -> FormEvent {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("form-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appendingPathComponent("form.txt")
      try Data(text.utf8).write(to: file)
      // The shell splits the command, and the name of the file goes to it as an argument.
      let status = try session.run(["/bin/sh", "-c", "\(command) \"$1\"", "sh", file.path])
      switch status {
      case 0: break
      case 126, 127:
        return .notEdited("The editor “\(command)” cannot be run. Set VISUAL or EDITOR to another.")
      default: return .notEdited("The editor ended with status \(status): nothing was written.")
      }
      guard let left = try Editor.content(of: file) else {
        return .notEdited("The editor left more than 16 MB: nothing was written.")
      }
      return .edited(String(decoding: left, as: UTF8.self))
    } catch {
      return .notEdited("The text cannot be edited: \(error).")
    }
  }
}
