import ResultsDomain
import ResultsTesting
import Testing

@testable import FileFormats

/// R292: journals of hledger as rows of a ledger, and back.
@Suite struct LedgerJournalTests {
  /// The records of a journal, and its errors.
  private func read(_ text: String) -> (records: [Record], errors: [RecordError]) {
    JournalReader(bytes: Array(text.utf8), source: "j").all()
  }

  private func text(_ record: Record, _ name: String) -> String {
    record.fields.first { $0.name == name }?.value.text ?? ""
  }

  /// The balances of accounts and categories, by name and currency.
  private func balances(_ records: [Record]) -> [[String]: Int64] {
    var sums: [[String]: Int64] = [:]
    for record in records {
      let units = ExactDecimal(text(record, "amount"))?.units ?? 0
      let (currency, category) = (text(record, "currency"), text(record, "category"))
      sums[[text(record, "account"), currency], default: 0] += units
      guard !category.isEmpty else { continue }
      sums[[JournalTransaction.account(ofCategory: category), currency], default: 0] -= units
    }
    return sums.filter { $0.value != 0 }
  }

  @Test
  func
    `R292: a transaction with more postings than anybody writes is refused, and the next is read`()
  {
    let many = (0..<1001).map { "  assets:a\($0)  1\n" }.joined()
    let (records, errors) = read(
      "2026-01-01 many\n\(many)\n2026-01-02 one\n  assets:a  1\n  income:b\n"
    )
    #expect(errors.map(\.line) == [1] && errors[0].message.contains("1000 postings"), "\(errors)")
    #expect(records.map { text($0, "payee") } == ["one"])
    let head =
      "\"txnidx\",\"date\",\"date2\",\"status\",\"code\",\"description\",\"comment\",\"account\",\"amount\",\"commodity\"\n"
    let lines = (0..<1001).map { "1,2026-01-01,,,,many,,assets:a\($0),1,\n" }.joined()
    let rest = "2,2026-01-02,,,,one,,assets:a,1,\n2,2026-01-02,,,,one,,income:b,-1,\n"
    let csv = JournalCSVReader(bytes: Array((head + lines + rest).utf8), source: "j").all()
    #expect(csv.errors.count == 1 && csv.records.map { text($0, "payee") } == ["one"], "\(csv)")
  }

  /// Writes records as an export does.
  private func written(_ records: [Record]) -> String {
    let columns = JournalWriter.columns.split(separator: ",").map(String.init)
    var writer = JournalWriter()
    var output = writer.begin(columns: columns)
    for record in records {
      output += writer.write(
        columns.map { name in
          let value = text(record, name)
          return value.isEmpty ? .null : .text(value)
        }
      )
    }
    return output + writer.end()
  }

  @Test func `R292: balances of random journals come in, and go out again, to the cent`() throws {
    var generator = SeededGenerator(seed: 292)
    let accounts = [
      "assets:bank", "assets:cash", "Assets", "liabilities:card", "debts:joe", "expenses:food",
      "expenses:food:out", "income", "income:salary", "equity:opening", "expenses", "a b",
    ]
    let currencies = ["", "EUR", "USD", "€"]
    for _ in 0..<40 {
      var model: [[String]: Int64] = [:]
      var journal = "decimal-mark .\n"
      for _ in 0..<40 {
        var lines: [String] = []
        for currency in currencies where currency == "EUR" || generator.happens(percent: 15) {
          var total: Int64 = 0
          // One of the postings is on an account of assets or liabilities.
          var names = [accounts[generator.number(in: 0...4)]]
          for _ in 0..<generator.number(in: 1...4) { names.append(generator.pick(accounts)) }
          for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            let units = isLast ? -total : Int64(generator.number(in: -500_000...500_000))
            total += units
            model[[name, currency], default: 0] += units
            let amount = "\(ExactDecimal(units: units, scale: 2))"
            let isLeftOut = isLast && currency == "EUR"
            let isOnly = isLeftOut && lines.count == index && !generator.happens(percent: 50)
            lines.append("  \(name)  " + (isOnly ? "" : "\(amount) \(currency)"))
            if isOnly { break }
          }
          if lines.last?.hasSuffix("  ") == true { break }
        }
        journal +=
          "2026-01-\(generator.number(in: 10...28)) p\n" + lines.joined(separator: "\n") + "\n"
      }
      model = model.filter { $0.value != 0 }
      let (records, errors) = read(journal)
      #expect(errors == [], "\(journal)")
      #expect(balances(records) == model, "\(journal)")
      let (again, others) = read(written(records))
      #expect(others == [], "\(written(records))")
      #expect(balances(again) == model, "\(written(records))")
      // The sides of each transfer sum to zero.
      var sides: [String: Int64] = [:]
      for record in records where text(record, "category").isEmpty {
        let units = ExactDecimal(text(record, "amount"))?.units ?? 0
        sides[text(record, "transfer") + text(record, "currency"), default: 0] += units
      }
      #expect(sides.values.allSatisfy { $0 == 0 })
    }
  }

  @Test(
    arguments: [
      ("5", 500, ""), ("-5.1", -510, ""), ("€5", 500, "€"), ("-€5", -500, "€"), ("€-5", -500, "€"),
      ("€ -5", -500, "€"), ("5 EUR", 500, "EUR"), ("5EUR", 500, "EUR"), ("+5 \"EUR\"", 500, "EUR"),
      ("1,234.50 EUR", 123_450, "EUR"), ("1.234,50 EUR", 123_450, "EUR"), ("1,5", 150, ""),
      ("1,234,567", 123_456_700, ""), ("0,100", 10, ""), ("5.1000", 510, ""), (".5", 50, ""),
      ("5.", 500, ""), ("5 EUR = 7 EUR", 500, "EUR"), ("92233720368547758.07", .max, ""),
    ] as [(String, Int64, String)]
  )
  func `R292: amounts are understood`(amount: String, units: Int64, currency: String) {
    let (records, errors) = read("2026-11-01 p\n  assets:a  \(amount) ; c\n  b\n")
    #expect(errors == [])
    #expect(records.map { text($0, "amount") } == ["\(ExactDecimal(units: units, scale: 2))"])
    #expect(records.map { text($0, "currency") } == [currency])
  }

  @Test(arguments: [
    "5 @ 3 USD", "5 {3 USD}", "= 5", "5 AAPL", "5 hours", "1,000", "1.000", "1.2.3,4", "5,6,7", "x",
    "5 6", "5.123", "\"EUR 5", "92233720368547758.08", "--5", "EUR 5 EUR", "1,23,456.00",
  ])
  func `R292: other amounts are refused with their line`(_ amount: String) {
    let (records, errors) = read(
      "\n2026-11-01 p\n  assets:a  \(amount)\n  b\n\n2026-11-02 q\n assets:a  1\n b\n"
    )
    #expect(errors.map(\.line) == [3], "\(errors)")
    // What follows is read.
    #expect(records.map { text($0, "payee") } == ["q"])
  }

  @Test(
    arguments: [
      ("2026-11-01", "2026-11-01"), ("2026/11/1", "2026-11-01"), ("2026.1.31", "2026-01-31"),
      ("11/2", "2027-11-02"), ("2026-11-01=2026-11-05", "2026-11-01"), ("2026-02-30", nil),
      ("2026-11", nil), ("20261101", nil), ("2026-11-01x", nil), ("0-1-1", nil),
    ] as [(String, String?)]
  )
  func `R292: dates are understood in the forms of hledger`(date: String, expected: String?) {
    let (records, errors) = read("Y 2027\n\(date) ! (c) p ; memo\n  assets:a  1\n  b\n")
    #expect(records.map { text($0, "date") } == (expected.map { [$0] } ?? []))
    #expect(errors.map(\.line) == (expected == nil ? [2] : []))
    guard expected != nil else { return }
    #expect(records.map { text($0, "payee") + text($0, "memo") } == ["pmemo"])
  }

  @Test func `R292: a directive says how numbers are written`() {
    let marks = [
      "decimal-mark ,\n", "commodity 1.000,00 EUR\n", "commodity EUR\n  format 1.000,00 EUR\n",
      "D 1.000,00 EUR\n",
    ]
    for mark in marks {
      let (records, errors) = read(mark + "2026-11-01 p\n  assets:a  1.000 EUR\n  b\n")
      #expect(errors == [] && records.map { text($0, "amount") } == ["1000.00"], "\(mark)")
    }
    let (records, _) = read("D 1.000,00 EUR\n2026-11-01 p\n  assets:a  1.000\n  b\n")
    #expect(records.map { text($0, "currency") + text($0, "amount") } == ["EUR1000.00"])
  }

  @Test(arguments: [
    ("include x.journal\n", 1), ("~ monthly\n  a  1\n  b\n", 1), ("= food\n  (a)  *1\n", 1),
    ("2026-11-01 p\n  assets:a  5\n  b  -4\n", 1), ("2026-11-01 p\n  a\n  b\n", 1),
    ("2026-11-01 p\n", 1), ("  assets:a  5\n", 1), ("hello\n", 1),
    ("2026-11-01 p\n  food  5\n  income\n", 1), ("2026-11-01 p\n  (assets:a)  5\n", 2),
    ("2026-11-01 p\n  assets:a  5 EUR\n  b  -5 USD\n", 1), ("decimal-mark x\n", 1), ("Y x\n", 1),
  ])
  func `R292: what cannot be read exactly is refused`(journal: String, line: Int) {
    let (records, errors) = read("; first\n" + journal + "2026-11-02 q\n  assets:a  1\n  b\n")
    #expect(errors.map(\.line) == [line + 1], "\(errors)")
    #expect(records.map { text($0, "payee") } == ["q"])
    // Names that would change end the file.
    #expect(read("alias a=b\n2026-11-02 q\n  assets:a  1\n  b\n").records.isEmpty)
  }

  @Test func `R292: names and texts that are no syntax come back`() {
    let fields: [[(String, String)]] = [
      [("payee", "* x"), ("memo", "a ; b"), ("account", "my bank"), ("category", "food")],
      [("payee", "(x"), ("memo", ""), ("account", "assets:b"), ("category", "income:")],
      [("payee", ""), ("memo", "m"), ("account", "liabilities:c"), ("category", "a:b")],
    ]
    let records = fields.map { pairs in
      Record(
        line: 1,
        fields: (pairs + [("date", "2026-11-01"), ("amount", "-1.50"), ("currency", "EUR")]).map {
          RecordField(name: $0.0, value: .text($0.1), column: 1)
        }
      )
    }
    let (again, errors) = read(written(records))
    #expect(errors == [], "\(written(records))")
    for (pairs, record) in zip(fields, again) {
      for (name, value) in pairs {
        #expect(text(record, name) == (value == "my bank" ? "assets:my bank" : value))
      }
    }
    // A side alone does not change its account.
    let half = Record(
      line: 1,
      fields: [("date", "2026-11-01"), ("amount", "5.00"), ("account", "a"), ("transfer", "1")]
        .map { RecordField(name: $0.0, value: .text($0.1), column: 1) }
    )
    #expect(
      balances(read(written([half])).records) == [
        ["assets:a", ""]: 500, ["equity:transfers", ""]: -500,
      ]
    )
  }

  @Test func `R292: no input stops the program, and every error has a line`() {
    var generator = SeededGenerator(seed: 17)
    let parts = [
      "2026-11-01", " ", "  ", "\t", "\n", "\r\n", "assets:a", "b", "-", "5", ".", ",", "EUR", "€",
      "\"", ";", "=", "@", "{", "(", ")", "[", "*", "!", "~", "D ", "Y ", "commodity ", "format ",
      "comment\n", "decimal-mark ", "é", "\u{301}", "\u{FEFF}", "9223372036854775807", "\0", "|",
      "\"txnidx\",\"date\",\"date2\",\"status\"", "include",
    ]
    for _ in 0..<3000 {
      var bytes: [UInt8] = []
      for _ in 0..<generator.number(in: 0...40) {
        if generator.happens(percent: 3) {
          bytes.append(UInt8(generator.number(in: 0...255)))
        } else {
          bytes += Array(generator.pick(parts).utf8)
        }
      }
      let (records, errors) = JournalReader(bytes: bytes, source: "j").all()
      #expect(errors.allSatisfy { $0.line != nil }, "seed \(generator.seed): \(bytes)")
      _ = read(written(records))
      _ = JournalCSVReader(bytes: bytes, source: "j").all()
    }
  }
}
