import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R106: what sections mean that are related objects, and which ones are refused.
@Suite("Sections that are related objects")
struct ObjectSectionTests {
  private typealias Library = ObjectLibrary

  private func words(_ list: FetchedResultsController<Row>) throws -> [String] {
    try list.results.sections.map { section in
      let titles = section.map { (try? $0.object)?["title"].text ?? "" }.joined(separator: " ")
      let all = section.header.matchingCount.map { " of \($0)" } ?? ""
      return "\(section.title)\(all): \(titles)"
    }
  }

  /// The next change of a list.
  private func change(
    _ events: inout ResultsChanges<Row>.AsyncIterator
  ) async throws -> ResultsChange<Row> {
    guard case .change(let change) = await events.next() else { throw ResultsError.notFetched }
    try change.delta.verify(from: change.before.snapshot.content, to: change.after.snapshot.content)
    return change
  }

  @Test
  func `R106: a section is an object; namesakes are two, and rows without an object are last`()
    async throws
  {
    let library = try Library()
    let (ann, other) = (try library.author("Ann"), try library.author("Ann"))
    let ben = try library.author("Ben")
    try library.author("Zoe")
    for (title, author) in [("a", ben), ("b", ann), ("c", other), ("d", ann)] {
      try library.book(title, author)
    }
    try library.book("n", nil)
    let list = try await library.list()
    #expect(try words(list) == ["Ann: b d", "Ann: c", "Ben: a", "No author: n"])
    #expect(
      try list.results.sections.map(\.id.value)
        == [.integer(ann), .integer(other), .integer(ben), .null]
    )
    try await list.update { $0.sectionKey = Library.key(empty: .shown, without: .first("None")) }
    #expect(try words(list) == ["None: n", "Ann: b d", "Ann: c", "Ben: a", "Zoe: "])
    try await list.update { $0.sectionKey = Library.key(without: .hidden) }
    #expect(try words(list) == ["Ann: b d", "Ann: c", "Ben: a"])
    #expect(try list.results.count == 4)
  }

  @Test func `R106: another name is one update of a section, or one move, and no row is read`()
    async throws
  {
    let library = try Library()
    let (ann, ben) = (try library.author("Ann"), try library.author("Ben"))
    for title in ["a", "b", "c"] { try library.book(title, ann) }
    try library.book("d", ben)
    let list = try await library.list()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    try library.rename(ann, "Anna")
    let renamed = try await change(&events)
    #expect(renamed.delta.sections.updates.map(\.new.title) == ["Anna"])
    #expect(renamed.delta.sections.moves.isEmpty && renamed.delta.rows.isEmpty)
    let account = try #require(try await list.explain()).last
    #expect(account.work.rows == 0 && account.work.keys == 0)
    try library.rename(ann, "Zoe")
    let moved = try await change(&events)
    #expect(moved.delta.sections.moves.map(\.to) == [1])
    #expect(moved.delta.sections.moves.map(\.old.title) == ["Anna"])
    #expect(moved.delta.sections.moves.map(\.new.title) == ["Zoe"])
    #expect(moved.delta.rows.isEmpty)
    #expect(try words(list) == ["Ben: d", "Zoe: a b c"])
  }

  @Test
  func
    `R106: an object without rows has a section if that is asked for, and a row moves to another one`()
    async throws
  {
    let library = try Library()
    let ann = try library.author("Ann")
    let book = try library.book("a", ann)
    let list = try await library.list(Library.key(empty: .shown))
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    let ben = try library.author("Ben")
    let came = try await change(&events)
    #expect(came.delta.sections.inserts.map(\.new.title) == ["Ben"])
    #expect(came.delta.sections.inserts.map(\.to) == [1] && came.delta.rows.isEmpty)
    try library.move(book, "a", to: ben)
    let moved = try await change(&events)
    #expect(moved.delta.sections.isEmpty)
    #expect(moved.delta.rows.moves.map(\.to) == [NewPath(section: 1, row: 0)])
    #expect(try words(list) == ["Ann: ", "Ben: a"])
    try library.deleteAuthor(ann)
    let left = try await change(&events)
    #expect(left.delta.sections.deletes.map(\.old.title) == ["Ann"] && left.delta.rows.isEmpty)
    // Where only objects with rows are shown, the section comes and goes with its rows.
    try await list.update { $0.sectionKey = Library.key() }
    try library.deleteBook(book)
    #expect(try words(list).isEmpty)
  }

  @Test func `R106: rows whose object is gone, or not there yet, stand with those that have none`()
    async throws
  {
    let library = try Library()
    let (ann, ben) = (try library.author("Ann"), try library.author("Ben"))
    for (title, author) in [("a", ann), ("b", ann), ("c", ben), ("d", nil)] {
      try library.book(title, author)
    }
    let list = try await library.list()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    try library.deleteAuthor(ann)
    let gone = try await change(&events)
    #expect(gone.delta.sections.deletes.map(\.old.title) == ["Ann"])
    #expect(
      gone.delta.rows.moves.map(\.to.path) == [
        RowPath(section: 1, row: 1), RowPath(section: 1, row: 2),
      ]
    )
    #expect(gone.delta.rows.moves.allSatisfy { $0.old != nil && $0.new != nil })
    #expect(try words(list) == ["Ben: c", "No author: d a b"])
    try library.write {
      let key = ObjectKey.integer(ann)
      _ = try $0.insert([.text("Zoe"), .integer(0), .null], key: key, into: library.authors)
    }
    let back = try await change(&events)
    #expect(back.delta.sections.inserts.map(\.new.title) == ["Zoe"])
    #expect(try words(list) == ["Ben: c", "Zoe: a b", "No author: d"])
  }

  @Test func `R106: an object that the condition does not select takes its rows along`()
    async throws
  {
    let library = try Library()
    let (ann, ben) = (try library.author("Ann"), try library.author("Ben", rank: 2))
    for (title, author) in [("a", ann), ("b", ben), ("c", ben), ("n", 99)] {
      try library.book(title, author)
    }
    let selected = FetchPredicate.comparison(.attribute("name"), .greater, .literal("Az"))
    let list = try await library.list(Library.key(where: selected))
    #expect(try words(list) == ["Ben: b c", "No author: n"])
    #expect(try list.results.matchingCount == 4)
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    try library.rename(ben, "Al")
    let left = try await change(&events)
    #expect(left.delta.sections.deletes.map(\.old.title) == ["Ben"])
    #expect(
      left.delta.rows.deletes.count == 2 && left.delta.rows.deletes.allSatisfy { $0.old != nil }
    )
    try library.rename(ann, "Cem")
    let came = try await change(&events)
    #expect(came.delta.sections.inserts.map(\.new.title) == ["Cem"])
    #expect(came.delta.rows.inserts.map(\.new?.values[0]) == [.text("a")])
    #expect(try words(list) == ["Cem: a", "No author: n"])
  }

  @Test
  func `R106: a commit of an object and its rows is one delta; limits and the opposite order hold`()
    async throws
  {
    let library = try Library()
    let (ann, ben) = (try library.author("Ann"), try library.author("Ben"))
    for title in ["a", "b", "c"] { try library.book(title, ann) }
    let book = try library.book("d", ben)
    let list = try await library.list()
    try await list.update { $0.arrangement.limits.all = 2 }
    #expect(try words(list) == ["Ann of 3: a b", "Ben of 1: d"])
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    try library.write { transaction in
      let id = ObjectID(entity: "Author", key: .integer(ann))
      try transaction.update(id, to: [.text("Zoe"), .integer(0), .null], of: library.authors)
      let moved = ObjectID(entity: "Book", key: .integer(book))
      try transaction.update(moved, to: Library.values("aa", ann, nil), of: library.books)
    }
    let both = try await change(&events)
    #expect(both.delta.sections.deletes.map(\.old.title) == ["Ben"])
    #expect(both.delta.sections.updates.map(\.new.title) == ["Zoe"])
    #expect(both.delta.rows.moves.map(\.id.key) == [.integer(book)])
    #expect(both.delta.rows.deletes.count == 1)
    #expect(try words(list) == ["Zoe of 4: a aa"])
    try library.book("e", ben)
    try library.book("n", nil)
    let before = try list.results.snapshot.content
    #expect(try words(list) == ["Ben of 1: e", "Zoe of 4: a aa", "No author of 1: n"])
    try await list.update { $0 = $0.reversed() }
    #expect(try words(list) == ["No author of 1: n", "Zoe of 4: c b", "Ben of 1: e"])
    try await list.update { $0 = $0.reversed() }
    #expect(try list.results.snapshot.content == before)
  }

  @Test(arguments: [false, true])
  func `R106: another name of an author of 10,000 books asks for no book, over an index too`(
    isIndexed: Bool
  ) throws {
    let library = try Library()
    let ann = try library.author("Ann")
    try library.author("Ben")
    try library.write { transaction in
      for number in 0..<10_000 {
        try transaction.insert(
          Library.values("t\(number)", ann, nil),
          key: nil,
          into: library.books
        )
      }
    }
    let store = IndexingStore(library.store)
    let indexing = isIndexed ? IndexingPolicy(store, inMemoryKeyLimit: -1) : nil
    var engine = try ListEngine(ListPlan(library.definition()), in: store, indexing: indexing)
    try library.rename(ann, "Zoe")
    try store.read { (snapshot) throws(StoreError) in
      let history = SnapshotHistory(snapshot)
      guard case .moved(let steps) = try engine.advance(in: history, folding: false) else {
        Issue.record("no step")
        return
      }
      #expect(steps.map(\.delta.sections.updates.count) == [1])
      #expect(history.snapshot.work.rows == 0)
      #expect(history.snapshot.work.keys == 0)
      #expect(history.snapshot.work.queries == 0)
    }
    // What is neither title nor order of an author is no change.
    try library.write {
      let id = ObjectID(entity: "Author", key: .integer(ann))
      try $0.update(id, to: [.text("Zoe"), .integer(0), .text("note")], of: library.authors)
    }
    try store.read { (snapshot) throws(StoreError) in
      let progress = try engine.advance(in: SnapshotHistory(snapshot), folding: false)
      if case .unchanged = progress { return }
      Issue.record("a change")
    }
  }

  @Test func `R106: the sections of a frozen list stay as they were fetched`() async throws {
    let library = try Library()
    let ann = try library.author("Ann")
    try library.book("a", ann)
    var definition = library.definition()
    definition.isFrozen = true
    let list = FetchedResultsController(definition, in: library.store)
    try await list.performFetch()
    try library.rename(ann, "Zoe")
    try library.deleteAuthor(ann)
    #expect(try words(list) == ["Ann: a"])
  }

  @Test func `R106: sections that cannot be are refused, and say why`() throws {
    let library = try Library()
    func refusal(
      _ key: SectionKey = Library.key(),
      _ change: (inout ResultsDefinition<Row>) -> Void = { _ in }
    ) -> RequestError? {
      var definition = library.definition(key)
      change(&definition)
      do {
        _ = try ListPlan(definition)
        return nil
      } catch {
        return error
      }
    }
    #expect(refusal() == nil)
    let name = FetchExpression.attribute("name")
    #expect(
      refusal(.relationship("author", titled: name))
        == .unknownRelationship("author", entity: "Book", known: ["writer"])
    )
    #expect(refusal { $0.request.fetchLimit = 3 } == .windowOfObjectSections)
    #expect(refusal { $0.request.fetchOffset = 3 } == .windowOfObjectSections)
    #expect(refusal { $0.arrangement.others = .hidden } == .fixedObjectSections)
    #expect(refusal { $0.arrangement.fixed = [.init(.integer(1))] } == .fixedObjectSections)
    let unknown = refusal(.relationship("writer", titled: .attribute("nam")))
    #expect(unknown == .unknownAttribute("nam", entity: "Author", known: ["name", "rank", "note"]))
    for error in [
      RequestError.windowOfObjectSections, .fixedObjectSections,
      .sectionsOfCompoundKey("writer", entity: "Author"),
    ] {
      #expect(error.description.hasSuffix("."))
    }
  }

  @Test func `R88: the cache of a list is that of the foreign key which divides it`() throws {
    func fingerprint(_ column: String, _ key: SectionKey) throws -> CacheFingerprint {
      let books = try EntityDescription(
        name: "Book",
        attributes: ObjectLibrary.books.attributes,
        relationships: [
          RelationshipDescription("writer", .toOne(foreignKey: [column])) { ObjectLibrary.authors }
        ]
      )
      let request = FetchRequest<Row>(entity: books, sortedBy: [.ascending("title")])
      return CacheFingerprint(try ListPlan(ResultsDefinition(request, sectionedBy: key)))
    }
    let key = Library.key()
    let mine = try fingerprint("author", key)
    #expect(try mine.difference(from: fingerprint("pages", key)) == .sections)
    // Titles and the order of the objects are read when the list is opened.
    let other = Library.key(sortedBy: [.descending("rank")], empty: .shown)
    #expect(try mine.difference(from: fingerprint("author", other)) == nil)
  }
}
