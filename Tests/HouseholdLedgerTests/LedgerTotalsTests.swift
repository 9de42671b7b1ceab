import Foundation
import FoundationAttributes
import HouseholdLedger
import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@Suite struct LedgerTotalsTests {
  @Test func `totals are exactly the sums of the transactions`() throws {
    let store = try InMemoryStore(entities: HouseholdLedger.entities)
    let days = CalendarGrouping(.day, calendar: try calendar("America/St_Johns"), locale: nil)
    let months = CalendarGrouping(.month, calendar: try calendar("America/St_Johns"), locale: nil)
    var generator = SeededGenerator(seed: 5)
    var all: [Transaction] = []
    for _ in 0..<500 {
      let second = Int64(generator.number(in: 1_160_000_000...1_165_000_000))
      all.append(
        Transaction(
          date: Instant(microseconds: second * 1_000_000),
          amount: ExactDecimal(units: Int64(generator.number(in: -99_999...99_999)), scale: 2),
          payee: "p",
          category: generator.choice("食費", "か\u{3099}", "が", "")
        )
      )
    }
    try store.write { transaction in for one in all { try transaction.insert(one) } }
    for grouping in [days, months] as [any SectionGrouping] {
      let totals = try self.totals(by: .date(grouping), in: store)
      var sums: [Value: Int64] = [:]
      for one in all {
        sums[grouping.group(of: one.date.attributeValue).id, default: 0] += one.amount.units
      }
      #expect(totals.lines.count == sums.count, "seed \(generator.seed)")
      for line in totals.lines {
        #expect(line.sum.units == sums[.text(line.title)], "seed \(generator.seed)")
      }
      #expect(totals.lines.map(\.title) == totals.lines.map(\.title).sorted(by: >))
    }
    let totals = try self.totals(by: .category, in: store)
    // Two categories that look the same but differ in bytes are two groups (R06).
    #expect(totals.lines.count == 4)
    #expect(totals.lines.map(\.count).reduce(0, +) == 500)
    #expect(totals.balance.units == all.map(\.amount.units).reduce(0, +))
    #expect(totals.balance.description.contains("."))
  }

  @Test func `a sum beyond 64 bits is an error`() throws {
    let store = try InMemoryStore(entities: HouseholdLedger.entities)
    let large = try movement("2026-11-03T00:00:00Z", .max)
    try store.write { transaction in
      for _ in 0..<2 { try transaction.insert(large) }
    }
    #expect(throws: LedgerOverflow.self) { try totals(by: .category, in: store) }
  }

  @Test func `R291: sums are those of one currency, whatever the accounts are called`() throws {
    let store = try InMemoryStore(entities: HouseholdLedger.entities)
    var generator = SeededGenerator(seed: 7)
    let codes: [String?] = [nil, "EUR", "USD", "e\u{301}", "\u{E9}", "sum"]
    var sums: [Value: Int64] = [:]
    try store.write { transaction in
      var accounts: [(code: String?, key: Int64?)] = [(nil, nil)]
      for number in 0..<12 {
        let code = codes[generator.number(in: 0...codes.count - 1)]
        let id = try transaction.insert(Account(name: "a\(number % 3)", currency: code))
        accounts.append((code, id.key.parts[0].integer))
      }
      for _ in 0..<300 {
        let units = Int64(generator.number(in: -9999...9999))
        let account = accounts[generator.number(in: 0...accounts.count - 1)]
        var one = try movement("2026-11-03T00:00:00Z", units)
        one.accountID = account.key
        try transaction.insert(one)
        sums[account.code.map { .text($0) } ?? .null, default: 0] += units
      }
    }
    let totals = try store.read { (snapshot) throws(StoreError) in
      Result { try LedgerTotals.ofEachCurrency(by: .payee, in: snapshot) }
    }.get()
    let found = totals.map { ($0.currency.map { Value.text($0) } ?? .null, $0.balance.units) }
    #expect(Dictionary(found) { _, last in last } == sums, "\(found) \(sums)")
    #expect(found.count == sums.count)
    #expect(totals.first?.currency == nil)
  }

  @Test func `amounts have two decimal places, and a third is refused`() throws {
    let store = try InMemoryStore(entities: HouseholdLedger.entities)
    var one = try movement("2026-11-03T00:00:00Z", 0)
    one.amount = ExactDecimal(units: -1_290_500, scale: 3)
    let ledger = HouseholdLedger(store)
    try ledger.add(one)
    let stored = try store.fetch(HouseholdLedger.request(Transaction.self))
    #expect(stored.map(\.amount.description) == ["-1290.50"])
    one.amount = ExactDecimal(units: 1, scale: 3)
    #expect(throws: StoreError.self) { try ledger.add(one) }
  }

  private func totals(
    by grouping: LedgerTotals.Grouping,
    in store: any Store
  ) throws -> LedgerTotals {
    try store.read { (snapshot) throws(StoreError) in
      Result { try LedgerTotals(by: grouping, in: snapshot) }
    }.get()
  }
}
