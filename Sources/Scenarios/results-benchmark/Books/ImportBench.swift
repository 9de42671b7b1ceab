import Foundation
import ResultsDomain
import SQLitePersistence

/// The program `book-catalog` taking in a file and listing it, from its start to its end.
struct ImportBench {
  private let books: [[PlainDatabase.Parameter]]
  private let file: String
  private let program: String
  private let folder: BenchmarkFolder

  /// The program that was built beside this one.
  static var neighbour: String {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    return own.appendingPathComponent("book-catalog").path
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
    books = lines.compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      let texts = columns.map { column in
        column.flatMap { $0 < fields.count ? String(fields[$0]) : nil } ?? ""
      }
      return ImportBench.row(of: texts)
    }
  }

  /// The row that the program makes of a line, or `nil` for a year that is none: such lines are skipped there too.
  private static func row(of texts: [String]) -> [PlainDatabase.Parameter] {
    let year = Int16(texts[3])
    // A year with unknown digits (`19uu`) counts as none, as the program has it.
    var row = texts.enumerated().map { place, text in
      // Required attributes may be empty texts; optional ones are null then.
      text.isEmpty && place > 1 ? PlainDatabase.Parameter.null : .text(text)
    }
    row[3] = year.map { .integer(Int64($0)) } ?? .null
    return row
  }

  func measure(runs: Int) throws -> [Measurement] {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw BenchmarkError.program(program, status: 127)
    }
    var (imports, inserts, first, whole, memory) = (
      Samples(), Samples(), Samples(), Samples(), Samples()
    )
    for _ in 0..<runs {
      inserts.add(try insertPlainly())
      let store = folder.path(of: "catalog.sqlite")
      let child = ChildProgram(program)
      imports.add(
        try child.run("import", file, "--format", "tsv", "--skip-bad", "--store", store).whole
      )
      let list = try child.run("list", "--store", store)
      first.add(list.firstOutput)
      whole.add(list.whole)
      if let kilobytes = list.memory { memory.add(kilobytes / 1024) }
      folder.remove("catalog.sqlite")
    }
    func figure(_ name: String, _ value: Double, _ unit: String, _ limit: Double?)
      -> Measurement
    {
      Measurement(name: name, rows: books.count, value: value, unit: unit, limit: limit)
    }
    var measurements = [
      Measurement(
        name: "book-catalog import, start to end",
        rows: books.count,
        value: imports.median,
        unit: "µs",
        reference: inserts.median,
        against: "the same rows inserted in C, in one transaction",
        limit: 4
      ),
      figure("book-catalog list, to the first line", first.median, "µs", 200_000),
      figure("book-catalog list, start to end", whole.median, "µs", nil),
    ]
    if memory.median > 0 {
      measurements.append(figure("book-catalog list, most memory", memory.median, "MB", 60))
    }
    return measurements
  }

  private func insertPlainly() throws -> Double {
    let path = folder.path(of: "plain.sqlite")
    try SQLiteStore(at: path, entities: [CatalogBook.entity]).close()
    defer { folder.remove("plain.sqlite") }
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    return try time {
      try plain.run("BEGIN IMMEDIATE")
      for book in books { try plain.each(CatalogBench.insertion, book) }
      try plain.run("COMMIT")
    }
  }
}
