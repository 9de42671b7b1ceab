import GRDB
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

/// R92, R93, R98, R284: a list with paths has the same keys whether the core joins or SQLite does.
@Suite struct PathEquivalenceTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `keys, counts, digests and aggregates are the core's, byte by byte (R98)`(
    seed: UInt64
  ) throws {
    var random = try RandomRelations(seed: seed)
    let memory = try InMemoryStore(entities: random.library.entities)
    let sqlite = try SQLiteStore.inMemory(entities: random.library.entities)
    var compared = 0
    for step in 0..<40 {
      try write(into: [memory, sqlite], &random)
      for _ in 0..<12 where try compare(memory, sqlite, &random, "seed \(seed), step \(step)") {
        compared += 1
      }
    }
    #expect(compared > 40, "seed \(seed)")
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `values of other classes in foreign keys are no keys, to SQLite as to the core (R92)`(
    seed: UInt64
  ) throws {
    var random = try RandomRelations(seed: seed)
    let queue = try DatabaseQueue()
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE Country(code TEXT PRIMARY KEY NOT NULL COLLATE BINARY, name TEXT, area);
          CREATE TABLE Author(id INTEGER PRIMARY KEY, name, countryCode, mentorID, born);
          CREATE TABLE Life(id INTEGER PRIMARY KEY, text);
          CREATE TABLE Rack(label, "row" INTEGER, room TEXT, PRIMARY KEY (room, "row"));
          CREATE TABLE Book(id INTEGER PRIMARY KEY, title TEXT, year, price, authorID, rackRow,
            rackRoom COLLATE NOCASE);
          CREATE TABLE Tag(name TEXT PRIMARY KEY, "rank");
          CREATE TABLE BookTag(bookID, tagName, PRIMARY KEY (bookID, tagName));
          CREATE TABLE Loan(id INTEGER PRIMARY KEY, bookID, authorID);
          CREATE INDEX BookByAuthorID ON Book(authorID);
          CREATE INDEX LoanByBookID ON Loan(bookID);
          """
      )
      let strange = ["1", "'1'", "1.0", "1.5", "x'31'", "NULL", "'a'", "'A'", "x'61'", "2"]
      for number in 0..<40 {
        func any() -> String { random.generator.element(of: strange) ?? "NULL" }
        try database.execute(
          sql: """
            INSERT OR IGNORE INTO Country VALUES ('\(["a", "A", "1"][number % 3])', 'n\(number)', 1.5);
            INSERT INTO Author VALUES (\(number % 5 + number / 5 * 100), 'a\(number)', \(any()), \(any()), 3);
            INSERT OR IGNORE INTO Rack VALUES ('s', \(number % 3), '\(["a", "A", "1"][number % 3])');
            INSERT INTO Book VALUES (\(number), 't', 5, 1.5, \(any()), \(any()), \(any()));
            INSERT OR IGNORE INTO Tag VALUES ('\(["a", "A", "1"][number % 3])', \(number));
            INSERT INTO Loan VALUES (\(number), \(any()), \(any()));
            """
        )
      }
    }
    let store = try SQLiteStore(writer: queue, entities: random.library.entities)
    let book = random.library.entity("Book")
    let author = random.library.entity("Author")
    let definitions: [(EntityDescription, FetchExpression, FetchPredicate)] = [
      (book, .related(["author"], .attribute("name")), .all),
      (book, .related(["rack"], .attribute("label")), .all),
      (book, .related(["author", "country"], .attribute("name")), .all),
      (book, .relatedAggregate(["readers"], .count, nil, where: .all), .all),
      (author, .relatedAggregate(["books"], .sum, .attribute("year"), where: .all), .all),
      (author, .relatedAggregate(["students"], .count, nil, where: .all), .all),
      (author, .related(["mentor"], .objectKey), .quantified(.none, ["loans"], .all)),
      (random.library.entity("Rack"), .relatedAggregate(["books"], .count, nil, where: .all), .all),
      (
        random.library.entity("Country"), .relatedAggregate(["authors"], .count, nil, where: .all),
        .all
      ),
    ]
    for (entity, term, predicate) in definitions {
      let core = try view(
        store,
        entity,
        predicate,
        [FetchSortDescriptor(term)],
        joins: true,
        sums: false
      )
      let own = try view(
        store,
        entity,
        predicate,
        [FetchSortDescriptor(term)],
        joins: false,
        sums: false
      )
      #expect(core == own, "seed \(seed): \(predicate) by \(term)")
    }
    let keys = try keys(of: author, in: store)
    for columns in [["authorID"], ["rackRow"]] {
      let direct = try store.read { (snapshot) throws(StoreError) in
        try snapshot.referrers(to: keys, through: columns, of: book, limit: nil)
      }
      let rows = try store.read { (snapshot) throws(StoreError) in
        try snapshot.rows((0..<40).map { .integer($0) }, of: book)
      }
      let index = try #require(book.index(of: columns[0]))
      let expected = rows.compactMap(\.self).filter { row in
        keys.contains { $0.parts == [row.values[index]] }
      }
      #expect(Set(direct ?? []) == Set(expected.map(\.id.key)), "seed \(seed): \(columns)")
    }
  }

  @Test(arguments: 21...26 as ClosedRange<UInt64>)
  func `referrers are those whose columns hold the keys, up to a limit (R96)`(seed: UInt64) throws {
    var random = try RandomRelations(seed: seed)
    let memory = try InMemoryStore(entities: random.library.entities)
    let sqlite = try SQLiteStore.inMemory(entities: random.library.entities)
    let searches: [(String, [String], String)] = [
      ("Book", ["authorID"], "Author"), ("Book", ["rackRoom", "rackRow"], "Rack"),
      ("BookTag", ["bookID"], "Book"), ("BookTag", ["tagName"], "Tag"), ("Life", ["id"], "Author"),
      ("Author", ["mentorID"], "Author"), ("Author", ["countryCode"], "Country"),
      ("Book", ["year"], "Author"),
    ]
    for step in 0..<20 {
      try write(into: [memory, sqlite], &random)
      for (holder, columns, named) in searches {
        let entity = random.library.entity(holder)
        var keys = try keys(of: random.library.entity(named), in: sqlite)
        keys.shuffle(using: &random.generator)
        keys = Array(keys.prefix(random.generator.number(in: 0...5)))
        if let first = keys.first { keys += [first, .text("no key of this kind")] }
        let all = try referrers(memory, keys, columns, entity, nil)
        let what = "seed \(seed), step \(step): \(holder).\(columns) to \(keys)"
        #expect(try referrers(sqlite, keys, columns, entity, nil) == all, "\(what)")
        let count = try #require(all).count
        #expect(try referrers(sqlite, keys, columns, entity, count) == all, "\(what)")
        if count > 0 {
          #expect(try referrers(sqlite, keys, columns, entity, count - 1) == nil, "\(what)")
        }
      }
    }
  }

  // MARK: - Comparing

  /// What a list reads of a store.
  private struct View: Equatable {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    var count = 0
    var digests: [UInt8] = []
    var groups: [AggregateGroup] = []
  }

  /// Compares a random definition.
  /// - Returns: Whether it is valid and has a path.
  private func compare(
    _ memory: any Store,
    _ sqlite: any Store,
    _ random: inout RandomRelations,
    _ what: String
  ) throws -> Bool {
    guard let entity = random.generator.element(of: random.library.entities) else { return false }
    let predicate =
      random.generator.happens(percent: 40) ? .all : random.predicate(entity, depth: 2)
    let terms = (0..<random.generator.number(in: 0...2)).map { _ in
      FetchSortDescriptor(
        random.expression(entity, depth: 2),
        random.generator.choice(.ascending, .descending),
        nulls: random.generator.choice(.first, .last)
      )
    }
    var builder = RelationTreeBuilder(entity)
    guard (try? builder.rewrite(predicate)) != nil,
      terms.allSatisfy({ (try? builder.rewrite($0)) != nil }),
      try builder.tree(answersPaths: true) != nil,
      (try? OrderDefinition(entity: entity, predicate: predicate, sortDescriptors: terms)) != nil
    else { return false }
    let joined = try view(memory, entity, predicate, terms, joins: true)
    let half = try view(sqlite, entity, predicate, terms, joins: true)
    let own = try view(sqlite, entity, predicate, terms, joins: false)
    try #require(joined == half, "\(what): \(entity.name) where \(predicate) by \(terms)")
    try #require(joined == own, "\(what): \(entity.name) where \(predicate) by \(terms)")
    return true
  }

  /// Reads a definition with the core's join, or with the store's own.
  private func view(
    _ store: any Store,
    _ entity: EntityDescription,
    _ predicate: FetchPredicate,
    _ terms: [FetchSortDescriptor],
    joins: Bool,
    sums: Bool = true
  ) throws -> View {
    var builder = RelationTreeBuilder(entity)
    let rewritten = try builder.rewrite(predicate)
    let order = try terms.map { try builder.rewrite($0) }
    let tree = try #require(try builder.tree(answersPaths: !joins))
    let definition = try OrderDefinition(
      entity: tree.entity,
      predicate: rewritten,
      sortDescriptors: order
    )
    let numbers = entity.attributes.filter {
      sums && $0.type.storage != .text && $0.type.storage != .blob
    }
    let aggregates = try CompiledAggregates(
      numbers.map { FetchAggregate(.sum, of: .attribute($0.name)) }
        + numbers.map { FetchAggregate(.sum, of: .attribute($0.name), where: rewritten) }
        + numbers.map { FetchAggregate(.count, of: .attribute($0.name), where: .not(rewritten)) },
      in: tree.entity
    )
    return try store.read { (snapshot) throws(StoreError) in
      let related = RelatedSnapshot(snapshot, tree)
      var view = View()
      try related.entries(of: definition) { (batch) throws(StoreError) in
        view.ends += batch.ends.map { $0 + view.bytes.count }
        view.bytes += batch.bytes
        return true
      }
      view.count = try related.count(of: tree.entity, where: definition.predicate)
      let attributes = AttributeSet(indexes: Array(entity.attributes.indices))
      try related.digests(of: definition, attributes: attributes) { (batch) throws(StoreError) in
        view.digests += batch.bytes
        return true
      }
      let columns = min(1, definition.terms.count)
      try related.aggregates(aggregates, of: definition, groupedByFirst: columns) {
        (group) throws(StoreError) in
        view.groups.append(group)
        return true
      }
      return view
    }
  }

  private func referrers(
    _ store: any Store,
    _ keys: [ObjectKey],
    _ columns: [String],
    _ entity: EntityDescription,
    _ limit: Int?
  ) throws -> Set<ObjectKey>? {
    let found = try store.read { (snapshot) throws(StoreError) in
      try snapshot.referrers(to: keys, through: columns, of: entity, limit: limit)
    }
    if let found { #expect(Set(found).count == found.count) }
    return found.map { Set($0) }
  }

  private func keys(of entity: EntityDescription, in store: any Store) throws -> [ObjectKey] {
    let columns: [FetchExpression] =
      switch entity.identity {
      case .integer, .text: [.objectKey]
      case .compound(let names): names.map { .attribute($0) }
      }
    let definition = try OrderDefinition(
      entity: entity,
      predicate: .all,
      sortDescriptors: columns.map { FetchSortDescriptor($0) }
    )
    return try store.read { (snapshot) throws(StoreError) in
      var keys: [ObjectKey] = []
      try snapshot.entries(of: definition) { (batch) throws(StoreError) in
        keys += batch.objectKeys(definition.layout, of: entity)
        return true
      }
      return keys
    }
  }

  /// Writes the same random rows into both stores.
  private func write(into stores: [any Store], _ random: inout RandomRelations) throws {
    for _ in 0..<random.generator.number(in: 1...6) {
      guard let entity = random.generator.element(of: random.library.entities) else { continue }
      let values = entity.attributes.map { random.value($0) }
      let key = random.key(of: entity)
      let deletes = random.generator.happens(percent: 15)
      for store in stores {
        _ = try? store.write { transaction in
          let id = ObjectID(
            entity: entity.name,
            key: key ?? .compound(entity.keyAttributeIndexes.map { values[$0] })
          )
          if deletes {
            try transaction.delete(id, of: entity)
          } else if try transaction.rows([id.key], of: entity) == [nil] {
            try transaction.insert(values, key: key, into: entity)
          } else {
            try transaction.update(id, to: values, of: entity, ifUnchangedFrom: nil)
          }
        }
      }
    }
  }
}
