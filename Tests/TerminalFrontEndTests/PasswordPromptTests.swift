import Testing

@testable import TerminalFrontEnd

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A question for a password", .timeLimit(.minutes(1)))
struct PasswordPromptTests {
  @Test(arguments: [
    ("secret\r", PasswordPrompt.Answer.password("secret")),
    ("seé\u{7F}cret\n", .password("secret")),
    ("wrong\u{15}right\r", .password("right")),
    ("\r", .password("")),
    ("\u{4}", .ended),
    ("abc\u{3}", .interrupted),
  ])
  func `R161: what is typed is not shown, and can be corrected`(
    _ keys: String,
    _ expected: PasswordPrompt.Answer
  ) throws {
    let pseudo = try PseudoTerminal()
    let before = pseudo.settings
    let answer = PasswordPrompt.answer(from: pseudo.terminal) {
      #expect(pseudo.settings.c_lflag & tcflag_t(ECHO | ISIG) == 0)
      pseudo.type(keys)
    }
    #expect(answer == expected)
    #expect(pseudo.settings.c_lflag == before.c_lflag)
    // Nothing was echoed before this.
    let end = Array("end".utf8)
    _ = write(pseudo.terminal, end, end.count)
    #expect(pseudo.output(until: "end") == "end")
  }

  @Test func `R161: without a terminal nothing is asked`() {
    let file = open("/dev/null", O_RDWR)
    defer { close(file) }
    #expect(PasswordPrompt.answer(from: file) { Issue.record("asked") } == nil)
  }
}
