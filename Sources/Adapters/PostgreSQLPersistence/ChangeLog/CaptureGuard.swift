#if PostgreSQL
// The functions of triggers run as the owner of the log. What they must not do is to run code of others: an assignment of a value may call
// a function that the owner of its type has made.

extension CaptureText {
  /// The functions of the table, each of which first makes sure that it was called for that table, and that its key has a type of the
  /// system.
  ///
  /// What cannot be made sure of is not read, and is a gap.
  var guardedFunctions: [LogSchema.Function] { functions.map(guarded) }

  private func guarded(_ function: LogSchema.Function) -> LogSchema.Function {
    let name = function.name.prefix { $0 != "_" }
    let readsKeys = name != "truncate"
    return LogSchema.Function(
      name: function.name,
      arguments: function.arguments,
      result: function.result,
      patience: function.patience,
      body: """
        DECLARE key_types oid[]; key_type oid; is_known boolean := false; noted text;
        BEGIN
          BEGIN
            IF TG_TABLE_SCHEMA <> \(Connection.literal(home[0])) OR TG_TABLE_NAME <> \(Connection.literal(home[1])) THEN
              -- The table has got another name, or this is a partition, which has copies of its table's triggers.
              IF NOT EXISTS (SELECT FROM \(schema.quoted).entity e WHERE e.number = \(number)
                AND (e.relation = TG_RELID OR e.relation IN (SELECT p.relid FROM pg_partition_ancestors(TG_RELID) p)))
              THEN RETURN NULL; END IF;
            END IF;
            \(readsKeys ? typeCheck(isInsert: name == "insert", isByRow: mode == .row || name == "own") : "")
            is_known := true;
          EXCEPTION WHEN OTHERS THEN is_known := false;
          END;
          IF NOT is_known THEN
            \(missing)
            RETURN NULL;
          END IF;
          \(function.body);
        END
        """
    )
  }

  /// Statements that end the function where no row was changed, and with a failure where a column of the key has a type that a user has
  /// made.
  ///
  /// `pg_typeof` takes every type as it is. Where there is no row the function must end all the same: to plan a statement can run code too.
  private func typeCheck(isInsert: Bool, isByRow: Bool) -> String {
    let row = isByRow ? (isInsert ? "NEW" : "OLD") : (isInsert ? "n" : "o")
    let types = keys.map { "pg_typeof(\(row).\($0))::oid" }.joined(separator: ", ")
    let known = "{\(keyTypes.map(String.init).joined(separator: ","))}"
    return """
      key_types := \(isByRow ? "ARRAY[\(types)]" : "(SELECT ARRAY[\(types)] FROM \(row) LIMIT 1)");
            IF key_types IS NULL THEN RETURN NULL; END IF;
            IF key_types <> '\(known)' THEN
              FOREACH key_type IN ARRAY key_types LOOP
                IF NOT \(schema.quoted).is_plain(key_type::regtype) THEN RAISE EXCEPTION 'a type of a key'; END IF;
              END LOOP;
            END IF;
      """
  }
}
#endif
