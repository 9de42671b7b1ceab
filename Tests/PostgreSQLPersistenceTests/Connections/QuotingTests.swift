#if PostgreSQL
import ResultsDomain
import ResultsTesting
import SQLStoreSupport
import Testing

@testable import PostgreSQLPersistence

/// R176: no text becomes SQL, whatever stands beside its quotes.
@Suite struct QuotingTests {
  @Test(arguments: ["on", "off"])
  func `R176: a constant is its text for the server, beside all of Unicode`(
    _ isStandard: String
  ) throws {
    let connection = try TestServer.connect()
    try connection.runOnce("SET standard_conforming_strings = \(isStandard)")
    try connection.runOnce("SET escape_string_warning = off")
    let texts = QuotingTexts.all(around: ["'", "\\"])
    for start in stride(from: 0, to: texts.count, by: 200) {
      let part = texts[start..<min(texts.count, start + 200)]
      let constants = part.map { "(\(Connection.literal($0)))" }.joined(separator: ",")
      let result = try connection.runOnce("SELECT c FROM (VALUES \(constants)) v(c)")
      let isSame =
        result.count == part.count
        && zip(0..., part).allSatisfy { result.bytes($0, 0).elementsEqual($1.utf8) }
      #expect(isSame, "texts \(start) to \(start + 200)")
    }
  }

  @Test func `R176: a name in quotes is what the server makes of it, beside all of Unicode`() throws
  {
    let connection = try TestServer.connect()
    // The server leaves plain names without quotes.
    let texts = QuotingTexts.all(around: ["\""]).map { $0 + "\"" }
    let result = try connection.runOnce(
      "SELECT pg_catalog.quote_ident(t) FROM pg_catalog.unnest($1) t",
      [.texts(texts)]
    )
    #expect(result.count == texts.count)
    let wrong = zip(0..., texts).filter { row, text in
      !result.bytes(row, 0).elementsEqual(Connection.quoted(text).utf8)
    }
    #expect(wrong.map(\.0).prefix(8) == [])
  }

  @Test func `R176: parameters are put into a statement outside of its quotes only`() throws {
    let text = "O'\u{301} $1 '\u{301} $2"
    var sql = SQLText()
    let start = Connection.quoted("a\"\u{301}$1") + " = " + Connection.literal(text) + " AND "
    sql.append(start)
    sql.append(argument: .integer(7))
    let written = try #require(sql.withConstants)
    #expect(written.utf8.elementsEqual((start + "7").utf8))
  }
}
#endif
