import ResultsDomain
import ResultsStoreKit

extension StoreConformance {
  static let rankedOrderCases: [Case] = [
    Case("a row is moved exactly where it is wanted, whatever ranks were stored", ["R112"]) {
      fixture in
      for (index, kind) in RankedKind.all.enumerated() {
        var world = try RankedWorld(kind, seed: UInt64(index + 1), fixture)
        for step in 0..<60 { try world.step("\(kind.order.entity.name), step \(step)") }
      }
    },

    Case("a move that is not based on the stored row is refused", ["R112"]) { fixture in
      let order = RankedOrderDescription(entity: Sample.item, rank: "number")
      let store = try fixture.open()
      try store.write { transaction in
        for title in ["one", "two", "three"] {
          try transaction.insert(Sample.item(.text(title)), key: nil, at: .end, in: order)
        }
      }
      let read = try fixture.allRows(store, Sample.item)
      try store.write { transaction in
        try transaction.update(
          Sample.itemID(1),
          to: Sample.item("uno", number: read[0].values[2]),
          of: Sample.item
        )
      }
      let before = try fixture.allRows(store, Sample.item)
      try fixture.expectError(
        "a conflict that names the row",
        { error in
          if case .conflict(Sample.itemID(1), _, _) = error { true } else { false }
        }
      ) {
        try store.write { transaction in
          try transaction.move(Sample.itemID(1), to: .end, in: order, ifUnchangedFrom: read[0])
        }
      }
      try fixture.expectRows(try fixture.allRows(store, Sample.item), before, "the rows")
    },

    Case("an order that holds no ranks, or has none left, is refused by name", ["R112"]) {
      fixture in
      let store = try fixture.open()
      try store.write { transaction in
        for title in ["one", "two", "three"] {
          try transaction.insert(Sample.item(.text(title)), key: nil, into: Sample.item)
        }
        try transaction.insert(Sample.score("ann", 1, 1), key: nil, into: Sample.score)
      }
      func expectRefusal(
        _ expectation: String,
        _ id: ObjectID,
        in order: RankedOrderDescription,
        to position: RankedPosition = .start,
        _ isExpected: (StoreError) -> Bool
      ) throws {
        try store.write { transaction in
          try fixture.expectError(expectation, isExpected) {
            try transaction.move(id, to: position, in: order)
          }
        }
      }
      func order(
        _ rank: String,
        of entity: EntityDescription = Sample.item,
        within scope: [String] = [],
        ranks: ClosedRange<Int64>? = nil
      ) -> RankedOrderDescription {
        RankedOrderDescription(entity: entity, rank: rank, within: scope, ranks: ranks)
      }
      for name in ["title", "flag", "price", "day", "share", "bytes", "id"] {
        try expectRefusal("\(name) to hold no ranks", Sample.itemID(2), in: order(name)) { error in
          if case .request(.invalidRank(name, "Item", _)) = error { true } else { false }
        }
      }
      try expectRefusal("an unknown rank", Sample.itemID(2), in: order("rank")) { error in
        if case .request(.unknownAttribute("rank", "Item", _)) = error { true } else { false }
      }
      try expectRefusal(
        "an unknown scope",
        Sample.itemID(2),
        in: order("number", within: ["list"])
      ) { error in
        if case .request(.unknownAttribute("list", "Item", _)) = error { true } else { false }
      }
      try expectRefusal(
        "a rank in the key",
        Sample.scoreID("ann", 1),
        in: order("subject", of: Sample.score)
      ) { error in
        if case .request(.invalidRank("subject", "Score", _)) = error { true } else { false }
      }
      try expectRefusal(
        "no ranks left",
        Sample.itemID(2),
        in: order("number", ranks: 1...2)
      ) { error in
        if case .request(.exhaustedRanks("number", "Item", 3)) = error { true } else { false }
      }
      let numbers = order("number", ranks: 1...3)
      try expectRefusal("a missing row", Sample.itemID(9), in: numbers) { error in
        if case .notFound(Sample.itemID(9)) = error { true } else { false }
      }
      try expectRefusal(
        "a missing neighbour",
        Sample.itemID(2),
        in: numbers,
        to: .after(Sample.itemID(9))
      ) { error in
        if case .notFound(Sample.itemID(9)) = error { true } else { false }
      }
      try expectRefusal("another entity", Sample.tagID("a"), in: numbers) { error in
        if case .request(.foreignIdentity) = error { true } else { false }
      }
      // As many ranks as rows are enough.
      try store.write { transaction in
        try transaction.move(Sample.itemID(1), to: .end, in: numbers)
        try transaction.move(Sample.itemID(3), to: .start, in: numbers)
      }
      let rows = try fixture.rows(store, try .list(Sample.item, sortedBy: [.ascending("number")]))
      try fixture.expectEqual(rows.map(\.id), [3, 2, 1].map(Sample.itemID), "the rows in order")
    },
  ]
}

/// An entity with ranks, and how they are ordered.
struct RankedKind: Sendable {
  let order: RankedOrderDescription
  /// The index of the attribute with the ranks, and that of the scope if there is one.
  let rank: Int
  let scope: Int?
  /// Ranks that another program may have written.
  let foreign: [Value]

  static let all: [RankedKind] = [
    RankedKind(
      order: RankedOrderDescription(
        entity: steps("Step", .integer(), .integer64),
        rank: "position",
        within: ["list"]
      ),
      rank: 1,
      scope: 0,
      foreign: [.null, 0, 0, 1, 2, -1, .integer(.min), .integer(.max), .integer(.max - 1)]
    ),
    RankedKind(
      order: RankedOrderDescription(
        entity: steps("Song", .text(column: "name"), .integer32),
        rank: "position",
        within: ["list"],
        .descending
      ),
      rank: 1,
      scope: 0,
      foreign: [.null, 0, 0, 7, 8, .integer(Int64(Int32.min)), .integer(Int64(Int32.max))]
    ),
    RankedKind(
      order: RankedOrderDescription(
        entity: steps("Stop", .compound(["line", "name"]), .integer16),
        rank: "position",
        nulls: .last
      ),
      rank: 1,
      scope: nil,
      foreign: [.null, 0, 0, 3, 4, .integer(Int64(Int16.min)), .integer(Int64(Int16.max))]
    ),
    RankedKind(
      order: RankedOrderDescription(
        entity: steps("Lane", .integer(), .integer64),
        rank: "position",
        within: ["list"],
        .descending,
        nulls: .first,
        ranks: 0...90
      ),
      rank: 1,
      scope: 0,
      foreign: [.null, 0, 0, 1, 2, -5, 89, 90, 91]
    ),
  ]

  private static func steps(
    _ name: String,
    _ identity: EntityIdentity,
    _ rank: AttributeType
  ) -> EntityDescription {
    let attributes = [
      AttributeDescription("list", .text, isOptional: true),
      AttributeDescription("position", rank, isOptional: true),
    ]
    let keys = [AttributeDescription("line", .integer64), AttributeDescription("name", .text)]
    let isCompound = if case .compound = identity { true } else { false }
    return Sample.entity(name, identity, attributes + (isCompound ? keys : []))
  }

  /// The definition of a list that shows all groups.
  func list() throws(RequestError) -> OrderDefinition {
    try .list(
      order.entity,
      sortedBy: order.scope.map { .ascending($0) } + [order.sortDescriptor]
    )
  }
}

/// A store with ranked rows, and a plain array of them.
private struct RankedWorld {
  let kind: RankedKind
  let fixture: ConformanceFixture
  let store: any Store
  var generator: SeededGenerator
  /// The rows of each group, in the order of the list.
  private var model: [(scope: Value, id: ObjectID)] = []
  private var made = 0

  init(_ kind: RankedKind, seed: UInt64, _ fixture: ConformanceFixture) throws {
    self.kind = kind
    self.fixture = fixture
    generator = SeededGenerator(seed: seed)
    store = try fixture.open([kind.order.entity])
  }

  /// Does one thing, and compares the list with the array.
  mutating func step(_ what: String) throws {
    let what = "seed \(generator.seed), \(what)"
    let version = try fixture.version(store)
    let (entity, order) = (kind.order.entity, kind.order)
    switch generator.number(in: 0...9) {
    case 0...2 where model.count < 30:
      let values = newValues()
      let position = position(excluding: nil)
      let id = try store.write { transaction in
        try transaction.insert(values.0, key: values.1, at: position, in: order)
      }
      let scope = kind.scope.map { values.0[$0] } ?? .null
      put(id, at: position, scope)
    case 3 where !model.isEmpty:
      // Another program writes ranks.
      let rows = try fixture.allRows(store, entity)
      try store.write { [kind] transaction in
        var generator = SeededGenerator(seed: UInt64(rows.count))
        for row in rows where generator.happens(percent: 40) {
          var values = row.values
          values[kind.rank] = generator.element(of: kind.foreign) ?? .null
          try transaction.update(row.id, to: values, of: entity)
        }
      }
      let listed = try fixture.rows(store, try kind.list())
      model = listed.map { row in (kind.scope.map { row.values[$0] } ?? .null, row.id) }
    default:
      guard let moved = generator.element(of: model) else { return }
      let position = position(excluding: moved.id)
      let count = try store.write { transaction in
        try transaction.move(moved.id, to: position, in: order)
      }
      let old = model.map(\.id)
      model.removeAll { $0.id == moved.id }
      put(moved.id, at: position, moved.scope)
      let changes = try fixture.changes(store, since: version, of: entity)
      try fixture.expectEqual(changes.count, count, "\(what): the number of written rows")
      let isSame = old == model.map(\.id)
      if isSame, position == .start || position == .end {
        try fixture.expectEqual(count, 0, "\(what): rows written where nothing moves")
      }
      for change in changes {
        guard let before = change.before, let after = change.after else {
          throw fixture.failure("\(what): updates", change.text)
        }
        let others = before.values.indices.filter {
          $0 != kind.rank && ($0 != kind.scope || change.id != moved.id)
        }
        try fixture.expect(
          others.allSatisfy { before.values[$0] == after.values[$0] },
          "\(what): only ranks that change",
          found: change.text
        )
      }
    }
    let rows = try fixture.rows(store, try kind.list())
    try fixture.expectEqual(rows.map(\.id), model.map(\.id), what)
  }

  private mutating func newValues() -> ([Value], ObjectKey?) {
    made += 1
    let scope: Value = kind.scope == nil ? .null : generator.choice("a", "b", .null)
    let name = "n\(generator.number(in: 0...9))-\(made)"
    return switch kind.order.entity.identity {
    case .integer: ([scope, .null], .integer(Int64(generator.number(in: 0...9) * 1000 + made)))
    case .text: ([scope, .null], .text(name))
    case .compound:
      ([scope, .null, .integer(Int64(generator.number(in: 0...3))), .text(name)], nil)
    }
  }

  private mutating func position(excluding id: ObjectID?) -> RankedPosition {
    let others = model.map(\.id).filter { $0 != id }
    guard let other = generator.element(of: others) else { return .end }
    return generator.choice(.start, .end, .before(other), .after(other), .after(other))
  }

  /// Moves a row of the array, whose groups are in the order of their values.
  private mutating func put(_ id: ObjectID, at position: RankedPosition, _ scope: Value) {
    func first(_ scope: Value) -> Int {
      model.firstIndex {
        !$0.scope.isNull && (scope.isNull || Value.compare($0.scope, scope) != .ascending)
          || $0.scope == scope
      } ?? model.count
    }
    switch position {
    case .start: model.insert((scope, id), at: first(scope))
    case .end:
      let last = model.lastIndex { $0.scope == scope }
      model.insert((scope, id), at: last.map { $0 + 1 } ?? first(scope))
    case .before(let other), .after(let other):
      guard let index = model.firstIndex(where: { $0.id == other }) else { return }
      let isAfter = if case .after = position { true } else { false }
      model.insert((model[index].scope, id), at: isAfter ? index + 1 : index)
    }
  }
}
