#if Web
import Foundation

/// A terminal of tmux in which a program runs as a person would run it; it ends with the object.
final class WebTerminal {
  /// Where systems have it; Homebrew has it on macOS.
  private static let tmux =
    ["/usr/bin/tmux", "/opt/homebrew/bin/tmux", "/usr/local/bin/tmux"]
    .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "/usr/bin/tmux"
  /// Whether there is a terminal; where the tests of the page must run, they fail without one.
  static let exists =
    FileManager.default.isExecutableFile(atPath: tmux)
    || ProcessInfo.processInfo.environment["CI"] != nil
  private let folder: WebFolder

  /// Starts a program in a terminal of 100 columns.
  init(_ program: String, _ arguments: [String], in folder: WebFolder) throws {
    self.folder = folder
    let words = [try BuiltProgram.path(program)] + arguments
    let command = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
    try run("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "exec \(command)")
  }

  deinit { _ = try? run("kill-session") }

  @discardableResult
  private func run(_ arguments: String...) throws -> String {
    var environment = folder.environment
    environment["TERM"] = "xterm"
    environment["LANG"] = "C.UTF-8"
    // The backtrace of a program that is ended by a signal takes seconds, and is not what is tested.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    let process = try ChildProcess(
      [Self.tmux, "-u", "-S", "\(folder.path)/tmux"] + arguments,
      environment: environment,
      folder: folder.path
    )
    let (status, texts) = try process.finish()
    guard status == 0 else { throw WebTestFailure("tmux \(arguments): \(texts)") }
    return texts[0]
  }

  /// Types a text, without interpreting any of it as the name of a key.
  func type(_ text: String) throws { try run("send-keys", "-l", text) }

  /// Presses a key by its name in tmux, such as `Enter`.
  func press(_ key: String) throws { try run("send-keys", key) }

  /// What is on the screen.
  var screen: String { get throws { try run("capture-pane", "-p") } }

  /// Waits until the screen shows texts.
  func wait(for texts: String...) throws {
    let deadline = Deadline(30)
    while true {
      let screen = try screen
      if texts.allSatisfy(screen.contains) { return }
      guard !deadline.hasPassed else { throw WebTestFailure("no \(texts) in time:\n\(screen)") }
    }
  }
}
#endif
