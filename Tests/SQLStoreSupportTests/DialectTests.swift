import ResultsDomain
import SQLStoreSupport
import Testing

@Suite("Dialects of SQL")
struct DialectTests {
  /// A quote and the combining mark after it are one `Character`.
  private static let names = ["plain", "a\"b", "it's", "back\\slash", "\"\u{301}'\u{301}", ""]

  @Test(arguments: names)
  func `R176: a name in quotes is read back byte by byte`(_ name: String) {
    for quoted in [SQLiteDialect.quoted(name), PostgreSQLDialect.quoted(name)] {
      #expect(Self.unquoted(quoted, by: "\"") == Array(name.utf8))
    }
  }

  @Test(arguments: names)
  func `R176: a text in quotes is read back byte by byte`(_ text: String) {
    #expect(Self.unquoted(SQLiteDialect.literal(text), by: "'") == Array(text.utf8))
    let literal = PostgreSQLDialect.literal(text)
    guard text.utf8.contains(UInt8(ascii: "\\")) else {
      #expect(Self.unquoted(literal, by: "'") == Array(text.utf8))
      return
    }
    #expect(literal.utf8.elementsEqual(#" E'back\\slash'"#.utf8))
  }

  @Test func `names that SQLite finds equal differ in PostgreSQL`() {
    #expect(SQLiteDialect.identifier("Book") == SQLiteDialect.identifier("bOOK"))
    #expect(PostgreSQLDialect.identifier("Book") != PostgreSQLDialect.identifier("bOOK"))
    // SQLite ignores the case of A to Z only.
    #expect(SQLiteDialect.identifier("\u{C4}") != SQLiteDialect.identifier("\u{E4}"))
  }

  @Test(arguments: TextOperator.allCases, [false, true])
  func `a text operator is a condition wherever the database can say it`(
    _ comparison: TextOperator,
    _ isFolding: Bool
  ) {
    let tests = [
      SQLiteDialect.test(comparison, "x", isFolding: isFolding),
      PostgreSQLDialect.test(comparison, "x", isFolding: isFolding),
    ]
    for test in tests {
      guard case .condition(let before, let between, _, let after) = test else {
        #expect(comparison == .matches)
        continue
      }
      let text = before + between + after
      #expect(
        text.utf8.count { $0 == UInt8(ascii: "(") } == text.utf8.count { $0 == UInt8(ascii: ")") }
      )
    }
  }

  @Test func `a pattern has SQL's wildcards, and its own as letters`() {
    #expect(PostgreSQLDialect.pattern(#"a*b?c\*d%e_f\"#) == #"a%b_c*d\%e\_f\\"#)
  }

  /// The bytes between two marks, each of which stands for two inside.
  private static func unquoted(_ text: String, by mark: Unicode.Scalar) -> [UInt8]? {
    let mark = UInt8(ascii: mark)
    var rest = Array(text.utf8)[...]
    guard rest.popFirst() == mark, rest.popLast() == mark else { return nil }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == mark, rest.popFirst() != mark { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
