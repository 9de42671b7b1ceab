import FetchedResults
import GRDB
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SQLitePersistence

/// Measures what a live list costs an application whose GRDB pool the store borrows, with and without a change log: the case `adoption`.
///
/// The list is ordered by a generated column, or by a plain one.
struct AdoptionBenchmark {
  /// A row of an application's table.
  private struct Note: Entity {
    var id: Int64?
    var title = ""
    var sortTitle: String?
    var score = 0

    static let schema = EntitySchema<Note>("Note", identity: \.id) {
      Attribute(\.title, "title")
      Attribute(\.sortTitle, "sortTitle")
      Attribute(\.score, "score")
    }
  }

  /// The times of one pool.
  private struct Figures {
    var fetch = Samples()
    var commit = Samples()
    var delta = Samples()
    var bytes = 0
  }

  private let rows: Int
  private let runs: Int
  private let folder: BenchmarkFolder

  init(rows: Int, runs: Int, in folder: BenchmarkFolder) {
    self.rows = rows
    self.runs = runs
    self.folder = folder
  }

  func measure() async throws -> [Measurement] {
    var all: [Measurement] = []
    for isGenerated in [false, true] {
      let column = isGenerated ? "a generated column" : "a plain column"
      let bare = try await figures(isGenerated: isGenerated, log: nil)
      for log in [false, true] {
        let figures = try await figures(isGenerated: isGenerated, log: log)
        let name = "borrowed pool \(log ? "with" : "without") a log, by \(column)"
        all += [
          measurement(
            "\(name): an update and its commit",
            figures.commit.median,
            "µs",
            bare.commit
          ),
          measurement(
            "\(name): from the commit's return until the list is up to date",
            figures.delta.median,
            "µs"
          ),
          measurement("\(name): first fetch", figures.fetch.median, "µs"),
          measurement(
            "\(name): bytes of keys a row",
            Double(figures.bytes) / Double(rows),
            "bytes"
          ),
        ]
      }
    }
    return all
  }

  private func measurement(
    _ name: String,
    _ value: Double,
    _ unit: String,
    _ reference: Samples? = nil
  ) -> Measurement {
    Measurement(
      name: name,
      rows: rows,
      value: value,
      unit: unit,
      reference: reference?.median,
      against: reference == nil ? "" : "the same pool without a store"
    )
  }

  /// Measures updates through a pool, with a list beside it if there is a log or explicitly none.
  private func figures(isGenerated: Bool, log: Bool?) async throws -> Figures {
    defer { folder.remove("notes.sqlite") }
    let pool = try DatabasePool(path: folder.path(of: "notes.sqlite"))
    try fill(pool, isGenerated: isGenerated)
    var numbers = GeneratedBooks(rows: rows)
    var figures = Figures()
    guard let log else {
      for _ in 0..<40 * runs {
        figures.commit.add(try update(pool, &numbers, isGenerated: isGenerated))
      }
      try pool.close()
      return figures
    }
    let options = SQLiteStoreOptions(pollInterval: nil, maintainsChangeLog: log)
    let store = try SQLiteStore(writer: pool, entities: [Note.entity], options: options)
    for _ in 0..<runs {
      let list = FetchedResultsController(
        FetchRequest<Note>(sortedBy: [.ascending(\.sortTitle)]),
        in: store
      )
      figures.fetch.add(try await time { try await list.performFetch() })
      figures.bytes = try await list.explain()?.keyBytes ?? 0
      for _ in 0..<40 {
        let generation = try list.results.generation
        figures.commit.add(try update(pool, &numbers, isGenerated: isGenerated))
        figures.delta.add(try await time { try await list.refresh() })
        guard try list.results.generation == generation + 1 else {
          throw BenchmarkError.wrongResult("a change through a borrowed pool")
        }
      }
      list.cancel()
    }
    try store.close()
    try pool.close()
    return figures
  }

  private func fill(_ pool: DatabasePool, isGenerated: Bool) throws {
    let sortTitle = isGenerated ? "TEXT GENERATED ALWAYS AS (lower(title)) STORED" : "TEXT"
    var books = GeneratedBooks(rows: rows)
    try pool.write { database in
      try database.execute(
        sql: """
          CREATE TABLE Note (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, sortTitle \(sortTitle), score INTEGER NOT NULL
          );
          CREATE INDEX bySortTitle ON Note (sortTitle)
          """
      )
      let connection = PlainDatabase(borrowing: database.sqliteConnection)
      defer { connection.close() }
      for _ in 0..<rows {
        let title = PlainDatabase.Parameter.text(books.title())
        if isGenerated {
          try connection.each("INSERT INTO Note (title, score) VALUES (?, 1)", [title])
        } else {
          try connection.each(
            "INSERT INTO Note (title, sortTitle, score) VALUES (?1, lower(?1), 1)",
            [title]
          )
        }
      }
    }
  }

  private func update(
    _ pool: DatabasePool,
    _ numbers: inout GeneratedBooks,
    isGenerated: Bool
  ) throws -> Double {
    let (id, title) = (1 + numbers.draw(below: rows), numbers.title())
    let other = isGenerated ? "" : ", sortTitle = lower(?1)"
    return try time {
      try pool.write { database in
        try database.execute(
          sql: "UPDATE Note SET title = ?1\(other) WHERE id = ?2",
          arguments: [title, id]
        )
      }
    }
  }
}
