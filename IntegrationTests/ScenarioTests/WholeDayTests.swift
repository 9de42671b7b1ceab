import Foundation
import Testing

/// A date without a time is that date, wherever the reader is.
@Suite struct WholeDayTests {
  private static let zones = [
    "UTC", "Asia/Tokyo", "Pacific/Auckland", "Pacific/Kiritimati", "Pacific/Pago_Pago",
    "Pacific/Honolulu", "America/St_Johns",
  ]
  private let csv = """
    date,amount,payee,category
    2026-01-31,-10.00,bakery,food
    2026-02-01,-20.00,bakery,food
    2026-07-01,-40.00,bakery,food

    """

  @Test(arguments: zones)
  func `a file imported in one zone is known in every other`(_ zone: String) throws {
    let run = try ProgramRun()
    run.environment["TZ"] = "Asia/Tokyo"
    try run.run("household-ledger", "import", "-", input: csv)
    run.environment["TZ"] = zone
    let again = try run.run("household-ledger", "import", "-", input: csv)
    #expect(again.output == "imported 0 transactions, 3 known already\n")
  }

  @Test(arguments: zones)
  func `days, months and columns show the date, and an export has it`(_ zone: String) throws {
    let run = try ProgramRun()
    try run.run("household-ledger", "import", "-", input: csv)
    run.environment["TZ"] = zone
    let list = try run.run(
      "household-ledger",
      "list",
      "--format",
      "plain",
      "--columns",
      "date,amount"
    )
    let days = ["2026-07-01", "2026-02-01", "2026-01-31"]
    for day in days {
      #expect(
        list.lines.contains { $0.hasPrefix(day) && $0.dropFirst(10).contains(day) },
        "\(list)"
      )
    }
    #expect(!list.output.contains(":"))
    let months = try run.run("household-ledger", "totals", "--by", "month", "--time-zone", zone)
    #expect(
      months.lines.dropFirst() == [
        "2026-07\t-40.00\t1", "2026-02\t-20.00\t1", "2026-01\t-10.00\t1", "balance\t-70.00\t",
      ]
    )
    let export = try run.run("household-ledger", "export", "-", "--format", "csv")
    #expect(export.lines.dropFirst().map { String($0.prefix(11)) } == days.map { $0 + "," })
  }

  @Test(arguments: zones)
  func `days and moments share a list in every zone`(_ zone: String) throws {
    let run = try ProgramRun()
    run.environment["TZ"] = zone
    let moments = (0..<48).map { half in
      "2026-11-\(half < 24 ? "02" : "03")T\(half % 24 < 10 ? "0" : "")\(half % 24):30Z,1.00,p,c"
    }
    let days = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"].map { "\($0),2.00,p,c" }
    let file = "date,amount,payee,category\n" + (moments + days).joined(separator: "\n") + "\n"
    let report = try run.run("household-ledger", "import", "-", input: file)
    #expect(report.output == "imported 52 transactions, 0 known already\n")
    let list = try run.run(
      "household-ledger",
      "list",
      "--format",
      "tsv",
      "--columns",
      "amount",
      "--time-zone",
      zone
    )
    let twos = list.lines.filter { $0.hasSuffix("2.00") }.map { String($0.prefix(10)) }
    #expect(Set(twos) == ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"])
    let sections = list.lines.dropFirst().map { $0.prefix(10) }
    // Each day once: a section never comes back.
    let runs = zip(sections, sections.dropFirst()).count { $0 != $1 } + 1
    #expect(runs == Set(sections).count)
    let totals = try run.run("household-ledger", "totals", "--by", "day", "--time-zone", zone)
    #expect(totals.lines.count == Set(sections).count + 2)
  }

  @Test(arguments: ["2002/01/31", "2002/1/31", "2002.01.31", "2002-1-31"])
  func `a date that begins with its year needs no locale`(_ date: String) throws {
    let run = try ProgramRun()
    let file = "date,amount,payee,category\n\(date),1.00,p,c\n"
    try run.run("household-ledger", "import", "-", input: file)
    let export = try run.run("household-ledger", "export", "-", "--format", "csv")
    #expect(export.lines.last?.hasPrefix("2002-01-31,") == true)
  }

  @Test(arguments: [
    ("31/01/2002", "is not a date in a form that is understood"),
    ("2002/02/30", "is not a date that exists"),
  ])
  func `a form that is not understood is told from a day that is not there`(
    _ date: String,
    _ words: String
  ) throws {
    let run = try ProgramRun()
    let file = "date,amount,payee,category\n\(date),1.00,p,c\n"
    let refused = try run.run("household-ledger", "import", "-", input: file, expecting: 65)
    #expect(refused.errors.contains("“\(date)” \(words)"))
  }

  @Test func `an event and an item without a time keep their day`() throws {
    let run = try ProgramRun()
    run.environment["TZ"] = "Pacific/Auckland"
    for _ in 0..<2 {
      try run.run("event-log", "import", "-", input: "timeStamp\n2026-11-03\n")
      run.environment["TZ"] = "UTC"
    }
    let events = try run.run("event-log", "export", "-", "--format", "csv")
    #expect(events.output == "timeStamp\n2026-11-03\n")
    let feed = """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>f</title><id>f</id><entry><id>e</id>\
      <title>t</title><updated>2026-11-03</updated></entry></feed>
      """
    try run.run("news-feed", "import", "-", input: feed)
    run.environment["TZ"] = "America/New_York"
    let list = try run.run("news-feed", "list", "--format", "plain", "--columns", "published")
    #expect(list.output.contains("2026-11-03\n"))
    #expect(try run.run("news-feed", "open", "e").output.contains("\n2026-11-03\n"))
  }
}
