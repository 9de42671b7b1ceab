import ResultsStoreKit
import Foundation
import GRDB
import ResultsTesting
import Testing

@testable import SQLitePersistence

/// R176: no text becomes SQL, whatever stands beside its quotes.
@Suite struct QuotingTests {
  @Test func `R176: a constant is its text for SQLite, beside all of Unicode`() throws {
    let database = try DatabaseQueue()
    let texts = QuotingTexts.all(around: ["'", "\\"])
    let wrong = try database.read { database in
      try texts.filter { text in
        let read = try Data.fetchOne(database, sql: "SELECT CAST(\(text.quotedText) AS BLOB)")
        return !(read ?? Data()).elementsEqual(text.utf8)
      }
    }
    #expect(wrong.map { $0.unicodeScalars.prefix(8).map(\.value) }.prefix(3) == [])
  }

  @Test func `R176: a name is its column for SQLite, beside all of Unicode`() throws {
    let database = try DatabaseQueue()
    let names = QuotingTexts.all(around: ["\""]).filter { !$0.isEmpty }
    let wrong = try database.read { database in
      try names.filter { name in
        let statement = try database.makeStatement(sql: "SELECT 1 AS \(name.quotedIdentifier)")
        return !(statement.columnNames.first ?? "").utf8.elementsEqual(name.utf8)
      }
    }
    #expect(wrong.map { $0.unicodeScalars.prefix(8).map(\.value) }.prefix(3) == [])
  }
}
