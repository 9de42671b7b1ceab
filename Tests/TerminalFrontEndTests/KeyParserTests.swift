import TerminalFrontEnd
import Testing

/// R130: keys are the same however their bytes arrive.
@Suite("Keys from bytes")
struct KeyParserTests {
  private static let keys: [(String, [KeyInput])] = [
    ("j", [.key(Key(.character("j")))]),
    ("\u{4}", [.key(Key(.character("d"), control: true))]),
    ("\r", [.key(Key(.enter))]),
    ("\t", [.key(Key(.tab))]),
    ("\u{7F}", [.key(Key(.backspace))]),
    ("é", [.key(Key(.character("é")))]),
    ("影", [.key(Key(.character("影")))]),
    ("🪿", [.key(Key(.character("🪿")))]),
    ("\u{1B}[A", [.key(Key(.up))]),
    ("\u{1B}OB", [.key(Key(.down))]),
    ("\u{1B}[5~", [.key(Key(.pageUp))]),
    ("\u{1B}[6~", [.key(Key(.pageDown))]),
    ("\u{1B}[1;5C", [.key(Key(.right, control: true))]),
    ("\u{1B}[Z", [.key(Key(.tab, shift: true))]),
    ("\u{1B}[15~", [.key(Key(.function(5)))]),
    ("\u{1B}[24~", [.key(Key(.function(12)))]),
    ("\u{1B}[27u", [.key(Key(.escape))]),
    ("\u{1B}x", [.key(Key(.character("x"), alt: true))]),
    ("\u{1B}[200~two\nlines\u{1B}[201~", [.paste("two\nlines")]),
    ("\u{1B}[200~a\u{1B}[2b\u{1B}[201~", [.paste("a\u{1B}[2b")]),
    ("\u{1B}[<0;10;20M", [.mouse(Mouse(.press, line: 19, column: 9))]),
    ("\u{1B}[<64;1;1M", [.mouse(Mouse(.wheelUp, line: 0, column: 0))]),
    ("\u{1B}[<65;80;24M", [.mouse(Mouse(.wheelDown, line: 23, column: 79))]),
    // Replies of the terminal, other mouse reports and unknown sequences are no keys.
    ("\u{1B}[?2026;2$y", []),
    ("\u{1B}[12;40R", []),
    ("\u{1B}[<0;10;20m", []),
    ("\u{1B}[<2;10;20M", []),
    ("\u{1B}[<0;10M", []),
    ("\u{1B}[M !!", []),
    ("\u{1B}]11;rgb:0000/0000/0000\u{7}", []),
    ("\u{1B}P1$r0m\u{1B}\\", []),
    ("\u{1B}[99;99;99X", []),
  ]

  @Test(arguments: keys.indices)
  func `R130: a sequence split at any byte gives the same key`(_ index: Int) {
    let (text, expected) = Self.keys[index]
    // A key before and one after show that nothing of the sequence leaks into them.
    let bytes = Array("a\(text)b".utf8)
    let whole = [.key(Key(.character("a")))] + expected + [KeyInput.key(Key(.character("b")))]
    for split in 0...bytes.count {
      var parser = KeyParser()
      let found = parser.feed(bytes[..<split]) + parser.feed(bytes[split...])
      #expect(found == whole, "\(text.debugDescription) split at \(split)")
      #expect(!parser.isWaiting)
    }
    var parser = KeyParser()
    #expect(bytes.flatMap { parser.feed([$0]) } == whole)
  }

  @Test func `R130: an escape character alone is a key once nothing has followed it`() {
    var parser = KeyParser()
    #expect(parser.feed([0x1B]) == [])
    #expect(parser.isWaiting)
    #expect(parser.flush() == [.key(Key(.escape))])
    #expect(!parser.isWaiting)
    // Half a sequence is no key.
    #expect(parser.feed(Array("\u{1B}[1".utf8)) == [])
    #expect(parser.flush() == [])
    #expect(parser.feed([0x1B, 0x1B]) == [.key(Key(.escape))])
    #expect(parser.flush() == [.key(Key(.escape))])
  }

  @Test func `R130: bytes that are no UTF-8 are one replacement character each`() {
    var parser = KeyParser()
    let replacement = KeyInput.key(Key(.character("\u{FFFD}")))
    #expect(parser.feed([0xFF, 0xC0, 0x80]) == [replacement, replacement, replacement])
    #expect(parser.feed([0xE5, 0x61]) == [replacement, .key(Key(.character("a")))])
  }

  @Test func `R130: a paste beyond its limit is cut, and keys work after it`() {
    var parser = KeyParser()
    var inputs = parser.feed(Array("\u{1B}[200~".utf8))
    for _ in 0..<5 { inputs += parser.feed(Array(repeating: 0x61, count: 300_000)) }
    inputs += parser.feed(Array("\u{1B}[201~q".utf8))
    #expect(inputs.count == 2)
    guard case .paste(let text) = inputs.first else {
      Issue.record("no paste")
      return
    }
    #expect(text.utf8.count == KeyParser.longestPaste)
    #expect(inputs.last == .key(Key(.character("q"))))
  }
}
