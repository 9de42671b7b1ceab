import ResultsDomain
import ResultsStoreKit
import Synchronization
import TerminalFrontEnd
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// R132: a terminal is left as it was found.
///
/// The process has one guarded terminal, so the tests run one after the other.
@Suite("A terminal session", .serialized, .timeLimit(.minutes(1)))
struct SessionTests {
  @Test func `R132: the screen is entered, keys are read, and everything is left as it was`() throws
  {
    let pseudo = try PseudoTerminal()
    let before = pseudo.settings
    let session = try TerminalSession(
      input: pseudo.terminal,
      output: pseudo.terminal,
      environment: [:]
    )
    #expect(pseudo.isRaw)
    #expect(session.size == TerminalSize(columns: 40, rows: 12))
    #expect(pseudo.output(until: "\u{1B}[2J").hasPrefix("\u{1B}[?1049h"))
    pseudo.type("j\u{1B}[A\u{1B}[200~x\ny\u{1B}[201~")
    var inputs: [TerminalInput] = []
    session.readInput { input in
      inputs.append(input)
      if inputs.count == 3 { session.stopReading() }
    }
    #expect(
      inputs == [
        .input(.key(Key(.character("j")))), .input(.key(Key(.up))), .input(.paste("x\ny")),
      ]
    )
    try session.write("frame")
    #expect(pseudo.output(until: "frame").contains("frame"))
    session.leave()
    #expect(!pseudo.isRaw)
    #expect(pseudo.settings.c_lflag == before.c_lflag && pseudo.settings.c_oflag == before.c_oflag)
    #expect(pseudo.output(until: "\u{1B}[?1049l").contains("\u{1B}[?25h"))
    // A frame that comes too late does not disturb the shell.
    try session.write("late")
    pseudo.type("\n")
    session.leave()
  }

  @Test func `R132: an escape character alone arrives, and so does another size`() throws {
    let pseudo = try PseudoTerminal()
    let session = try TerminalSession(
      input: pseudo.terminal,
      output: pseudo.terminal,
      environment: [:]
    )
    defer { session.leave() }
    pseudo.type("\u{1B}")
    var inputs: [TerminalInput] = []
    session.readInput { input in
      inputs.append(input)
      guard inputs.count == 1 else { return session.stopReading() }
      var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(pseudo.terminal, UInt(TIOCSWINSZ), &size)
      kill(getpid(), SIGWINCH)
    }
    #expect(inputs == [.input(.key(Key(.escape))), .resized(TerminalSize(columns: 80, rows: 24))])
  }

  @Test func `R132: a file is no terminal`() {
    let file = open("/dev/null", O_RDWR)
    defer { close(file) }
    #expect(throws: TerminalSessionError.notATerminal) {
      try TerminalSession(input: file, output: file, environment: [:])
    }
  }
}
