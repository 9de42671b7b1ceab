import ProgramFrontEnd
import ResultsDomain

#if PostgreSQL
import PostgreSQLPersistence
import TerminalFrontEnd

/// The programs' stores over PostgreSQL.
enum DatabaseStores {
  /// Opens the store of a program's entities in a database.
  /// - Throws: `CommandFailure` for a URL that libpq does not understand, and `StoreError`.
  static func open<Program: StoredProgram>(
    _ url: String,
    _ location: StoreLocation,
    of program: Program.Type
  ) throws -> any Store {
    if let reason = ConnectionURL.refusal(of: url) {
      throw CommandFailure(
        .usage,
        "--store: \(reason).",
        remedy: "A URL is written postgresql://USER@HOST:PORT/DATABASE?PARAMETER=VALUE."
      )
    }
    throw CommandFailure(.unavailable, "There is no store over PostgreSQL yet.")
  }

  /// Returns lines about a store's condition, or `nil` for another kind of store.
  static func diagnose(_ store: any Store) throws -> [String]? { nil }
}
#else
/// The programs' stores over PostgreSQL, in a build without it.
enum DatabaseStores {
  /// Refuses every database.
  static func open<Program: StoredProgram>(
    _ url: String,
    _ location: StoreLocation,
    of program: Program.Type
  ) throws -> any Store {
    throw CommandFailure(
      .usage,
      "\(Program.name) was built without PostgreSQL.",
      remedy: "Build it with 'swift build --traits PostgreSQL', or name a file with --store."
    )
  }

  /// Knows no store.
  static func diagnose(_ store: any Store) throws -> [String]? { nil }
}
#endif
