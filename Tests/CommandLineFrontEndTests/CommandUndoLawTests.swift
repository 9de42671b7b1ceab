import Foundation
import GRDB
import InMemoryPersistence
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R281: undoing all of a program's commands gives the state before them, and doing them again the state after.
@Suite("Laws of undo across processes")
struct CommandUndoLawTests {
  enum Kind: CaseIterable { case memory, packed, triggers }

  /// A store of a random entity and of another one, which others write.
  private final class World {
    let kind: Kind
    let entity: EntityDescription
    let other: EntityDescription
    var workload: RandomStoreWorkload
    private(set) var store: any Store
    private let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("CommandUndoLawTests-\(UUID().uuidString).sqlite").path

    init(_ kind: Kind, seed: UInt64) throws {
      self.kind = kind
      workload = RandomStoreWorkload(seed: seed)
      entity = try workload.entity()
      other = try EntityDescription(
        name: "Other",
        attributes: [AttributeDescription("n", .integer64)]
      )
      store = try InMemoryStore(entities: [entity, other])
      if kind != .memory { store = try opened() }
    }

    deinit {
      try? store.close()
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }

    private func opened() throws -> any Store {
      var options = SQLiteStoreOptions(pollInterval: nil)
      options.usesPreUpdateHook = kind == .packed
      return try SQLiteStore(at: path, entities: [entity, other], options: options)
    }

    /// Goes on as another process would, which knows of no version.
    func restart() throws {
      guard kind != .memory else { return }
      try store.close()
      store = try opened()
    }

    /// Commits as a program would that knows nothing of this package.
    func writeByOthers() throws {
      guard kind != .memory else {
        _ = try store.write { try $0.insert([1], key: nil, into: other) }
        return
      }
      let queue = try DatabaseQueue(path: path)
      try queue.inDatabase { database in
        try database.execute(sql: "INSERT INTO Other (n) VALUES (1); UPDATE Other SET n = n + 1")
      }
      try queue.close()
      try store.checkForExternalChanges()
    }

    func rows() throws -> [ResultsDomain.Row] {
      let columns = entity.identity.columns.map { FetchExpression.attribute($0) }
      let isCompound = if case .compound = entity.identity { true } else { false }
      let order = isCompound ? columns : [.objectKey]
      return try store.fetch(
        FetchRequest<ResultsDomain.Row>(
          entity: entity,
          sortedBy: order.map { FetchSortDescriptor($0) }
        )
      )
    }

    /// Makes random commits in a store, which may be that of a command.
    func change(_ store: any Store, commits: Int) throws {
      for _ in 0..<commits {
        let operations = workload.transaction(on: entity, rows: try rows(), count: 6)
        _ = try store.commit(origin: .unnamed) { transaction in
          for operation in operations { _ = try transaction.perform(operation, on: entity) }
        }
      }
    }

    func take(_ direction: CommandUndo.Direction) throws -> CommandUndo.Outcome {
      try CommandUndo(store, of: "law").run(direction)
    }
  }

  @Test(arguments: Kind.allCases, UInt64(1)...12)
  func `R281: undo and redo walk through the states of random commands`(
    kind: Kind,
    seed: UInt64
  ) throws {
    let world = try World(kind, seed: seed)
    try world.change(world.store, commits: 2)
    var states = [try world.rows()]
    var titles: [String] = []
    for step in 1...10 {
      if world.workload.generator.happens(percent: 50) { try world.writeByOthers() }
      if world.workload.generator.happens(percent: 20) { try world.restart() }
      let name = CommandName("step \(step)", of: "law")
      let commits = world.workload.generator.number(in: 1...3)
      try world.change(CommandStore(world.store, name), commits: commits)
      let now = try world.rows()
      guard now != states.last else { continue }
      states.append(now)
      titles.append(name.title)
    }
    try #require(!titles.isEmpty, "seed \(seed) changed nothing")
    var position = titles.count
    func walk(_ direction: CommandUndo.Direction) throws {
      let context: Comment = "seed \(seed), \(kind), \(direction) at \(position)"
      let isEnd = position == (direction == .undo ? 0 : titles.count)
      guard !isEnd else {
        #expect(throws: CommandFailure.self, context) { try world.take(direction) }
        return
      }
      let outcome = try world.take(direction)
      position += direction == .undo ? -1 : 1
      #expect(outcome.title == titles[direction == .undo ? position : position - 1], context)
      #expect(try world.rows() == states[position], context)
    }
    for _ in 0..<30 {
      if world.workload.generator.happens(percent: 30) { try world.writeByOthers() }
      if world.workload.generator.happens(percent: 15) { try world.restart() }
      try walk(world.workload.generator.happens(percent: 55) ? .undo : .redo)
    }
    while position > 0 { try walk(.undo) }
    try walk(.undo)
    while position < titles.count { try walk(.redo) }
    try walk(.redo)
    #expect(try world.rows() == states.last, "seed \(seed), \(kind)")
  }

  @Test(arguments: Kind.allCases, UInt64(1)...8)
  func `R281: a change of others stops an undo until it is gone`(kind: Kind, seed: UInt64) throws {
    let world = try World(kind, seed: seed)
    try world.change(world.store, commits: 2)
    let before = try world.rows()
    try world.change(CommandStore(world.store, CommandName("step", of: "law")), commits: 2)
    let after = try world.rows()
    guard before != after, let row = after.first(where: { !before.contains($0) }) else { return }
    _ = try world.store.write { try $0.delete(row.id, of: world.entity) }
    let refusal = #expect(throws: CommandFailure.self) { try world.take(.undo) }
    #expect(refusal?.picture == "\(row.id): deleted", "seed \(seed), \(kind)")
    try world.restart()
    let isCompound = if case .compound = world.entity.identity { true } else { false }
    _ = try world.store.write { transaction in
      try transaction.insert(row.values, key: isCompound ? nil : row.id.key, into: world.entity)
    }
    _ = try world.take(.undo)
    #expect(try world.rows() == before, "seed \(seed), \(kind)")
  }
}
