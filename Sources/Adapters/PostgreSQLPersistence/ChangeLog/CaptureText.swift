#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// The functions and triggers that write the changes of one table into the log.
struct CaptureText: Hashable, Sendable {
  /// How keys are written into the log.
  enum KeyForm: String, Hashable, Sendable {
    case integer = "ki"
    case text = "kt"
    /// The binary form of a row of the key's columns.
    case record = "kb"

    init(_ keys: [EntityTable.Column]) {
      switch keys.count == 1 ? keys[0].coding.kind : .blob {
      case .integer: self = .integer
      case .text where [TypeNumber.text, TypeNumber.limitedText].contains(keys[0].coding.type):
        self = .text
      default: self = .record
      }
    }

    /// The column for many keys.
    var many: String { rawValue + "s" }
  }

  /// When the triggers write.
  enum Mode: String, Hashable, Sendable {
    case row
    case statement
  }

  let schema: LogSchema
  /// The table's schema and name.
  let home: [String]
  /// The numbers of the key's types in `pg_type`.
  let keyTypes: [UInt32]
  /// The number of the table in the log.
  let number: Int
  /// The table's name in quotes.
  let table: String
  /// The names of the key's columns and of the attributes, in quotes.
  let keys: [String]
  let attributes: [String]
  let keyForm: KeyForm
  let mode: Mode
  /// Whether commits notify; a transaction that has notified cannot be prepared for a two-phase commit.
  let rings: Bool

  /// A trigger: its name, its events, and its function.
  struct Trigger: Hashable, Sendable {
    let name: String
    /// Events, referenced tables, level and condition.
    let definition: String
    let function: String
  }

  /// The names of all triggers; they sort before others, so that they write before other triggers change the same row again.
  static let triggerPrefix = "!results_"

  // MARK: Expressions

  private func columns(_ names: [String], of row: String) -> String {
    names.map { "\(row).\($0)" }.joined(separator: ", ")
  }

  private func key(of row: String) -> String {
    keyForm == .record
      ? "pg_catalog.record_send(ROW(\(columns(keys, of: row))))" : "\(row).\(keys[0])"
  }

  private func image(of row: String) -> String {
    "pg_catalog.record_send(ROW(\(columns(attributes, of: row))))"
  }

  /// The condition of a row that its own transaction has written before, or perhaps another one that began later.
  private var mayBeOwn: String {
    "WHEN (pg_catalog.age(OLD.xmin) OPERATOR(pg_catalog.<=) 0)"
  }

  /// The condition of a ringing trigger: the bell is armed until a time in the future.
  ///
  /// It is tested with the writer's rights, and nothing could catch an error.
  private var isArmed: String {
    let bell = "\(schema.literal("bell"))::pg_catalog.regclass"
    return """
      WHEN (CASE WHEN pg_catalog.has_sequence_privilege(\(bell)::pg_catalog.oid, 'SELECT'::pg_catalog.text) \
      THEN pg_catalog.float8(pg_catalog.pg_sequence_last_value(\(bell))) \
      OPERATOR(pg_catalog.>) (pg_catalog.date_part('epoch'::pg_catalog.text, pg_catalog.clock_timestamp()) \
      OPERATOR(pg_catalog.*) 1000::pg_catalog.float8) ELSE false END)
      """
  }
}

// MARK: - The functions of triggers

extension CaptureText {
  /// The functions of the table.
  var functions: [LogSchema.Function] {
    let truncate = function("truncate") {
      """
      \(caught("INSERT INTO \(schema.quoted).log (entity, kind) VALUES (\(number), 't');"))
        RETURN NULL;
      """
    }
    return (mode == .row ? rowFunctions : statementFunctions) + [truncate]
  }

  /// The triggers of the table.
  ///
  /// Their conditions name no column: PostgreSQL would refuse to change its type or to drop it, or drop this trigger alone.
  var triggers: [Trigger] {
    var triggers = mode == .row ? rowTriggers : statementTriggers
    triggers.append(
      trigger("truncate", "AFTER TRUNCATE", "FOR EACH STATEMENT", "truncate_\(number)")
    )
    if rings {
      triggers.append(
        trigger(
          "ring",
          "AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE",
          "FOR EACH STATEMENT " + isArmed,
          "ring"
        )
      )
    }
    return triggers
  }

  private func trigger(
    _ name: String,
    _ events: String,
    _ level: String,
    _ function: String
  ) -> Trigger {
    Trigger(
      name: CaptureText.triggerPrefix + name,
      definition: "\(events) ON \(table) \(level)",
      function: function
    )
  }

  private func function(
    _ name: String,
    declaring declarations: String = "",
    _ statements: () -> String
  ) -> LogSchema.Function {
    LogSchema.Function(
      name: "\(name)_\(number)",
      body: """
        DECLARE state text := current_setting(\(setting), true);\(declarations)
        BEGIN
          \(statements())
        END
        """
    )
  }

  /// What the transaction knows about its entries of the table: `open` after the first one was written, `gap` after one could not be.
  private var setting: String { Connection.literal("results.capture_\(number)") }

  /// Statements that leave the function after a gap.
  ///
  /// Anybody may change the setting, so the gap's entry must be there.
  private var leavingAfterGap: String {
    """
    IF state = 'gap' THEN
          BEGIN
            \(findingGap("state"))
            IF state IS NOT NULL THEN RETURN NULL; END IF;
          EXCEPTION WHEN OTHERS THEN RETURN NULL;
          END;
          state := '';
        END IF;
    """
  }

  /// A statement that sets a variable if the transaction has written a gap.
  ///
  /// It is planned each time: a plan that was made when the log was empty would read all of it for each row.
  private func findingGap(_ variable: String) -> String {
    let query =
      "SELECT ''::text FROM \(schema.quoted).log l WHERE l.xid = pg_current_xact_id() AND l.entity = \(number) AND l.kind = 'g' LIMIT 1"
    return "EXECUTE \(Connection.literal(query)) INTO \(variable);"
  }

  /// Statements that write a gap, once in a transaction, instead of what cannot be read.
  var missing: String {
    """
    BEGIN
              IF current_setting(\(setting), true) = 'gap' THEN
                \(findingGap("noted"))
                IF noted IS NOT NULL THEN RETURN NULL; END IF;
              END IF;
              INSERT INTO \(schema.quoted).log (entity, kind) VALUES (\(number), 'g');
              PERFORM set_config(\(setting), 'gap', true);
            EXCEPTION WHEN OTHERS THEN
              BEGIN
                PERFORM nextval(\(schema.literal("lost")));
              EXCEPTION WHEN OTHERS THEN NULL;
              END;
            END;
    """
  }

  private var open: String { "PERFORM set_config(\(setting), 'open', true);" }

  /// Statements that are undone if they fail, with an entry that says so instead: no write fails because of the log.
  ///
  /// The block is a transaction within the transaction. One that writes has a number, and a server with many such numbers slows down: so only
  /// the first entry of a table is written inside of a block.
  private func caught(_ statements: String, otherwise: String = "") -> String {
    """
    BEGIN
        \(statements)
      EXCEPTION WHEN OTHERS THEN
        BEGIN
          BEGIN
            INSERT INTO \(schema.quoted).log (entity, kind, note) VALUES (\(number), 'g', SQLSTATE);
          EXCEPTION WHEN OTHERS THEN
            PERFORM nextval(\(schema.literal("lost")));
          END;
          PERFORM set_config(\(setting), 'gap', true);
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
        \(otherwise)
      END;
    """
  }

  /// Values are sent in the encoding of the writer's client, which is mostly UTF8; setting it for every call would cost more than all else.
  private func sending(_ statements: String) -> String {
    """
    IF encoding <> 'UTF8' THEN PERFORM set_config('client_encoding', 'UTF8', true); END IF;
        \(statements)
        IF encoding <> 'UTF8' THEN PERFORM set_config('client_encoding', encoding, true); END IF;
    """
  }

  private static let encoding = "\n  encoding text := current_setting('client_encoding');"
}

// MARK: - By row

extension CaptureText {
  private var keyType: String {
    switch keyForm {
    case .integer: "bigint"
    case .text: "text"
    case .record: "bytea"
    }
  }

  private func insert(_ kind: String, _ columns: String, _ values: String) -> String {
    """
    INSERT INTO \(schema.quoted).log (entity, kind, \(columns)) VALUES (\(number), \(kind), \(values));
    """
  }

  /// A function that reads a row, and writes what it has found.
  private func rowFunction(
    _ name: String,
    skippingIf condition: String? = nil,
    reading: String,
    writing: String
  ) -> LogSchema.Function {
    let declarations =
      CaptureText.encoding + "\n  k \(keyType); moved \(keyType); image bytea; kind \"char\";"
    let skip = condition.map { "IF \($0) THEN RETURN NULL; END IF;\n    " } ?? ""
    return function(name, declaring: declarations) {
      """
      \(leavingAfterGap)
        \(caught(
          """
          \(skip)\(sending(reading))
              IF state IS DISTINCT FROM 'open' THEN
                \(writing)
                \(open)
              END IF;
          """,
          otherwise: "RETURN NULL;"
        ))
        IF state = 'open' THEN
          \(writing)
        END IF;
        RETURN NULL;
      """
    }
  }

  /// The kind of an entry with the row before: another one if the transaction itself has written that row.
  private func kind(_ foreign: String, own: String) -> String {
    """
    kind := CASE WHEN age(OLD.xmin) > 0 THEN '\(foreign)' WHEN \(schema.quoted).own(OLD.xmin) THEN '\(own)' \
    ELSE '\(foreign)' END;
    """
  }

  private var rowFunctions: [LogSchema.Function] {
    let all = keys + attributes.filter { !keys.contains($0) }
    func rows(_ names: [String]) -> String {
      "ROW(\(columns(names, of: "OLD"))), ROW(\(columns(names, of: "NEW")))"
    }
    let write = insert("kind", "\(keyForm.rawValue), old", "k, image")
    let read = "k := \(key(of: "OLD")); image := \(image(of: "OLD"));"
    return [
      rowFunction(
        "insert",
        reading: "k := \(key(of: "NEW"));",
        writing: insert("'i'", keyForm.rawValue, "k")
      ),
      rowFunction(
        "update",
        skippingIf: "record_image_eq(\(rows(all)))",
        reading: """
          \(read) \(kind("u", own: "w"))
              IF record_image_ne(\(rows(keys))) THEN
                moved := \(key(of: "NEW"));
                IF kind = 'w' THEN kind := 'x'; END IF;
              END IF;
          """,
        writing: """
          IF moved IS NOT NULL THEN \(insert("'i'", keyForm.rawValue, "moved")) END IF;
                \(write)
          """
      ),
      rowFunction("delete", reading: "\(read) \(kind("d", own: "x"))", writing: write),
    ]
  }

  private var rowTriggers: [Trigger] {
    [
      trigger("insert", "AFTER INSERT", "FOR EACH ROW", "insert_\(number)"),
      trigger(
        "update",
        "AFTER UPDATE",
        "FOR EACH ROW WHEN (OLD.* OPERATOR(pg_catalog.*<>) NEW.*)",
        "update_\(number)"
      ),
      trigger("delete", "AFTER DELETE", "FOR EACH ROW", "delete_\(number)"),
    ]
  }
}

// MARK: - By statement

extension CaptureText {
  /// How many inserted keys share a row of the log.
  private static let packSize = 1000

  /// A function that writes entries by a query each.
  /// - Parameters:
  ///   - name: The function's name.
  ///   - query: A query that is always run. After the first entry of a transaction it is tried without rows before.
  ///   - further: A further statement.
  /// - Returns: The function.
  private func statementFunction(
    _ name: String,
    _ query: String,
    _ further: String = ""
  ) -> LogSchema.Function {
    function(name, declaring: CaptureText.encoding) {
      """
      \(leavingAfterGap)
        IF encoding <> 'UTF8' THEN PERFORM set_config('client_encoding', 'UTF8', true); END IF;
        \(caught(
          """
          IF state = 'open' THEN
                \(query) LIMIT 0;
              ELSE
                \(query);
                \(further)
                \(open)
              END IF;
          """,
          otherwise: "state := 'gap';"
        ))
        IF state = 'open' THEN
          \(query);
          \(further)
        END IF;
        IF encoding <> 'UTF8' THEN PERFORM set_config('client_encoding', encoding, true); END IF;
        RETURN NULL;
      """
    }
  }

  private var statementFunctions: [LogSchema.Function] {
    let log = "INSERT INTO \(schema.quoted).log"
    func packed(_ condition: String) -> String {
      """
      \(log) (entity, kind, \(keyForm.many)) SELECT \(number), 'i', array_agg(p.k) \
      FROM (SELECT \(key(of: "n")) AS k, (row_number() OVER () - 1) / \(CaptureText.packSize) AS part FROM n\(condition)) p \
      GROUP BY p.part
      """
    }
    func images(_ kind: String) -> String {
      """
      \(log) (entity, kind, \(keyForm.rawValue), old) SELECT \(number), '\(kind)', \(key(of: "o")), \(image(of: "o")) FROM o
      """
    }
    let isKnown = keys.map { "o.\($0) = n.\($0)" }.joined(separator: " AND ")
    let isNew = " WHERE NOT EXISTS (SELECT FROM o WHERE \(isKnown))"
    return [
      statementFunction("insert", packed("")),
      statementFunction(
        "update",
        images("u"),
        "IF EXISTS (SELECT FROM n\(isNew)) THEN \(packed(isNew)); END IF;"
      ),
      statementFunction("delete", images("d")),
      rowFunction(
        "own",
        skippingIf: "NOT \(schema.quoted).own(OLD.xmin)",
        reading: "k := \(key(of: "OLD"));",
        writing: insert("'o'", keyForm.rawValue, "k")
      ),
    ]
  }

  private var statementTriggers: [Trigger] {
    [
      trigger(
        "insert",
        "AFTER INSERT",
        "REFERENCING NEW TABLE AS n FOR EACH STATEMENT",
        "insert_\(number)"
      ),
      // Tables of old rows do not say who has written them. This one names the keys of those that the transaction has, just before.
      trigger("own", "AFTER UPDATE OR DELETE", "FOR EACH ROW " + mayBeOwn, "own_\(number)"),
      trigger(
        "update",
        "AFTER UPDATE",
        "REFERENCING OLD TABLE AS o NEW TABLE AS n FOR EACH STATEMENT",
        "update_\(number)"
      ),
      trigger(
        "delete",
        "AFTER DELETE",
        "REFERENCING OLD TABLE AS o FOR EACH STATEMENT",
        "delete_\(number)"
      ),
    ]
  }
}

// MARK: - Statements

extension CaptureText.Trigger {
  /// Creates or replaces the trigger, makes it fire for replicated rows too, and notes what it was created as.
  func creation(on table: String, in schema: LogSchema) -> [String] {
    let name = Connection.quoted(name)
    // The table's name is within the definition: events ON table level.
    return [
      """
      CREATE OR REPLACE TRIGGER \(name) \(definition) \
      EXECUTE FUNCTION \(schema.quoted).\(Connection.quoted(function))()
      """,
      "ALTER TABLE \(table) ENABLE ALWAYS TRIGGER \(name)",
      "COMMENT ON TRIGGER \(name) ON \(table) IS \(Connection.literal(digest))",
    ]
  }

  /// A digest of the definition, which the trigger's comment holds.
  var digest: String {
    var digest = RowDigest()
    digest.add(.text(definition))
    digest.add(.text(function))
    return "results \(LogSchema.format) " + String(digest.value, radix: 16)
  }
}
#endif
