import Foundation
import ResultsTesting
import Testing

/// The program that `R292` is compared with.
private enum Hledger {
  /// Its path, or `nil` where it is not installed.
  static let path = ["/usr/bin/hledger", "/usr/local/bin/hledger", "/opt/homebrew/bin/hledger"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }
  /// The journals that `script/hledger-check` was given.
  static let journals =
    ProcessInfo.processInfo.environment["RESULTS_HLEDGER_JOURNALS"]
    .map { $0.split(separator: "\n").map(String.init) } ?? []
}

/// R292: hledger finds the same balances in a journal and in the export of what was read of it; where hledger is installed.
///
/// `script/hledger-check` compares journals of one's own.
@Suite(.enabled(if: Hledger.path != nil)) struct HledgerTests {
  /// The balance of an account in a currency.
  private struct Balance: Hashable, CustomStringConvertible {
    let account: String
    let currency: String
    /// In hundredths.
    let amount: Int

    var description: String { "\(account) \(currency) \(amount)" }
  }

  @Test(arguments: 1...6)
  func `R292: balances of random journals survive an import and an export`(_ seed: UInt64) throws {
    let ledger = AccountTests.Ledger(try ProgramRun(), "l.sqlite")
    var generator = SeededGenerator(seed: seed)
    try ledger.run.write(Self.journal(using: &generator), to: "in.journal")
    try ledger("import", "in.journal")
    try compare(ledger.run.path("in.journal"), with: ledger)
  }

  @Test(arguments: Hledger.journals)
  func `R292: balances of a journal survive an import and an export`(_ file: String) throws {
    let ledger = AccountTests.Ledger(try ProgramRun(), "l.sqlite")
    try ledger("import", file)
    try compare(file, with: ledger)
  }

  private func compare(_ file: String, with ledger: AccountTests.Ledger) throws {
    try ledger("export", "out.journal")
    let before = try balances(of: file, ledger.run)
    let after = try balances(of: ledger.run.path("out.journal"), ledger.run)
    #expect(!before.isEmpty)
    #expect(before == after, "\(before.symmetricDifference(after).map(\.description).sorted())")
  }

  private func balances(of file: String, _ run: ProgramRun) throws -> Set<Balance> {
    let program = try run.start(
      try #require(Hledger.path),
      "-f",
      file,
      "balance",
      "--flat",
      "--no-total",
      "-O",
      "json"
    )
    let result = try program.finish()
    try #require(result.status == 0, "\(result)")
    let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [Any]
    var balances: Set<Balance> = []
    for row in json?.first as? [[Any]] ?? [] {
      let account = try #require(row.first as? String)
      for amount in try #require(row.last as? [[String: Any]]) {
        let quantity = try #require(amount["aquantity"] as? [String: Any])
        let mantissa = try #require(quantity["decimalMantissa"] as? Int)
        let decimals = try #require(quantity["decimalPlaces"] as? Int)
        try #require(decimals <= 2)
        balances.insert(
          Balance(
            account: account,
            currency: try #require(amount["acommodity"] as? String),
            amount: mantissa * [100, 10, 1][decimals]
          )
        )
      }
    }
    return balances
  }

  /// A journal of transactions of two to five postings, of which one may leave its amount out.
  private static func journal(using generator: inout SeededGenerator) -> String {
    let own = ["assets:bank", "assets:cash", "liabilities:card"]
    let all = own + ["expenses:food", "expenses:food:out", "income:salary", "equity:opening"]
    func text(_ amount: Int) -> String {
      let (whole, hundredths) = abs(amount).quotientAndRemainder(dividingBy: 100)
      return (amount < 0 ? "-" : "") + "\(whole).\(hundredths < 10 ? "0" : "")\(hundredths)"
    }
    var journal = "decimal-mark .\n"
    for number in 1...60 {
      let currency = generator.choice("EUR", "USD", "EUR", "$")
      let month = generator.number(in: 1...12)
      let day = generator.number(in: 1...28)
      journal += "2026-\(month)-\(day) payee \(number)\n"
      var sum = 0
      var account = own[generator.number(in: 0...2)]
      for _ in 1...generator.number(in: 1...4) {
        let amount = generator.number(in: -99_999...99_999)
        sum += amount
        journal += "    \(account)  \(text(amount)) \(currency)\n"
        account = all[generator.number(in: 0...all.count - 1)]
      }
      let isLeftOut = generator.happens(percent: 50)
      journal += "    \(account)" + (isLeftOut ? "\n" : "  \(text(-sum)) \(currency)\n")
    }
    return journal
  }
}
