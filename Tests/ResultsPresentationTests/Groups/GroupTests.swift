import FoundationAttributes
import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing
import WireFormat

@testable import ResultsPresentation

/// R11: what groups mean, and which ones are refused.
@Suite("Groups of sections")
struct GroupTests {
  /// Entries with a date, a place and an amount.
  private struct Ledger {
    let store: InMemoryStore
    let entity: EntityDescription
    var definition: ResultsDefinition<Row>

    init() throws {
      entity = try EntityDescription(
        name: "Entry",
        attributes: [
          AttributeDescription("date", .date), AttributeDescription("town", .text),
          AttributeDescription("amount", .integer64),
        ]
      )
      store = try InMemoryStore(entities: [entity])
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      definition = ResultsDefinition(
        FetchRequest<Row>(entity: entity, sortedBy: [.descending("date")]),
        sectionedBy: .calendar(.day, of: "date", in: calendar, locale: nil),
        groupedBy: .calendar(.month, in: calendar, locale: nil),
        aggregates: [SectionAggregate("sum", .sum("amount"))]
      )
    }

    @discardableResult
    func add(_ day: String, _ amount: Int64, town: String = "x") throws -> ObjectID {
      let noon = try Date("\(day)T12:00:00Z", strategy: .iso8601)
      return try store.write { transaction in
        let values: [Value] = [
          .integer(Int64(noon.timeIntervalSince1970) * 1_000_000), .text(town), .integer(amount),
        ]
        return try transaction.insert(values, key: nil, into: entity)
      }
    }

    func set(_ id: ObjectID, _ values: [Value]) throws {
      try store.write { try $0.update(id, to: values, of: entity) }
    }

    func delete(_ id: ObjectID) throws { try store.write { try $0.delete(id, of: entity) } }

    func controller() async throws -> FetchedResultsController<Row> {
      let options = ResultsOptions(journalCapacity: 100)
      let controller = FetchedResultsController(definition, in: store, options: options)
      try await controller.performFetch()
      return controller
    }
  }

  private func words(_ controller: FetchedResultsController<Row>) throws -> [String] {
    try controller.results.groups.map { group in
      let sections = group.sections.map(\.title).joined(separator: ",")
      return "\(group.title) \(group.header.rowCount) \(group.aggregates) \(sections)"
    }
  }

  @Test(arguments: [nil, 1])
  func `R11: a section whose other rows come into the window has their group`(
    limit: Int?
  ) async throws {
    var ledger = try Ledger()
    ledger.definition = ResultsDefinition(
      FetchRequest<Row>(entity: ledger.entity, sortedBy: [.ascending("date")], fetchLimit: 1),
      sectionedBy: .attribute("town"),
      groupedBy: .attribute("amount")
    )
    ledger.definition.arrangement.limits = SectionLimits(all: limit)
    let first = try ledger.add("2026-01-01", 1, town: "a")
    let second = try ledger.add("2026-01-02", 2, town: "b")
    // Beyond the window, so that the rows of the section need not be adjacent.
    try ledger.add("2026-01-03", 3, town: "a")
    let list = try await ledger.controller()
    #expect(try list.results.groups.map(\.id) == [.integer(1)])
    let entity = ledger.entity
    try await ledger.store.write { transaction in
      try transaction.delete(first, of: entity)
      try transaction.delete(second, of: entity)
    }
    try await list.refresh()
    #expect(try list.results.groups.map(\.id) == [.integer(3)])
  }

  @Test func `R11, R76: a section of another group stays if the window moves to its other rows`()
    async throws
  {
    var ledger = try Ledger()
    ledger.definition = ResultsDefinition(
      FetchRequest<Row>(entity: ledger.entity, sortedBy: [.ascending("date")], fetchLimit: 2),
      sectionedBy: .attribute("town"),
      groupedBy: .attribute("amount")
    )
    for (amount, town): (Int64, String) in [(1, "a"), (1, "b"), (2, "a"), (2, "c")] {
      try ledger.add("2026-01-01", amount, town: town)
    }
    let list = try await ledger.controller()
    let before = try list.results
    try await list.update { $0.request.fetchOffset = 2 }
    let after = try list.results
    guard case .change(let delta, _) = try list.catchUp(from: before.position) else {
      Issue.record("no change")
      return
    }
    try delta.verify(from: before.snapshot.content, to: after.snapshot.content)
    #expect(delta.sections.deletes.map(\.old.id.value) == [.text("b")])
    #expect(delta.sections.inserts.map(\.new.id.value) == [.text("c")])
    #expect(delta.rows.deletes.count == 2 && delta.rows.inserts.count == 2)
  }

  @Test func `R11, R89: the explanation of a list counts its groups`() async throws {
    let ledger = try Ledger()
    for day in ["2026-01-02", "2026-01-30", "2026-02-01"] { try ledger.add(day, 1) }
    let list = try await ledger.controller()
    let explanation = try #require(try await list.explain())
    #expect(explanation.groupCount == 2)
    #expect(explanation.lines.contains("groups     2 groups of sections"))
  }

  @Test func `R11: days stand in months, whose headers have numbers and sums over their rows`()
    async throws
  {
    let ledger = try Ledger()
    let controller = try await ledger.controller()
    #expect(try words(controller) == [])
    #expect(try controller.results.isGrouped && controller.results.groups.isEmpty)
    try ledger.add("2026-10-30", 5)
    try ledger.add("2026-11-03", 7)
    try ledger.add("2026-11-03", 1)
    try ledger.add("2026-11-20", -2)
    #expect(
      try words(controller) == [
        "2026-11 3 sum 6 2026-11-20,2026-11-03", "2026-10 1 sum 5 2026-10-30",
      ]
    )
    let results = try controller.results
    #expect(results.group(withID: "2026-10")?.sectionIndexes == 2..<3)
    #expect(results.group(ofSection: 1)?.index == 0)
    #expect(results.group(at: 2) == nil && results.group(withID: "2026-09") == nil)
    #expect(results.objectID(at: RowPath(section: 2, row: 0))?.key == .integer(1))
  }

  @Test func `R11: a change names the groups that came, left or changed, and no others`()
    async throws
  {
    let ledger = try Ledger()
    try ledger.add("2026-10-30", 5)
    let first = try ledger.add("2026-11-03", 7)
    try ledger.add("2026-12-24", 3)
    let controller = try await ledger.controller()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    func next() async throws -> GroupChanges {
      guard case .change(let change) = await events.next() else {
        Issue.record("no change")
        return GroupChanges()
      }
      try change.delta.verify(
        from: change.before.snapshot.content,
        to: change.after.snapshot.content
      )
      return change.delta.groups
    }
    try ledger.add("2026-11-04", 1)
    var groups = try await next()
    #expect(groups.updates.map(\.new.title) == ["2026-11"])
    #expect(groups.updates.map(\.new.sectionCount) == [2])
    #expect(groups.deletes.isEmpty && groups.inserts.isEmpty && groups.moves.isEmpty)
    try ledger.delete(first)
    groups = try await next()
    #expect(groups.updates.map(\.new.rowCount) == [1])
    try ledger.add("2027-01-01", 1)
    groups = try await next()
    #expect(groups.inserts.map(\.to) == [0] && groups.updates.isEmpty)
    try await controller.update { $0.groups = nil }
    groups = try await next()
    #expect(groups.deletes.count == 4)
    try await controller.update { $0.groups = .ids(by: PrefixGrouping(length: 4)) }
    groups = try await next()
    #expect(groups.inserts.map(\.new.title) == ["2027", "2026"])
  }

  @Test func `R11: other titles of groups are updates, also beside another window`() async throws {
    let ledger = try Ledger()
    for day in ["2026-10-30", "2026-11-03"] { try ledger.add(day, 1) }
    let controller = try await ledger.controller()
    for limit in [Int?.none, 5] {
      let before = try controller.results
      let language = limit == nil ? "en_US" : "de_DE"
      try await controller.update {
        $0.request.fetchLimit = limit
        $0.groups = .calendar(.month, locale: Locale(identifier: language))
      }
      let after = try controller.results
      let month = limit == nil ? "October 2026" : "Oktober 2026"
      #expect(after.groups.map(\.title) == ["November 2026", month])
      guard case .change(let delta, _) = try controller.catchUp(from: before.position) else {
        Issue.record("no change")
        return
      }
      try delta.verify(from: before.snapshot.content, to: after.snapshot.content)
      #expect(delta.groups.updates.map(\.new.title).contains(month))
    }
  }

  @Test func `R11: a section with another title goes to another group, also where it stays`()
    async throws
  {
    let entities = try ObjectSectionWalk.Entities(withTextKeys: false)
    let store = try InMemoryStore(entities: entities.all)
    func add(_ key: Int64, _ name: String) throws {
      try store.write { transaction in
        let author: [Value] = [.text(name), 0]
        _ = try transaction.insert(author, key: .integer(key), into: entities.authors)
        _ = try transaction.insert(["b", .integer(key), 1], key: nil, into: entities.books)
      }
    }
    func rename(_ key: Int64, to name: String) throws {
      let id = ObjectID(entity: "Author", key: .integer(key))
      try store.write { try $0.update(id, to: [.text(name), 0], of: entities.authors) }
    }
    try add(1, "Ann")
    try add(2, "Zoe")
    let controller = FetchedResultsController(
      ResultsDefinition(
        FetchRequest<Row>(entity: entities.books, sortedBy: [.ascending("title")]),
        sectionedBy: .relationship("author", titled: .attribute("name")),
        groupedBy: .titles(by: PrefixGrouping(length: 1))
      ),
      in: store,
      options: ResultsOptions(journalCapacity: 100)
    )
    try await controller.performFetch()
    for (name, groups) in [("Bob", ["B", "Z"]), ("Zac", ["Z"]), ("Bo", ["B", "Z"])] {
      let before = try controller.results
      try rename(1, to: name)
      let after = try controller.results
      #expect(after.groups.map(\.title) == groups)
      guard case .change(let delta, _) = try controller.catchUp(from: before.position) else {
        Issue.record("no change")
        return
      }
      #expect(delta.sections.moves.isEmpty && delta.sections.updates.count == 1)
      try delta.verify(from: before.snapshot.content, to: after.snapshot.content)
    }
  }

  @Test func `R11: rows of collapsed sections count, and no row is read`() async throws {
    var ledger = try Ledger()
    ledger.definition.arrangement.limits.all = 0
    try ledger.add("2026-11-03", 7)
    let controller = try await ledger.controller()
    try ledger.add("2026-11-03", 2)
    #expect(try words(controller) == ["2026-11 2 sum 9 2026-11-03"])
    #expect(try controller.results.count == 0)
  }

  @Test func `R11: an attribute orders the list before the sections`() async throws {
    var ledger = try Ledger()
    ledger.definition.request.sortDescriptors = [.ascending("date")]
    ledger.definition.sectionKey = .attribute("amount")
    ledger.definition.groups = .attribute("town", .descending)
    ledger.definition.aggregates = []
    for (amount, town) in [(3, "b"), (1, "c"), (2, "a"), (4, "b")] as [(Int64, String)] {
      try ledger.add("2026-11-03", amount, town: town)
    }
    let controller = try await ledger.controller()
    #expect(try words(controller) == ["c 1  1", "b 2  3,4", "a 1  2"])
    try await controller.update { $0 = $0.reversed() }
    #expect(try words(controller) == ["a 1  2", "b 2  4,3", "c 1  1"])
    // The rows of one section need to agree, unless it may be split.
    try ledger.add("2026-11-03", 3, town: "a")
    await #expect(throws: StoreError.self) { _ = try await ledger.controller() }
    ledger.definition.sectionKey?.contiguity = .split
    #expect(try words(try await ledger.controller()) == ["c 1  1", "b 2  3,4", "a 2  2,3"])
  }

  @Test func `R11: what cannot be is refused by name, with what to do`() async throws {
    let ledger = try Ledger()
    try ledger.add("2026-10-30", 5, town: "ab")
    try ledger.add("2026-11-03", 7, town: "b")
    try ledger.add("2026-11-04", 7, town: "c")
    func refusal(_ change: (inout ResultsDefinition<Row>) -> Void) async -> String {
      var definition = ledger.definition
      change(&definition)
      do {
        let list = FetchedResultsController(definition, in: ledger.store)
        try await list.performFetch()
        return ""
      } catch {
        return "\(error)"
      }
    }
    let sections = await refusal { $0.sectionKey = nil }
    #expect(sections.contains("has no groups") && sections.contains("Choose a section key."))
    let dates = await refusal { $0.groups = .attribute("town") }
    #expect(dates.contains("Groups by town cannot order the list before"))
    let merged = await refusal {
      $0.sectionKey = .attribute("amount")
      $0.sectionKey?.contiguity = .merge
      $0.groups = .attribute("town")
    }
    #expect(merged.contains("Groups by town cannot order the list before"))
    let apart = await refusal {
      $0.sectionKey = .attribute("town")
      $0.groups = .ids(by: Oddness())
    }
    #expect(apart.contains("others separate ab and c"))
    #expect(apart.contains("or an attribute, which orders the list before them."))
    let fixed = await refusal {
      $0.sectionKey = .attribute("amount")
      $0.groups = .attribute("town")
      $0.arrangement.fixed = [.init(7)]
    }
    #expect(fixed.contains("Fixed sections need a section key"))
  }

  @Test func `R11: a change that would take a group apart is an error, and the list stays`()
    async throws
  {
    var ledger = try Ledger()
    ledger.definition.sectionKey = .attribute("town")
    ledger.definition.groups = .ids(by: Oddness())
    try ledger.add("2026-11-03", 1, town: "a")
    try ledger.add("2026-11-03", 1, town: "c")
    let controller = try await ledger.controller()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    let id = try ledger.add("2026-11-03", 1, town: "b")
    guard case .failure(let error) = await events.next() else {
      Issue.record("no failure")
      return
    }
    #expect("\(error)".contains("others separate a and c"))
    #expect(try controller.results.sections.map(\.title) == ["a", "c"])
    try ledger.set(id, [0, "d", 1])
    guard case .change(let change) = await events.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.after.groups.map(\.header.sectionCount) == [2, 1])
  }

  @Test func `R11, R46: lines have the groups, and their replay equals the list byte for byte`()
    async throws
  {
    let ledger = try Ledger()
    try ledger.add("2026-10-30", 5)
    let controller = try await ledger.controller()
    let encoder = WireEncoder(entity: ledger.entity)
    func line(_ list: ResultsList<Row>) throws -> String {
      encoder.snapshot(
        at: list.position,
        groups: list.groups.map(\.header),
        sections: try list.sections.map { section in
          WireSection(header: section.header, rows: try section.objects())
        }
      )
    }
    var replay = WireReplay()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    try replay.apply(line: line(try controller.results))
    var kept: [ObjectID] = []
    for (day, amount) in [("2026-11-03", 7), ("2026-09-01", 2), ("2026-10-01", 3)]
      as [(String, Int64)]
    {
      kept.append(try ledger.add(day, amount))
    }
    try ledger.delete(kept[0])
    try await controller.update { $0 = $0.reversed() }
    // Changes that were not taken yet are one.
    while replay.list?.generation != (try controller.results.generation) {
      guard case .change(let change) = await events.next() else { break }
      let delta = encoder.delta(change.delta)
      #expect(delta.contains("\"groups\":["))
      try replay.apply(line: delta)
      #expect(replay.line == (try line(change.after)))
    }
    #expect(replay.list?.groups.map(\.title) == ["2026-09", "2026-10"])
    #expect(replay.list?.groups.map(\.sections) == [1, 2])
    #expect(throws: WireError.self) {
      try replay.apply(
        line:
          #"{"v":1,"t":"snapshot","generation":1,"rows":0,"groups":[{"id":1,"title":"","sections":2,"rows":0}],"sections":[]}"#
      )
    }
  }

  @Test func `R11: initials are the first scalars, with their capitals where case is ignored`() {
    func ids(_ grouping: PrefixGrouping, _ texts: [String]) -> [Value] {
      texts.map { grouping.group(of: .text($0)).id }
    }
    #expect(ids(PrefixGrouping(length: 1), ["Éa", "e", "e\u{301}", ""]) == ["É", "e", "e", ""])
    #expect(
      ids(PrefixGrouping(length: 1, isFolded: true), ["Éa", "e", "e\u{301}"]) == ["E", "E", "E"]
    )
    let filed = PrefixGrouping(length: 1, inOrderOf: .filing)
    #expect(ids(filed, ["“Øst”", "os", "L'Été", "'s", "¿?"]) == ["O", "O", "L", "S", "?"])
    #expect(PrefixGrouping(length: 0).length == 1)
    #expect(PrefixGrouping(length: 2).group(of: .integer(1987)).id == "19")
    #expect(PrefixGrouping(length: 2).group(of: .null).id == .null)
  }

  @Test func `R11: months and years gather the ids of days, weeks and months`() {
    func titles(_ unit: CalendarGrouping.Unit, _ ids: [String]) -> [String] {
      let groups = SectionGroups.calendar(unit, locale: nil)
      guard case .ids(let grouping) = groups.source else { return [] }
      return ids.map { grouping.title(of: grouping.group(of: .text($0)).id) }
    }
    let ids = ["2026-11-03", "2026-W45", "2026-11", "-0044-03-15", "", "infinity"]
    #expect(
      titles(.month, ids) == ["2026-11", "2026-W45", "2026-11", "-0044-03", "", "infinity"]
    )
    #expect(titles(.year, ids) == ["2026", "2026", "2026", "-0044", "", "infinity"])
  }
}

/// Texts by whether their first byte is odd.
private struct Oddness: SectionGrouping {
  func group(of value: Value) -> SectionGroup {
    guard case .text(let text) = value else { return SectionGroup(id: value) }
    return SectionGroup(id: .integer(Int64((text.utf8.first ?? 0) % 2)))
  }

  func title(of id: Value) -> String { id == 1 ? "odd" : "even" }
  var groupingIdentity: String { "oddness" }
  var titleIdentity: String { "" }
}
