#if PostgreSQL
/// Locks of tables that others use too, which a transaction takes together, before it does anything else.
///
/// A transaction that waits for one lock while it holds another can be part of a deadlock with a transaction of an application, which the
/// server may then end in its number. So a lock is waited for only while no other one is held: if the next one is not free, all are
/// released, and it is the one that is waited for next.
struct TableLocks: Hashable, Sendable {
  /// What a lock excludes.
  enum Mode: Int, Comparable, Sendable {
    /// Nobody writes.
    case share
    /// Nobody writes, or takes the same lock.
    case shareRowExclusive
    /// Nobody reads.
    case accessExclusive

    static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }

    /// The mode as the server spells it.
    var text: String {
      switch self {
      case .share: "SHARE"
      case .shareRowExclusive: "SHARE ROW EXCLUSIVE"
      case .accessExclusive: "ACCESS EXCLUSIVE"
      }
    }
  }

  /// The tables' names in quotes, in the order in which they were added.
  private var names: [String] = []
  private var modes: [String: Mode] = [:]

  /// Whether there is none.
  var isEmpty: Bool { names.isEmpty }

  /// Adds a lock, or strengthens it.
  /// - Parameters:
  ///   - name: The table's name in quotes, with its schema.
  ///   - mode: What the lock excludes at least.
  mutating func add(_ name: String, _ mode: Mode) {
    if modes[name] == nil { names.append(name) }
    modes[name] = max(modes[name] ?? mode, mode)
  }

  /// Whether who holds these locks holds some others too.
  func include(_ others: TableLocks) -> Bool {
    others.modes.allSatisfy { name, mode in modes[name].map { $0 >= mode } ?? false }
  }

  /// The statement that takes the locks until the transaction ends, of which it is the first.
  ///
  /// It fails with `lock_not_available` if they cannot be held together in time. A table that is missing, or that the user may not lock, is
  /// left out: the statement that needs it says why it fails.
  /// - Parameters:
  ///   - patience: How long it tries.
  ///   - waits: Whether it may wait for one lock; otherwise it only asks for all of them again and again, which a transaction can do that
  ///     holds locks already.
  /// - Returns: The statement.
  func taking(within patience: Duration, waits: Bool = true) -> String {
    let milliseconds = max(0, Int(patience / .milliseconds(1)))
    func list(_ texts: [String]) -> String {
      "ARRAY[\(texts.map { Connection.literal($0) }.joined(separator: ", "))]::pg_catalog.text[]"
    }
    let body = """
      DECLARE
        names pg_catalog.text[] := \(list(names));
        modes pg_catalog.text[] := \(list(names.map { modes[$0]?.text ?? "" }));
        path pg_catalog.text := pg_catalog.current_setting('search_path');
        until pg_catalog.timestamptz; remaining pg_catalog.float8; number pg_catalog.int4; awaited pg_catalog.int4;
      BEGIN
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog', true);
        until := clock_timestamp() + interval '\(milliseconds) milliseconds';
        LOOP
          remaining := date_part('epoch', until - clock_timestamp()) * 1000;
          BEGIN
            IF awaited IS NOT NULL THEN
              PERFORM set_config('lock_timeout', greatest(1, ceil(remaining))::text, true);
              EXECUTE format('LOCK TABLE ONLY %s IN %s MODE', names[awaited], modes[awaited]);
            END IF;
            FOR i IN 1 .. cardinality(names) LOOP
              number := i;
              CONTINUE WHEN to_regclass(names[i]) IS NULL
                OR NOT has_table_privilege(names[i], 'UPDATE, DELETE, TRUNCATE');
              EXECUTE format('LOCK TABLE %s IN %s MODE NOWAIT', names[i], modes[i]);
            END LOOP;
            EXIT;
          EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            -- The block is undone, and its locks are released.
            IF clock_timestamp() >= until THEN RAISE; END IF;
          END;
          \(waits ? "awaited := number;" : "")
          PERFORM pg_sleep(least(0.01 + random() * 0.04, greatest(0, date_part('epoch', until - clock_timestamp()))));
        END LOOP;
        PERFORM set_config('search_path', path, true);
      END
      """
    return "DO \(Connection.literal(body))"
  }

  /// The statement after which the transaction waits for hardly anything, now that it holds its locks.
  static let ending = "SET LOCAL lock_timeout = '100ms'"

  /// The statement that leaves others a moment before the next attempt.
  static var pause: String { "SELECT pg_catalog.pg_sleep(\(Double.random(in: 0.02...0.1)))" }
}
#endif
