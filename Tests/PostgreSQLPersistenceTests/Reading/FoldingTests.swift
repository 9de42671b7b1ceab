#if PostgreSQL
import ResultsDomain
import Testing

@testable import PostgreSQLPersistence

/// The server folds every letter as this process does (R154).
@Suite struct FoldingTests {
  /// Every letter that changes, alone, beside others, twice, and at the end of a word.
  private static let texts: [String] = (UInt32(1)...0x1FFFF).compactMap { Unicode.Scalar($0) }
    .filter { $0.properties.isCased || $0.properties.changesWhenLowercased }
    .flatMap { scalar in
      let letter = String(scalar)
      return [letter, "a" + letter, letter + "b", "ΑΒ" + letter, letter + letter]
    }

  @Test func `every letter is folded as here, wherever it stands (R154)`() throws {
    let connection = try TestServer.connect()
    let table = try #require(try FoldingTable.find(on: connection))
    #expect(table.from.unicodeScalars.count == table.to.unicodeScalars.count)
    let result = try connection.run(
      """
      SELECT lower(translate(x, $2, $3) COLLATE \(table.collation))
      FROM unnest($1) WITH ORDINALITY t(x, n) ORDER BY n
      """,
      [.texts(Self.texts), .text(table.from), .text(table.to)]
    )
    try #require(result.count == Self.texts.count && result.count > 10_000)
    let wrong = Self.texts.indices.filter { index in
      Value.text(TextFolding.folded(Self.texts[index])) != .text(result.text(index, 0) ?? "")
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(5).map { Self.texts[$0] })")
  }

  @Test func `the table is found once for a server (R154)`() throws {
    let connection = try TestServer.connect()
    _ = try FoldingTable.find(on: connection)
    let flights = connection.flightCount
    _ = try FoldingTable.find(on: connection)
    #expect(connection.flightCount == flights + 1)
  }

  @Test func `without a collation that folds so, texts are folded here (R154)`() throws {
    let entity = try SchemaSample.entity("Word", [AttributeDescription("x", .text)])
    try TestServer.withDatabase { url in
      let store = try ReadTables([entity], at: url)
      let words = ["ΑΣ", "ας", "İx", "i\u{307}X", "ẞ", "\"\\\n", "𐐀"]
      try store.replace(
        words.enumerated().map { index, word in
          let key = ObjectKey.integer(Int64(index))
          return Row(
            entity: entity,
            id: ObjectID(entity: "Word", key: key),
            values: [.text(word)]
          )
        },
        of: entity
      )
      // The names of collations are the server's catalog.
      try store.connection.run([.begin(.readCommitted)])
      try store.connection.runOnce(
        "DELETE FROM pg_collation WHERE collname IN ('und-x-icu', 'pg_c_utf8', 'C.utf8')"
      )
      let reader = TableReader(store.connection, tables: store.tables, path: "test")
      for word in words {
        for comparison in [TextOperator.beginsWith, .like, .contains, .endsWith] {
          let predicate = FetchPredicate.text(
            .attribute("x"),
            comparison,
            word.uppercased(),
            caseInsensitive: true
          )
          let expected = words.filter {
            FetchPredicate.text(
              .literal(.text($0)),
              comparison,
              word.uppercased(),
              caseInsensitive: true
            )
            .constant == true
          }
          #expect(
            try reader.count(of: entity, where: predicate) == expected.count,
            "\(comparison) \(word)"
          )
        }
      }
      try store.connection.run([.rollback])
    }
  }
}
#endif
