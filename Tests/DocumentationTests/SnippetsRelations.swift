import FetchedResults
import InMemoryPersistence

/// Entities that name each other.
private enum Library {
  // snippet: relations-schema, declaration
  struct Novel: Entity {
    var id: Int64?
    var title = ""
    var year = 0
    var writerID: Int64?

    static let writer = ToOne<Novel, Writer>("writer", \.writerID, onDelete: .nullify)
    static let topics = ToMany<Novel, Topic>(
      "topics",
      through: Link("NovelTopic", "novelID", "topicID")
    )

    static let schema = EntitySchema<Novel>("Novel", identity: \.id) {
      Attribute(\.title, "title")
      Attribute(\.year, "year")
      Attribute(\.writerID, "writerID")
      Relationship(writer)
      Relationship(topics)
    }
  }

  struct Writer: Entity {
    var id: Int64?
    var name = ""

    static let novels = ToMany<Writer, Novel>("novels", inverse: Novel.writer)

    static let schema = EntitySchema<Writer>("Writer", identity: \.id) {
      Attribute(\.name, "name")
      Relationship(novels)
    }
  }
  // end

  struct Topic: Entity {
    var id: Int64?
    var name = ""
    var rank = 0

    static let novels = ToMany<Topic, Novel>(
      "novels",
      through: Link("NovelTopic", "topicID", "novelID")
    )

    static let schema = EntitySchema<Topic>("Topic", identity: \.id) {
      Attribute(\.name, "name")
      Attribute(\.rank, "rank")
      Relationship(novels)
    }
  }
}

extension Library {
  // snippet: relations-projection, declaration
  struct NovelRow: FetchedProjection {
    var title = ""
    var writer: String?
    var topics: [String] = []

    static let fields = ProjectionFields<NovelRow, Novel> {
      Field(\.title, \.title)
      Field(\.writer, \.writer.name)
      Field(\.topics, \.topics.name)
    }
  }
  // end
}

private typealias NovelRow = Library.NovelRow
private typealias Novel = Library.Novel
private typealias Writer = Library.Writer
private typealias Topic = Library.Topic

@Sendable func relationsRequest() async throws {
  // snippet: relations-request
  let request = FetchRequest<Novel>(
    where: \.writer.name == "Le Guin" && \.topics.count > 1
      && Novel.topics.any(\.name == "sea" && \.rank >= 2),
    sortedBy: [.ascending(\.writer.name), .descending(\.writer.novels.year.max)]
  )
  let sections = EntitySectionKey<Novel>.attribute(\.writer.name)
  print(request.predicate)
  // end
  _ = sections
}

@Sendable func relationsSections() async throws {
  // snippet: relations-sections
  let byWriter = EntitySectionKey<Novel>.relationship(
    \.writer,
    where: \.name != "Anonymous",
    sortedBy: [.ascending(\.name)],
    titled: \.name,
    empty: .shown,
    without: .last("No writer")
  )
  let novelsByWriter = ResultsDefinition(
    FetchRequest<Novel>(sortedBy: [.ascending(\.title)]),
    sectionedBy: byWriter.key
  )
  print(try novelsByWriter.order().terms.map(\.expression.description))
  // end
}

@Sendable func relationsKeys() async throws {
  // snippet: relations-keys
  let writer = Writer(id: 7, name: "Le Guin")
  let novels: EntityPredicate<Novel> = \.writer == writer || \.writer == nil
  print(novels.predicate)
  // end
}

/// A store with a novel that has a writer and topics, and one that has neither.
private func library() throws -> InMemoryStore {
  let store = try InMemoryStore(
    entities: [Novel.entity, Writer.entity, Library.Topic.entity]
  )
  try store.write { transaction in
    try transaction.insert(Writer(id: 7, name: "Le Guin"))
    try transaction.insert(Novel(id: 1, title: "The Dispossessed", year: 1974, writerID: 7))
    try transaction.insert(Novel(id: 2, title: "Untitled"))
    try transaction.insert(Library.Topic(id: 1, name: "moons", rank: 2))
    try transaction.insert(Library.Topic(id: 2, name: "anarchy", rank: 1))
    for topic in [1, 2] as [Int64] {
      try transaction.link(ObjectKey.integer(1), .integer(topic), by: Novel.topics)
    }
  }
  return store
}

@Sendable func relationsLinking() async throws {
  let store = try InMemoryStore(
    entities: [Novel.entity, Writer.entity, Library.Topic.entity]
  )
  // snippet: relations-linking
  try await store.write { transaction in
    let topic = try transaction.insert(Topic(name: "moons", rank: 2))
    let novel = try transaction.insert(Novel(title: "The Dispossessed", year: 1974))
    print(try transaction.link(novel, topic, by: Novel.topics))
    print(try transaction.link(topic, novel, by: Topic.novels))
    print(try transaction.unlink(novel, topic, by: Novel.topics))
  }
  // end
}

@Sendable func relationsProjecting() async throws {
  let store = try library()
  // snippet: relations-projecting
  let summaries = FetchRequest<Novel>(sortedBy: [.ascending(\.title)])
    .projecting(NovelRow.self)
  for row in try store.fetch(summaries) {
    print(row.title, "by", row.writer ?? "nobody", row.topics)
  }
  // end
}

@Sendable func relationsPrefetching() async throws {
  let store = try library()
  // snippet: relations-prefetching
  let withObjects = FetchRequest<Novel>(sortedBy: [.ascending(\.title)])
    .prefetching(\.writer, \.topics)
  let list = FetchedResultsController(ResultsDefinition(withObjects), in: store)
  try await list.performFetch()
  for row in try list.results.rows {
    let topics = try row.related(\.topics)
    print(try row.related(\.writer)?.name ?? "nobody", topics.map(\.rank))
  }
  // end
}

@Sendable func relationsColumns() async throws {
  // snippet: relations-columns
  let titles = FetchRequest<Novel>(sortedBy: [.ascending(\.title)])
    .returning([.attribute(\.title), .attribute(\.writer.name)])
  print(titles.propertiesToFetch ?? [])
  // end
}

@Sendable func relationsText() async throws {
  // snippet: relations-text
  let texts = [
    "writer.name BEGINSWITH[cd] 'le'", "writer == NULL", "topics.@count > 1",
    "writer.novels.@max.year >= 2000", "ANY topics.name IN {'sea', 'war'}",
    "SUBQUERY(topics, $t, $t.name == 'sea' AND $t.rank >= 2).@count > 0",
  ]
  for text in texts { print(try FetchPredicate(parsing: text, entity: Novel.entity)) }
  // end
}

@Sendable func relationsError() async throws {
  // snippet: relations-error
  do {
    _ = try FetchPredicate(parsing: "wirter.name == 'x'", entity: Novel.entity)
  } catch {
    print(error)
  }
  // end
}
