import Foundation
import Testing
import WireFormat

/// R11: the programs gather sections into groups by an option, live and with sums.
@Suite("Groups of sections in the programs", .timeLimit(.minutes(2)))
struct GroupedOutputTests {
  private let run: ProgramRun

  init() throws {
    run = try ProgramRun()
    for (date, amount, payee) in [
      ("2026-10-30", "-5", "Kiosk"), ("2026-11-03", "-12.50", "Cafe"), ("2026-11-03", "-3", "Bus"),
      ("2026-11-20", "-99.50", "Rail"),
    ] {
      try add(date, amount, payee)
    }
  }

  private func add(_ date: String, _ amount: String, _ payee: String) throws {
    _ = try run.run(
      "household-ledger",
      ["add", "date=\(date)", "amount=\(amount)", "payee=\(payee)", "category=c"] + store
    )
  }

  private let store = ["--store", "ledger.sqlite"]

  private func list(_ options: String...) throws -> ProgramResult {
    try run.run("household-ledger", ["list"] + store + options)
  }

  @Test func `R11: a ledger in days has months above them, with their numbers and sums`() throws {
    let table = try list("--group-by", "month", "--columns", "payee,amount", "--format", "table")
    #expect(
      table.lines == [
        "    payee  amount",
        "2026-11  (3 in 2 sections)  -115.00",
        "  2026-11-20  (1)  -99.50",
        "    Rail   -99.50",
        "  2026-11-03  (2)  -15.50",
        "    Cafe   -12.50",
        "    Bus     -3.00",
        "2026-10  (1 in 1 section)  -5.00",
        "  2026-10-30  (1)  -5.00",
        "    Kiosk   -5.00",
        "4 transactions in 3 sections and 2 groups",
      ],
      "\(table)"
    )
    let csv = try list("--group-by", "year", "--columns", "payee", "--format", "csv", "--reversed")
    #expect(csv.lines.first == "group,section,payee", "\(csv)")
    #expect(csv.lines.dropFirst().first == "2026,2026-10-30,Kiosk", "\(csv)")
    let lines = try list("--group-by", "month", "--columns", "payee", "--format", "jsonl")
    #expect(
      lines.lines.last == #"{"group":"2026-10","section":"2026-10-30","id":1,"payee":"Kiosk"}"#,
      "\(lines)"
    )
    let initials = try list("--section-by", "payee", "--group-by", "initial", "--format", "csv")
    #expect(initials.lines.dropFirst().first?.hasPrefix("B,Bus,") == true, "\(initials)")
  }

  @Test func `R11: what cannot be gathered is refused, and says what to do`() throws {
    for (options, words) in [
      (["--section-by", "none", "--group-by", "month"], "has no sections to gather into groups"),
      (["--section-by", "payee", "--group-by", "month"], "Divide the list with --section-by"),
      (["--group-by", "payee"], "cannot come before sections that are computed"),
      (["--group-by", "mounth"], "Did you mean “month”?"),
      (
        ["--section-by", "payee", "--sort", "amount", "--group-by", "amount"],
        "The rows of section 'Cafe' are not adjacent"
      ),
    ] {
      if words.hasPrefix("The rows") { try add("2026-11-01", "7", "Cafe") }
      let refused = try run.run("household-ledger", ["list"] + store + options)
      #expect(refused.status != 0 && refused.errors.contains(words), "\(refused)")
    }
  }

  @Test func `R11: a watch names the groups that change, and its lines replay`() throws {
    let options = ["--group-by", "month", "--format", "json"]
    let before = try run.run("household-ledger", ["list"] + store + options)
    var replay = WireReplay()
    try replay.apply(line: before.lines[0])
    #expect(replay.list?.groups.map(\.title) == ["2026-11", "2026-10"])
    #expect(replay.list?.groups.map(\.rows) == [3, 1])
    #expect(replay.list?.groups.map { $0.aggregates?["sum"]?.string } == ["-115.00", "-5.00"])
  }

  @Test func `R11: the full-screen list has a line for each group above its first section`() throws
  {
    let screen = try run.run(
      "household-ledger",
      ["browse", "--print", "--size", "50x12", "--group-by", "month", "--columns", "payee,amount"]
        + store
    )
    let lines = screen.lines.map { line in
      line.split(separator: " ").filter { !$0.allSatisfy { $0 == "─" } }.joined(separator: " ")
    }
    #expect(
      Array(lines.dropFirst(1).prefix(9)) == [
        "▾ 2026-11 -115.00 3", "▾ 2026-11-20 -99.50 1", "> Rail -99.50",
        "▾ 2026-11-03 -15.50 2", "Cafe -12.50", "Bus -3.00", "▾ 2026-10 -5.00 1",
        "▾ 2026-10-30 -5.00 1", "Kiosk -5.00",
      ],
      "\(screen)"
    )
  }
}
