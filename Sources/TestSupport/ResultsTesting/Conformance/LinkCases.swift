import ResultsDomain
import ResultsStoreKit

extension StoreConformance {
  static let linkCases: [Case] = [
    Case("objects are linked by the relationship of either side, once", ["R199"]) { fixture in
      let store = try fixture.openGarden()
      try store.write { transaction in
        // The columns are `plot` and `aBed`, so that neither the order of the sides nor that of the names is right by chance.
        let first = try transaction.link(Plot(id: 1), Bed(id: 3), by: Plot.beds)
        let again = try transaction.link(Bed(id: 3), Plot(id: 1), by: Bed.plots)
        let other = try transaction.link(Bed(id: 1), Plot(id: 2), by: Bed.plots)
        try fixture.expectEqual([first, again, other], [true, false, true], "what was linked")
      }
      try fixture.expectEqual(try Garden.beds(store), [1: [3], 2: [1]], "the beds of each plot")
      try store.write { transaction in
        let known = try transaction.unlink(Bed(id: 3), Plot(id: 1), by: Bed.plots)
        let unknown = try transaction.unlink(Plot(id: 1), Bed(id: 2), by: Plot.beds)
        try fixture.expectEqual([known, unknown], [true, false], "what was unlinked")
      }
      try fixture.expectEqual(try Garden.beds(store), [2: [1]], "the beds after that")
    },

    Case("objects are linked by their identities or keys", ["R199"]) { fixture in
      let store = try fixture.openGarden()
      let (plot, bed) = (Garden.id("Plot", 1), Garden.id("Bed", 2))
      try store.write { transaction in
        try transaction.link(plot, bed, by: Plot.beds)
        try transaction.link(ObjectKey.integer(1), .integer(3), by: Bed.plots)
      }
      try fixture.expectEqual(try Garden.beds(store), [1: [2], 3: [1]], "the beds of each plot")
      try store.write { transaction in
        try transaction.unlink(bed, plot, by: Bed.plots)
        try transaction.unlink(ObjectKey.integer(3), .integer(1), by: Plot.beds)
      }
      try fixture.expectEqual(try Garden.beds(store), [:], "the beds after that")
    },

    Case("the values of a link are in the order that its relationship declares", ["R199"]) {
      fixture in
      let store = try fixture.openGarden()
      guard let ofPlot = Plot.beds.link, let ofBed = Bed.plots.link else {
        throw fixture.failure("an entity of links", "none")
      }
      try store.write { transaction in
        try transaction.insert([1, 3], key: nil, into: ofPlot)
        _ = try transaction.insert([[2, 1], [2, 3]], keys: [nil, nil], into: ofBed)
      }
      let expected: [Int64: [Int64]] = [1: [2, 3], 3: [2]]
      try fixture.expectEqual(try Garden.beds(store), expected, "the beds of each plot")
      // Both are the entity of the store: rows that are read have one order, whichever side asks.
      for link in [ofPlot, ofBed] {
        let order = [FetchSortDescriptor.ascending("plot"), .ascending("aBed")]
        let rows = try store.fetch(FetchRequest<Row>(entity: link, sortedBy: order))
        try fixture.expectEqual(
          rows.map { [$0["plot"], $0["aBed"]] },
          [[1, 2], [1, 3], [3, 2]],
          "the links"
        )
        let read = try store.read { (snapshot) throws(StoreError) in
          try snapshot.rows(rows.map(\.id.key), of: link).compactMap(\.self)
        }
        try fixture.expectRows(read, rows, "the links by their keys")
      }
      // A change of one of the keys, and a deletion.
      try store.write { transaction in
        let rows = try transaction.fetch(
          FetchRequest<Row>(entity: ofPlot, sortedBy: [.ascending("plot"), .ascending("aBed")])
        )
        guard rows.count == 3 else { throw fixture.failure("3 links", "\(rows.count)") }
        let expected = Row(entity: ofPlot, id: rows[2].id, values: [3, 2])
        try transaction.update(rows[2].id, to: [3, 1], of: ofPlot, ifUnchangedFrom: expected)
        try transaction.delete(rows[0].id, of: ofBed)
      }
      try fixture.expectEqual(try Garden.beds(store), [1: [3], 3: [1]], "the beds after that")
    },

    Case("objects of one entity are linked in the declared direction", ["R199"]) { fixture in
      let store = try fixture.openGarden()
      try store.write { transaction in
        try transaction.link(Bed(id: 1), Bed(id: 2), by: Bed.neighbours)
        try transaction.link(Bed(id: 1), Bed(id: 3), by: Bed.neighbourOf)
      }
      let pairs = try Garden.rows(store, BedRow.self) { [$0.neighbours, $0.neighbourOf] }
      try fixture.expectEqual(
        pairs,
        [1: [[2], [3]], 2: [[], [1]], 3: [[1], []]],
        "the neighbours of each bed"
      )
      try store.write { transaction in
        let backwards = try transaction.unlink(Bed(id: 2), Bed(id: 1), by: Bed.neighbours)
        let forwards = try transaction.unlink(Bed(id: 2), Bed(id: 1), by: Bed.neighbourOf)
        try fixture.expectEqual([backwards, forwards], [false, true], "what was unlinked")
      }
    },

    Case("links with a key of their own, of compound keys, and structs that link", ["R199"]) {
      fixture in
      let store = try fixture.openGarden()
      let corner = Corner(row: "a", number: 2)
      try store.write { transaction in
        try transaction.insert(corner)
        try transaction.insert(Corner(row: "b", number: 1))
        try transaction.link(Bed(id: 1), Plot(id: 2), by: Bed.history)
        try transaction.link(Bed(id: 1), Plot(id: 2), by: Bed.history)
        try transaction.link(Bed(id: 3), corner, by: Bed.corners)
        try transaction.link(corner, Bed(id: 3), by: Corner.beds)
        try transaction.link(corner, Bed(id: 2), by: Corner.beds)
        try transaction.link(Bed(id: 2), Plot(id: 1), by: Bed.plans)
        try transaction.link(Bed(id: 2), Plot(id: 1), by: Bed.plans)
      }
      try fixture.expectEqual(
        try Garden.rows(store, BedRow.self) { [$0.history, $0.corners, $0.plans] },
        [1: [[2], [], []], 2: [[], [2], [1]], 3: [[], [2], []]],
        "what each bed is linked with"
      )
      // A pair can be stored twice where a link has a key of its own; both go.
      guard let history = Bed.history.link else { throw fixture.failure("links", "none") }
      try store.write { transaction in
        try transaction.insert([1, 2], key: nil, into: history)
        try transaction.unlink(Bed(id: 1), Plot(id: 2), by: Bed.history)
        try transaction.unlink(Bed(id: 3), corner, by: Bed.corners)
        try transaction.unlink(Bed(id: 2), Plot(id: 1), by: Bed.plans)
      }
      try fixture.expectEqual(
        try Garden.rows(store, BedRow.self) { [$0.history, $0.corners, $0.plans] },
        [1: [[], [], []], 2: [[], [2], []], 3: [[], [], []]],
        "what each bed is linked with after that"
      )
    },

    Case("what is not linked by links is refused", ["R199"]) { fixture in
      let store = try fixture.openGarden()
      func expectRefusal(
        _ what: String,
        _ body: (any StoreTransaction) throws -> Void
      ) throws {
        try fixture.expectError("a refusal of \(what)", \.refusesLink) { try store.write(body) }
      }
      try expectRefusal("an object without an identity") { transaction in
        try transaction.link(Plot(), Bed(id: 1), by: Plot.beds)
      }
      try expectRefusal("an identity of another entity") { transaction in
        try transaction.link(Garden.id("Bed", 1), Garden.id("Plot", 1), by: Plot.beds)
      }
      try expectRefusal("a key of another kind") { transaction in
        try transaction.link(ObjectKey.text("1"), .integer(1), by: Plot.beds)
      }
      try expectRefusal("the inverse of a to-one relationship") { transaction in
        try transaction.link(Plot(id: 1), Plan(id: 1), by: Plot.plans)
      }
      try expectRefusal("a path of several steps") { transaction in
        try transaction.unlink(Plan(id: 1), Plot(id: 1), by: Plan.bed.plots)
      }
      try fixture.expectEqual(try Garden.beds(store), [:], "the beds of each plot")
    },
  ]
}

extension StoreError {
  fileprivate var refusesLink: Bool {
    switch self {
    case .invalid, .request: true
    default: false
    }
  }
}

extension ConformanceFixture {
  /// Opens a store with three plots and three beds.
  fileprivate func openGarden() throws -> any Store {
    let store = try open(Garden.entities)
    try store.write { transaction in
      for id in [1, 2, 3] as [Int64] {
        try transaction.insert(Plot(id: id))
        try transaction.insert(Bed(id: id))
      }
    }
    return store
  }
}

// MARK: - Entities

private enum Garden {
  static let entities = [
    Plot.entity, Bed.entity, Corner.entity, Plan.entity,
    Plot.beds.link, Bed.neighbours.link, Bed.history.link, Bed.corners.link,
  ].compactMap { $0?.stored }

  static func id(_ entity: String, _ key: Int64) -> ObjectID {
    ObjectID(entity: entity, key: .integer(key))
  }

  /// The beds of the plots that have any.
  static func beds(_ store: any Store) throws -> [Int64: [Int64]] {
    try rows(store, PlotRow.self, \.beds).filter { !$0.value.isEmpty }
  }

  /// A value of each projection, by its key.
  static func rows<Projection: KeyedProjection, Value>(
    _ store: any Store,
    _ kind: Projection.Type,
    _ value: (Projection) -> Value
  ) throws -> [Int64: Value] {
    let request = FetchRequest<Projection>(
      entity: Projection.Root.entity,
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    var values: [Int64: Value] = [:]
    for row in try store.fetch(request) { values[row.id ?? 0] = value(row) }
    return values
  }
}

/// A projection with the key of its object.
private protocol KeyedProjection: FetchedProjection {
  var id: Int64? { get }
}

private struct Plot: Entity {
  var id: Int64?

  static let beds = ToMany<Plot, Bed>("beds", through: Link("PlotBed", "plot", "aBed"))
  static let plans = ToMany<Plot, Plan>("plans", inverse: Plan.plot)

  static let schema = EntitySchema<Plot>("Plot", identity: \.id) {
    Relationship(beds)
    Relationship(plans)
  }
}

private struct PlotRow: KeyedProjection {
  var id: Int64?
  var beds: [Int64] = []

  static let fields = ProjectionFields<PlotRow, Plot> {
    Field(\.id, \.id)
    Field(\.beds, \.beds.id)
  }
}

private struct Bed: Entity {
  var id: Int64?

  static let plots = ToMany<Bed, Plot>("plots", through: Link("PlotBed", "aBed", "plot"))
  static let neighbours = ToMany<Bed, Bed>("neighbours", through: side)
  static let neighbourOf = ToMany<Bed, Bed>("neighbourOf", through: side.reversed)
  static let history = ToMany<Bed, Plot>(
    "history",
    through: Link("BedHistory", "past", "bed", identity: "id")
  )
  static let corners = ToMany<Bed, Corner>("corners", through: Corner.link.reversed)
  static let plans = ToMany<Bed, Plot>("plans", through: Plan.bed, Plan.plot)
  private static let side = Link("BedSide", "right", "left")

  static let schema = EntitySchema<Bed>("Bed", identity: \.id) {
    Relationship(plots)
    Relationship(neighbours)
    Relationship(neighbourOf)
    Relationship(history)
    Relationship(corners)
    Relationship(plans)
  }
}

private struct BedRow: KeyedProjection {
  var id: Int64?
  var neighbours: [Int64] = []
  var neighbourOf: [Int64] = []
  var history: [Int64] = []
  var corners: [Int64] = []
  var plans: [Int64] = []

  static let fields = ProjectionFields<BedRow, Bed> {
    Field(\.id, \.id)
    Field(\.neighbours, \.neighbours.id)
    Field(\.neighbourOf, \.neighbourOf.id)
    Field(\.history, \.history.id)
    Field(\.corners, \.corners.number)
    Field(\.plans, \.plans.id)
  }
}

/// An object with a key of two parts.
private struct Corner: Entity {
  var row = ""
  var number: Int64 = 0

  static let link = Link("CornerBed", from: ["row", "number"], to: ["bed"])
  static let beds = ToMany<Corner, Bed>("beds", through: link)

  static let schema = EntitySchema<Corner>("Corner", compoundIdentity: ["row", "number"]) {
    Attribute(\.row, "row")
    Attribute(\.number, "number")
    Relationship(beds)
  }
}

/// A struct that links, with a key and an attribute of its own.
private struct Plan: Entity {
  var id: Int64?
  var plotID: Int64 = 0
  var bedID: Int64 = 0
  var note: String?

  static let plot = ToOne<Plan, Plot>("plot", \.plotID)
  static let bed = ToOne<Plan, Bed>("bed", \.bedID)

  static let schema = EntitySchema<Plan>("Plan", identity: \.id) {
    Attribute(\.plotID, "plotID")
    Attribute(\.bedID, "bedID")
    Attribute(\.note, "note")
    Relationship(plot)
    Relationship(bed)
  }
}
