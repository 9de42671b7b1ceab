import CSQLiteHooks
import GRDB

/// A time within which statements over a database of unknown origin must end, also if a view never does.
///
/// A bound has the time of one part of the work, and ends with the time of the whole. SQLite is interrupted from inside, after some of its
/// instructions (sqlite.org/c3ref/progress_handler.html).
struct ReadingBound {
  /// The error of statements that did not end in time.
  struct Exceeded: Error {}

  private let part: Duration
  private let end: ContinuousClock.Instant

  /// Creates a bound whose time begins now.
  /// - Parameters:
  ///   - part: The time for each call of `run`.
  ///   - whole: The time for all calls.
  init(part: Duration, whole: Duration) {
    self.part = part
    end = ContinuousClock.now + whole
  }

  /// Runs statements on a connection that has no other progress handler.
  /// - Throws: `Exceeded`, or what the closure throws.
  func run<Result>(on database: Database, _ body: () throws -> Result) throws -> Result {
    let deadline = Deadline(min(end, ContinuousClock.now + part))
    let connection = database.sqliteConnection
    return try withExtendedLifetime(deadline) {
      sqlite3_progress_handler(
        connection,
        ReadingBound.instructions,
        { context in
          guard let context else { return 0 }
          return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().hasPassed() ? 1 : 0
        },
        Unmanaged.passUnretained(deadline).toOpaque()
      )
      defer { sqlite3_progress_handler(connection, 0, nil, nil) }
      do {
        return try body()
      } catch  where deadline.isPassed && SQLiteFailure(error)?.primaryCode == SQLITE_INTERRUPT {
        throw Exceeded()
      }
    }
  }

  /// The number of SQLite's instructions between two looks at the clock: about a tenth of a millisecond.
  private static let instructions: Int32 = 10_000

  private final class Deadline {
    private let instant: ContinuousClock.Instant
    private(set) var isPassed = false

    init(_ instant: ContinuousClock.Instant) { self.instant = instant }

    func hasPassed() -> Bool {
      isPassed = isPassed || ContinuousClock.now >= instant
      return isPassed
    }
  }
}

extension Database {
  /// Runs a closure while no value can be longer than some bytes: SQLite refuses to make or to read one (SQLITE_TOOBIG).
  func limitingValues<Result>(to bytes: Int32, _ body: () throws -> Result) rethrows -> Result {
    let limit = sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, bytes)
    defer { _ = sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, limit) }
    return try body()
  }
}
