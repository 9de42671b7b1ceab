import Foundation
import Testing

/// R280: `--since` and `--until` of the programs whose lists are ordered by a time, and the same words in filters and values.
@Suite struct TimeOptionTests {
  private let run: ProgramRun

  init() throws { run = try ProgramRun() }

  private func lines(_ program: String, _ words: [String]) throws -> [String] {
    let result = try run.run(program, words)
    #expect(result.status == 0, "\(result)")
    return Array(result.lines.dropFirst())
  }

  private func fillLog() throws {
    for (time, message) in [
      ("2024-10-31T23:00Z", "october"), ("2024-11-04T12:00Z", "monday"),
      ("2024-11-10T23:30Z", "sunday"), ("2024-11-30T15:30Z", "end"),
    ] {
      try run.run("event-log", "stamp", message, "time=\(time)")
    }
    try run.run("event-log", "stamp", "present")
  }

  private func messages(_ verb: String, _ options: String...) throws -> [String] {
    let columns = ["--sort", "timeStamp", "--columns", "message", "--format", "tsv"]
    return try lines("event-log", [verb] + options + columns)
  }

  @Test func `R280: a log by times and words`() throws {
    try fillLog()
    #expect(try messages("list", "--since", "2024-11", "--until", "2024-11").count == 3)
    #expect(try messages("list", "--since", "2024-W45", "--until", "2024-W45").count == 2)
    #expect(try messages("list", "--until", "2024-11-04") == ["october", "monday"])
    #expect(try messages("list", "--until", "2024-11-04T11:59Z") == ["october"])
    #expect(
      try messages("list", "--until", "2024-11", "--time-zone", "Asia/Tokyo")
        == ["october", "monday", "sunday"]
    )
    #expect(
      try messages("list", "--since", "2024-11", "--where", "message ENDSWITH 'day'").count == 2
    )
    #expect(try messages("list", "--since", "1h-ago") == ["present"])
    #expect(try messages("list", "--since", "yesterday", "--until", "now") == ["present"])
    let export = try run.run("event-log", ["export", "-", "--until", "2024-10"])
    #expect(export.lines.count == 1 && export.output.contains("october"), "\(export)")
    let removed = try run.run("event-log", ["remove-at", "0", "--until", "2024-10"])
    #expect(removed.output == "removed Event 1\n", "\(removed)")
  }

  @Test func `R280: browse shows the rows of a time, and a filter takes the words`() throws {
    try fillLog()
    func shown(_ options: String...) throws -> [String] {
      let screen = ["browse", "--print", "--size", "80x14"] + options
      let output = try run.run("event-log", screen).output
      return ["october", "monday", "sunday", "end", "present"].filter(output.contains)
    }
    #expect(try shown("--since", "2024-11", "--until", "2024-W45") == ["monday", "sunday"])
    #expect(try shown("--keys", "/timestamp:2024-10\\r") == ["october"])
    #expect(try shown("--keys", "/timestamp>=2h-ago\\r") == ["present"])
    #expect(try shown("--keys", "/timestamp<2024-11 -timestamp:2024-w44\\r") == [])
    #expect(try shown("--keys", "/-timestamp:today timestamp>2024-w45\\r") == ["end"])
    let wrong = try run.run(
      "event-log",
      ["browse", "--print", "--size", "100x9", "--keys", "/timestamp:last-wek\\r"]
    )
    #expect(wrong.output.contains("Did you mean “last-week”?"), "\(wrong)")
  }

  @Test func `R280: a watch follows the clock`() throws {
    let watch = try run.start(
      "event-log",
      "watch",
      "--since",
      "2s-ago",
      "--format",
      "jsonl",
      "--deltas",
      "2"
    )
    #expect(try watch.line()?.contains("\"t\":\"snapshot\"") == true)
    try run.run("event-log", "stamp", "short")
    let came = try watch.line() ?? ""
    #expect(came.contains("\"cause\":\"external\"") && came.contains("short"), "\(came)")
    let left = try watch.line() ?? ""
    #expect(left.contains("\"cause\":\"clock\""), "\(left)")
    #expect(try watch.finish().status == 0)
  }

  @Test(arguments: ["UTC", "Asia/Tokyo", "Pacific/Pago_Pago", "Pacific/Kiritimati"])
  func `R280: whole days of a ledger stay whole days`(zone: String) throws {
    for (number, day) in ["2026-10-31", "2026-11-01", "2026-11-30", "2026-12-01"].enumerated() {
      try run.run(
        "household-ledger",
        "add",
        "date=\(day)",
        "amount=-\(number + 1)",
        "payee=p\(number)",
        "category=c"
      )
    }
    func payees(_ options: String...) throws -> [String] {
      let columns = ["--columns", "payee", "--sort", "date", "--section-by", "none"]
      let list = ["list", "--time-zone", zone, "--format", "tsv"] + columns + options
      return try lines("household-ledger", list)
    }
    #expect(try payees("--since", "2026-11", "--until", "2026-11") == ["p1", "p2"])
    #expect(try payees("--until", "2026-10-31") == ["p0"])
    #expect(try payees("--since", "2026-12-01") == ["p3"])
    #expect(try payees("--since", "2026-11-01", "--until", "2026-11-30") == ["p1", "p2"])
    let totals = ["totals", "--since", "2026-11", "--time-zone", zone, "--format", "tsv"]
    #expect(
      try lines("household-ledger", totals).map { $0.split(separator: "\t")[1] } == [
        "-4.00", "-5.00", "-9.00",
      ]
    )
  }

  @Test func `R280: items of feeds by their times`() throws {
    let items = [("a", "2026-11-01"), ("b", "2026-11-20")].map { id, day in
      #"{"guid":"\#(id)","title":"t\#(id)","feed":"f","published":"\#(day)T00:00:00Z"}"# + "\n"
    }
    try run.run("news-feed", "import", "-", input: items.joined())
    let options = ["--since", "2026-11-10", "--format", "jsonl"]
    let list = try run.run("news-feed", ["list", "--unread"] + options)
    #expect(list.lines.count == 1 && list.output.contains("\"tb\""), "\(list)")
  }

  @Test func `R280: words are values of dates, and those of more than a day are not`() throws {
    let add = ["add", "amount=-1", "payee=p", "category=c"]
    #expect(try run.run("household-ledger", add + ["date=yesterday"]).status == 0)
    let days = ["list", "--since", "yesterday", "--until", "yesterday", "--columns", "payee"]
    #expect(try run.run("household-ledger", days).output.contains("p"))
    let wrong = try run.run("household-ledger", add + ["date=last-week"])
    #expect(wrong.status == 65 && wrong.errors.contains("more than a day"), "\(wrong)")
    try run.run("event-log", "add", "timeStamp=now", "message=m")
    #expect(try messages("list", "--since", "1h-ago") == ["m"])
    try run.write("date,amount,payee,category\nyesterday,1.00,p,c\n", to: "b.csv")
    let file = try run.run("household-ledger", ["import", "b.csv"])
    #expect(file.status == 65, "\(file)")
  }

  @Test(arguments: [
    (["--since", "lastweek"], "--since: “lastweek” is no time that is understood. Did you mean"),
    (["--until", "soon"], "2h-ago, 3d-ago, today, yesterday, monday, this-week, last-week"),
    (["--since", "today", "--until", "yesterday"], "--since today is after --until yesterday."),
    (["--since", "2026-11-03T09:00"], "has a time without a time zone"),
  ])
  func `R280: what is no time is refused`(options: [String], message: String) throws {
    let result = try run.run("event-log", ["list", "--store", ":memory:"] + options)
    #expect(result.status == 64 && result.errors.contains(message), "\(result)")
  }

  @Test func `R280: a list without a time has neither option`() throws {
    let result = try run.run("book-catalog", ["list", "--since", "today"])
    #expect(result.status == 64 && result.errors.contains("is not ordered by a time"), "\(result)")
    #expect(!(try run.run("book-catalog", "list", "--help").output.contains("--since")))
    #expect(try run.run("event-log", "list", "--help").output.contains("--since <time>"))
  }
}
