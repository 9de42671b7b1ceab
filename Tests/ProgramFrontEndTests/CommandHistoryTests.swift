import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ProgramFrontEnd

/// R281: the last command of a program can be taken back later, in whatever process it ran.
@Suite("Undoing commands of any process")
struct CommandHistoryTests {
  private func command(
    _ title: String,
    in store: any Store,
    of program: String = "club"
  ) -> CommandStore {
    CommandStore(store, CommandName(title, of: program, at: Instant(microseconds: 0)))
  }

  private func rename(_ id: ObjectID, to name: String, in store: any Store) throws {
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.update(id, to: Club.values(name), of: Member.entity)
    }
  }

  private func names(_ store: any Store, _ ids: [ObjectID]) throws -> [String?] {
    try store.members(ids).map { $0?.values[0].text }
  }

  @Test func `R281: a command's name says what it did, and is read again from its commit`() throws {
    let time = Instant(microseconds: 1_796_000_000_000_000)
    for title in ["removed 3 books", "", "a: b\nc 'd'", "帰還 \u{301}x", "undid 7: x"] {
      for act in [CommandName.Act.did, .undid("7f3a91c2d0b14e55"), .redid("7f3a91c2d0b14e55")] {
        let name = CommandName(title, of: "book-catalog", by: "browse", act: act, at: time)
        #expect(CommandName(name.origin) == name)
        #expect(CommandName(name.part(12).origin) == name.part(12))
        #expect(name.part(12).id == name.id && name.part(12).part == 12)
        #expect(name.origin.name.hasPrefix("browse-\(name.id).1 book-catalog 2026-"))
      }
    }
    let long = CommandName(String(repeating: "é", count: 300) + "\0", of: "club", at: time)
    #expect(long.title.utf8.count == 203 && long.title.hasSuffix("é…"))
    for text in [
      "", "import", "browse-1", "cli-7f3a91c2d0b14e55 club 2026-11-29T09:01:02Z did: x",
      "cli-7f3a91c2d0b14e55.0 club 2026-11-29T09:01:02Z did: x",
      "cli-7f3a91c2d0b14e55.1 club yesterday did: x",
      "cli-7f3a91c2d0b14e55.1 club 2026-11-29T09:01:02Z made: x",
      "cli-7f3a91c2d0b14e55.1 club 2026-11-29T09:01:02Z undid: x",
      "cli-7f3a91c2d0b14e55.1 club 2026-11-29T09:01:02Z did x", "cli-7.1 club 2026 did: x",
    ] {
      #expect(CommandName(CommitOrigin(text)) == nil, "\(text)")
    }
  }

  @Test func `R281: undo goes further back each time, redo comes back, and others are skipped`()
    throws
  {
    let (store, ids) = try Club.store(Club.values("a"), Club.values("b"))
    let undo = CommandUndo(store, of: "club")
    #expect(throws: CommandFailure.self) { try undo.run(.undo) }
    try rename(ids[0], to: "a1", in: command("first", in: store))
    try rename(ids[1], to: "b1", in: store)
    try rename(ids[1], to: "b2", in: command("other", in: store, of: "chess"))
    try rename(ids[0], to: "a2", in: command("second", in: store))
    #expect(try undo.run(.undo, isDryRun: true) == .init(title: "second", rows: 1))
    #expect(try names(store, ids) == ["a2", "b2"])
    #expect(try undo.run(.undo).title == "second")
    #expect(try names(store, ids) == ["a1", "b2"])
    #expect(try undo.run(.undo).title == "first")
    #expect(try names(store, ids) == ["a", "b2"])
    let end = #expect(throws: CommandFailure.self) { try undo.run(.undo) }
    #expect(
      end?.message == "The log of changes has no command to take back."
        && end?.status == .nothingMatched
    )
    #expect(try undo.run(.redo).title == "first")
    #expect(try undo.run(.redo).title == "second")
    #expect(try names(store, ids) == ["a2", "b2"])
    #expect(throws: CommandFailure.self) { try undo.run(.redo) }
    // What was done again is a command like before, and the last one.
    #expect(try undo.run(.undo).title == "second")
    try rename(ids[1], to: "b3", in: command("third", in: store))
    #expect(try undo.commands(limit: 9).map(\.command.title).count == 3)
    #expect(
      try undo.commands(limit: 9).filter(\.command.isUndone).map(\.command.title) == ["second"]
    )
    #expect(try undo.run(.redo).title == "second")
    #expect(try names(store, ids) == ["a2", "b3"])
    #expect(try undo.run(.undo).title == "second")
    #expect(try undo.run(.undo).title == "third")
    #expect(try undo.run(.undo).title == "first")
    #expect(try names(store, ids) == ["a", "b2"])
  }

  @Test func `R281: all commits of a command are one, and those that cancel out are none`() throws {
    let (store, ids) = try Club.store(Club.values("a"), Club.values("b"))
    let undo = CommandUndo(store, of: "club")
    let many = command("many", in: store)
    for step in 1...3 { try rename(ids[0], to: "a\(step)", in: many) }
    try rename(ids[1], to: "b1", in: store)
    try rename(ids[0], to: "a4", in: many)
    // A commit with a name of its own is not the command's.
    _ = try many.commit(origin: CommitOrigin("feeds")) { transaction in
      try transaction.update(ids[1], to: Club.values("b2"), of: Member.entity)
    }
    let nothing = command("nothing", in: store)
    for name in ["a5", "a4"] { try rename(ids[0], to: name, in: nothing) }
    #expect(try undo.commands(limit: 9).map(\.command.title) == ["many"])
    #expect(try undo.run(.undo) == .init(title: "many", rows: 1))
    #expect(try names(store, ids) == ["a", "b2"])
  }

  @Test func `R281: rows that others changed are all named, and nothing is written`() throws {
    let (store, ids) = try Club.store(
      Club.values("a"),
      Club.values("b"),
      Club.values("c"),
      Club.values("d")
    )
    let undo = CommandUndo(store, of: "club")
    _ = try command("mixed", in: store).commit(origin: .unnamed) { transaction in
      for id in ids[..<3] {
        try transaction.update(id, to: Club.values("x"), of: Member.entity)
      }
      try transaction.delete(ids[3], of: Member.entity)
    }
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.update(ids[0], to: Club.values("y", age: 3), of: Member.entity)
      try transaction.delete(ids[1], of: Member.entity)
      try transaction.insert(Club.values("new"), key: ids[3].key, into: Member.entity)
    }
    let before = try store.members(ids)
    for isDryRun in [true, false] {
      let refusal = #expect(throws: CommandFailure.self) {
        try undo.run(.undo, isDryRun: isDryRun)
      }
      #expect(refusal?.status == .temporary)
      #expect(refusal?.message.hasPrefix("3 rows have been changed since") == true)
      #expect(
        refusal?.picture
          == "\(ids[0]): name, age changed\n\(ids[1]): deleted\n\(ids[3]): added again"
      )
    }
    #expect(try store.members(ids) == before)
    // A row that others changed between two commits of a command cannot be taken back for the command alone.
    let many = command("many", in: store)
    try rename(ids[2], to: "p", in: many)
    try rename(ids[2], to: "q", in: store)
    try rename(ids[2], to: "r", in: many)
    let mixed = #expect(throws: CommandFailure.self) { try undo.run(.undo) }
    #expect(mixed?.message.contains("Others changed \(ids[2]) while the command ran") == true)
    #expect(try undo.commands(limit: 1).first?.rows == nil)
  }

  @Test func `R281: a command of which the history has not all commits is not taken back`() throws {
    let store = try InMemoryStore(entities: [Member.entity], historyCapacity: 6)
    let id = try store.write { try $0.insert(Club.values("a"), key: nil, into: Member.entity) }
    let undo = CommandUndo(store, of: "club")
    let many = command("many", in: store)
    for step in 1...5 { try rename(id, to: "a\(step)", in: many) }
    let refusal = #expect(throws: CommandFailure.self) { try undo.run(.undo) }
    #expect(
      refusal?.message == "Nothing can be taken back: the log begins after that command (many)."
    )
    #expect(refusal?.status == .nothingMatched)
    try rename(id, to: "b", in: command("one", in: store))
    #expect(try undo.run(.undo).title == "one")
    #expect(try names(store, [id]) == ["a5"])
    let end = #expect(throws: CommandFailure.self) { try undo.run(.undo) }
    #expect(end?.message.contains("the log begins after that command") == true)
  }

  @Test func `R281: what a list's runner did is taken back and done again like any command`() throws
  {
    let (store, ids) = try Club.store(Club.values("a", age: 1))
    let runner = CommandRunner(store, of: "club", by: "browse")
    func perform() throws -> UndoStep {
      let context = CommandContext(
        store: store,
        definition: Club.definition(for: .machine),
        ids: ids,
        settings: .machine,
        now: Instant(microseconds: 0)
      )
      let performed = try runner.perform(Club.commands[0], in: context)
      let changes = try #require(performed.changes)
      return UndoStep(performed.result.message, changes, command: performed.name)
    }
    func age() throws -> Value? { try store.members(ids)[0]?.values[1] }
    let undo = CommandUndo(store, of: "club")
    let step = try perform()
    #expect(try undo.run(.undo).title == "add a year")
    #expect(try age() == 1)
    #expect(throws: StoreError.self) { try runner.undo(step) }
    #expect(try undo.run(.redo).title == "add a year")
    // The list's own undo is one for other processes, too.
    try runner.undo(step)
    #expect(try age() == 1)
    #expect(throws: CommandFailure.self) { try undo.run(.undo) }
    #expect(try undo.run(.redo).title == "add a year")
    try runner.undo(step)
    try runner.undo(step.inverse)
    #expect(try age() == 2)
    #expect(throws: CommandFailure.self) { try undo.run(.redo) }
    #expect(try undo.run(.undo).title == "add a year")
  }
}
