import ResultsTesting
import Testing

@testable import ResultsDomain

/// R15: dates that follow the clock, in conditions and as text.
@Suite struct RelativeDateTests {
  private let now = Instant(iso8601: "2026-11-28T20:30:00Z") ?? .infinity

  private func entity(_ form: StoredForm? = nil) throws -> EntityDescription {
    let author = try EntityDescription(
      name: "Author",
      attributes: [AttributeDescription("born", .date)]
    )
    return try EntityDescription(
      name: "Task",
      attributes: [
        AttributeDescription("due", .date, form: form), AttributeDescription("title", .text),
        AttributeDescription("count", .integer64),
        AttributeDescription("authorKey", .integer64, isOptional: true),
      ],
      relationships: [
        RelationshipDescription("author", .toOne(foreignKey: ["authorKey"])) { author }
      ]
    )
  }

  private func parsed(_ text: String) throws -> FetchPredicate {
    try FetchPredicate(parsing: text, entity: entity(), days: WalkDays())
  }

  private func message(_ text: String, days: (any DayCalendar)? = WalkDays()) throws -> String {
    let entity = try entity()
    let error = #expect(throws: PredicateParseError.self) {
      try FetchPredicate(parsing: text, entity: entity, days: days)
    }
    return error.map { "\($0.message) \($0.remedy ?? "")" } ?? ""
  }

  @Test(arguments: [
    ("due < now()", "due < now()"), ("now() > due", "due < now()"),
    ("due >= NOW(-90m)", "due >= now(-90m)"), ("due > now(2w)", "due > now(14d)"),
    ("due > now(+36h)", "due > now(36h)"), ("due > now(-1us)", "due > now(-1us)"),
    ("due < today()", "due < today()"), ("due <= today()", "due < today(1d)"),
    ("due > today(-1w)", "due >= today(-6d)"), ("today(7d) > due", "due < today(7d)"),
    ("due == today()", "due >= today() AND due < today(1d)"),
    ("due != today(1d)", "NOT (due >= today(1d) AND due < today(2d))"),
    ("NOT due < now() OR title == 'x'", "NOT due < now() OR title == 'x'"),
    ("author.born < today()", "author.born < today()"),
  ])
  func `R15: the text of a condition has dates that follow the clock`(
    text: String,
    written: String
  ) throws {
    let predicate = try parsed(text)
    #expect(predicate.description == written)
    #expect(try parsed(written) == predicate)
    #expect(predicate.followsClock)
    #expect(predicate.text(in: try entity()) == written)
  }

  @Test(arguments: [
    ("due < now(3)", "an offset such as -90m"), ("due < now(-3x)", "the end of the number"),
    ("due < today(3h)", "3h is not a number of days or weeks, such as -7d or 2w"),
    ("due < now(1.5h)", "1.5h is not a span of w, d, h, m or s"),
    ("due < now(999999999999999w)", "is not a span"),
    ("due == now()", "Write <, <=, > or >="), ("title < now()", "title (text)"),
    ("count < now()", "count (integer64)"), ("now() < 3", "now() beside a constant"),
    ("now() < today()", "beside a constant"),
    ("due IN {today()}", "on one side of <"), ("due BETWEEN now() AND now(1d)", "on one side of <"),
    ("length(now()) == 3", "now() here"),
  ])
  func `R15: what cannot follow the clock says what to write instead`(
    text: String,
    part: String
  ) throws {
    let message = try message(text)
    #expect(message.contains(part), "\(message)")
  }

  @Test func `R15: today needs a calendar, which the text does not have`() throws {
    #expect(try message("due < today()", days: nil).contains("today() without a calendar"))
    #expect(try parsed("due < now()").followsClock)
  }

  @Test func `R15: at a time the condition has constants, in the form in which dates are stored`()
    throws
  {
    let text = try parsed("due < now(-30m) AND NOT due < today(-1d)")
    #expect(
      text.resolved(at: now, in: try entity()).text(in: try entity())
        == "due < '2026-11-28T20:00:00Z' AND NOT due < '2026-11-27T00:00:00Z'"
    )
    let seconds = try entity(.epochSeconds)
    let resolved = FetchPredicate.relative(.attribute("due"), .less, .now).resolved(
      at: now,
      in: seconds
    )
    #expect(resolved == .comparison(.attribute("due"), .less, .literal(.integer(1_795_897_800))))
    #expect(!resolved.followsClock)
  }

  @Test func `R15: a store refuses a condition without a time`() throws {
    let entity = try entity()
    let relative = FetchPredicate.relative(.attribute("due"), .less, .now)
    for predicate in [relative, !relative, relative && .all, relative || .none] {
      #expect(throws: RequestError.relativeDate("now()")) { try predicate.validate(in: entity) }
    }
    let words = RequestError.relativeDate("now()").description
    #expect(words.contains("now() follows the clock") && words.contains("resolved(at:in:)"))
  }

  @Test func `R15: nothing equals the present time`() throws {
    for comparison in [ComparisonOperator.equal, .notEqual] {
      let predicate = FetchPredicate.relative(.attribute("due"), comparison, .now)
      #expect(throws: RequestError.equalRelativeDate("now()")) {
        try predicate.validate(in: try entity(), followingClock: true)
      }
    }
    #expect(RequestError.equalRelativeDate("now()").description.contains("Compare with <"))
  }

  @Test func `R15: offsets end at the first and the last instant`() {
    #expect(RelativeDate.now(adding: .seconds(Int64.max)).instant(at: now) == .infinity)
    #expect(
      RelativeDate.now(adding: .seconds(Int64.min)).instant(at: .init(microseconds: -1))
        == .negativeInfinity
    )
    #expect(Instant.infinity.adding(-1) == .infinity)
    #expect(RelativeDate.now(adding: .milliseconds(-1500)).description == "now(-1500000us)")
  }

  @Test func `R15: the last day that can be counted has no day after it`() throws {
    for number in [Int.max, Int.min] {
      let predicate = try parsed("due <= today(\(number)d)")
      #expect(predicate.followsClock)
    }
  }

  @Test func `R15: equal dates have equal calendars`() {
    #expect(RelativeDate.today(adding: 1, in: WalkDays()) == .today(adding: 1, in: WalkDays()))
    #expect(RelativeDate.today(in: WalkDays()) != .now)
    #expect(RelativeDate.now(adding: .seconds(60)) != .now)
    #expect(RelativeDate.today(in: WalkDays()) != .today(in: OtherDays()))
  }
}

private struct OtherDays: DayCalendar {
  let identity = "other"
  func start(ofDay offset: Int64, from instant: Instant) -> Instant { instant }
}
