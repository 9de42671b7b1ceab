import InMemoryPersistence
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// A program over members, with commands and a store in memory.
enum Club: ListProgram {
  static let name = "club"
  static let abstract = "Members."
  static let nouns = (one: "member", many: "members")
  static let columns = ["name", "age"]
  static let examples = ProgramExamples(
    condition: "age >= 18",
    sort: "-age,name",
    assignments: "name=Ann age=41",
    change: "age=42",
    file: "members.csv"
  )
  static let entity = Member.entity
  static let sectionKeyNames = ["decade"]
  static let transients = [
    TransientAttribute("initial", .text) { .text(String(($0.values[0].text ?? "").prefix(1))) }
  ]
  static let commands = [
    ListCommand("birthday", title: "add a year", key: "b", scope: .rows, writes: true) { context in
      let count = try context.store.commit(origin: context.origin) { transaction -> Int in
        for case .some(let row) in try transaction.rows(context.ids.map(\.key), of: entity) {
          var values = row.values
          values[1] = .integer((values[1].integer ?? 0) + 1)
          try transaction.update(row.id, to: values, of: entity)
        }
        return context.ids.count
      }.result
      return CommandOutcome("\(count) had a birthday")
    },
    ListCommand("fail", title: "fail", scope: .list, writes: true) { context in
      _ = try context.store.commit(origin: context.origin) { transaction in
        try transaction.insert(Club.values("nobody"), key: nil, into: entity)
        throw CommandFailure(.badData, "It failed.")
      }
      return CommandOutcome("done")
    },
    ListCommand("first", title: "greet the first", scope: .list) {
      $0.matchingCount > 0
    } _: { _ in
      CommandOutcome("hello")
    },
  ]

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row> {
    ResultsDefinition(FetchRequest(entity: entity, sortedBy: [.ascending("name")]))
  }

  static func openStore(_ location: StoreLocation) throws -> any Store {
    try InMemoryStore(entities: [entity])
  }

  static func diagnose(_ store: any Store) throws -> [String] { [] }

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {}

  /// Values of a member, in the order of the attributes.
  static func values(_ name: String, age: Value = .null, email: Value = .null) -> [Value] {
    [.text(name), age, .null, .null, .null, email]
  }

  /// A store with members.
  static func store(_ members: [Value]...) throws -> (any Store, [ObjectID]) {
    let store = try InMemoryStore(entities: [entity])
    let ids = try store.commit(origin: .unnamed) { transaction in
      try members.map { try transaction.insert($0, key: nil, into: entity) }
    }.result
    return (store, ids)
  }
}

extension Store {
  /// The rows of some members.
  func members(_ ids: [ObjectID]) throws -> [Row?] {
    try read { (snapshot) throws(StoreError) in
      try snapshot.rows(ids.map(\.key), of: Member.entity)
    }
  }
}
