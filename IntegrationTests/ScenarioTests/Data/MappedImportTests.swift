import Foundation
import ResultsStoreKit
import Testing

/// R282: files with columns and forms of their own, such as banks', are imported.
@Suite struct MappedImportTests {
  private let options = [
    "--encoding", "windows-1252", "--skip-lines", "2", "--dates", "DD.MM.YY", "--numbers",
    "1.234,56", "--map",
    "date=Buchungstag,payee=Beg\u{FC}nstigter,amount=Betrag,memo=Verwendungszweck",
  ]

  /// A program's folder with a bank's file in Windows-1252, with lines before its header.
  private func bank() throws -> ProgramRun {
    let run = try ProgramRun()
    let text = """
      Umsätze;;
      ;;
      "Konto";"Buchungstag";"Verwendungszweck";"Begünstigter";"Betrag";"Währung"
      "DE1";"24.11.26";"Einkauf; Filiale 3";"Rewe";"-1.023,40";"EUR"
      "DE1";"25.11.26";"Gehalt";"Acme";"1.950,00";"EUR"
      "DE1";"25.11.26";"";"Bäcker";"-3,20";"EUR"
      "DE1";"25.11.26";"";"Bäcker";"-3,20";"EUR"

      """.replacingOccurrences(of: "\n", with: "\r\n")
    try #require(text.data(using: .windowsCP1252))
      .write(to: URL(fileURLWithPath: run.path("umsaetze.csv")))
    return run
  }

  private func list(_ run: ProgramRun) throws -> String {
    try run.run(
      "household-ledger",
      [
        "list", "--section-by", "none", "--format", "csv", "--columns",
        "payee,category,amount,memo",
      ]
    ).output
  }

  @Test func `R282: a bank's file is imported, and again without adding anything`() throws {
    let run = try bank()
    try run.run(
      "household-ledger",
      "add",
      "date=2026-11-01",
      "amount=-5",
      "payee=Rewe",
      "category=food"
    )
    let first = try run.run("household-ledger", ["import", "umsaetze.csv"] + options)
    #expect(first.output == "imported 4 transactions, 0 known already\n", "\(first)")
    #expect(
      first.errors.contains(
        "the file has no category: 1 took that of the newest with the same payee, 3 are “unsorted”"
      ) && first.errors.contains("columns not imported: Konto, Währung"),
      "\(first)"
    )
    let listed = try list(run)
    #expect(listed.contains("Rewe,food,-1023.40,Einkauf; Filiale 3\n"), "\(listed)")
    #expect(listed.components(separatedBy: "Bäcker,unsorted,-3.20,").count == 3, "\(listed)")
    // Whatever becomes of the categories, the records are known.
    let ids = try run.run(
      "household-ledger",
      ["list", "--section-by", "none", "--format", "csv", "--columns", "id"]
    ).lines.dropFirst()
    for (number, id) in ids.enumerated() {
      try run.run("household-ledger", "edit", id, "category=c\(number)")
    }
    let before = try list(run)
    let second = try run.run("household-ledger", ["import", "umsaetze.csv"] + options)
    #expect(second.output == "imported 0 transactions, 4 known already\n", "\(second)")
    #expect(try list(run) == before)
  }

  @Test func `R282: a saved import is used again, with precedence for the command line`() throws {
    let run = try bank()
    let saved = try run.run(
      "household-ledger",
      ["import", "umsaetze.csv", "--dry-run", "--save", "sparkasse", "--set", "category=bank"]
        + options
    )
    #expect(saved.output == "would import 4 transactions, 0 known already\n", "\(saved)")
    try run.run("household-ledger", "import", "umsaetze.csv", "--with", "sparkasse")
    #expect(try list(run).components(separatedBy: ",bank,").count == 5)
    let other = try run.run(
      "household-ledger",
      "import",
      "umsaetze.csv",
      "--with=sparkasse",
      "--set",
      "category=other",
      "--dry-run"
    )
    #expect(other.output.hasPrefix("would import 4 transactions"), "\(other)")
  }

  @Test(
    arguments: [
      ([], 65, "the byte"), (["--encoding", "klingon"], 65, "“klingon” is not an encoding"),
      (["--encoding", "windows-1252"], 65, "column 2 has no name"),
      (
        ["--encoding", "windows-1252", "--skip-lines", "2"], 65,
        "there is no date column, and every Transaction needs one. Columns found: Konto, Buchungstag, Verwendungszweck, Begünstigter, Betrag, Währung. "
      ),
      (
        ["--encoding", "windows-1252", "--skip-lines", "2", "--map", "date=Datum"], 65,
        "there is no column “Datum” for date."
      ),
      (
        [
          "--encoding", "windows-1252", "--skip-lines", "2", "--map",
          "date=Buchungstag,payee=Konto,amount=Betrag",
        ],
        65, "umsaetze.csv:4:7: date: “24.11.26” is not a date"
      ),
      (["--dates", "TT.MM.JJJJ"], 64, "“TT.MM.JJJJ” is not a form of dates."),
      (["--numbers", "12"], 64, "“12” is not an example of a number."),
      (["--skip-lines", "-1"], 64, "--skip-lines is negative."),
      (["--map", "amont=Betrag"], 64, "“amont” is no attribute of Transaction. Did you mean"),
    ] as [([String], Int32, String)]
  )
  func `R282: what is wrong is named, and nothing is imported`(
    options: [String],
    status: Int32,
    message: String
  ) throws {
    let run = try bank()
    let result = try run.run("household-ledger", ["import", "umsaetze.csv"] + options)
    #expect(result.status == status && result.errors.contains(message), "\(result)")
    #expect(try run.run("household-ledger", ["list"]).output.split(separator: "\n").count <= 1)
  }

  @Test func `R282: keys of JSON lines are mapped, and a feed has no columns`() throws {
    let run = try ProgramRun()
    try run.run(
      "book-catalog",
      "import",
      "-",
      "--format",
      "jsonl",
      "--map",
      "title=t,publisher=p",
      "--set",
      "year=1999",
      input: "{\"t\":\"A\",\"p\":\"P\"}\n{\"p\":\"P\",\"title\":\"B\"}\n",
      expecting: 65
    )
    try run.run(
      "book-catalog",
      "import",
      "-",
      "--format",
      "jsonl",
      "--map",
      "title=t,publisher=p",
      "--set",
      "year=1999",
      input: "{\"t\":\"A\",\"p\":\"P\"}\n"
    )
    let books = try run.run("book-catalog", "list", "--columns", "publisher,title,year").output
    #expect(books.contains("P\tA\t1999\n"), "\(books)")
    let feed = try run.run(
      "news-feed",
      "import",
      "-",
      "--map",
      "title=t",
      input: "<rss version='2.0'><channel><title>f</title></channel></rss>",
      expecting: 64
    )
    #expect(feed.errors.contains("--map and --skip-lines are for files with columns"), "\(feed)")
  }
}
