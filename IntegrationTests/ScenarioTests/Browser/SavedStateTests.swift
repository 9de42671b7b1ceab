import ResultsStoreKit
import Foundation
import Testing

/// R142: what `browse` remembers of a store.
@Suite(
  "What the full-screen list remembers",
  .serialized,
  .enabled(if: TerminalRun.exists),
  .timeLimit(.minutes(4))
)
struct SavedStateTests {
  private static let browse = "book-catalog browse --store books.sqlite"

  /// A terminal beside a catalog of 12 books by three publishers.
  private func terminal() throws -> TerminalRun {
    let terminal = try TerminalRun()
    let books = ["A", "B", "C"].flatMap { publisher in
      (1...4).map { "\(publisher),\(publisher.lowercased())\($0),\(2000 + $0)" }
    }
    try terminal.run.write(
      "publisher,title,year\n" + books.joined(separator: "\n"),
      to: "books.csv"
    )
    try terminal.run.run("book-catalog", "import", "books.csv", "--store", "books.sqlite")
    return terminal
  }

  /// Leaves the program, and clears the screen: what is shown afterwards is new.
  private func leave(_ terminal: TerminalRun, inLines: Bool = false) throws {
    if inLines { try terminal.enter("q") } else { try terminal.type("q") }
    // The shell reads the line when the program has ended; its echo is not yet what it prints.
    let mark = Int.random(in: 100_000..<1_000_000)
    try terminal.wait("the shell") { screen in
      !screen.contains("● live")
        && screen.split(separator: "\n").last?.hasPrefix("READY") == true
    }
    try terminal.enter("clear; echo $((\(mark) + 1))")
    try terminal.wait("the shell") { $0.contains("\(mark + 1)") }
  }

  private func files(_ terminal: TerminalRun) -> [String] {
    let folder = terminal.run.path(".local/state/book-catalog")
    return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  @Test func `R142: folds, order, sections and the cursor come back, unless they are not wanted`()
    throws
  {
    let terminal = try terminal()
    try terminal.enter(Self.browse)
    try terminal.wait("the list") { $0.contains("12 books in 3") && $0.contains("a1") }
    try terminal.type("za")
    try terminal.wait("the fold") { $0.contains("▸> A") || $0.contains("▸>A") }
    try terminal.type("7j")
    try terminal.wait("the cursor") { $0.contains(">  c1") }
    try leave(terminal)
    #expect(files(terminal).count == 1)
    try terminal.enter(Self.browse)
    try terminal.wait("the cursor again") {
      $0.contains(">  c1") && $0.contains("▸ ") && !$0.contains("a1")
    }
    // Another order and other sections, with a fold of theirs.
    try terminal.type("S")
    try terminal.wait("the sections") { $0.contains("Sections by:") }
    try terminal.type("decade")
    try terminal.press("Enter")
    try terminal.wait("the decades") { $0.contains("12 books in 1") }
    try leave(terminal)
    try terminal.enter(Self.browse)
    try terminal.wait("the decades again") { $0.contains("12 books in 1") && $0.contains(">  c1") }
    try leave(terminal)
    try terminal.enter(Self.browse + " --no-state")
    try terminal.wait("the usual list") { $0.contains("12 books in 3") && $0.contains(">  a1") }
    try leave(terminal)
    // A list with a condition is another one.
    try terminal.enter(Self.browse + " --where \"title BEGINSWITH 'c'\"")
    try terminal.wait("the other list") {
      $0.contains("4 books in 1") && $0.contains("by publisher")
    }
    try leave(terminal)
    #expect(files(terminal).count == 1)
    let printed = try terminal.run.run(
      "book-catalog",
      "browse",
      "--store",
      "books.sqlite",
      "--print"
    )
    #expect(printed.output.contains("12 books in 3"))
  }

  @Test func `R301: the chosen columns come back, without one that does not exist any more`()
    throws
  {
    let terminal = try terminal()
    let store = ["--store", "books.sqlite"]
    _ = try terminal.run.run("book-catalog", ["column", "add", "mark", "integer"] + store)
    try terminal.enter(Self.browse)
    try terminal.wait("the list") { $0.contains("12 books in 3") && $0.contains("mark") }
    try terminal.type("C")
    try terminal.wait("the columns") { $0.contains("Columns:") && $0.contains("column 4") }
    try terminal.type("language")
    try terminal.press("Enter")
    try terminal.wait("the fifth") { $0.contains("column 5") }
    try terminal.type("author")
    try terminal.press("Enter")
    try terminal.wait("four again") { !$0.contains("column 5") }
    try terminal.press("Escape")
    try terminal.wait("the new headings") { $0.contains("language") && !$0.contains("author") }
    try leave(terminal)
    try terminal.enter(Self.browse)
    try terminal.wait("the columns again") {
      $0.contains("language") && $0.contains("mark") && !$0.contains("author")
    }
    try leave(terminal)
    _ = try terminal.run.run("book-catalog", ["column", "remove", "mark"] + store)
    try terminal.enter(Self.browse)
    try terminal.wait("those that are left") {
      $0.contains("language") && $0.contains("year") && !$0.contains("mark")
    }
    try leave(terminal)
    try terminal.enter(Self.browse + " --columns title,publisher")
    try terminal.wait("those of the command line") {
      $0.contains("12 books in 3") && $0.contains("publisher") && !$0.contains("language")
    }
    try leave(terminal)
  }

  @Test(arguments: [
    "garbage", "{}", "",
    "{\"version\":1,\"store\":\"another\",\"list\":{\"entity\":\"Book\"},\"folded\":[]}",
  ])
  func `R142: a damaged or foreign file is ignored, and that is said once`(_ content: String) throws
  {
    let terminal = try terminal()
    try terminal.enter(Self.browse)
    try terminal.wait("the list") { $0.contains("12 books in 3") && $0.contains("a1") }
    try leave(terminal)
    let file = try #require(files(terminal).first)
    try terminal.run.write(content, to: ".local/state/book-catalog/\(file)")
    try terminal.enter(Self.browse)
    try terminal.wait("the notice") { $0.contains("What was remembered in") && $0.contains("a1") }
    try leave(terminal)
    try terminal.enter(Self.browse)
    let lines = try terminal.wait("the list") { $0.contains("12 books in 3") && $0.contains("a1") }
    #expect(!lines.contains { $0.contains("remembered") })
  }

  @Test
  func `R142: the list in lines remembers too, and a folder that cannot be written is no failure`()
    throws
  {
    let terminal = try terminal()
    try terminal.enter(Self.browse + " --linear")
    try terminal.wait("the first row") { $0.contains("a1; 2001, 1 of 12") }
    try terminal.enter("7")
    try terminal.wait("the row") { $0.contains("b3; 2003, 7 of 12") }
    try leave(terminal, inLines: true)
    try terminal.enter(Self.browse + " --linear")
    try terminal.wait("the row again") { $0.contains("b3; 2003, 7 of 12") }
    try leave(terminal, inLines: true)
    try terminal.enter("XDG_STATE_HOME=/dev/null \(Self.browse) --linear; echo status $?")
    try terminal.wait("the first row") { $0.contains("a1; 2001, 1 of 12") }
    try terminal.enter("q")
    try terminal.wait("the note") {
      $0.contains("Nothing is remembered") && $0.contains("status 0")
    }
  }
}
