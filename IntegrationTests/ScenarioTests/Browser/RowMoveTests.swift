import ResultsStoreKit
import Foundation
import Testing

/// R250: the transactions of one date are moved with keys, and the order survives files and undo.
@Suite("Rows that users move", .timeLimit(.minutes(2)))
struct RowMoveTests {
  private func ledger() throws -> ProgramRun {
    let run = try ProgramRun()
    let file = """
      date,amount,payee,category
      2026-02-09,1,ann,a
      2026-02-09,2,bob,b
      2026-02-09,3,cyd,a
      2026-02-10,4,dan,a

      """
    try run.run("household-ledger", "import", "-", "--store", "store.sqlite", input: file)
    return run
  }

  private func screen(_ run: ProgramRun, keys: String, _ options: String...) throws -> [String] {
    let result = try run.run(
      "household-ledger",
      ["browse", "--print", "--store", "store.sqlite", "--keys", keys] + options
    )
    #expect(result.status == 0, "\(result)")
    return result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func payees(_ run: ProgramRun, _ store: String = "store.sqlite") throws -> String {
    let columns = ["--columns", "payee", "--section-by", "none", "--format", "tsv"]
    let result = try run.run("household-ledger", ["list", "--store", store] + columns)
    #expect(result.status == 0, "\(result)")
    return result.output.split(separator: "\n").dropFirst().joined(separator: " ")
  }

  private func cursor(_ lines: [String]) -> String {
    lines.first { $0.hasPrefix(">") }.map { String($0.dropFirst(3).prefix(3)) } ?? ""
  }

  @Test func `R250: a key moves the row, the cursor follows it, and u takes it back`() throws {
    let run = try ledger()
    #expect(try payees(run) == "dan ann bob cyd")
    let down = try screen(run, keys: ":#2\\r>")
    #expect(cursor(down) == "ann")
    #expect(down.contains { $0.contains("moved down") }, "\(down)")
    #expect(try payees(run) == "dan bob ann cyd")
    #expect(cursor(try screen(run, keys: ":#4\\r<<")) == "cyd")
    #expect(try payees(run) == "dan cyd bob ann")
    _ = try screen(run, keys: ":#4\\r<u")
    #expect(try payees(run) == "dan cyd bob ann")
  }

  @Test func `R250: a row stays in its group, and a filtered list counts the rows that it shows`()
    throws
  {
    let run = try ledger()
    let up = try screen(run, keys: ":#2\\r<")
    #expect(up.contains { $0.contains("it is the first row with its date") }, "\(up)")
    #expect(try payees(run) == "dan ann bob cyd")
    // Of the category a, ann and cyd are shown; bob between them is passed as well.
    #expect(cursor(try screen(run, keys: ":#2\\r>", "--where", "category == 'a'")) == "ann")
    #expect(try payees(run) == "dan bob cyd ann")
  }

  @Test func `R250: in another order nothing is moved`() throws {
    let run = try ledger()
    let sorted = try screen(run, keys: ">", "--sort", "amount", "--section-by", "none")
    #expect(!sorted.contains { $0.contains("moved") }, "\(sorted)")
    #expect(try payees(run) == "dan ann bob cyd")
  }

  @Test func `R250: a file keeps the order, and a file without ranks adds nothing`() throws {
    let run = try ledger()
    try run.run("household-ledger", "export", "plain.csv", "--store", "store.sqlite")
    _ = try screen(run, keys: ":#2\\r>>")
    #expect(try payees(run) == "dan bob cyd ann")
    let again = try run.run(
      "household-ledger",
      "import",
      "plain.csv",
      "--store",
      "store.sqlite"
    )
    #expect(again.output == "imported 0 transactions, 4 known already\n", "\(again)")
    try run.run("household-ledger", "export", "ranked.csv", "--store", "store.sqlite")
    try run.run("household-ledger", "import", "ranked.csv", "--store", "other.sqlite")
    #expect(try payees(run, "other.sqlite") == "dan bob cyd ann")
    try run.run("household-ledger", "export", "copy.csv", "--store", "other.sqlite")
    #expect(try run.read("copy.csv") == run.read("ranked.csv"))
  }
}
