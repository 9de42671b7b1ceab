#if PostgreSQL
import SQLStoreSupport

// Who may do what with the log. Its functions run as its owner, so that nobody else needs a right on its tables: a role that may call one, or
// make a trigger of it, gives values to code that runs as the owner.

extension LogSchema {
  /// The functions that followers call: those who may read the log.
  static let followersFunctions = [
    "life()", "renew(uuid, xid8)", "trim(interval, bigint)", "arm()", "disarm(bigint)",
  ]

  /// The functions that the stores of this package call which write: those who may lock `turn`.
  static let editorsFunctions = ["marker(bigint, text)"]

  /// The columns of `store` by which its owner limits the log.
  static let limits = [
    "retention interval NOT NULL DEFAULT '10 minutes'",
    "byte_limit bigint NOT NULL DEFAULT \(1 << 30)",
  ]

  /// The share of the server's queue of notifications beyond which commits do not notify.
  static let fullQueue = 0.25

  private func calls(_ functions: [String]) -> String {
    functions.map { "\(quoted).\($0)" }.joined(separator: ", ")
  }

  /// What lets a role follow the log.
  func grants(to role: String) -> [String] {
    [
      "GRANT USAGE ON SCHEMA \(quoted) TO \(role)",
      "GRANT SELECT ON ALL TABLES IN SCHEMA \(quoted) TO \(role)",
      "GRANT EXECUTE ON FUNCTION \(calls(LogSchema.followersFunctions)) TO \(role)",
    ]
  }

  /// The last statement of an installation: it closes all functions to `PUBLIC`.
  ///
  /// In a log of earlier programs everybody could call them. There who may read the log, or lock `turn`, gets the rights that this takes,
  /// and the table `store` gets its limits.
  var closing: String {
    func granting(_ functions: [String], toThoseWith right: String, on table: String) -> String {
      """
      FOR role IN SELECT DISTINCT a.grantee::regrole::text FROM pg_class c, aclexplode(c.relacl) a
              WHERE c.oid = \(literal(table))::regclass AND a.privilege_type = '\(right)' AND a.grantee NOT IN (0, c.relowner)
          LOOP
            EXECUTE \(Connection.literal("GRANT EXECUTE ON FUNCTION \(calls(functions)) TO ")) || role;
          END LOOP;
      """
    }
    let columns = LogSchema.limits.map { "ADD COLUMN IF NOT EXISTS \($0)" }.joined(separator: ", ")
    let body = """
      DECLARE role text;
      BEGIN
        PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
        IF NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = \(literal("store"))::regclass AND a.attname = 'byte_limit') THEN
          ALTER TABLE \(quoted).store \(columns);
        END IF;
        IF has_function_privilege('public', \(literal("life()")), 'EXECUTE') THEN
          \(granting(LogSchema.followersFunctions, toThoseWith: "SELECT", on: "log"))
          \(granting(LogSchema.editorsFunctions, toThoseWith: "UPDATE", on: "turn"))
        END IF;
        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA \(quoted) FROM PUBLIC;
        -- Functions of one owner call those of another only with a right to.
        IF (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
          FOR role IN SELECT o.command || ' OWNER TO ' || n.nspowner::regrole FROM pg_namespace n, LATERAL (
              SELECT 'ALTER FUNCTION ' || p.oid::regprocedure AS command FROM pg_proc p
                WHERE p.pronamespace = n.oid AND p.proowner <> n.nspowner
              UNION ALL SELECT 'ALTER TABLE ' || c.oid::regclass FROM pg_class c
                WHERE c.relnamespace = n.oid AND c.relowner <> n.nspowner AND c.relkind IN ('r', 'S')) o
            WHERE n.oid = \(Connection.literal(quoted))::regnamespace
          LOOP
            EXECUTE role;
          END LOOP;
        END IF;
      END
      """
    return "DO \(Connection.literal(body))"
  }

  /// A query for a role that owns the schema or something in it and has no business there, and what that is; no row without one.
  ///
  /// Who may create schemas could make one of this name before the log is installed, and with it functions that others call. So its
  /// owners are superusers, the user, or roles that may create triggers on all tables, whose code all writers run anyway.
  func intruder(among tables: StoreTables) -> Statement {
    let may =
      "pg_catalog.has_table_privilege(r.oid, pg_catalog.to_regclass(t)::pg_catalog.oid, 'TRIGGER')"
    let found =
      "SELECT FROM pg_catalog.unnest($1) t WHERE pg_catalog.to_regclass(t) IS NOT NULL AND"
    return Statement(
      """
      SELECT r.rolname::pg_catalog.text, o.name FROM pg_catalog.pg_namespace n, LATERAL (\
      SELECT n.nspowner AS owner, 'the schema ' || n.oid::pg_catalog.regnamespace AS name UNION ALL \
      SELECT c.relowner, c.oid::pg_catalog.regclass::pg_catalog.text FROM pg_catalog.pg_class c \
      WHERE c.relnamespace = n.oid UNION ALL \
      SELECT p.proowner, p.oid::pg_catalog.regprocedure::pg_catalog.text FROM pg_catalog.pg_proc p \
      WHERE p.pronamespace = n.oid) o JOIN pg_catalog.pg_roles r ON r.oid = o.owner \
      WHERE n.oid = pg_catalog.to_regnamespace(\(Connection.literal(quoted))) \
      AND NOT r.rolsuper AND r.rolname <> current_user \
      AND NOT (EXISTS (\(found) \(may)) AND NOT EXISTS (\(found) NOT \(may))) LIMIT 1
      """,
      [Parameter.texts(tables.all.map(\.quotedName))],
      isPrepared: false
    )
  }

  /// A statement that lets the owner of a partitioned table make partitions, which get triggers of these functions.
  func granting(_ functions: [Function], toOwnerOf table: String) -> String {
    let body = """
      BEGIN
        EXECUTE \(Connection.literal("GRANT EXECUTE ON FUNCTION \(calls(functions.map { "\(Connection.quoted($0.name))()" })) TO "))
          || (SELECT c.relowner::pg_catalog.regrole::pg_catalog.text FROM pg_catalog.pg_class c
            WHERE c.oid = \(Connection.literal(table))::pg_catalog.regclass);
      END
      """
    return "DO \(Connection.literal(body))"
  }

  /// A query for what an installation of earlier programs lacks: whether the functions are closed, and the limits are there.
  var isClosed: String {
    """
    SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.pronamespace = pg_catalog.to_regnamespace(\(Connection.literal(quoted))) \
    AND pg_catalog.has_function_privilege('public', p.oid, 'EXECUTE')) \
    AND EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = pg_catalog.to_regclass(\(literal("store"))) \
    AND a.attname = 'byte_limit')
    """
  }

  /// Whether values of a type become numbers and texts without code of others: the type is the system's, or a domain over such a one.
  var isPlainFunction: Function {
    Function(
      name: "is_plain",
      arguments: "given regtype",
      result: "boolean",
      body: """
        DECLARE number oid := given; one record;
        BEGIN
          LOOP
            SELECT t.typtype AS kind, t.typbasetype AS base, t.typnamespace AS home INTO one FROM pg_type t WHERE t.oid = number;
            IF NOT FOUND THEN RETURN false; END IF;
            IF one.kind <> 'd' THEN RETURN one.kind = 'b' AND one.home = 'pg_catalog'::regnamespace; END IF;
            number := one.base;
          END LOOP;
        END
        """
    )
  }
}
#endif
