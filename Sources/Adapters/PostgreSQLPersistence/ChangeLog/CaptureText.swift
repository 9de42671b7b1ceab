#if PostgreSQL
import ResultsDomain

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

  private func differ(_ names: [String]) -> String {
    "WHEN (pg_catalog.record_image_ne(ROW(\(columns(names, of: "OLD"))), ROW(\(columns(names, of: "NEW")))))"
  }

  private var keyChanges: String { differ(keys) }

  private var rowChanges: String { differ(keys + attributes.filter { !keys.contains($0) }) }

  /// The condition of a ringing trigger: the bell is armed until a time in the future.
  private var isArmed: String {
    """
    WHEN (pg_catalog.float8(pg_catalog.pg_sequence_last_value(\(schema.literal("bell"))::pg_catalog.regclass)) \
    OPERATOR(pg_catalog.>) (pg_catalog.date_part('epoch'::pg_catalog.text, pg_catalog.clock_timestamp()) \
    OPERATOR(pg_catalog.*) 1000::pg_catalog.float8))
    """
  }
}

// MARK: - By row

extension CaptureText {
  /// The functions of the table.
  var functions: [LogSchema.Function] {
    let truncate = LogSchema.Function(
      name: "truncate_\(number)",
      body: """
        BEGIN INSERT INTO \(schema.quoted).log (entity, kind) VALUES (\(number), 't'); RETURN NULL; END
        """
    )
    return (mode == .row ? rowFunctions : statementFunctions) + [truncate]
  }

  /// The triggers of the table.
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

  /// The body of a trigger's function.
  ///
  /// Values are sent in the encoding of the writer's client, which is mostly UTF8; setting it for every call would cost more than all else.
  private func body(_ statements: String, sendsValues: Bool = true) -> String {
    guard sendsValues else { return "BEGIN \(statements) RETURN NULL; END" }
    func change(to encoding: String) -> String {
      "IF encoding <> 'UTF8' THEN PERFORM set_config('client_encoding', \(encoding), true); END IF;"
    }
    return """
      DECLARE encoding text := current_setting('client_encoding');
      BEGIN
        \(change(to: "'UTF8'"))
        \(statements)
        \(change(to: "encoding"))
        RETURN NULL;
      END
      """
  }

  private func rowFunction(_ name: String, kind: String, row: String, image: Bool)
    -> LogSchema.Function
  {
    LogSchema.Function(
      name: "\(name)_\(number)",
      body: body(
        """
        INSERT INTO \(schema.quoted).log (entity, kind, \(keyForm.rawValue)\(image ? ", old" : "")) \
        VALUES (\(number), '\(kind)', \(key(of: row))\(image ? ", " + self.image(of: row) : ""));
        """,
        sendsValues: image || keyForm == .record
      )
    )
  }

  private var rowFunctions: [LogSchema.Function] {
    [
      rowFunction("insert", kind: "i", row: "NEW", image: false),
      rowFunction("update", kind: "u", row: "OLD", image: true),
      rowFunction("delete", kind: "d", row: "OLD", image: true),
    ]
  }

  private var rowTriggers: [Trigger] {
    [
      trigger("insert", "AFTER INSERT", "FOR EACH ROW", "insert_\(number)"),
      // The new key is written before the old one; the first entry of a key is then the oldest also where keys move in a chain.
      trigger("rekey", "AFTER UPDATE", "FOR EACH ROW " + keyChanges, "insert_\(number)"),
      trigger("update", "AFTER UPDATE", "FOR EACH ROW " + rowChanges, "update_\(number)"),
      trigger("delete", "AFTER DELETE", "FOR EACH ROW", "delete_\(number)"),
    ]
  }
}

// MARK: - By statement

extension CaptureText {
  /// How many inserted keys share a row of the log.
  private static let packSize = 1000

  private var flag: String { Connection.literal("results.rekeyed_\(number)") }

  private var statementFunctions: [LogSchema.Function] {
    let log = "INSERT INTO \(schema.quoted).log"
    let packed = """
      \(log) (entity, kind, \(keyForm.many)) SELECT \(number), 'i', array_agg(p.k) \
      FROM (SELECT \(key(of: "n")) AS k, (row_number() OVER () - 1) / \(CaptureText.packSize) AS part FROM n
      """
    func images(_ kind: String, _ condition: String) -> String {
      """
      \(log) (entity, kind, \(keyForm.rawValue), old) SELECT \(number), '\(kind)', \(key(of: "o")), \(image(of: "o")) \
      FROM o\(condition)
      """
    }
    let isKnown = keys.map { "o.\($0) = n.\($0)" }.joined(separator: " AND ")
    return [
      LogSchema.Function(
        name: "insert_\(number)",
        body: body("\(packed)) p GROUP BY p.part;", sendsValues: keyForm == .record)
      ),
      LogSchema.Function(
        name: "update_\(number)",
        body: body(
          """
          \(images("u", ""));
          IF current_setting(\(flag), true) = 'y' THEN
            PERFORM set_config(\(flag), '', true);
            \(packed) WHERE NOT EXISTS (SELECT FROM o WHERE \(isKnown))) p GROUP BY p.part;
          END IF;
          """
        )
      ),
      LogSchema.Function(
        name: "delete_\(number)",
        body: body("\(images("d", ""));")
      ),
      LogSchema.Function(
        name: "rekey_\(number)",
        body: "BEGIN PERFORM set_config(\(flag), 'y', true); RETURN NULL; END"
      ),
    ]
  }

  private var statementTriggers: [Trigger] {
    let columns = keys + attributes.filter { !keys.contains($0) }
    return [
      // It does nothing, but its columns cannot be dropped.
      trigger(
        "columns",
        "AFTER UPDATE OF \(columns.joined(separator: ", "))",
        "FOR EACH STATEMENT WHEN (false)",
        "rekey_\(number)"
      ),
      trigger(
        "insert",
        "AFTER INSERT",
        "REFERENCING NEW TABLE AS n FOR EACH STATEMENT",
        "insert_\(number)"
      ),
      trigger("rekey", "AFTER UPDATE", "FOR EACH ROW " + keyChanges, "rekey_\(number)"),
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
