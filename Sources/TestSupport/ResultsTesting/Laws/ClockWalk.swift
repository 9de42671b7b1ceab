package import ResultsDomain
package import ResultsStoreKit
import ResultsPresentation
import Testing

/// A list that follows the clock, over a store with any writers, beside a list of the same definition that is fetched at the same time
/// from a reference store (R15).
///
/// Commits and the passing of time alternate, forwards and backwards. After each step both lists show the same, and the changes of the list
/// turn what it showed into what it shows.
package struct ClockWalk {
  /// Tasks with a date, and owners with another.
  package struct Entities: Sendable {
    package let owners: EntityDescription
    package let tasks: EntityDescription

    /// Creates descriptions, with the form in which the dates of tasks are stored, or `nil` for their own.
    /// - Throws: `SchemaError`, which cannot happen.
    package init(_ form: StoredForm? = nil) throws {
      let owners = try EntityDescription(
        name: "Owner",
        attributes: [
          AttributeDescription("name", .text), AttributeDescription("since", .date),
        ]
      )
      self.owners = owners
      tasks = try EntityDescription(
        name: "Task",
        attributes: [
          AttributeDescription("title", .text),
          AttributeDescription("due", .date, isOptional: true, form: form),
          AttributeDescription("kind", .integer64),
          AttributeDescription("hours", .integer64, isOptional: true),
          AttributeDescription("ownerKey", .integer64, isOptional: true),
        ],
        relationships: [
          RelationshipDescription("owner", .toOne(foreignKey: ["ownerKey"])) { owners }
        ]
      )
    }

    package var all: [EntityDescription] { [tasks, owners] }
  }

  private static let hour: Int64 = 3_600_000_000
  private static let start: Int64 = 20_000 * 24 * hour + 13 * hour

  private let seed: UInt64
  private var generator: SeededGenerator
  private let entities: Entities
  private let clock = ManualWallClock(Instant(microseconds: ClockWalk.start))
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
    (self.store, self.writers, self.reference) = (store, writers, reference)
  }

  /// Takes steps with some lists, and compares each with what is fetched after every step.
  /// - Returns: The number of changes with the clock as their cause.
  @discardableResult
  package mutating func run(lists: Int, steps: Int) async throws -> Int {
    var turns = 0
    try commit(rows: 40)
    for number in 0..<lists {
      var definition = definition()
      // Every second list would leave its keys to an index, where the store has one.
      let list = FetchedResultsController(
        definition,
        in: store,
        options: ResultsOptions(
          delivery: .onDemand,
          journalCapacity: 2000,
          inMemoryKeyLimit: number.isMultiple(of: 2) ? 1000 : -1,
          wallClock: clock
        )
      )
      try await list.performFetch()
      for step in 0..<steps {
        let context: Comment = "seed \(seed), list \(number), step \(step)"
        let before = try list.results
        let content = try before.snapshot.content
        switch below(5) {
        case 0: try commit(rows: 1 + below(4))
        case 1:
          definition.request.fetchLimit = below(3) == 0 ? nil : 3 + below(20)
          let changed = definition
          try await list.update { $0 = changed }
        case 2: try commit(rows: 1 + below(3)); passTime()
        default: passTime()
        }
        try await list.refresh()
        let wanted = FetchedResultsController(
          definition,
          in: reference,
          options: ResultsOptions(delivery: .onDemand, wallClock: clock)
        )
        try await wanted.performFetch()
        let after = try list.results.snapshot.content
        let expected = try wanted.results.snapshot.content
        #expect(after == expected, context)
        switch try list.catchUp(from: before.position) {
        case .upToDate: #expect(after == content, context)
        case .change(let delta, _):
          if delta.cause == .clock { turns += 1 }
          #expect(throws: Never.self, context) { try delta.verify(from: content, to: after) }
        case .reset: break
        }
      }
      list.cancel()
    }
    return turns
  }

  private mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  /// Sets the clock: a little forward, to where a date is, over midnights, back, or a year away.
  private mutating func passTime() {
    let hours = Int64(below(8))
    switch below(10) {
    case 0: clock.advance(by: .seconds(-3600 * (1 + hours)))
    case 1: clock.advance(by: .seconds((below(2) == 0 ? 1 : -1) * 365 * 86_400))
    case 2: clock.advance(by: .microseconds(below(3) - 1))
    case 3:
      // Where many dates are: on the hour.
      let now = clock.now.microseconds
      clock.set(to: Instant(microseconds: now - now % Self.hour + Self.hour * hours))
    case 4, 5: clock.advance(by: .seconds(86_400 * (1 + hours / 3)))
    default: clock.advance(by: .seconds(3600 * hours + 60))
    }
  }

  private mutating func definition() -> ResultsDefinition<Row> {
    let due = FetchExpression.attribute("due")
    let days = WalkDays()
    let early = FetchPredicate.relative(due, .less, .now)
    let conditions: [FetchPredicate] = [
      .all, early, !early, .relative(due, .lessOrEqual, .now(adding: .seconds(2 * 86_400))),
      .relative(due, .greaterOrEqual, .now(adding: .seconds(-86_400)))
        && .relative(due, .less, .today(adding: 2, in: days)),
      early || .comparison(.attribute("kind"), .equal, .literal(1)),
      .comparison(.attribute("kind"), .notEqual, .literal(0))
        && .relative(due, .greater, .today(in: days)),
      .relative(.related(["owner"], .attribute("since")), .less, .now),
      !(.relative(due, .less, .today(adding: -1, in: days))),
    ]
    let isDescending = below(3) == 0
    let order: FetchSortDescriptor = isDescending ? .descending("due") : .ascending("due")
    var key: SectionKey?
    var sort = [order, .ascending("title")]
    switch below(4) {
    case 0: break
    case 1:
      key = .attribute("kind")
      if below(2) == 0 { sort = [.ascending("title")] }
    case 2: key = .transient(source: "due", grouping: WalkPeriods(today: 0))
    default:
      key = .transient(source: "due", grouping: WalkPeriods(today: 0))
      key?.contiguity = below(2) == 0 ? .merge : .split
    }
    var definition = ResultsDefinition(
      FetchRequest<Row>(
        entity: entities.tasks,
        where: conditions[below(conditions.count)],
        sortedBy: sort
      ),
      sectionedBy: key
    )
    if below(3) == 0 { definition.aggregates = [SectionAggregate("hours", .sum("hours"))] }
    if key != nil { definition.arrangement.limits.all = [nil, nil, 2][below(3)] }
    if below(4) == 0 { definition.request.fetchOffset = below(5) }
    if key != nil, below(3) == 0 { definition.groups = .ids(by: WalkGroups(day: 0)) }
    return definition
  }

  private mutating func commit(rows: Int) throws {
    var edits: [RowEdit] = []
    for _ in 0..<rows {
      let isOwner = below(6) == 0
      let due = date()
      edits.append(
        RowEdit(
          entity: isOwner ? entities.owners : entities.tasks,
          key: .integer(Int64(1 + below(isOwner ? 4 : 40))),
          values: isOwner
            ? [.text(["Ann", "Ben"][below(2)]), .integer(date())]
            : [
              .text(["x", "y", "z"][below(3)]), below(7) == 0 ? .null : stored(due),
              .integer(Int64(below(3))), below(4) == 0 ? .null : .integer(Int64(below(9))),
              .integer(Int64(1 + below(5))),
            ],
          isDelete: below(5) == 0,
          attribute: below(isOwner ? 2 : 5)
        )
      )
    }
    for store in [writers[below(writers.count)], reference] {
      try store.write { transaction in
        for edit in edits { try edit.apply(in: transaction) }
      }
    }
  }

  /// A date around the present time, often on the hour.
  private mutating func date() -> Int64 {
    let now = clock.now.microseconds
    let hours = Int64(below(24 * 11)) - 24 * 3
    return now - now % Self.hour + hours * Self.hour + (below(4) == 0 ? Int64(below(3)) - 1 : 0)
  }

  private func stored(_ date: Int64) -> Value {
    let form = entities.tasks.attribute(named: "due")?.form
    guard let form else { return .integer(date) }
    // A form that holds seconds or texts has the nearest date before, and one that holds days has its day.
    let second = date - (date % 1_000_000 + 1_000_000) % 1_000_000
    let day = Instant(wholeDay: second / (24 * Self.hour))
    return form.stored(.integer(second)) ?? day.flatMap { form.stored($0.attributeValue) } ?? .null
  }
}

/// The days of UTC.
package struct WalkDays: DayCalendar {
  private static let length: Int64 = 86_400_000_000

  package init() {}

  package func start(ofDay offset: Int64, from instant: Instant) -> Instant {
    Instant(microseconds: (Self.day(of: instant.microseconds) + offset) * Self.length)
  }

  package var identity: String { "UTC" }

  /// The day of an instant in microseconds, from 1970-01-01.
  fileprivate static func day(of microseconds: Int64) -> Int64 {
    let (quotient, rest) = microseconds.quotientAndRemainder(dividingBy: length)
    return rest < 0 ? quotient - 1 : quotient
  }
}

/// Before today, today, and later, in UTC; titles name the day.
private struct WalkPeriods: ClockGrouping {
  let today: Int64

  func group(of value: Value) -> SectionGroup {
    guard case .integer(let microseconds) = value else { return SectionGroup(id: .null) }
    let day = WalkDays.day(of: microseconds)
    let (start, end) = (
      Value.integer(today * 86_400_000_000), Value.integer((today + 1) * 86_400_000_000)
    )
    if day < today { return SectionGroup(id: "before", first: .integer(.min), next: start) }
    if day > today { return SectionGroup(id: "later", first: end, next: .integer(.max)) }
    return SectionGroup(id: "today", first: start, next: end)
  }

  func title(of id: Value) -> String { id == "today" ? "day \(today)" : "" }
  var groupingIdentity: String { "periods \(today)" }
  var titleIdentity: String { "\(today)" }
  func resolved(at now: Instant) -> any SectionGrouping {
    WalkPeriods(today: WalkDays.day(of: now.microseconds))
  }
  func nextChange(after now: Instant) -> Instant? { WalkDays().start(ofDay: 1, from: now) }
}

/// All sections in one group, whose id and title name the day in UTC.
private struct WalkGroups: ClockGrouping {
  let day: Int64

  func group(of value: Value) -> SectionGroup { SectionGroup(id: .integer(day % 3)) }
  func title(of id: Value) -> String { "day \(day)" }
  var groupingIdentity: String { "\(day % 3)" }
  var titleIdentity: String { "\(day)" }
  func resolved(at now: Instant) -> any SectionGrouping {
    WalkGroups(day: WalkDays.day(of: now.microseconds))
  }
  func nextChange(after now: Instant) -> Instant? { WalkDays().start(ofDay: 1, from: now) }
}
