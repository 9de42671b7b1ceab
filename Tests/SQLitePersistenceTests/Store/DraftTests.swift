import GRDB
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

@Suite struct `Drafts over a database file` {
  /// How a file is opened.
  enum Kind: CaseIterable {
    /// With a change log, so that each commit of another program is known.
    case logged
    /// Without one, so that they are found by comparison.
    case compared
  }

  @Test(arguments: Kind.allCases, UInt64(1)...8)
  func `R109, R110: a draft is what a naive three-way model says, while others write`(
    kind: Kind,
    seed: UInt64
  ) async throws {
    let entity = try #require(DraftWalk.entity)
    let folder = try TemporaryFolder()
    let path = folder.file("draft.sqlite")
    var options = SQLiteStoreOptions(pollInterval: nil)
    options.maintainsChangeLog = kind == .logged
    let store = try SQLiteStore(at: path, entities: [entity], options: options)
    let other = try Self.otherProgram(path)
    var generator = SeededGenerator(seed: seed)
    var walk = try await DraftWalk(over: store, seed: seed)
    for _ in 0..<60 {
      try await walk.step(
        generator.happens(percent: 50) ? { steps in try Self.commit(steps, by: other) } : nil
      )
    }
    for kind in ["base", "foreign", "edit"] {
      #expect(walk.counts[kind, default: 0] > 0, "seed \(seed): \(kind)")
    }
    try store.close()
    try other.close()
    withExtendedLifetime(folder) {}
  }

  @Test func `R110: another program's commit under an edited row is merged or a conflict`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("draft.sqlite")
    let store = try SQLiteStore(
      at: path,
      entities: [Sample.book],
      options: SQLiteStoreOptions(pollInterval: nil)
    )
    let id = try store.write { transaction in
      try transaction.insert(Sample.values("Ace", "Emma", 1815), key: nil, into: Sample.book)
    }
    let draft = DraftStore(over: store)
    try draft.write { transaction in
      try transaction.update(id, to: Sample.values("Ace", "Emma!", 1815), of: Sample.book)
    }
    let other = try Self.otherProgram(path)
    try other.inDatabase { try $0.execute(sql: "UPDATE Book SET year = 1816") }
    try draft.checkForExternalChanges()
    #expect(draft.state(of: id) == .edited(["title"]))
    #expect(draft.edits.first?.row?["year"] == 1816)
    try other.inDatabase { try $0.execute(sql: "UPDATE Book SET title = 'Persuasion'") }
    let refusal = #expect(throws: DraftError.self) { try draft.commit() }
    guard case .conflicts([id])? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(try store.allRows(of: Sample.book).map { $0["title"] } == ["Persuasion"])
    #expect(draft.keepMine(id))
    try draft.commit()
    #expect(try store.allRows(of: Sample.book).map { $0["title"] } == ["Emma!"])
    try other.close()
    withExtendedLifetime(folder) {}
  }

  @Test func `R109: a draft is recognized in its base although the base stores other values`()
    throws
  {
    // A trigger of the application changes what is written.
    let queue = try DatabaseQueue()
    try queue.inDatabase { database in
      try database.execute(
        sql: """
          CREATE TABLE Tag (name TEXT PRIMARY KEY NOT NULL, rank INTEGER);
          CREATE TRIGGER doubled AFTER INSERT ON Tag BEGIN
            UPDATE Tag SET rank = 2 * NEW.rank WHERE name = NEW.name;
          END
          """
      )
    }
    let store = try SQLiteStore(writer: queue, entities: [Sample.tag])
    let draft = DraftStore(over: store)
    try draft.write { try $0.insert([4], key: .text("a"), into: Sample.tag) }
    try draft.commit()
    #expect(draft.edits.isEmpty)
    #expect(try draft.allRows(of: Sample.tag).map { $0["rank"] } == [8])
  }

  /// A connection of another program, which waits for its turn.
  private static func otherProgram(_ path: String) throws -> DatabaseQueue {
    var patient = Configuration()
    patient.busyMode = .timeout(10)
    return try DatabaseQueue(path: path, configuration: patient)
  }

  private static func commit(
    _ steps: [DraftWalk.BaseStep],
    by other: DatabaseQueue
  ) throws {
    try other.write { database in
      for step in steps {
        switch step {
        case .insert(let key, let values):
          try database.execute(
            sql: "INSERT INTO Item (section, rank, text, id) VALUES (?, ?, ?, ?)",
            arguments: StatementArguments(values.map(\.integer) + [key])
          )
        case .update(let key, let values):
          try database.execute(
            sql: "UPDATE Item SET section = ?, rank = ?, text = ? WHERE id = ?",
            arguments: StatementArguments(values.map(\.integer) + [key])
          )
        case .delete(let key):
          try database.execute(sql: "DELETE FROM Item WHERE id = ?", arguments: [key])
        }
      }
    }
  }
}
