import Testing

@Suite("Statements about transactions")
struct TransactionTests {
  // Retries and plans depend on what a statement does with the transaction. `Statement` knows that by its kind, so a text of its own that
  // begins or ends one would be missed.
  @Test func `transactions over PostgreSQL begin and end by a kind of statement, not by a text`()
    throws
  {
    let text = /"(BEGIN|COMMIT|ROLLBACK)\b/
    let files = PackageTree.files(under: "Sources/Adapters/PostgreSQLPersistence", "swift")
    #expect(files.count > 50)
    let found = try files.filter { try PackageTree.text($0).firstMatch(of: text) != nil }
    #expect(found.map { $0.split(separator: "/").last } == ["Statement.swift"])
  }
}
