import Foundation
import GRDB
import ResultsDomain
import ResultsStoreKit
import Testing

@testable import SQLitePersistence

/// R295: attributes that users have added to an entity, in the schema of a file.
@Suite struct CustomAttributeTests {
  private let declared: EntityDescription
  private let extended: EntityDescription
  private let folder = NSTemporaryDirectory() + "custom-" + UUID().uuidString
  private var path: String { folder + "/s.sqlite" }

  init() throws {
    declared = try EntityDescription(
      name: "Pupil",
      attributes: [AttributeDescription("name", .text)]
    )
    extended = try declared.adding(custom: [
      AttributeDescription("mark", .decimal(scale: 2), isOptional: true)
    ])
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func number(_ sql: String) throws -> Int? {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.read { try Int.fetchOne($0, sql: sql) }
  }

  @Test func `R295: the first one changes the format, and is read back`() throws {
    try SQLiteStore(at: path, entities: [declared]).close()
    #expect(try number("SELECT format FROM _results_store") == 2)
    #expect(SQLiteStore.customAttributes(of: "Pupil", at: path) == nil)
    try SQLiteStore(at: path, entities: [extended]).close()
    #expect(try number("SELECT format FROM _results_store") == 3)
    let found = try #require(SQLiteStore.customAttributes(of: "Pupil", at: path))
    #expect(found == Array(extended.attributes.suffix(1)) && found.allSatisfy(\.isCustom))
    #expect(SQLiteStore.customAttributes(of: "Pupil", at: folder) == nil)
    #expect(SQLiteStore.customAttributes(of: "Pupil", at: path + "2") == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["s.sqlite"])
  }

  @Test func `R295: a store that does not name it keeps it, and its log`() throws {
    let store = try SQLiteStore(at: path, entities: [extended])
    try store.write { transaction in
      _ = try transaction.insert([.text("Ann"), .integer(250)], key: nil, into: extended)
    }
    try store.close()
    let other = try EntityDescription(
      name: "Pupil",
      attributes: declared.attributes + [AttributeDescription("age", .integer16, isOptional: true)]
    )
    // One that the program adds itself does not look like another name of it.
    for entity in [declared, other] {
      let narrow = try SQLiteStore(at: path, entities: [entity])
      #expect(narrow.capabilities.historyCoverage == .everyWriter)
      let before = try narrow.read { $0.version }
      let queue = try DatabaseQueue(path: path)
      try queue.write {
        try $0.execute(sql: "UPDATE Pupil SET name = name || 'a', mark = mark + 1")
      }
      try queue.close()
      try narrow.checkForExternalChanges()
      let history = try narrow.read { (snapshot) throws(StoreError) in
        try snapshot.history(since: before, of: entity)
      }
      guard case .commits(let commits) = history else {
        Issue.record("\(history)")
        return
      }
      #expect(commits.flatMap(\.changes).map(\.after?.values.count) == [entity.attributes.count])
      try narrow.close()
    }
    #expect(try number("SELECT mark FROM Pupil") == 252)
    #expect(SQLiteStore.customAttributes(of: "Pupil", at: path)?.map(\.name) == ["mark"])
  }

  @Test func `R295: only a replacement removes it`() throws {
    try SQLiteStore(at: path, entities: [extended]).close()
    var options = SQLiteStoreOptions()
    options.attributeReplacements = [AttributeReplacement(of: "mark", in: "Pupil", by: [])]
    try SQLiteStore(at: path, entities: [declared], options: options).close()
    #expect(try number("SELECT count(*) FROM pragma_table_info('Pupil')") == 2)
    #expect(SQLiteStore.customAttributes(of: "Pupil", at: path) == [])
  }
}
