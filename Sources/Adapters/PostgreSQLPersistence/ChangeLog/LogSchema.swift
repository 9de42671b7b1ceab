#if PostgreSQL
/// The schema of the change log: its tables and functions, which belong to no entity.
struct LogSchema: Hashable, Sendable {
  /// The version of the schema's form.
  static let format = 1

  /// The schema's name.
  let name: String
  /// The schema's name in quotes.
  let quoted: String

  init(name: String) {
    self.name = name
    quoted = Connection.quoted(name)
  }

  /// A name in the schema, for a text constant that is cast to `regclass`.
  func literal(_ object: String) -> String { Connection.literal("\(quoted).\(object)") }

  /// The channel on which commits notify those who sleep.
  var channel: String { quoted }

  /// What must not happen side by side.
  enum Lock: String {
    /// Creating or changing the log, and beginning a life.
    case changing = "SHARE ROW EXCLUSIVE"
    /// Arming or disarming the bell; `changing` waits for it and it for `changing`.
    case bell = "SHARE UPDATE EXCLUSIVE"
  }

  /// The statement that waits for a lock until the transaction ends.
  ///
  /// Everybody could take an advisory lock, and a role that may read the table takes none that is in the way of these. A lock of a table
  /// gives the transaction no number, unlike one of a row: an arming must get its number later.
  func locking(_ lock: Lock) -> String { "LOCK TABLE \(quoted).store IN \(lock.rawValue) MODE" }
}

// MARK: - Tables

extension LogSchema {
  /// Creates what earlier versions of the programs did not have, and what a dump without the log's content lacks.
  var additions: [String] {
    [
      // Advances whenever not even a gap could be written; outside of transactions, so that nothing hides it.
      "CREATE SEQUENCE IF NOT EXISTS \(quoted).lost",
      "GRANT SELECT ON SEQUENCE \(quoted).lost TO PUBLIC",
      """
      INSERT INTO \(quoted).store (one, format, identity, system, base, trimmed) SELECT true, \(LogSchema.format), \
      pg_catalog.gen_random_uuid()::text, 0, 0, pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) \
      WHERE NOT EXISTS (SELECT FROM \(quoted).store)
      """,
    ]
  }

  /// Creates the schema, its tables and sequences.
  var creation: [String] {
    [
      "CREATE SCHEMA IF NOT EXISTS \(quoted)",
      // One row: of which database the log is, and from which transaction on it is complete.
      """
      CREATE TABLE \(quoted).store (one boolean PRIMARY KEY DEFAULT true CHECK (one), format integer NOT NULL, \
      identity text NOT NULL, system bigint NOT NULL, base oid NOT NULL, trimmed xid8 NOT NULL, \
      \(LogSchema.limits.joined(separator: ", ")))
      """,
      // A crash, a failover or a restored copy empties an unlogged table; a clean restart does not.
      "CREATE UNLOGGED TABLE \(quoted).boot (stamp bigint NOT NULL)",
      """
      CREATE TABLE \(quoted).entity (number smallint PRIMARY KEY, relation oid NOT NULL, name text NOT NULL, \
      keys text[] NOT NULL, key_form text NOT NULL, attributes text[] NOT NULL, types text[] NOT NULL, \
      capture text NOT NULL)
      """,
      // CACHE 1: the numbers are drawn in the order in which rows are changed.
      "CREATE SEQUENCE \(quoted).step CACHE 1",
      // The time, in milliseconds since 1970, until which commits notify. Every statement of a writer reads it, so it is no row.
      "CREATE UNLOGGED SEQUENCE \(quoted).bell MINVALUE 0",
      "GRANT SELECT ON SEQUENCE \(quoted).bell TO PUBLIC",
      """
      CREATE TABLE \(quoted).log (xid xid8 NOT NULL DEFAULT pg_catalog.pg_current_xact_id(), \
      step bigint NOT NULL DEFAULT pg_catalog.nextval(\(literal("step"))), entity smallint, kind "char" NOT NULL, \
      ki bigint, kt text COLLATE "C", kb bytea, kis bigint[], kts text[] COLLATE "C", kbs bytea[], old bytea, note text) \
      WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, \
      autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000)
      """,
      "CREATE INDEX log_xid ON \(quoted).log (xid)",
      """
      CREATE TABLE \(quoted).reader (id uuid PRIMARY KEY, floor xid8 NOT NULL, \
      renewed timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()) WITH (fillfactor = 50)
      """,
      """
      CREATE TABLE \(quoted).tick (at timestamptz PRIMARY KEY DEFAULT pg_catalog.clock_timestamp(), floor xid8 NOT NULL)
      """,
      "CREATE TABLE \(quoted).turn ()",
    ]
  }
}

// MARK: - Functions

extension LogSchema {
  /// A function: its name and arguments, what it returns, and its body.
  struct Function: Hashable, Sendable {
    let name: String
    var arguments = ""
    var result = "trigger"
    /// How long it waits for a lock; `nil` for as long as its caller does.
    var patience: String?
    /// Whether its statements use indexes wherever they can: their plans are made when the log is short, and stay.
    var prefersIndexes = false
    let body: String

    /// The settings that the function fixes, as the catalog has them.
    static let settings = ["search_path=pg_catalog, pg_temp"]

    /// Creates or replaces the function.
    func creation(in schema: LogSchema) -> String {
      """
      CREATE OR REPLACE FUNCTION \(schema.quoted).\(Connection.quoted(name))(\(arguments)) RETURNS \(result) \
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp\
      \(patience.map { " SET lock_timeout = '\($0)'" } ?? "")\(prefersIndexes ? " SET enable_seqscan = off" : "") AS \(Connection.literal(body))
      """
    }
  }

  /// The functions that belong to no entity; all run as the schema's owner, with a fixed search path.
  var functions: [Function] {
    [
      lifeFunction, markerFunction, renewFunction, trimFunction, armFunction, disarmFunction,
      ringFunction, ownFunction, isPlainFunction,
    ]
  }

  /// Returns the stamp of the database's life; the first call of a life begins it.
  private var lifeFunction: Function {
    Function(
      name: "life",
      result: "bigint",
      patience: "5s",
      body: """
        DECLARE life bigint; here bigint; home oid;
        BEGIN
          SELECT c.system_identifier INTO here FROM pg_control_system() c;
          SELECT d.oid INTO home FROM pg_database d WHERE d.datname = current_database();
          SELECT b.stamp INTO life FROM \(quoted).boot b, \(quoted).store s WHERE s.system = here AND s.base = home;
          IF life IS NOT NULL THEN RETURN life; END IF;
          \(locking(.changing));
          SELECT b.stamp INTO life FROM \(quoted).boot b, \(quoted).store s WHERE s.system = here AND s.base = home;
          IF life IS NOT NULL THEN RETURN life; END IF;
          IF NOT EXISTS (SELECT FROM \(quoted).store s WHERE s.system = here AND s.base = home) THEN
            DELETE FROM \(quoted).log;
            DELETE FROM \(quoted).reader;
            DELETE FROM \(quoted).tick;
            UPDATE \(quoted).store SET identity = gen_random_uuid()::text;
          END IF;
          DELETE FROM \(quoted).boot;
          life := ('x' || substr(md5(gen_random_uuid()::text), 1, 16))::bit(64)::bigint;
          INSERT INTO \(quoted).boot VALUES (life);
          UPDATE \(quoted).store SET system = here, base = home,
            trimmed = greatest(CASE WHEN system = here THEN trimmed END, pg_snapshot_xmin(pg_current_snapshot()));
          RETURN life;
        END
        """
    )
  }

  /// Marks the transaction as a store's own, and returns its number.
  private var markerFunction: Function {
    Function(
      name: "marker",
      arguments: "writer bigint, origin text",
      result: "xid8",
      body: """
        BEGIN
          INSERT INTO \(quoted).log (kind, ki, note) VALUES ('m', writer, origin);
          RETURN pg_current_xact_id();
        END
        """
    )
  }

  /// Notes that a reader needs the log from a transaction on.
  private var renewFunction: Function {
    Function(
      name: "renew",
      arguments: "reader uuid, oldest xid8",
      result: "void",
      body: """
        BEGIN
          INSERT INTO \(quoted).reader AS r (id, floor) VALUES (reader, oldest)
            ON CONFLICT (id) DO UPDATE SET floor = excluded.floor, renewed = clock_timestamp();
        END
        """
    )
  }

  /// Removes up to 10,000 rows that nobody needs, and returns their number; null while another process does it.
  ///
  /// The limits are the database's. The arguments are those of earlier programs, and mean nothing.
  private var trimFunction: Function {
    Function(
      name: "trim",
      arguments: "retention interval, byte_limit bigint",
      result: "bigint",
      prefersIndexes: true,
      body: """
        DECLARE goal xid8; needed xid8; removed bigint; first_step bigint; width double precision;
          age interval; most bigint;
        BEGIN
          SELECT s.retention, s.byte_limit INTO age, most FROM \(quoted).store s FOR NO KEY UPDATE SKIP LOCKED;
          IF NOT FOUND THEN RETURN NULL; END IF;
          IF NOT EXISTS (SELECT FROM \(quoted).tick t WHERE t.at > clock_timestamp() - age / 20) THEN
            INSERT INTO \(quoted).tick (floor) VALUES (pg_snapshot_xmin(pg_current_snapshot()));
            DELETE FROM \(quoted).reader r WHERE r.renewed < clock_timestamp() - interval '1 day';
          END IF;
          SELECT t.floor INTO goal FROM \(quoted).tick t WHERE t.at <= clock_timestamp() - age
            ORDER BY t.at DESC LIMIT 1;
          SELECT r.floor INTO needed FROM \(quoted).reader r WHERE r.renewed > clock_timestamp() - interval '10 minutes'
            ORDER BY r.floor LIMIT 1;
          -- Until a tick is old enough nothing is; least() would ignore that.
          IF goal IS NOT NULL THEN goal := least(goal, coalesce(needed, goal)); END IF;
          SELECT t.floor INTO needed FROM \(quoted).tick t WHERE t.at <= clock_timestamp() - interval '1 day'
            ORDER BY t.at DESC LIMIT 1;
          goal := greatest(goal, needed);
          SELECT l.step INTO first_step FROM \(quoted).log l ORDER BY l.xid LIMIT 1;
          SELECT avg(pg_column_size(w)) INTO width FROM (SELECT l FROM \(quoted).log l LIMIT 1000) w;
          IF (SELECT s.last_value FROM \(quoted).step s) - first_step > most / greatest(width, 60) THEN
            SELECT t.floor INTO needed FROM \(quoted).tick t ORDER BY t.at
              OFFSET (SELECT count(*) / 2 FROM \(quoted).tick) LIMIT 1;
            goal := greatest(goal, needed);
          END IF;
          IF goal IS NOT NULL THEN
            UPDATE \(quoted).store SET trimmed = goal WHERE trimmed < goal;
            DELETE FROM \(quoted).tick t WHERE t.floor < goal;
          END IF;
          DELETE FROM \(quoted).log WHERE ctid = ANY (ARRAY(
            SELECT l.ctid FROM \(quoted).log l, \(quoted).store s WHERE l.xid < s.trimmed LIMIT 10000));
          GET DIAGNOSTICS removed = ROW_COUNT;
          RETURN removed;
        END
        """
    )
  }

  /// Makes commits notify for ten seconds; returns the bell's value, and a transaction that is younger than it.
  ///
  /// It returns nulls where a watch must poll instead: if the lock is not free in time, or the server's queue is full.
  private var armFunction: Function {
    Function(
      name: "arm",
      arguments: "OUT rung bigint, OUT own xid8",
      result: "record",
      patience: "1s",
      body: """
        BEGIN
          IF pg_notification_queue_usage() > \(LogSchema.fullQueue) THEN RETURN; END IF;
          \(locking(.bell));
          SELECT setval(\(literal("bell")), greatest(b.last_value + 1,
            (date_part('epoch', clock_timestamp()) * 1000)::bigint + \(Int(Doorbell.duration / .milliseconds(1))))) INTO rung FROM \(quoted).bell b;
          own := pg_current_xact_id();
        EXCEPTION WHEN lock_not_available THEN rung := NULL; own := NULL;
        END
        """
    )
  }

  /// Ends the notifying, if nobody has armed the bell since.
  private var disarmFunction: Function {
    Function(
      name: "disarm",
      arguments: "rung bigint",
      result: "void",
      patience: "1s",
      body: """
        BEGIN
          \(locking(.bell));
          PERFORM setval(\(literal("bell")), 0) FROM \(quoted).bell b WHERE b.last_value = rung;
        EXCEPTION WHEN lock_not_available THEN NULL;
        END
        """
    )
  }

  /// Whether the transaction itself has written a row, given the number of its writer.
  ///
  /// A row that can be changed was written by a transaction that is committed, or by this one and those within it, which alone are
  /// in progress. Numbers come again after four billion, so one that seems to lie ahead is of long ago.
  private var ownFunction: Function {
    Function(
      name: "own",
      arguments: "writer xid",
      result: "boolean",
      body: """
        DECLARE present bigint := pg_current_xact_id()::text::bigint;
          distance bigint := (writer::text::bigint - present) & 4294967295;
        BEGIN
          IF distance = 0 THEN RETURN true; END IF;
          IF distance > 2147483647 THEN RETURN false; END IF;
          RETURN coalesce(pg_xact_status((present + distance)::text::xid8) = 'in progress', false);
        EXCEPTION WHEN OTHERS THEN RETURN false;
        END
        """
    )
  }

  /// Notifies those who sleep, when the transaction commits: of the bell's value, and the transaction's number if it has one.
  private var ringFunction: Function {
    Function(
      name: "ring",
      body: """
        BEGIN
          -- Where the queue is full, the commit would fail.
          IF pg_notification_queue_usage() > \(LogSchema.fullQueue) THEN RETURN NULL; END IF;
          PERFORM pg_notify(\(Connection.literal(name)),
            concat_ws(' ', coalesce(pg_sequence_last_value(\(literal("bell"))), 0), pg_current_xact_id_if_assigned()));
          RETURN NULL;
        EXCEPTION WHEN OTHERS THEN RETURN NULL;
        END
        """
    )
  }
}
#endif
