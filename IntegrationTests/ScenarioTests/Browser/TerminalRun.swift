import Foundation
import Testing

/// A shell in a terminal of tmux, in which programs run as a person would run them.
///
/// The terminal has a server of its own and no configuration. Waiting means asking for the screen until it is as expected; each
/// question takes a few milliseconds, so nothing sleeps.
final class TerminalRun {
  /// Where systems have it; Homebrew has it on macOS.
  static let tmux =
    ["/usr/bin/tmux", "/opt/homebrew/bin/tmux", "/usr/local/bin/tmux"]
    .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "/usr/bin/tmux"
  static let sqlite3 = "/usr/bin/sqlite3"
  static let exists =
    FileManager.default.isExecutableFile(atPath: tmux)
    && FileManager.default.isExecutableFile(atPath: sqlite3)

  /// The error for a screen that does not come.
  struct Failure: Error, CustomStringConvertible { let description: String }

  let run: ProgramRun
  private let socket: String

  /// Starts a shell in a terminal of some size.
  init(columns: Int = 80, lines: Int = 24, environment: [String: String] = [:]) throws {
    run = try ProgramRun()
    socket = run.path("tmux")
    let folder = URL(fileURLWithPath: try ProgramFolder.executable("book-catalog"))
      .deletingLastPathComponent().path
    run.environment["PATH"] = "\(folder):/usr/bin:/bin"
    run.environment["TERM"] = "xterm"
    // The backtrace of a program that is ended by a signal takes seconds, and is not what is tested.
    run.environment["SWIFT_BACKTRACE"] = "enable=no"
    for (name, value) in environment { run.environment[name] = value }
    try command(
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      "-x",
      "\(columns)",
      "-y",
      "\(lines)",
      "-c",
      run.folder,
      "/bin/sh"
    )
    // Not from the environment, which some shells ignore; and quoted, so that the echo of the line does not count.
    try enter("PS1='RE''ADY '")
    try wait("the shell") { $0.contains("READY") }
  }

  // Without a session the server ends. `kill-server` would be a signal, which the threads of tests may block for their processes.
  deinit { _ = try? command("kill-session") }

  /// Runs a command of tmux.
  /// - Returns: Its output.
  @discardableResult
  func command(_ arguments: String...) throws -> String {
    try run.run(Self.tmux, ["-u", "-S", socket] + arguments).output
  }

  /// Types a text, without interpreting any of it as the name of a key.
  func type(_ text: String) throws { try command("send-keys", "-l", text) }

  /// Presses keys by their names in tmux, such as `Enter` or `C-z`.
  func press(_ keys: String...) throws { for key in keys { try command("send-keys", key) } }

  /// Types a line into the shell.
  func enter(_ line: String) throws {
    try type(line)
    try press("Enter")
  }

  /// The lines of the screen.
  var screen: [String] {
    get throws {
      try command("capture-pane", "-p").split(separator: "\n", omittingEmptySubsequences: false)
        .map(String.init)
    }
  }

  /// Waits until the screen is as expected.
  /// - Returns: The screen.
  @discardableResult
  func wait(
    _ what: String,
    seconds: Double = 20,
    until isReady: (String) -> Bool
  ) throws -> [String] {
    let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
    while true {
      let lines = try screen
      if isReady(lines.joined(separator: "\n")) { return lines }
      guard ContinuousClock.now < deadline else {
        throw Failure(description: "no \(what):\n\(lines.joined(separator: "\n"))")
      }
    }
  }

  /// The line with the list's cursor, and its number.
  func cursor(_ lines: [String]) -> (number: Int, text: String)? {
    lines.enumerated().first { $0.element.hasPrefix(">") || $0.element.hasPrefix("▾>") }
      .map { ($0.offset, $0.element) }
  }

  /// Executes SQL in a process of its own, which knows nothing of the program.
  func sqlite(_ sql: String, in file: String = "books.sqlite") throws {
    let result = try run.run(Self.sqlite3, [run.path(file), ".timeout 5000", sql])
    guard result.status == 0 else { throw Failure(description: "\(result)") }
  }
}
