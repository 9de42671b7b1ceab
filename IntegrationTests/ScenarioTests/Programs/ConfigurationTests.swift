import ResultsStoreKit
import Foundation
import Testing

/// R141: a configuration file sets options, with precedence for the environment and the command line.
@Suite("The configuration file", .timeLimit(.minutes(3)))
struct ConfigurationTests {
  private func configured(_ text: String, for program: String = "book-catalog") throws -> ProgramRun
  {
    let run = try ProgramRun()
    try FileManager.default.createDirectory(
      atPath: run.path(".config/\(program)"),
      withIntermediateDirectories: true
    )
    try run.write(text, to: ".config/\(program)/config")
    return run
  }

  @Test func `R141: the file names the store, unless the command line does`() throws {
    let run = try configured("# mine\n\nstore = ~/mine.sqlite\n")
    try run.run("book-catalog", "add", "publisher=P", "title=Mine")
    #expect(FileManager.default.fileExists(atPath: run.path("mine.sqlite")))
    #expect(try run.run("book-catalog", "list").output.contains("Mine"))
    try run.run("book-catalog", "add", "publisher=P", "title=Other", "--store", "other.sqlite")
    #expect(try !run.run("book-catalog", "list").output.contains("Other"))
    #expect(
      try run.run("book-catalog", "list", "--no-config").errors.contains("There are no books yet")
    )
    run.environment["XDG_CONFIG_HOME"] = run.path("elsewhere")
    #expect(try run.run("book-catalog", "list").errors.contains("There are no books yet"))
  }

  @Test func `R141: what people see follows the file, and what programs read does not`() throws {
    let run = try configured(
      "columns = year,title\r\nsort = -year\r\nsection-by = none\r\nascii = yes\r\n"
    )
    try run.run("book-catalog", "demo", "--store", "books.sqlite")
    let browse = ["browse", "--print", "--store", "books.sqlite", "--size", "60x8"]
    let shown = try run.run("book-catalog", browse)
    #expect(shown.output.contains("14 books ") && shown.output.contains("* live"), "\(shown)")
    #expect(shown.output.split(separator: "\n")[1].hasPrefix("   year"), "\(shown)")
    let sectioned = try run.run("book-catalog", browse + ["--section-by=publisher"])
    #expect(sectioned.output.contains("14 books in"), "\(sectioned)")
    let plain = try run.run("book-catalog", browse + ["--no-config"])
    #expect(plain.output.contains("● live"), "\(plain)")
    let list = ["list", "--store", "books.sqlite"]
    #expect(
      try run.run("book-catalog", list).output
        == run.run("book-catalog", list + ["--no-config"]).output
    )
  }

  @Test func `R141: the environment takes precedence over the file, but LANG does not`() throws {
    let run = try configured("locale = de_DE\n", for: "household-ledger")
    try run.run(
      "household-ledger",
      "add",
      "date=2026-11-03",
      "amount=-1234.50",
      "category=food",
      "payee=Cafe",
      "--store",
      "ledger.sqlite"
    )
    func screen() throws -> String {
      try run.run("household-ledger", "browse", "--print", "--store", "ledger.sqlite").output
    }
    #expect(try screen().contains("-1.234,50"))
    run.environment["LC_ALL"] = "C"
    #expect(try screen().contains("-1234.50"))
  }

  @Test(arguments: [
    ("colour = never", "“colour” is not a setting. Did you mean “color”?"),
    ("color", "“color” has no equals sign. Write NAME = VALUE."),
    ("color = blue", "“blue” is no choice. Write auto, always or never."),
    ("ascii = 1", "“1” is neither yes nor no. Write yes or no."),
    ("store = books.sqlite", "“books.sqlite” depends on the folder in which the program runs."),
    ("store =", "There is no value."),
    ("busy-timeout = soon", "“soon” is no time."),
    ("ambiguous-width = 3", "“3” is no width."),
    ("marks = soon", "“soon” is no time. Write milliseconds such as 1500, or keep."),
    ("locale = xx_YY", "“xx_YY” is not a locale."),
    ("time-zone = Mars", "“Mars” is not a time zone."),
    ("columns = titel", "--columns: “titel” is not an attribute of Book. Did you mean “title”?"),
    ("sort = titel", "--sort: “titel” is not an attribute of Book. Did you mean “title”?"),
    ("# x\nsort = title\nsort = year", "“sort” is set in line 3 already."),
  ])
  func `R141: a wrong line is named with its file and number`(_ line: String, _ words: String)
    throws
  {
    let run = try configured("\n\(line)\n")
    let result = try run.run("book-catalog", ["list"])
    #expect(result.status == 78)
    #expect(result.output == "")
    let number = line.split(separator: "\n").count + 1
    let beginning = "book-catalog: \(run.path(".config/book-catalog/config")):\(number): "
    #expect(result.errors.hasPrefix(beginning) && result.errors.contains(words), "\(result)")
    #expect(try run.run("book-catalog", ["list", "--no-config"]).status == 0)
    for help in [["help", "config"], ["list", "--help"], ["help", "list"]] {
      #expect(try run.run("book-catalog", help).status == 0)
    }
  }

  @Test func `R141: a file that cannot be read is an error, and none is none`() throws {
    let run = try configured("")
    #expect(try run.run("book-catalog", ["list"]).status == 0)
    try Data([0x73, 0xFF, 0x0A]).write(
      to: URL(fileURLWithPath: run.path(".config/book-catalog/config"))
    )
    #expect(try run.run("book-catalog", ["list"]).status == 78)
    try FileManager.default.removeItem(atPath: run.path(".config/book-catalog/config"))
    try FileManager.default.createDirectory(
      atPath: run.path(".config/book-catalog/config"),
      withIntermediateDirectories: false
    )
    let result = try run.run("book-catalog", ["list"])
    #expect(result.status == 78 && result.errors.contains("cannot be read"), "\(result)")
  }
}
