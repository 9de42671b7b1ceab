#if PostgreSQL
// The functions of triggers run as the owner of the log. What they must not do is to run code of others: an assignment of a value may call
// a function that the owner of its type has made.

extension CaptureText {
  /// The functions of the table, each of which first makes sure that it was called for that table, and that its key has the type it had.
  var guardedFunctions: [LogSchema.Function] { functions.map(guarded) }

  private func guarded(_ function: LogSchema.Function) -> LogSchema.Function {
    let name = function.name.prefix { $0 != "_" }
    let readsKeys = !["truncate", "rekey"].contains(name)
    return LogSchema.Function(
      name: function.name,
      arguments: function.arguments,
      result: function.result,
      patience: function.patience,
      body: """
        \(readsKeys ? "DECLARE key_types oid[]; key_type oid;" : "")
        BEGIN
          IF TG_TABLE_SCHEMA <> \(Connection.literal(home[0])) OR TG_TABLE_NAME <> \(Connection.literal(home[1])) THEN
            -- The table has got another name, or this is a partition, which has copies of its table's triggers.
            IF NOT EXISTS (SELECT FROM \(schema.quoted).entity e WHERE e.number = \(number)
              AND (e.relation = TG_RELID OR e.relation IN (SELECT p.relid FROM pg_partition_ancestors(TG_RELID) p)))
            THEN RETURN NULL; END IF;
          END IF;
          \(readsKeys ? typeCheck(isInsert: name == "insert", isByRow: mode == .row || name == "own") : "")
          \(function.body);
        END
        """
    )
  }

  /// Statements that end the function with a gap where a column of the key has a type that somebody has made; a function of `pg_typeof` takes
  /// every type as it is.
  private func typeCheck(isInsert: Bool, isByRow: Bool) -> String {
    let row = isByRow ? (isInsert ? "NEW" : "OLD") : (isInsert ? "n" : "o")
    let types = keys.map { "pg_typeof(\(row).\($0))::oid" }.joined(separator: ", ")
    let known = "{\(keyTypes.map(String.init).joined(separator: ","))}"
    return """
      BEGIN
          key_types := \(isByRow ? "ARRAY[\(types)]" : "(SELECT ARRAY[\(types)] FROM \(row) LIMIT 1)");
        EXCEPTION WHEN undefined_column THEN NULL;
        END;
        IF key_types <> '\(known)' THEN
          FOREACH key_type IN ARRAY key_types LOOP
            IF NOT \(schema.quoted).is_plain(key_type) THEN
              INSERT INTO \(schema.quoted).log (entity, kind) VALUES (\(number), 't');
              RETURN NULL;
            END IF;
          END LOOP;
        END IF;
      """
  }
}
#endif
