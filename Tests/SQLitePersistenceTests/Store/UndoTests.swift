import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R121: an undo keeps the constraints of the database at every step, not only at the end.
@Suite struct `Undoing in tables with immediate foreign keys` {
  private let node: EntityDescription
  private let store: SQLiteStore

  /// Nodes of a tree with unique names, in a table of an application.
  init() throws {
    let reference = Box()
    let node = Sample.related(
      "Node",
      [
        AttributeDescription("parent", .integer64, isOptional: true),
        AttributeDescription("name", .text),
      ],
      [
        RelationshipDescription("above", .toOne(foreignKey: ["parent"]), onDelete: .deny) {
          reference.entity ?? Sample.tag
        }
      ]
    )
    reference.entity = node
    let queue = try DatabaseQueue()
    try queue.inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE Node (
            id INTEGER PRIMARY KEY, parent INTEGER REFERENCES Node (id) ON DELETE RESTRICT,
            name TEXT NOT NULL UNIQUE)
          """
      )
    }
    self.node = node
    store = try SQLiteStore(writer: queue, entities: [node])
  }

  private func insert(
    _ number: Int64,
    under parent: Int64?,
    _ name: String,
    _ transaction: any StoreTransaction
  ) throws {
    let values: [Value] = [parent.map { .integer($0) } ?? .null, .text(name)]
    try transaction.insert(values, key: .integer(number), into: node)
  }

  private func id(_ number: Int64) -> ObjectID { ObjectID(entity: "Node", key: .integer(number)) }

  private func rows() throws -> [ResultsDomain.Row] {
    try store.fetch(FetchRequest(entity: node, sortedBy: [FetchSortDescriptor(.objectKey)]))
  }

  /// Runs a commit, and returns what it changed.
  private func changes(
    _ body: (any StoreTransaction) throws -> Void
  ) throws -> [CommittedChange] {
    let base = try store.read { (snapshot) throws(StoreError) in snapshot.version }
    try store.write(body)
    let history = try store.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: base, ofEach: [node])
    }
    guard case .commits(let records) = history else { return [] }
    return records.flatMap(\.changes)
  }

  @Test func `inserts what is named first, deletes it last, and frees unique values (R121)`() throws
  {
    try store.write { transaction in
      try insert(1, under: nil, "root", transaction)
      try insert(9, under: 1, "a", transaction)
      try insert(2, under: 9, "b", transaction)
      try insert(5, under: 2, "c", transaction)
    }
    let before = try rows()
    let changes = try changes { transaction in
      for number in [5, 2, 9] as [Int64] { try transaction.delete(id(number), of: node) }
      // Other nodes with the same names, in another order of keys and parents.
      try insert(3, under: 1, "c", transaction)
      try insert(8, under: 3, "b", transaction)
      try insert(4, under: 8, "a", transaction)
      try transaction.update(id(1), to: [.null, "trunk"], of: node)
    }
    let after = try rows()
    #expect(changes.count == 7)
    for seed in UInt64(1)...20 {
      // The order in which the changes are given does not matter.
      var generator = SeededGenerator(seed: seed)
      let shuffled = changes.shuffled(using: &generator)
      try store.write { try $0.undo(shuffled, among: [node]) }
      #expect(try rows() == before, "seed \(seed)")
      try store.write { try $0.undo(shuffled.map(\.inverse), among: [node]) }
      #expect(try rows() == after, "seed \(seed)")
    }
  }

  @Test func `does not delete what another object names by now (R121)`() throws {
    let changes = try changes { try insert(1, under: nil, "root", $0) }
    try store.write { try insert(2, under: 1, "of another", $0) }
    let rows = try rows()
    let refusal = #expect(throws: StoreError.self) {
      try store.write { try $0.undo(changes, among: [node]) }
    }
    guard case .referenced(id(1), by: let referrers, _)? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(referrers == [id(2)])
    #expect(try self.rows() == rows)
  }
}

/// An entity that its own relationship names.
private final class Box: @unchecked Sendable {
  // It is set once, before anything reads it.
  var entity: EntityDescription?
}
