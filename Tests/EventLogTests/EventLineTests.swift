import EventLog
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Testing

@Suite struct EventLineTests {
  private static let now = Instant(microseconds: 1_000_000)
  private static let ten = Instant(microseconds: 1_795_860_000_000_000)

  private func member(_ name: String, _ text: String?, _ json: String = "1") -> EventMember {
    EventMember(name: name, text: text, json: "\"\(name)\":\(json)")
  }

  @Test func `R267: the usual names of values are known, and nothing else is lost`() {
    let event = Event(
      members: [
        member("TS", "2026-11-28T10:00:00Z"), member("time", "1", "1"), member("Severity", "WARN"),
        member("msg", "m"), member("message", "second", "\"second\""), member("logger", "api"),
        member("n", nil, "[1,2]"),
      ],
      at: Self.now
    )
    #expect(event.timeStamp == Self.ten && event.level == "warning")
    #expect(event.message == "m" && event.source == "api")
    #expect(event.fields == #"{"time":1,"message":"second","n":[1,2]}"#)
    let none = Event(
      members: [
        member("level", "oops", "9"), member("ts", "never", "8"), member("msg", nil, "null"),
      ],
      at: Self.now
    )
    #expect(none.timeStamp == Self.now && none.level == nil && none.message == nil)
    #expect(none.fields == #"{"level":9,"ts":8,"msg":null}"#)
  }

  @Test(arguments: [
    ("1795860000", Self.ten), ("1795860000000", Self.ten),
    ("1795860000.5", Instant(microseconds: 1_795_860_000_500_000)),
    ("1e300", Self.now), ("nan", Self.now),
    ("-1e13", Instant(microseconds: -10_000_000_000_000_000)),
  ])
  func `R267: a time can be a count of seconds or milliseconds`(text: String, expected: Instant) {
    #expect(Event(members: [member("time", text)], at: Self.now).timeStamp == expected)
  }

  @Test(arguments: [
    ("2026-11-28T10:00:00Z started", Self.ten, "started"),
    ("2026-11-28 11:00:00+01:00 two  spaces ", Self.ten, "two  spaces "),
    ("2026-11-28 is a day", Self.now, "2026-11-28 is a day"),
    ("2026-11-28T10:00:00Z", Self.now, "2026-11-28T10:00:00Z"),
    ("no time\r", Self.now, "no time"), ("\u{1B}[1;31mred\u{1B}[0m text", Self.now, "red text"),
    ("\u{1B}[", Self.now, ""), ("a\u{1B}b", Self.now, "a\u{1B}b"), ("a\u{0}b", Self.now, "ab"),
  ])
  func `R267: a line of text may begin with a time, and has no colours`(
    line: String,
    time: Instant,
    message: String
  ) {
    let event = Event(line: line, at: Self.now)
    #expect(event.timeStamp == time && event.message == message, "\(event)")
  }

  @Test func `R267: a long message is cut between two letters`() throws {
    let event = Event(line: String(repeating: "é", count: 40_000), at: Self.now)
    let message = try #require(event.message)
    #expect(message.utf8.count <= Event.longestMessage + 3)
    #expect(message.hasSuffix("é…") && message.unicodeScalars.allSatisfy { $0 != "\u{FFFD}" })
  }

  @Test(
    arguments: [
      (nil, 0, 0), (nil, 4, 4), (6, 0, 4), (6, 2, 4), (6, 6, 6), (6, 20, 10), (0, 0, 10),
      (99, 0, 0),
    ] as [(Int64?, Int, Int)]
  )
  func `R268: what is old and not among the newest is removed`(
    limit: Int64?,
    newest: Int,
    left: Int
  ) throws {
    let store = try InMemoryStore(entities: [Event.entity])
    let manager = try StoreManagers(dataFolder: "") { _, _ in store }.manager(of: "Log")
    for number in 0..<10 { manager.new(Event(timeStamp: Instant(microseconds: Int64(number)))) }
    try manager.save()
    let limit = limit.map { Instant(microseconds: $0) }
    #expect(try manager.prunableCount(before: limit, keeping: newest) == 10 - left)
    #expect(try manager.prune(before: limit, keeping: newest) == 10 - left)
    let stamps = try manager.select("Event").map { $0["timeStamp"].integer ?? -1 }
    #expect(stamps == (Int64(10 - left)..<10).map { $0 })
  }

  @Test
  func `R268: many events are removed in several commits, and the rest stays if it is stopped`()
    throws
  {
    let store = try InMemoryStore(entities: [Event.entity])
    let manager = try StoreManagers(dataFolder: "") { _, _ in store }.manager(of: "Log")
    for number in 0..<25_000 { manager.new(Event(timeStamp: Instant(microseconds: Int64(number)))) }
    try manager.save()
    let base = try store.read { (snapshot) throws(StoreError) in snapshot.version }
    var asked = 0
    let removed = try manager.prune(before: nil, keeping: 1000) {
      asked += 1
      return asked > 2
    }
    #expect(removed == 20_000)
    #expect(try manager.prune(before: nil, keeping: 1000) == 4000)
    let history = try store.read { (snapshot) throws(StoreError) in
      try snapshot.history(since: base, of: Event.entity)
    }
    guard case .commits(let commits) = history else { return }
    #expect(commits.allSatisfy { $0.changes.count <= 10_000 })
  }
}
