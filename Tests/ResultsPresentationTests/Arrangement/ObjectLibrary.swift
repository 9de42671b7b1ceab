import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting

@testable import ResultsPresentation

/// Books and their authors, whose keys no store enforces.
struct ObjectLibrary {
  static let authors = entity(
    "Author",
    [
      AttributeDescription("name", .text), AttributeDescription("rank", .integer64),
      AttributeDescription("note", .text, isOptional: true),
    ]
  )
  static let books: EntityDescription = entity(
    "Book",
    [
      AttributeDescription("title", .text),
      AttributeDescription("author", .integer64, isOptional: true),
      AttributeDescription("pages", .integer64, isOptional: true),
    ],
    [RelationshipDescription("writer", .toOne(foreignKey: ["author"])) { authors }]
  )

  private static func entity(
    _ name: String,
    _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription] = []
  ) -> EntityDescription {
    do {
      return try EntityDescription(
        name: name,
        attributes: attributes,
        relationships: relationships
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }

  let store: any Store
  let authors = ObjectLibrary.authors
  let books = ObjectLibrary.books

  init(
    _ make: ([EntityDescription]) throws -> any Store = { try InMemoryStore(entities: $0) }
  ) throws { store = try make([ObjectLibrary.books, ObjectLibrary.authors]) }

  /// Commits a transaction.
  func write(_ body: (any StoreTransaction) throws -> Void) throws { try store.write(body) }

  @discardableResult
  func author(_ name: String, rank: Int64 = 0) throws -> Int64 {
    let id = try store.write { transaction in
      try transaction.insert([.text(name), .integer(rank), .null], key: nil, into: authors)
    }
    return id.key.parts[0].integer ?? 0
  }

  @discardableResult
  func book(_ title: String, _ author: Int64?, pages: Int64? = nil) throws -> Int64 {
    let values = Self.values(title, author, pages)
    let id = try store.write { try $0.insert(values, key: nil, into: books) }
    return id.key.parts[0].integer ?? 0
  }

  func rename(_ author: Int64, _ name: String) throws {
    try store.write {
      try $0.update(id(author), to: [.text(name), .integer(0), .null], of: authors)
    }
  }

  func move(_ book: Int64, _ title: String, to author: Int64?, pages: Int64? = nil) throws {
    let values = Self.values(title, author, pages)
    try store.write {
      try $0.update(ObjectID(entity: "Book", key: .integer(book)), to: values, of: books)
    }
  }

  func deleteAuthor(_ author: Int64) throws {
    try store.write { try $0.delete(id(author), of: authors) }
  }

  func deleteBook(_ book: Int64) throws {
    try store.write { try $0.delete(ObjectID(entity: "Book", key: .integer(book)), of: books) }
  }

  private func id(_ author: Int64) -> ObjectID { ObjectID(entity: "Author", key: .integer(author)) }

  static func values(_ title: String, _ author: Int64?, _ pages: Int64?) -> [Value] {
    [
      .text(title), author.map { .integer($0) } ?? .null,
      pages.map { .integer($0) } ?? .null,
    ]
  }

  static func key(
    where predicate: FetchPredicate = .all,
    sortedBy order: [FetchSortDescriptor] = [.ascending("name")],
    empty: ObjectSections.EmptySections = .hidden,
    without: ObjectSections.RowsWithoutObject = .last("No author")
  ) -> SectionKey {
    .relationship(
      "writer",
      where: predicate,
      sortedBy: order,
      titled: .attribute("name"),
      empty: empty,
      without: without
    )
  }

  func definition(_ key: SectionKey = key()) -> ResultsDefinition<Row> {
    ResultsDefinition(
      FetchRequest<Row>(entity: books, sortedBy: [.ascending("title")]),
      sectionedBy: key
    )
  }

  func list(_ key: SectionKey = key()) async throws -> FetchedResultsController<Row> {
    let list = FetchedResultsController(definition(key), in: store)
    try await list.performFetch()
    return list
  }
}
