import Foundation
import HouseholdLedger
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Testing

/// R289, R291: accounts of a ledger, and sums of their currencies, in a file and over PostgreSQL.
@Suite struct AccountTests {
  /// A ledger of its own, in a file or in a database.
  struct Ledger {
    let run: ProgramRun
    let store: String

    init() throws {
      run = try ProgramRun()
      store = "l.sqlite"
    }

    init(_ run: ProgramRun, _ store: String) { (self.run, self.store) = (run, store) }

    @discardableResult
    func callAsFunction(_ arguments: String..., expecting status: Int32 = 0) throws
      -> ProgramResult
    {
      let result = try run.run("household-ledger", arguments + ["--store", store])
      #expect(result.status == status, "\(result)")
      return result
    }

    /// Adds a transaction on the first of November.
    func add(_ amount: String, _ others: String...) throws {
      let values = ["date=2026-11-01", "amount=\(amount)", "payee=p", "category=c"] + others
      let result = try run.run("household-ledger", ["add"] + values + ["--store", store])
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test func `R289, R291: accounts and currencies in a file`() throws {
    try holds(in: try Ledger())
  }

  #if PostgreSQL
  @Test func `R289, R291: accounts and currencies over PostgreSQL`() throws {
    let server = try ServerRun()
    try withExtendedLifetime(server) { try holds(in: Ledger(server.run, server.url)) }
  }
  #endif

  private func holds(in ledger: Ledger) throws {
    try ledger.add("-5")
    try ledger.add("-7.25", "account=bank", "currency=EUR")
    try ledger.add("-8", "account=bank", "currency=USD")
    // A name alone is that of the first account.
    try ledger.add("-9", "account=bank")
    #expect(
      try ledger("accounts").lines == [
        "id\tname\tkind\tbalance\tcurrency", "1\tbank\t\t-16.25\tEUR", "2\tbank\t\t-8.00\tUSD",
      ]
    )
    let totals = try ledger("totals", "--by", "category").lines
    #expect(
      totals == [
        "category\tcurrency\tsum\tcount", "c\t\t-5.00\t1", "balance\t\t-5.00\t",
        "c\tEUR\t-16.25\t2", "balance\tEUR\t-16.25\t", "c\tUSD\t-8.00\t1",
        "balance\tUSD\t-8.00\t",
      ],
      "\(totals)"
    )
    let screen = try ledger("browse", "--print", "--size", "80x8").output
    #expect(screen.contains(" sum -5.00, EUR -16.25, USD -8.00  4"), "\(screen)")
    let sections = ["list", "--section-by", "currency", "--columns", "amount,account"]
    let listed = try ledger.run.run("household-ledger", sections + ["--store", ledger.store])
    #expect(
      Set(listed.lines) == [
        "section\tamount\taccount", "\t-5.00\t", "EUR\t-9.00\tbank", "EUR\t-7.25\tbank",
        "USD\t-8.00\tbank",
      ]
    )
    // One currency is shown as it was when there were none.
    try ledger("edit", "1", "account=bank", "currency=EUR")
    try ledger("remove", "3")
    #expect(try ledger("totals", "--by", "payee").lines.last == "balance\t-21.25\t")
    let one = try ledger("browse", "--print", "--size", "80x8").output
    #expect(one.contains("─ -21.25  3"), "\(one)")
    try ledger("edit", "1", "currency=GBP")
    #expect(try ledger("show", "1").lines.contains("account   bank"))
    try ledger("edit", "1", "account=NULL", "currency=NULL")
    #expect(try ledger("show", "1").lines.contains("account"))
  }

  @Test(arguments: ["csv", "tsv", "jsonl"])
  func `R289: an export brings accounts and currencies back`(_ form: String) throws {
    let ledger = try Ledger()
    try ledger.add("-5")
    try ledger.add("-7", "account=bank", "currency=EUR")
    try ledger.add("-8", "account=bank", "currency=USD")
    try ledger.add("-9", "currency=USD")
    try ledger.add("-2", "account=bänk")
    try ledger("export", "out.\(form)")
    let back = Ledger(ledger.run, "back.sqlite")
    try back("import", "out.\(form)")
    #expect(try back("totals").lines == ledger("totals").lines)
    try back("export", "back.\(form)")
    #expect(try ledger.run.read("out.\(form)") == ledger.run.read("back.\(form)"))
    #expect(
      try back("import", "back.\(form)").output == "imported 0 transactions, 5 known already\n"
    )
  }

  @Test func `R289: a bank's file without currencies goes into the account, and not twice`() throws
  {
    let ledger = try Ledger()
    try ledger.add("-7", "account=bank", "currency=EUR")
    try ledger.run.write("date,amount,payee,category\n2026-11-02,-1,q,c\n", to: "bank.csv")
    let first = try ledger("import", "bank.csv", "--set", "account=bank")
    #expect(first.output == "imported 1 transaction, 0 known already\n")
    let again = try ledger("import", "bank.csv", "--set", "account=bank")
    #expect(again.output == "imported 0 transactions, 1 known already\n")
    #expect(try ledger("accounts").lines.last == "1\tbank\t\t-8.00\tEUR")
  }

  @Test func `R289: an account is renamed, has a kind, and leaves its transactions when removed`()
    throws
  {
    let ledger = try Ledger()
    try ledger.add("-7", "account=visa")
    try ledger("accounts", "edit", "1", "name=card", "kind=liability")
    #expect(try ledger("accounts").lines.last == "1\tcard\tliability\t-7.00\t")
    let refused = try ledger("accounts", "edit", "1", "kind=house", expecting: 65)
    #expect(refused.errors.contains("liability"), "\(refused)")
    try ledger("accounts", "remove", "1")
    #expect(try ledger("totals").lines.last == "balance\t-7.00\t")
  }

  @Test func `R289: a ledger that was made without accounts opens and lists as before`() throws {
    let ledger = try Ledger()
    let old = try EntityDescription(
      name: "Transaction",
      attributes: Transaction.entity.attributes.filter {
        !["accountID", "transfer"].contains($0.name)
      }
    )
    let store = try SQLiteStore(at: ledger.run.path("l.sqlite"), entities: [old])
    _ = try store.commit(origin: .unnamed) { transaction in
      let values = old.attributes.map { attribute -> Value in
        switch attribute.name {
        case "date": .integer(0)
        case "amount": .integer(-1250)
        default: attribute.isOptional ? .null : .text("x")
        }
      }
      try transaction.insert(values, key: nil, into: old)
    }
    try store.close()
    #expect(
      try ledger("list").lines == [
        "section\tpayee\tcategory\tamount\tmemo", "1970-01-01\tx\tx\t-12.50\t",
      ]
    )
    #expect(try ledger("totals").lines.last == "balance\t-12.50\t")
    try ledger.add("-1", "account=bank")
    #expect(try ledger("totals").lines.last == "balance\t-13.50\t")
  }

  @Test func `R291: beyond three currencies, the others are counted`() throws {
    let ledger = try Ledger()
    for code in ["A", "B", "C", "D", "sum"] { try ledger.add("-1", "currency=\(code)") }
    let screen = try ledger("browse", "--print", "--size", "90x8").output
    #expect(screen.contains(" A -1.00, B -1.00, C -1.00, 2 in other currencies  5"), "\(screen)")
    let listed = try ledger("list", "--format", "table", "--group-by", "month").output
    #expect(listed.contains("A -1.00, B -1.00, C -1.00, 2 in other currencies"), "\(listed)")
  }
}
