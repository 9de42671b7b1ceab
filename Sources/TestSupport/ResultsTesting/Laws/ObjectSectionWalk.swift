package import ResultsDomain
package import ResultsStoreKit
import ResultsPresentation
import Testing

/// A list in sections that are objects, over a store with any writers, beside the same list over a reference store (R106); some of them
/// stand in groups (R11).
///
/// Every transaction is committed to both. Afterwards both lists show the same, and the change of the list turns what it showed into what
/// it shows.
package struct ObjectSectionWalk {
  /// Books, and their authors with keys that are numbers or texts; nothing enforces the keys.
  package struct Entities: Sendable {
    package let authors: EntityDescription
    package let books: EntityDescription

    package init(withTextKeys isText: Bool) throws {
      let authors = try EntityDescription(
        name: "Author",
        identity: isText ? .text(column: "code") : .integer(column: "id"),
        attributes: [AttributeDescription("name", .text), AttributeDescription("rank", .integer64)]
      )
      self.authors = authors
      books = try EntityDescription(
        name: "Book",
        attributes: [
          AttributeDescription("title", .text),
          AttributeDescription("authorKey", isText ? .text : .integer64, isOptional: true),
          AttributeDescription("pages", .integer64, isOptional: true),
        ],
        relationships: [
          RelationshipDescription("author", .toOne(foreignKey: ["authorKey"])) { authors }
        ]
      )
    }

    package var all: [EntityDescription] { [books, authors] }
  }

  private let seed: UInt64
  private var generator: SeededGenerator
  private let entities: Entities
  private let isText: Bool
  private let store: any Store
  private let writers: [any Store]
  private let reference: any Store

  /// Creates a walk.
  /// - Parameters:
  ///   - seed: The seed of all that is drawn.
  ///   - store: The store of the list.
  ///   - writers: The stores that commit, which share their data.
  ///   - reference: A store in memory.
  ///   - entities: The entities of all stores.
  package init(
    seed: UInt64,
    over store: any Store,
    writtenBy writers: [any Store],
    beside reference: any Store,
    _ entities: Entities
  ) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    self.entities = entities
    if case .text = entities.authors.identity { isText = true } else { isText = false }
    (self.store, self.writers, self.reference) = (store, writers, reference)
  }

  /// Commits transactions, and compares the lists after each.
  package mutating func run(lists: Int, steps: Int) async throws {
    try commit(rows: 30)
    for number in 0..<lists {
      let definition = definition()
      // Every second list leaves its keys to an index, where the store has one.
      let options = ResultsOptions(
        delivery: .onDemand,
        journalCapacity: 1000,
        inMemoryKeyLimit: number.isMultiple(of: 2) ? 1000 : -1
      )
      let list = FetchedResultsController(definition, in: store, options: options)
      let wanted = FetchedResultsController(definition, in: reference)
      try await list.performFetch()
      try await wanted.performFetch()
      for step in 0..<steps {
        let context: Comment = "seed \(seed), list \(number), step \(step)"
        let before = try list.results
        let content = try before.snapshot.content
        for _ in 0..<1 + below(2) { try commit(rows: 1 + below(4)) }
        try await list.refresh()
        try await wanted.refresh()
        let after = try list.results.snapshot.content
        #expect(after == (try wanted.results.snapshot.content), context)
        checkGroups(of: after, definition, context)
        switch try list.catchUp(from: before.position) {
        case .upToDate: #expect(after == content, context)
        case .change(let delta, _):
          #expect(throws: Never.self, context) { try delta.verify(from: content, to: after) }
        case .reset: break
        }
      }
      list.cancel()
      wanted.cancel()
    }
  }

  /// R11: groups are the runs of sections whose ids or titles a grouping gathers, with the numbers and rows of all of them.
  private func checkGroups(
    of content: ResultsContent,
    _ definition: ResultsDefinition<Row>,
    _ context: Comment
  ) {
    var wanted: [(id: Value, sections: Int, rows: Int)] = []
    for section in content.sections {
      let id: Value
      switch definition.groups?.source {
      case .ids(let grouping): id = grouping.group(of: section.header.id.value).id
      case .titles(let grouping): id = grouping.group(of: .text(section.header.title)).id
      case .expression, nil: return
      }
      let rows = section.header.matchingCount ?? section.rows.count
      if wanted.last?.id == id {
        wanted[wanted.count - 1].sections += 1
        wanted[wanted.count - 1].rows += rows
      } else {
        wanted.append((id, 1, rows))
      }
    }
    #expect(content.groups.map(\.id) == wanted.map(\.id), context)
    #expect(content.groups.map(\.sectionCount) == wanted.map(\.sections), context)
    #expect(content.groups.map(\.rowCount) == wanted.map(\.rows), context)
  }

  private mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  private mutating func definition() -> ResultsDefinition<Row> {
    let orders: [[FetchSortDescriptor]] = [
      [.ascending("name")], [.descending("rank"), .ascending("name")], [],
    ]
    let conditions: [FetchPredicate] = [
      .all, .comparison(.attribute("rank"), .greater, .literal(1)),
    ]
    let without: [ObjectSections.RowsWithoutObject] = [.first("None"), .last("None"), .hidden]
    var definition = ResultsDefinition(
      FetchRequest<Row>(entity: entities.books, sortedBy: [.ascending("title")]),
      sectionedBy: .relationship(
        "author",
        where: conditions[below(2)],
        sortedBy: orders[below(3)],
        titled: .attribute("name"),
        empty: below(2) == 0 ? .hidden : .shown,
        without: without[below(3)]
      )
    )
    // Sections in the order of their titles stand under initials (R11); those of foreign keys under what those begin with, or the names.
    switch (below(3), definition.sectionKey?.source) {
    case (0, .relationship(let sections)) where sections.sortDescriptors != orders[1]:
      definition.groups = .titles(by: PrefixGrouping(length: 1))
    case (1, _):
      definition.sectionKey = .attribute("authorKey")
      definition.groups =
        below(2) == 0
        ? .ids(by: PrefixGrouping(length: 1))
        : .expression(.related(["author"], .attribute("name")))
    default: break
    }
    if below(2) == 0 { definition.aggregates = [SectionAggregate("sum", .sum("pages"))] }
    definition.arrangement.limits.all = [nil, 2, 0][below(3)]
    return below(4) == 0 ? definition.reversed() : definition
  }

  private mutating func commit(rows: Int) throws {
    var edits: [RowEdit] = []
    for _ in 0..<rows {
      let isAuthor = below(3) == 0
      let author = authorKey()
      edits.append(
        RowEdit(
          entity: isAuthor ? entities.authors : entities.books,
          key: isAuthor ? author : .integer(Int64(1 + below(30))),
          values: isAuthor
            ? [.text(["Ann", "Ben", "か", "か\u{3099}"][below(4)]), .integer(Int64(below(4)))]
            : [
              .text(["x", "y", "z"][below(3)]), below(6) == 0 ? .null : author.parts[0],
              below(5) == 0 ? .null : .integer(Int64(below(9))),
            ],
          isDelete: below(4) == 0,
          attribute: below(isAuthor ? 2 : 3)
        )
      )
    }
    for store in [writers[below(writers.count)], reference] {
      try store.write { transaction in
        for edit in edits { try edit.apply(in: transaction) }
      }
    }
  }

  private mutating func authorKey() -> ObjectKey {
    isText
      ? .text(["a", "b", "ab", "か", "", "z"][below(6)]) : .integer(Int64(1 + below(6)))
  }
}
