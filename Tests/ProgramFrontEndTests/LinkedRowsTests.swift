import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ProgramFrontEnd

/// R290: rows that share a number are changed and deleted together.
@Suite struct LinkedRowsTests {
  private struct Entry: Entity {
    var id: Int64?
    var day: Int64 = 0
    var amount = ExactDecimal(units: 0, scale: 2)
    var group = ""
    var number: Int64?

    static let schema = EntitySchema<Entry>("Entry", identity: \.id) {
      Attribute(\.day, "day")
      Attribute(\.amount, "amount", scale: 2)
      Attribute(\.group, "group")
      Attribute(\.number, "number")
    }
  }

  private let fields = ObjectFields(
    of: Entry.entity,
    linking: LinkedRows(
      by: "number",
      amount: "amount",
      common: ["day"],
      party: "group",
      sides: .comparison(.attribute("group"), .equal, .literal(.text("")))
    )
  )

  private func rows(_ store: any Store) throws -> [Row] {
    try store.fetch(
      FetchRequest<Row>(entity: Entry.entity, sortedBy: [FetchSortDescriptor(.objectKey)])
    )
  }

  private func edit(_ id: ObjectID, _ values: [Int: Value], in store: any Store) throws {
    try store.commit(origin: .unnamed) { transaction in
      var objects = NamedObjects()
      for case .some(let row) in try transaction.rows([id.key], of: Entry.entity) {
        try fields.update(row, setting: values, from: row, in: transaction, finding: &objects)
      }
    }
  }

  @Test func `R290: no number of another program is given to a transfer`() throws {
    let store = try InMemoryStore(entities: [Entry.entity])
    func add(_ number: Int64) throws {
      try store.write { transaction in
        _ = try transaction.insert([0, 100, "", .integer(number)], key: nil, into: Entry.entity)
      }
    }
    try add(.min)
    try add(7)
    try add(.max)
    #expect(
      try store.read { (snapshot) throws(StoreError) in try fields.nextNumber(in: snapshot) } == 8
    )
    try add(LinkedRows.largestNumber)
    #expect(throws: StoreError.self) {
      try store.read { (snapshot) throws(StoreError) in try fields.nextNumber(in: snapshot) }
    }
  }

  @Test(arguments: [false, true])
  func `R290: whatever is edited and deleted, both sides of each transfer sum to zero`(
    _ isDraft: Bool
  ) throws {
    let base = try InMemoryStore(entities: [Entry.entity])
    var generator = SeededGenerator(seed: 11)
    try base.write { transaction in
      for number in 1...30 {
        let units = Int64(generator.number(in: 1...9999))
        for sign in [1, -1] as [Int64] {
          try transaction.insert(
            [0, .integer(sign * units), "", .integer(Int64(number))],
            key: nil,
            into: Entry.entity
          )
        }
      }
      // A row without a number, and three parts of one payment.
      try transaction.insert([0, 500, "food", .null], key: nil, into: Entry.entity)
      for _ in 0..<3 {
        try transaction.insert([0, 100, "rent", 31], key: nil, into: Entry.entity)
      }
    }
    let draft = DraftStore(over: base)
    let store: any Store = isDraft ? draft : base
    for _ in 0..<60 {
      let all = try rows(store)
      let row = generator.pick(all)
      if generator.happens(percent: 20) {
        let before = all.count {
          row["number"].isNull ? $0.id == row.id : $0["number"] == row["number"]
        }
        let count = try store.commit(origin: .unnamed) { transaction in
          try fields.delete([row.id], in: transaction).count
        }.result
        #expect(count == before)
      } else {
        var values: [Int: Value] = [0: .integer(Int64(generator.number(in: 0...9)))]
        if generator.happens(percent: 60) {
          values[1] = .integer(Int64(generator.number(in: -9999...9999)))
        }
        try edit(row.id, values, in: store)
      }
      if isDraft, generator.happens(percent: 30) { try draft.commit(origin: .unnamed) }
      let lines = try store.read { (snapshot) throws(StoreError) in
        try fields.unbalanced(in: snapshot, for: .machine)
      }
      #expect(lines == [], "seed \(generator.seed)")
      var days: [Value: Set<Value>] = [:]
      for row in try rows(store) where !row["number"].isNull {
        days[row["number"], default: []].insert(row["day"])
      }
      #expect(days.values.allSatisfy { $0.count == 1 }, "seed \(generator.seed)")
    }
  }

  @Test func `R290: sides that do not sum to zero are named, and left as they are`() throws {
    let store = try InMemoryStore(entities: [Entry.entity])
    try store.write { transaction in
      for (units, number) in [
        (100, 1), (-100, 1), (5, 2), (Int64.max, 3), (1, 3), (.min, 4), (7, 4),
      ]
        as [(Int64, Int64)]
      {
        try transaction.insert(
          [0, .integer(units), "", .integer(number)],
          key: nil,
          into: Entry.entity
        )
      }
    }
    // An amount without an opposite changes no other row.
    try edit(ObjectID(entity: "Entry", key: .integer(1)), [1: .integer(.min)], in: store)
    let lines = try store.read { (snapshot) throws(StoreError) in
      (try fields.unbalanced(in: snapshot, for: .machine), try fields.nextNumber(in: snapshot))
    }
    #expect(
      lines.0 == [
        "1: its sides have no sum", "2: its sides sum to 0.05, not to zero",
        "3: its sides have no sum", "4: its sides sum to -92233720368547758.01, not to zero",
      ]
    )
    #expect(lines.1 == 5)
  }
}
