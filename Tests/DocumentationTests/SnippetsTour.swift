import FetchedResults
import InMemoryPersistence

// snippet: tour-entity, declaration
struct Edition: Entity {
  var isbn = ""
  var title = ""
  var publisher: String?
  var year = 0
  var price = ExactDecimal(units: 0, scale: 2)

  static let schema = EntitySchema<Edition>("Edition", textIdentity: \.isbn, column: "isbn") {
    Attribute(\.title, "title")
    Attribute(\.publisher, "publisher")
    Attribute(\.year, "year")
    Attribute(\.price, "price", scale: 2)
  }
}
// end

// snippet: tour-order-entity, declaration
struct Errand: Entity {
  var id: Int64?
  var list = ""
  var title = ""
  var position: Int64?

  static let schema = EntitySchema<Errand>("Errand", identity: \.id) {
    Attribute(\.list, "list")
    Attribute(\.title, "title")
    Attribute(\.position, "position")
  }
  static let order = RankedOrder(\Errand.position, within: \.list)
}
// end

@Sendable func tourOrder() async throws {
  // snippet: tour-order
  let agenda = try InMemoryStore(entities: [Errand.entity])
  try await agenda.write { transaction in
    for title in ["bread", "stamps", "milk"] {
      try transaction.insert(Errand(list: "today", title: title), at: .end, in: Errand.order)
    }
  }
  let errands = FetchedResultsController(
    FetchRequest<Errand>(
      where: \.list == "today",
      sortedBy: [Errand.order.sortDescriptor]
    ),
    in: agenda
  )
  try await errands.performFetch()
  let shown = try errands.results.objects()
  let written = try await agenda.write { transaction in
    try transaction.move(shown[2], after: shown[0], in: Errand.order)
  }
  print(written, "row was written:", try errands.results.objects().map(\.title))
  // end
}

// snippet: tour-kinds-entity, declaration
struct Recording: Entity {
  var id: Int64?
  var name = ""
  var released = 0
  var minutes = 0

  static let schema = EntitySchema<Recording>("Recording", identity: \.id) {
    Attribute(\.name, "name")
    Attribute(\.released, "released")
    Attribute(\.minutes, "minutes")
  }
}

enum Work: FetchedObject {
  case edition(Edition)
  case recording(Recording)

  init(row: Row) throws(RowError) {
    if let edition = try row.object(ofBranch: "edition", as: Edition.self) {
      self = .edition(edition)
    } else if let recording = try row.object(ofBranch: "recording", as: Recording.self) {
      self = .recording(recording)
    } else {
      throw RowError(id: row.id, attribute: "kind", value: row["kind"])
    }
  }
}
// end

@Sendable func tourKinds() async throws {
  // snippet: tour-kinds
  let archive = try InMemoryStore(entities: [Edition.entity, Recording.entity])
  try await archive.write { transaction in
    try transaction.insert(Edition(isbn: "4-00-110684-5", title: "影との戦い", year: 1976))
    try transaction.insert(Edition(isbn: "4-00-115544-7", title: "帰還", year: 1993))
  }
  let works = try UnionDescription(
    "Work",
    branches: [
      UnionBranch(
        "edition",
        of: Edition.self,
        attributes: [.attribute(\.title, as: "title"), .attribute(\.year, as: "year")]
      ),
      UnionBranch(
        "recording",
        of: Recording.self,
        where: \.minutes >= 30,
        attributes: [.attribute(\.name, as: "title"), .attribute(\.released, as: "year")]
      ),
    ],
    includesObjects: true
  )
  let union = try UnionStore(over: archive, unions: [works])
  let both = FetchedResultsController(
    FetchRequest<Work>(entity: works.entity, sortedBy: [.ascending("year")]),
    in: union
  )
  try await both.performFetch()
  try await archive.write { transaction in
    try transaction.insert(Recording(name: "影との戦い", released: 1980, minutes: 48))
    try transaction.insert(Recording(name: "予告", released: 1981, minutes: 3))
  }
  try await both.refresh()
  for work in try both.results.objects() {
    switch work {
    case .edition(let edition): print(edition.year, edition.title)
    case .recording(let recording): print(recording.released, recording.name, recording.minutes)
    }
  }
  // end
}

@Sendable func tourWriting() async throws {
  // snippet: tour-writing
  let store = try InMemoryStore(entities: [Edition.entity])
  let first = Edition(isbn: "4-00-110684-5", title: "影との戦い", publisher: "岩波書店", year: 1976)
  try await store.write { transaction in try transaction.insert(first) }

  do {
    try await store.write { transaction in
      try transaction.insert(Edition(isbn: "4-00-110685-3", title: "こわれた腕環", year: 1976))
      try transaction.insert(first)
    }
  } catch {
    print(error)
  }
  print(try store.count(of: FetchRequest<Edition>(sortedBy: [.ascending(\.title)])))
  // end
}

@Sendable func tourFetching() async throws {
  let store = try await editions()
  // snippet: tour-fetching
  let recent = FetchRequest<Edition>(
    where: \.year >= 1990 && !.isNull(\.publisher),
    sortedBy: [.descending(\.year), .ascending(\.title)],
    fetchLimit: 10
  )
  for edition in try store.fetch(recent) { print(edition.year, edition.title) }

  let identities = try store.fetch(recent.returning(ObjectID.self))
  print(identities.count, "identities, without reading a row")
  // end
}

@Sendable func tourPredicates() async throws {
  let store = try await editions()
  // snippet: tour-predicates
  let text = "publisher == %@ AND (title CONTAINS 'の' OR year IN {1993, 2001})"
  var request = FetchRequest<Edition>(sortedBy: [.ascending(\.year)])
  request.predicate = try FetchPredicate(
    parsing: text,
    arguments: ["岩波書店"],
    entity: Edition.entity
  )
  for edition in try store.fetch(request) { print(edition.title) }

  request.predicate = try FetchPredicate(
    parsing: "year > $year AND title CONTAINS[cd] $word",
    arguments: ["year": 1990, "word": "の風"],
    entity: Edition.entity
  )
  for edition in try store.fetch(request) { print(edition.title) }

  do {
    _ = try FetchPredicate(parsing: "yaer > 1990", entity: Edition.entity)
  } catch {
    print(error)
  }
  // end
}

@Sendable func tourSections() async throws {
  let store = try await editions()
  // snippet: tour-sections
  let byDecade = FetchedResultsController(
    FetchRequest<Edition>(sortedBy: [.ascending(\.title)]),
    sectionedBy: .expression(.bucket(.attribute("year"), width: 10), .descending),
    in: store
  )
  try await byDecade.performFetch()
  let results = try byDecade.results
  for section in results.sections {
    print(section.title, section.count)
    for row in section { print(" ", try row.object.title) }
  }

  let path = RowPath(section: 1, row: 0)
  print(try results.object(at: path).title, "is at", path)
  if let id = results.objectID(at: path) { print(results.path(of: id) == path) }
  do {
    _ = try results.object(at: RowPath(section: 7, row: 0))
  } catch {
    print(error)
  }
  // end
}

@Sendable func tourRows() async throws {
  let store = try await editions()
  // snippet: tour-rows
  let byTitle = FetchedResultsController(
    FetchRequest<Edition>(sortedBy: [.ascending(\.title)]),
    in: store
  )
  try await byTitle.performFetch()
  let section = try byTitle.results.sections[0]
  print(section.map { $0.title ?? "cannot be read" })
  print(try section.objects().map(\.year))
  // end
}

@Sendable func tourDeltas() async throws {
  let store = try await editions()
  // snippet: tour-deltas
  let byYear = FetchedResultsController(
    FetchRequest<Edition>(sortedBy: [.ascending(\.year)]),
    in: store
  )
  try await byYear.performFetch()
  for await event in byYear.changes {
    switch event {
    case .snapshot:  // the present list comes first
      try await store.write { transaction in
        guard var edition = try transaction.object(.text("4-00-110684-5"), as: Edition.self) else {
          return
        }
        edition.year = 2006
        try transaction.update(edition)
      }
    case .change(let change):
      let (before, delta, after) = (change.before, change.delta, change.after)
      for move in delta.rows.moves {
        let names = move.changed?.names(in: Edition.entity) ?? []
        print("moved from", move.from.path, "to", move.to.path, "because of", names)
      }

      let (old, new) = try (before.snapshot.content, after.snapshot.content)
      try delta.verify(from: old, to: new)
      print(try old.applying(delta) == new, try new.applying(delta.inverse) == old)
      print(try delta.then(delta.inverse).isEmpty)
      byYear.cancel()  // ends the loop
    case .reset, .failure: break
    }
  }
  // end
}

@Sendable func tourDelivery() async throws {
  let store = try await editions()
  // snippet: tour-delivery
  let quiet = FetchedResultsController(
    FetchRequest<Edition>(sortedBy: [.ascending(\.year)]),
    in: store,
    options: ResultsOptions(delivery: .onDemand, journalCapacity: 1_000, resetThreshold: 500)
  )
  try await quiet.performFetch()
  for (isbn, title) in [("4-15-011001-X", "一の話"), ("4-15-011002-8", "二の話")] {
    try await store.write(origin: CommitOrigin("import")) { transaction in
      try transaction.insert(Edition(isbn: isbn, title: title, year: 1999))
    }
  }
  let drawn = try quiet.results
  print(drawn.count, "rows are shown; the commits were not read")

  try await quiet.refresh()
  for await event in quiet.changes(from: drawn) {
    if case .change(let change) = event {
      print(change.delta.rows.inserts.count, "rows in one change")
      print("only mine:", change.isEcho(of: CommitOrigin("import")))
    }
    break
  }

  if case .change(let delta, let present) = try quiet.catchUp(from: drawn.position) {
    print("from generation", delta.from, "to", present.generation, "in", delta.rows.count, "steps")
  }
  // end
}

@Sendable func tourLength() async throws {
  let store = try await editions()
  // snippet: tour-length
  let long = FetchedResultsController(
    FetchRequest<Edition>(sortedBy: [.descending(\.year)], fetchBatchSize: 2),
    in: store,
    options: ResultsOptions(inMemoryKeyLimit: 3)
  )
  try await long.performFetch { page in
    print(page.ids.count, "rows can be shown first")
  }
  print(try long.results.count, "rows are in the list")
  if case .indexed? = try await long.explain()?.keys { print("and only the index has their keys") }
  let audit = try await long.audit(blocks: 1)
  print("blocks that do not match:", audit.unsoundBlocks)
  // end
}

private func editions() async throws -> InMemoryStore {
  let store = try InMemoryStore(entities: [Edition.entity])
  try await store.write { transaction in
    let known = [
      ("4-00-110684-5", "影との戦い", "岩波書店", 1976),
      ("4-00-110687-X", "帰還", "岩波書店", 1993),
      ("4-00-115570-6", "アースシーの風", "岩波書店", 2003),
      ("4-15-011000-1", "神の水", nil, 1990),
    ]
    for (isbn, title, publisher, year) in known {
      try transaction.insert(Edition(isbn: isbn, title: title, publisher: publisher, year: year))
    }
  }
  return store
}
