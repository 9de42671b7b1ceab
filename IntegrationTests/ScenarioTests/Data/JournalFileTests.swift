import Foundation
import ResultsStoreKit
import Testing

/// R292: a ledger reads journals of hledger and writes them, in a file and over PostgreSQL.
@Suite struct JournalFileTests {
  private typealias Ledger = AccountTests.Ledger

  private let journal = """
    commodity 1.000,00 EUR
    2026-11-01 * Acme | salary  ; November
        assets:bank       1.950,00 EUR = 1.950,00 EUR
        income:salary
    2026/11/2 Rewe
        expenses:food   23,40 EUR
        expenses:home   10 EUR
        assets:bank
    2026-11-03 withdraw
        assets:bank  -100 EUR
        assets:cash  60 EUR
        expenses:fees  5 EUR
        liabilities:card  35 EUR
    2026-11-04 dollars
        assets:bank  $5
        equity

    """

  @Test func `R292: a journal comes into a file and back`() throws { try holds(in: try Ledger()) }

  #if PostgreSQL
  @Test func `R292: a journal comes into PostgreSQL and back`() throws {
    let server = try ServerRun()
    try withExtendedLifetime(server) { try holds(in: Ledger(server.run, server.url)) }
  }
  #endif

  private func holds(in ledger: Ledger) throws {
    try ledger.run.write(journal, to: "main.journal")
    #expect(
      try ledger("import", "main.journal").output == "imported 8 transactions, 0 known already\n"
    )
    let accounts = ["accounts", "--columns", "name,currency,balance", "--sort", "name,currency"]
    let balances = [
      "name\tcurrency\tbalance", "assets:bank\t$\t5.00", "assets:bank\tEUR\t1816.60",
      "assets:cash\tEUR\t60.00", "liabilities:card\tEUR\t35.00",
    ]
    func listed(_ ledger: Ledger) throws -> [String] {
      try ledger.run.run("household-ledger", accounts + ["--store", ledger.store]).lines
        .map { String($0) }
    }
    #expect(try listed(ledger) == balances)
    #expect(!(try ledger("doctor").output.contains("transfer ")))
    #expect(
      try ledger("import", "main.journal").output == "imported 0 transactions, 8 known already\n"
    )
    try ledger("export", "out.journal")
    let back = Ledger(ledger.run, "back.sqlite")
    #expect(try back("import", "out.journal").output.hasPrefix("imported 8 transactions, 0 known"))
    #expect(try listed(back) == balances)
    let categories = ["totals", "--by", "category", "--format", "csv"]
    #expect(
      try back.run.run("household-ledger", categories + ["--store", back.store]).output
        == ledger.run.run("household-ledger", categories + ["--store", ledger.store]).output
    )
  }

  @Test func `R292: what hledger prints as CSV is read`() throws {
    let ledger = try Ledger()
    try ledger.run.write(
      """
      "txnidx","date","date2","status","code","description","comment","account","amount","commodity"
      "1","2026-11-01","","*","","Acme","m","assets:bank","1950,00","EUR"
      "1","2026-11-01","","*","","Acme","m","income:salary","-1950,00","EUR"
      "2","2026-11-02","","","","Rewe","","assets:bank","-5","EUR"
      "2","2026-11-02","","","","Rewe","","expenses:food","5","EUR"

      """,
      to: "print.csv"
    )
    #expect(
      try ledger("import", "print.csv").output == "imported 2 transactions, 0 known already\n"
    )
    #expect(try ledger("accounts").lines.last == "1\tassets:bank\t\t1945.00\tEUR")
  }

  @Test func `R292: a bad transaction is named with its line, or left out`() throws {
    let ledger = try Ledger()
    try ledger.run.write(
      journal + "include other\n2026-11-05 x\n  assets:bank  1 @ 2 USD\n  y\n",
      to: "bad.journal"
    )
    let refused = try ledger("import", "bad.journal", expecting: 65)
    #expect(refused.errors.contains("bad.journal:17:1: another file is not read"), "\(refused)")
    // No remedy leaves no gap.
    try ledger.run.write("2026-11-05 x\n  assets:bank  1 EURO\n  y\n", to: "no.journal")
    let message = "no.journal:2:1: “EURO” is no currency. Nothing was imported."
    #expect(try ledger("import", "no.journal", expecting: 65).errors.contains(message))
    let skipped = try ledger("import", "bad.journal", "--skip-bad", expecting: 1)
    #expect(skipped.output == "imported 8 transactions, 0 known already, 2 skipped\n")
    #expect(skipped.errors.contains("bad.journal:19:1: prices are not converted"), "\(skipped)")
  }

  @Test(arguments: ["", "2026-11-05 x\n  assets:bank  1\n  y  2\n"])
  func `R292: a journal is of a ledger only, also one whose beginning is wrong`(
    _ beginning: String
  ) throws {
    let ledger = try Ledger()
    try ledger.run.write(beginning + journal, to: "main.journal")
    func books(_ arguments: String...) throws -> ProgramResult {
      try ledger.run.run("book-catalog", arguments + ["--store", "b.sqlite"])
    }
    let taken = try books("import", "main.journal")
    #expect(taken.status == 65 && taken.errors.contains("does not import journals"), "\(taken)")
    #expect(try books("demo").status == 0)
    let written = try books("export", "x.journal")
    #expect(written.status == 64 && written.errors.contains("has no transactions"), "\(written)")
  }
}
