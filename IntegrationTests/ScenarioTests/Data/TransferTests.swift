import Foundation
import ResultsStoreKit
import Testing

/// R290: transfers between accounts of a ledger, in a file and over PostgreSQL.
@Suite struct TransferTests {
  private typealias Ledger = AccountTests.Ledger

  @Test func `R290: both sides of a transfer in a file`() throws { try holds(in: try Ledger()) }

  #if PostgreSQL
  @Test func `R290: both sides of a transfer over PostgreSQL`() throws {
    let server = try ServerRun()
    try withExtendedLifetime(server) { try holds(in: Ledger(server.run, server.url)) }
  }
  #endif

  private func list(_ ledger: Ledger) throws -> [String] {
    let columns = "amount,account,currency,transfer,memo"
    return try ledger("list", "--section-by", "day", "--sort", "-date,id", "--columns", columns)
      .lines
      .dropFirst().map { String($0) }
  }

  private func holds(in ledger: Ledger) throws {
    try ledger.add("100", "account=bank", "currency=EUR")
    try ledger("transfer", "50", "from=bank", "to=cash", "date=2026-11-02", "memo=m")
    // A new account has the currency of the other one.
    let added = ["2026-11-02\t-50.00\tbank\tEUR\t1\tm", "2026-11-02\t50.00\tcash\tEUR\t1\tm"]
    let first = "2026-11-01\t100.00\tbank\tEUR\t\t"
    #expect(try list(ledger) == added + [first])
    try ledger("edit", "3", "amount=60.50", "date=2026-11-03", "memo=NULL")
    let changed = ["2026-11-03\t-60.50\tbank\tEUR\t1\t", "2026-11-03\t60.50\tcash\tEUR\t1\t"]
    #expect(try list(ledger) == changed + [first])
    #expect(try ledger("undo").status == 0)
    #expect(try list(ledger) == added + [first])
    #expect(try ledger("remove", "2", "3").output == "removed 2 transactions\n")
    try ledger("undo")
    #expect(try ledger("remove", "3").output == "removed 2 transactions\n")
    #expect(try list(ledger) == [first])
    try ledger("undo")
    #expect(try list(ledger) == added + [first])
    #expect(!(try ledger("doctor").output.contains("transfer ")))
    try ledger("edit", "3", "account=safe", "currency=USD")
    #expect(
      try ledger("doctor").lines.contains(
        "transfer   1: its sides sum to -50.00 EUR, 50.00 USD, not to zero"
      )
    )
  }

  @Test func `R290: a transfer that cannot be is refused, and nothing is added`() throws {
    let ledger = try Ledger()
    try ledger.add("1", "account=bank", "currency=EUR")
    try ledger.add("1", "account=dollars", "currency=USD")
    let refused: [([String], String)] = [
      (["50", "to=cash"], "one from=NAME"),
      (["50", "from=bank", "from=bank", "to=x"], "one from="),
      (["0", "from=bank", "to=cash"], "more than zero"),
      (["x", "from=bank", "to=cash"], "x"),
      (["50", "from=bank", "to=dollars"], "different values of currency"),
      (["50", "from=bank", "to=bank"], "both are “bank”"),
    ]
    for (words, message) in refused {
      let result = try ledger.run.run(
        "household-ledger",
        ["transfer"] + words + ["--store", ledger.store]
      )
      #expect(result.status != 0 && result.errors.contains(message), "\(result)")
    }
    #expect(try ledger("accounts").lines.count == 3)
    #expect(try ledger("list").lines.count == 3)
  }

  @Test func `R290: an import gives transfers numbers of their own`() throws {
    let ledger = try Ledger()
    try ledger("transfer", "1", "from=a", "to=b", "date=2026-11-01")
    try ledger("transfer", "3", "from=a", "to=b", "date=2026-11-03")
    try ledger("export", "one.csv")
    let other = Ledger(ledger.run, "other.sqlite")
    try other("transfer", "2", "from=c", "to=d", "date=2026-11-02")
    try other("import", "one.csv")
    #expect(try other("import", "one.csv").output == "imported 0 transactions, 4 known already\n")
    let numbers = try other("list", "--columns", "transfer,amount").lines.dropFirst()
    #expect(
      numbers.sorted() == [
        "2026-11-01\t3\t-1.00", "2026-11-01\t3\t1.00", "2026-11-02\t1\t-2.00",
        "2026-11-02\t1\t2.00", "2026-11-03\t2\t-3.00", "2026-11-03\t2\t3.00",
      ]
    )
    #expect(try other("remove", "3").output == "removed 2 transactions\n")
    #expect(!(try other("doctor").output.contains("transfer ")))
  }

  @Test func `R290: the full-screen list deletes and changes both sides`() throws {
    let ledger = try Ledger()
    try ledger("transfer", "50", "from=bank", "to=cash", "date=2026-11-02", "memo=m")
    let typed = "e\\t" + String(repeating: "\u{7F}", count: 6) + "-7\\t\\t\\tX\\r"
    try ledger("browse", "--print", "--size", "80x24", "--keys", typed)
    #expect(
      try list(ledger) == ["2026-11-02\t-7.00\tbank\t\t1\tmX", "2026-11-02\t7.00\tcash\t\t1\tmX"]
    )
    try ledger("browse", "--print", "--size", "80x12", "--keys", "d")
    #expect(try ledger("list").lines.count == 1)
    try ledger("undo")
    #expect(try list(ledger).count == 2)
  }
}
