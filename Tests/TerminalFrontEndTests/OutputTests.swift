import ResultsStoreKit
import Testing

@testable import TerminalFrontEnd

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Output")
struct OutputTests {
  private static func pipeEnds() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func `text arrives whole and in order`() throws {
    let ends = try Self.pipeEnds()
    defer { close(ends.read) }
    let output = TerminalOutput(descriptor: ends.write, capacity: 4)
    #expect(!output.isTerminal)
    #expect(output.size(environment: ["COLUMNS": "80"]) == nil)
    try output.write("吾輩")
    try output.write("は")
    try output.flush()
    close(ends.write)
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(ends.read, &bytes, bytes.count)
    #expect(Array(bytes.prefix(max(count, 0))) == Array("吾輩は".utf8))
  }

  @Test func `a closed output is a typed error with status 141`() throws {
    TerminalOutput.ignoreBrokenPipes()
    let ends = try Self.pipeEnds()
    close(ends.read)
    defer { close(ends.write) }
    let output = TerminalOutput(descriptor: ends.write)
    try output.write("text")
    #expect(throws: TerminalOutputError.outputClosed) { try output.flush() }
    #expect(TerminalOutputError.outputClosed.exitStatus == 141)
  }

  @Test(.enabled(if: access("/dev/full", W_OK) == 0))
  func `a full disk is a typed error with the system's reason`() throws {
    let descriptor = open("/dev/full", O_WRONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let output = TerminalOutput(descriptor: descriptor)
    try output.write("text")
    let error = #expect(throws: TerminalOutputError.self) { try output.flush() }
    #expect(error?.exitStatus == 74)
    #expect(
      error?.description
        == "The output cannot be written: No space left on device. "
        + "Check the free space and the destination."
    )
  }

  @Test(
    arguments: [
      ([:], true, false), (["TERM": "xterm"], true, true), (["TERM": "xterm"], false, false),
      (["TERM": "dumb"], true, false), (["TERM": "xterm", "NO_COLOR": "1"], true, false),
      (["TERM": "xterm", "NO_COLOR": ""], true, true), (["CLICOLOR_FORCE": "1"], false, true),
      (["CLICOLOR_FORCE": "0"], false, false),
      (["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], true, false),
      (["TERM": "xterm", "CLICOLOR": "0"], true, false),
    ] as [([String: String], Bool, Bool)]
  )
  func `colour follows the environment`(
    environment: [String: String],
    isTerminal: Bool,
    expected: Bool
  ) {
    let auto = ColorChoice.auto.isEnabled(environment: environment, isTerminal: isTerminal)
    #expect(auto == expected)
    #expect(ColorChoice.always.isEnabled(environment: environment, isTerminal: isTerminal))
    #expect(!ColorChoice.never.isEnabled(environment: environment, isTerminal: isTerminal))
  }

  @Test func `a style wraps its text and leaves plain text alone`() {
    #expect(Style(bold: true, color: .cyan).applied(to: "x") == "\u{1B}[1;36mx\u{1B}[0m")
    #expect(Style().applied(to: "x") == "x")
    #expect(Style(dim: true).applied(to: "").isEmpty)
  }
}
