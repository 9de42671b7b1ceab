import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

/// R15, R108: lists that change as time passes.
@Suite("Lists that follow the clock", .timeLimit(.minutes(5)))
struct ClockListTests {
  private struct World {
    let entities: ClockWalk.Entities
    let store: InMemoryStore
    let clock = ManualWallClock("2026-11-28T20:00:00Z")

    init() throws {
      entities = try ClockWalk.Entities()
      store = try InMemoryStore(entities: entities.all)
    }

    /// Waits until the list is to be looked at again at a time.
    func alarm(_ text: String) async {
      await clock.waitForAlarm(at: Instant(iso8601: text) ?? .infinity)
    }

    func due(_ text: String) -> Value { .integer(Instant(iso8601: text)?.microseconds ?? 0) }

    @discardableResult
    func add(_ title: String, due: String?, key: Int64? = nil) throws -> ObjectID {
      try store.write { transaction in
        try transaction.insert(
          [.text(title), due.map(self.due) ?? .null, .integer(0), .integer(1), .null],
          key: key.map { .integer($0) },
          into: entities.tasks
        )
      }
    }

    /// Adds a task for each of some seconds after an instant.
    func add(seconds: [Int], after start: Int64) throws {
      try store.write { transaction in
        for second in seconds {
          let due = Value.integer(start + Int64(second) * 1_000_000)
          _ = try transaction.insert(
            [.text("s"), due, .integer(0), .integer(1), .null],
            key: nil,
            into: entities.tasks
          )
        }
      }
    }

    func change(_ key: Int64, due: String) throws {
      try store.write { transaction in
        try transaction.update(
          ObjectID(entity: "Task", key: .integer(key)),
          to: [.text("\(key)"), self.due(due), .integer(0), .integer(1), .null],
          of: entities.tasks,
          ifUnchangedFrom: nil
        )
      }
    }

    func list(
      _ predicate: FetchPredicate,
      sectionedBy key: SectionKey? = nil,
      _ options: ResultsOptions? = nil
    ) async throws -> (FetchedResultsController<Row>, ResultsChanges<Row>.AsyncIterator) {
      var options = options ?? ResultsOptions()
      options.wallClock = clock
      let list = FetchedResultsController(
        ResultsDefinition(
          FetchRequest<Row>(
            entity: entities.tasks,
            where: predicate,
            sortedBy: [.ascending("due"), .ascending("title")]
          ),
          sectionedBy: key
        ),
        in: store,
        options: options
      )
      try await list.performFetch()
      var events = list.changes.makeAsyncIterator()
      _ = await events.next()
      return (list, events)
    }
  }

  private let overdue = FetchPredicate.relative(.attribute("due"), .less, .now)

  private func change(
    _ events: inout ResultsChanges<Row>.AsyncIterator
  ) async throws -> ResultsDelta {
    while let event = await events.next() {
      if case .change(let change) = event { return change.delta }
    }
    throw CancellationError()
  }

  private func titles(_ list: FetchedResultsController<Row>) throws -> [String] {
    try list.results.sections.flatMap { section in
      try section.map { try $0.object.values[0].text ?? "" }
    }
  }

  /// The error of a request that some work throws.
  private func refusal(_ work: () async throws -> Void) async throws -> RequestError? {
    do {
      try await work()
      return nil
    } catch StoreError.request(let error) {
      return error
    }
  }

  @Test func `R108: a row comes when its date has passed, without a commit`() async throws {
    let world = try World()
    try world.add("past", due: "2026-11-28T19:00:00Z")
    try world.add("soon", due: "2026-11-28T20:30:00Z")
    try world.add("later", due: "2026-11-29T09:00:00Z")
    try world.add("never", due: nil)
    var (list, events) = try await world.list(overdue)
    #expect(try titles(list) == ["past"])
    // At the date itself it is not less yet.
    await world.alarm("2026-11-28T20:30:00.000001Z")
    world.clock.set(to: Instant(iso8601: "2026-11-28T20:30:00Z") ?? .infinity)
    #expect(try titles(list) == ["past"])
    world.clock.advance(by: .microseconds(1))
    let delta = try await change(&events)
    #expect((delta.picture, delta.cause) == ("+[0,1]", .clock))
    #expect(try titles(list) == ["past", "soon"])
    #expect(try list.results.snapshot.version == list.results.snapshot.version)
    list.cancel()
  }

  @Test(arguments: [
    (ComparisonOperator.less, "2026-11-28T20:30:00.000001Z"),
    (.greaterOrEqual, "2026-11-28T20:30:00.000001Z"),
    (.lessOrEqual, "2026-11-28T20:30:00Z"), (.greater, "2026-11-28T20:30:00Z"),
  ])
  func `R108: a row is crossed in the microsecond in which the comparison turns`(
    comparison: ComparisonOperator,
    time: String
  ) async throws {
    let world = try World()
    try world.add("soon", due: "2026-11-28T20:30:00Z")
    let condition = FetchPredicate.relative(.attribute("due"), comparison, .now)
    var (list, events) = try await world.list(condition)
    let count = try list.results.count
    await world.alarm(time)
    world.clock.set(to: try #require(Instant(iso8601: time)))
    _ = try await change(&events)
    #expect(try list.results.count == 1 - count)
    list.cancel()
  }

  @Test func `R108: a row goes when it is older than the condition, and nothing else is read`()
    async throws
  {
    let world = try World()
    for minute in 10..<60 { try world.add("\(minute)", due: "2026-11-28T19:\(minute):00Z") }
    let hour = FetchPredicate.relative(
      .attribute("due"),
      .greaterOrEqual,
      .now(adding: .seconds(-3600))
    )
    var (list, events) = try await world.list(hour)
    #expect(try list.results.count == 50)
    world.clock.set(to: Instant(iso8601: "2026-11-28T20:11:30Z") ?? .infinity)
    let delta = try await change(&events)
    #expect(delta.picture == "-[0,1] -[0,0]")
    #expect(try await list.explain()?.last.work.rows == 2)
    list.cancel()
  }

  @Test func `R15: what a commit writes is crossed at its time, and at once if that has passed`()
    async throws
  {
    let world = try World()
    var (list, events) = try await world.list(overdue)
    try world.add("ahead", due: "2026-11-28T20:00:10Z", key: 1)
    world.clock.advance(by: .seconds(5))
    // Written later, and due in between.
    try world.add("behind", due: "2026-11-28T20:00:04Z", key: 2)
    #expect(try await change(&events).picture == "+[0,0]")
    #expect(try titles(list) == ["behind"])
    // An edit brings the date of the other forward.
    try world.change(1, due: "2026-11-28T20:00:07Z")
    try await list.refresh()
    await world.alarm("2026-11-28T20:00:07.000001Z")
    world.clock.advance(by: .seconds(3))
    #expect(try await change(&events).picture == "+[0,1]")
    list.cancel()
  }

  @Test func `R15: a commit far from its date is delivered within its call`() async throws {
    let world = try World()
    let (list, _) = try await world.list(!overdue)
    let (late, _) = try await world.list(overdue)
    await world.clock.waitForAlarm(at: .infinity)
    for day in 1...9 {
      try world.add("\(day)", due: "2027-01-0\(day)T00:00:00Z")
      #expect(try list.results.count == day)
      // A date that has passed is crossed already.
      try world.add("past", due: "2026-01-0\(day)T00:00:00Z")
      #expect(try late.results.count == day)
    }
    late.cancel()
    list.cancel()
  }

  @Test func `R15: at midnight the title of a day is another one, and no row moves`() async throws {
    let world = try World()
    try world.add("a", due: "2026-11-28T10:00:00Z")
    try world.add("b", due: "2026-11-29T10:00:00Z")
    var (list, events) = try await world.list(
      .all,
      sectionedBy: .transient(source: "due", grouping: NamedTestDays(today: 0))
    )
    func titles() throws -> [String] { try list.results.sections.map(\.title) }
    #expect(try titles() == ["Today", "2"])
    world.clock.set(to: Instant(iso8601: "2026-11-29T00:00:00Z") ?? .infinity)
    let delta = try await change(&events)
    #expect(delta.rows.isEmpty)
    #expect(delta.cause == .clock)
    #expect(try titles() == ["1", "Today"])
    list.cancel()
  }

  @Test
  func `R15: a clock that jumps a year back and forth changes what differs then, and no more`()
    async throws
  {
    let world = try World()
    try world.add("old", due: "2024-01-01T00:00:00Z")
    try world.add("new", due: "2026-11-28T12:00:00Z")
    var (list, events) = try await world.list(overdue)
    await world.clock.waitForAlarm(at: .infinity)
    world.clock.advance(by: .seconds(-365 * 86_400))
    #expect(try await change(&events).picture == "-[0,1]")
    world.clock.advance(by: .seconds(-86_400))
    world.clock.advance(by: .seconds(366 * 86_400))
    #expect(try await change(&events).picture == "+[0,1]")
    #expect(try list.results.generation == 3)
    list.cancel()
  }

  @Test func `R15: lists of one store have the time of one turn, and one alarm`() async throws {
    let world = try World()
    try world.add("soon", due: "2026-11-28T20:30:00Z")
    try world.add("tomorrow", due: "2026-11-29T08:00:00Z")
    var (first, events) = try await world.list(overdue)
    let (second, _) = try await world.list(!overdue)
    await world.alarm("2026-11-28T20:30:00.000001Z")
    #expect(world.clock.alarms.count == 1)
    world.clock.advance(by: .seconds(3600))
    _ = try await change(&events)
    #expect(try titles(first) == ["soon"])
    #expect(try titles(second) == ["tomorrow"])
    first.cancel()
    second.cancel()
  }

  @Test func `R15: a paused list follows the clock when it is resumed`() async throws {
    let world = try World()
    try world.add("soon", due: "2026-11-28T20:30:00Z")
    let (list, _) = try await world.list(overdue)
    list.pause()
    world.clock.advance(by: .seconds(3600))
    try await list.resume()
    #expect(try titles(list) == ["soon"])
    list.cancel()
  }

  @Test func `R15: a frozen list stays as it was fetched`() async throws {
    let world = try World()
    try world.add("soon", due: "2026-11-28T20:30:00Z")
    let (list, _) = try await world.list(!overdue)
    try await list.update { $0.isFrozen = true }
    world.clock.advance(by: .seconds(3600))
    try await list.refresh()
    #expect(try titles(list) == ["soon"])
    #expect(world.clock.alarms.isEmpty)
    list.cancel()
  }

  @Test func `R15: without a clock, such a definition is refused by name`() async throws {
    let world = try World()
    let list = FetchedResultsController(
      ResultsDefinition(
        FetchRequest<Row>(
          entity: world.entities.tasks,
          where: overdue,
          sortedBy: [.ascending("due")]
        )
      ),
      in: world.store
    )
    #expect(try await refusal { try await list.performFetch() } == .missingWallClock)
  }

  @Test func `R15: what nothing follows is refused by name: a fetch, a count, a related object`()
    async throws
  {
    let world = try World()
    let fetched = FetchRequest<Row>(
      entity: world.entities.tasks,
      where: overdue,
      sortedBy: [.ascending("due")]
    )
    let refused = try await refusal { _ = try world.store.fetch(fetched) }
    #expect(refused == .relativeDate("now()"))
    var definition = ResultsDefinition(
      FetchRequest<Row>(entity: world.entities.tasks, sortedBy: [.ascending("due")])
    )
    definition.additionalCounts = ["late": CountRequest(world.entities.tasks, where: overdue)]
    let list = FetchedResultsController(
      definition,
      in: world.store,
      options: ResultsOptions(wallClock: world.clock)
    )
    #expect(try await refusal { try await list.performFetch() } == .relativeDate("now()"))
  }

  @Test func `R15: many rows that are crossed in a moment are looked for ten times a second`()
    async throws
  {
    let world = try World()
    for number in 1...9 { try world.add("\(number)", due: "2026-11-28T20:00:00.00\(number)Z") }
    var (list, events) = try await world.list(overdue)
    await world.alarm("2026-11-28T20:00:00.1Z")
    #expect(world.clock.alarms.count == 1)
    world.clock.advance(by: .milliseconds(100))
    #expect(try await change(&events).rows.inserts.count == 9)
    list.cancel()
  }

  @Test func `R108: of very many dates none is missed, whichever were written when`() async throws {
    let world = try World()
    let start = world.clock.now.microseconds
    // Far more than the store is asked for at once.
    try world.add(seconds: Array(1...6000), after: start)
    let (list, _) = try await world.list(overdue)
    var past = 0
    for step in 1...120 {
      world.clock.set(to: Instant(microseconds: start + Int64(step) * 50_000_000 + 1))
      if step % 30 == 0 { try world.add(seconds: Array(100_000...100_400), after: start) }
      if step.isMultiple(of: 7) {
        try world.add(seconds: [-step], after: start)
        past += 1
      }
      try await list.refresh()
      #expect(try list.results.count == 50 * step + past, "step \(step)")
    }
    list.cancel()
  }

  @Test func `R15: a span of time collects commits and the clock alike`() async throws {
    let world = try World()
    try world.add("soon", due: "2026-11-28T20:30:00Z")
    let clock = ManualClock()
    var (list, events) = try await world.list(
      overdue,
      ResultsOptions(delivery: .throttled(for: .milliseconds(100)), clock: clock)
    )
    world.clock.advance(by: .seconds(3600))
    await clock.waitForSleepers()
    #expect(try titles(list).isEmpty)
    clock.advance(by: .milliseconds(100))
    #expect(try await change(&events).picture == "+[0,0]")
    list.cancel()
  }
}

/// The days of a month in UTC, of which one is called today.
private struct NamedTestDays: ClockGrouping {
  let today: Int64

  private func day(_ microseconds: Int64) -> Int64 { microseconds / 86_400_000_000 }

  func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value else { return SectionGroup(id: .null) }
    return SectionGroup(id: .integer(day(microseconds)))
  }

  func title(of id: Value) -> String {
    id == .integer(today) ? "Today" : id == .integer(20_785) ? "1" : "2"
  }

  var groupingIdentity: String { "days" }
  var titleIdentity: String { "\(today)" }
  func resolved(at now: Instant) -> any SectionGrouping {
    NamedTestDays(today: day(now.microseconds))
  }
  func nextChange(after now: Instant) -> Instant? {
    Instant(microseconds: (day(now.microseconds) + 1) * 86_400_000_000)
  }
}
