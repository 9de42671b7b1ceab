import FetchedResults
import Foundation
import SQLitePersistence

/// Measures the program `book-catalog` from start to exit: it imports a file and lists it.
struct ImportBenchmark {
  private let books: [[PlainDatabase.Parameter]]
  private let file: String
  private let program: String
  private let folder: BenchmarkFolder

  /// The path of the program that was built next to this one.
  static var neighbour: String {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    return folder.appendingPathComponent("book-catalog").path
  }

  init(books file: String, program: String, in folder: BenchmarkFolder) throws {
    self.file = file
    self.program = program
    self.folder = folder
    let text = try String(contentsOfFile: file, encoding: .utf8)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
    let header = lines.popFirst()?.split(separator: "\t", omittingEmptySubsequences: false) ?? []
    let columns = ["publisher", "title", "author", "year", "language", "lccn"].map { name in
      header.firstIndex { $0 == name }
    }
    books = lines.map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      let texts = columns.map { column in
        column.flatMap { $0 < fields.count ? String(fields[$0]) : nil } ?? ""
      }
      return ImportBenchmark.row(of: texts)
    }
  }

  /// Returns the row that the program inserts for a line.
  private static func row(of texts: [String]) -> [PlainDatabase.Parameter] {
    let year = Int16(texts[3])
    // A year with unknown digits (`19uu`) is null, as in the program.
    var row = texts.enumerated().map { column, text in
      // An empty text is null in optional attributes.
      text.isEmpty && column > 1 ? PlainDatabase.Parameter.null : .text(text)
    }
    row[3] = year.map { .integer(Int64($0)) } ?? .null
    return row
  }

  func measure(runs: Int) throws -> [Measurement] {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw BenchmarkError.program(program, status: 127)
    }
    var (imports, firstLines, wholeLists) = (Pairs(), Pairs(), Pairs())
    var memory = Samples()
    for _ in 0..<runs {
      let store = folder.path(of: "catalog.sqlite")
      let child = ChildProgram(program)
      let inserting = try insertInC()
      let importing = try child.run(
        "import",
        file,
        "--format",
        "tsv",
        "--skip-bad",
        "--store",
        store
      )
      imports.add(importing.whole, inserting)
      let list = try child.run("list", "--store", store)
      let plain = try ChildProgram(ProcessFigures.program).run("print", store)
      firstLines.add(list.firstOutput, plain.firstOutput)
      wholeLists.add(list.whole, plain.whole)
      if let kilobytes = list.memory { memory.add(kilobytes / 1024) }
      folder.remove("catalog.sqlite")
    }
    let against = "a process that prints the rows in C"
    var measurements = [
      Measurement(
        name: "book-catalog import, start to end",
        rows: books.count,
        imports,
        against: "the same rows inserted in C, in one transaction",
        limit: 3
      ),
      Measurement(
        name: "book-catalog list, to the first line",
        rows: books.count,
        firstLines,
        against: against,
        limit: 3
      ),
      Measurement(
        name: "book-catalog list, start to end",
        rows: books.count,
        wholeLists,
        against: against
      ),
    ]
    if !memory.isEmpty {
      measurements.append(
        Measurement(
          name: "book-catalog list, most memory",
          rows: books.count,
          value: memory.median,
          unit: "MB",
          limit: 60
        )
      )
    }
    return measurements
  }

  private func insertInC() throws -> Double {
    let path = folder.path(of: "plain.sqlite")
    try SQLiteStore(at: path, entities: [CatalogBook.entity]).close()
    defer { folder.remove("plain.sqlite") }
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    return try time {
      try plain.run("BEGIN IMMEDIATE")
      for book in books { try plain.each(CatalogBenchmark.insertion, book) }
      try plain.run("COMMIT")
    }
  }
}
