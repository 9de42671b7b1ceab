import Foundation
import Testing

/// R285: the balance after each transaction, in a list, on the screen and in lines.
@Suite("A column of running values", .timeLimit(.minutes(2)))
struct RunningColumnTests {
  private let run: ProgramRun
  private let store = ["--store", "ledger.sqlite"]

  init() throws {
    run = try ProgramRun()
    for (date, amount, payee) in [
      ("2026-10-30", "-5", "Kiosk"), ("2026-11-03", "100", "Acme"), ("2026-11-03", "-3", "Bus"),
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

  private func lines(_ options: String...) throws -> [String] {
    let columns = ["--columns", "payee,balance", "--format", "csv"]
    return try run.run("household-ledger", ["list"] + store + columns + options).lines
  }

  @Test func `R285: a balance runs from the oldest row, whatever rows are shown`() throws {
    let none = ["--section-by", "none"]
    #expect(
      try lines(none[0], none[1])
        == ["payee,balance", "Rail,-7.50", "Acme,92.00", "Bus,-8.00", "Kiosk,-5.00"]
    )
    #expect(
      try lines(none[0], none[1], "--reversed")
        == ["payee,balance", "Kiosk,-5.00", "Bus,-8.00", "Acme,92.00", "Rail,-7.50"]
    )
    #expect(
      try lines("--limit", "1", "--offset", "1")
        == ["section,payee,balance", "2026-11-03,Acme,92.00"]
    )
    #expect(
      try lines("--where", "amount < 0", none[0], none[1])
        == ["payee,balance", "Rail,-107.50", "Bus,-8.00", "Kiosk,-5.00"]
    )
    try add("2026-12-01", "92233720368547758", "Bank")
    try add("2026-12-02", "92233720368547758", "Bank")
    #expect(try lines("--limit", "1").last == "2026-12-02,Bank,overflow")
  }

  @Test(arguments: [
    (["list", "--sort", "amount", "--section-by", "none"], "runs along date"),
    (["list", "--section-by", "category"], "runs along date"),
    (["watch", "--deltas", "0"], "watch has the values of a row alone"),
  ])
  func `R285: a balance is refused where it has no meaning`(
    _ verb: [String],
    _ reason: String
  ) throws {
    let result = try run.run("household-ledger", verb + store + ["--columns", "payee,balance"])
    #expect(result.status == 64, "\(result)")
    #expect(result.errors.contains(reason), "\(result)")
  }

  @Test func `R285, R291: a balance never adds two currencies`() throws {
    let card = ["account=card", "currency=USD"]
    for (amount, account) in [("-4", card), ("-6", card), ("9", ["account=bank"])] {
      _ = try run.run(
        "household-ledger",
        ["add", "date=2026-12-01", "amount=\(amount)", "payee=x", "category=c"] + account + store
      )
    }
    let columns = ["--columns", "payee,balance", "--section-by", "none", "--format", "csv"]
    let all = try run.run("household-ledger", ["list"] + store + columns)
    #expect(all.status == 64 && all.errors.contains("several sums here: sum, USD"), "\(all)")
    #expect(
      try lines("--section-by", "none", "--where", "account.name == 'card'")
        == ["payee,balance", "x,-10.00", "x,-6.00"]
    )
    let size = ["--print", "--size", "80x12", "--no-state"]
    let screen = try run.run("household-ledger", ["browse"] + store + size).lines
    #expect(screen.contains { $0.contains("Rail") && $0.contains("-99.50") }, "\(screen)")
    #expect(!screen.contains { $0.contains("Rail") && $0.contains("-7.50") }, "\(screen)")
    let cards = try run.run(
      "household-ledger",
      ["browse"] + store + size + ["--where", "account.name == 'card'"]
    ).lines
    #expect(cards.contains { $0.contains("-4.00   -10.00") }, "\(cards)")
  }

  @Test func `R285: the screen shows balances, and no others than its order has`() throws {
    func screen(_ keys: String) throws -> [String] {
      let size = ["--print", "--size", "80x12", "--no-state", "--keys", keys]
      return try run.run("household-ledger", ["browse"] + store + size).lines
    }
    let days = try screen("")
    #expect(days[1].contains("amount  balance"), "\(days)")
    #expect(days.contains { $0.contains("Rail") && $0.contains("-99.50    -7.50") }, "\(days)")
    #expect(days.contains { $0.contains("Acme") && $0.contains("100.00    92.00") }, "\(days)")
    let categories = try screen("Scategory\\r")
    #expect(categories.contains { $0.contains("Rail") && $0.contains("-99.50") }, "\(categories)")
    #expect(!categories.contains { $0.contains("Rail") && $0.contains("-7.50") }, "\(categories)")
    let filtered = try screen("/amount>0\\r")
    #expect(
      filtered.contains { $0.contains("Acme") && $0.contains("100.00   100.00") },
      "\(filtered)"
    )
  }
}
