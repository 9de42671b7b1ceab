#if PostgreSQL
// Who may do what with the log. Its functions run as its owner, so that nobody else needs a right on its tables: whoever may call one, or
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
