import ResultsDomain
import ResultsStoreKit
import ResultsTesting

@testable import ResultsPresentation

/// Books and authors for the laws: few names, keys that are used again, and keys that name no author.
struct ObjectWorld {
  let library: ObjectLibrary
  var generator: SeededGenerator

  init(
    seed: UInt64,
    _ library: ObjectLibrary? = nil
  ) throws {
    self.library = try library ?? ObjectLibrary()
    generator = SeededGenerator(seed: seed)
  }

  /// All rows of an entity.
  static func everything(_ entity: EntityDescription) -> FetchRequest<Row> {
    FetchRequest<Row>(entity: entity, sortedBy: [FetchSortDescriptor(.objectKey)])
  }

  func naive(_ definition: ResultsDefinition<Row>) throws -> NaiveObjectList {
    guard case .relationship(let sections) = definition.sectionKey?.source else {
      throw ResultsError.notFetched
    }
    return NaiveObjectList(
      definition: definition,
      sections: sections,
      authors: try library.store.fetch(Self.everything(library.authors)),
      books: try library.store.fetch(Self.everything(library.books))
    )
  }

  /// A random definition in sections by author.
  mutating func definition() -> ResultsDefinition<Row> {
    let orders: [[FetchSortDescriptor]] = [
      [], [.ascending("name")], [.descending("name")], [.ascending("rank"), .ascending("name")],
      [.descending("rank")], [.ascending("rank"), FetchSortDescriptor(.objectKey, .descending)],
    ]
    let authors: [FetchPredicate] = [
      .all, .all, .comparison(.attribute("rank"), .greater, .literal(1)),
    ]
    let without: [ObjectSections.RowsWithoutObject] = [.first("None"), .last("None"), .hidden]
    let rows: [[FetchSortDescriptor]] = [
      [.ascending("title")], [.descending("pages"), .ascending("title")],
    ]
    let books: [FetchPredicate] = [
      .all, .all, .comparison(.attribute("pages"), .greater, .literal(2)),
    ]
    var definition = ResultsDefinition(
      FetchRequest<Row>(
        entity: library.books,
        where: books[generator.below(3)],
        sortedBy: rows[generator.below(2)]
      ),
      sectionedBy: ObjectLibrary.key(
        where: authors[generator.below(3)],
        sortedBy: orders[generator.below(orders.count)],
        empty: generator.below(2) == 0 ? .hidden : .shown,
        without: without[generator.below(3)]
      )
    )
    if generator.below(3) > 0 { definition.arrangement.limits = limits() }
    if generator.below(2) == 0 {
      definition.aggregates = [
        SectionAggregate("sum", .sum("pages")), SectionAggregate("least", .minimum("pages")),
      ]
    }
    return generator.below(4) == 0 ? definition.reversed() : definition
  }

  /// Random limits of sections.
  mutating func limits() -> SectionLimits {
    var limits = SectionLimits(all: [nil, 0, 1, 2, 5][generator.below(5)])
    for _ in 0..<generator.below(5) {
      let key = Int64(generator.below(9))
      limits[SectionID(key == 0 ? .null : .integer(key))] = [nil, 0, 1, 3][generator.below(4)]
    }
    return limits
  }

  /// The values of a random book.
  mutating func bookValues() -> [Value] {
    let author = generator.below(10)
    return [
      .text(["x", "y", "z", "か"][generator.below(4)]),
      author == 0 ? .null : .integer(Int64(author)),
      generator.below(6) == 0 ? .null : .integer(Int64(generator.below(6))),
    ]
  }

  /// The values of a random author.
  private mutating func authorValues() -> [Value] {
    [
      .text(["Ann", "Ben", "か", "か\u{3099}", ""][generator.below(5)]),
      .integer(Int64(generator.below(4))), generator.below(2) == 0 ? .null : .text("n"),
    ]
  }

  /// Commits a random transaction of a few rows of either entity or both.
  mutating func commit(rows: Int) throws {
    var drawn = self
    let (authors, books) = (library.authors, library.books)
    try library.store.write { transaction in
      for _ in 0..<rows {
        let isAuthor = drawn.generator.below(3) == 0
        let entity = isAuthor ? authors : books
        let key = ObjectKey.integer(Int64(1 + drawn.generator.below(isAuthor ? 8 : 40)))
        let values = isAuthor ? drawn.authorValues() : drawn.bookValues()
        let id = ObjectID(entity: entity.name, key: key)
        guard case .some(.some(let row)) = try transaction.rows([key], of: entity).first else {
          try transaction.insert(values, key: key, into: entity)
          continue
        }
        guard drawn.generator.below(4) > 0 else {
          try transaction.delete(id, of: entity)
          continue
        }
        var changed = row.values
        let attribute = drawn.generator.below(3)
        changed[attribute] = values[attribute]
        try transaction.update(id, to: changed, of: entity, ifUnchangedFrom: nil)
      }
    }
    generator = drawn.generator
  }
}
