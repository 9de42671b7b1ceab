#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

/// How the tables of the store's entities are captured, as the catalog says it in one snapshot.
struct CaptureLayout: Sendable {
  /// A table of the store.
  struct Table: Hashable, Sendable {
    /// The number of the table in `pg_class`, or 0 if it is missing.
    let relation: UInt32
    /// The number of the table in the log, if it is captured as it should be.
    let number: Int?
    /// Other numbers under which the log has changes of the table, in a form that cannot be used.
    let otherNumbers: Set<Int>
    /// For each attribute of the entity its position in an image of the log.
    let positions: [Int]
    let keyForm: CaptureText.KeyForm
    /// The array types of the key's columns.
    let keyArrays: [UInt32]
    /// The numbers of the entity's columns.
    let columnNumbers: [Int64]
    /// What the log's changes depend on: the versions of the columns' and the triggers' rows in the catalog.
    let dependencies: [Int64]
    /// Whether capture by row is necessary because of other triggers.
    let mode: CaptureText.Mode
    /// The newest form in which the table was captured.
    let newest: CapturedEntity?
    /// The types of the table's columns.
    let types: [String: String]
    /// Whether someone has switched off or removed triggers, which nobody puts back unasked.
    let isAltered: Bool
    /// Whether the table has partitions.
    let isPartitioned: Bool
    /// Why changes of the table are not captured, or `nil` if they are.
    let problem: String?
    /// Whether all triggers of the newest form exist, with the text that this version gives them.
    let isOfThisText: Bool
    /// Whether the triggers notify exactly if they should.
    let ringsAsWanted: Bool
    /// The triggers of the log that the table has.
    let triggers: [String]
    /// The triggers of others that would change a row before the log has its old values.
    let earlierTriggers: [String]
  }

  /// The tables, by their index.
  let tables: [Table]
  /// The tables' marks, which differ if anything of what they are read from has changed; behind them those of the log itself.
  var marks: [Int64] = []
  /// Whether commits can notify on this server.
  let rings: Bool
  /// The greatest number of a table in the log.
  let lastNumber: Int

  /// The tables of each number in the log.
  let byNumber: [Int: [Int]]
  /// The tables whose changes have a number of another form.
  let byOtherNumber: [Int: [Int]]

  private init(_ tables: [Table], rings: Bool, lastNumber: Int) {
    (self.tables, self.rings, self.lastNumber) = (tables, rings, lastNumber)
    var (byNumber, byOther): ([Int: [Int]], [Int: [Int]]) = ([:], [:])
    for (index, table) in tables.enumerated() {
      if let number = table.number { byNumber[number, default: []].append(index) }
      for number in table.otherNumbers { byOther[number, default: []].append(index) }
    }
    (self.byNumber, byOtherNumber) = (byNumber, byOther)
  }

  /// Whether every table is captured.
  var isComplete: Bool { uncaptured.isEmpty }

  /// The indexes of the tables whose changes are not all in the log.
  var uncaptured: [Int] {
    tables.indices.filter { hasLosses || tables[$0].number == nil }
  }

  /// Whether a writer could write nothing into the log, since the last repair.
  var hasLosses: Bool { marks.count > tables.count && marks[tables.count + 1] >= 0 }

  /// Why changes are not captured, one text for each reason.
  var problems: [String] {
    let losses =
      hasLosses ? ["changes were committed that could not be written into the log"] : []
    return losses + tables.compactMap(\.problem)
  }

  /// Whether nothing is to be installed.
  var isAsWanted: Bool { isComplete && tables.allSatisfy(\.ringsAsWanted) }

  /// The tables whose history is interrupted where this layout follows another one.
  func interruptions(since old: CaptureLayout) -> [Int: GapReason] {
    guard marks.dropFirst(tables.count) == old.marks.dropFirst(tables.count) else {
      return Dictionary(uniqueKeysWithValues: tables.indices.map { ($0, .schemaChanged) })
    }
    var gaps: [Int: GapReason] = [:]
    for (index, (before, after)) in zip(old.tables, tables).enumerated()
    where before.dependencies != after.dependencies || before.relation != after.relation
      || after.number == nil
    {
      gaps[index] = .schemaChanged
    }
    return gaps
  }

  /// An expression for the marks: an array of numbers, one for each table, and two of the log: its version in the catalog, and how often
  /// nothing could be written, or -1.
  func marksExpression(of tables: StoreTables, in schema: LogSchema) -> String {
    let marks = zip(self.tables, tables.all).map { table, entity in
      let columns = table.columnNumbers.map(String.init).joined(separator: ", ")
      // Another table may have the name by now.
      let name = CaptureLayout.relation(entity.quotedName)
      let named = "coalesce(\(name)::pg_catalog.oid::pg_catalog.int8, 0)"
      let relation = "\(table.relation)::pg_catalog.oid"
      return """
        pg_catalog.hash_array_extended(ARRAY[\(named), \
        pg_catalog.hash_array_extended(ARRAY(SELECT a.xmin FROM pg_catalog.pg_attribute a \
        WHERE a.attrelid = \(table.relation) AND a.attnum IN (\(columns.isEmpty ? "0" : columns)) ORDER BY a.attnum), 0), \
        pg_catalog.hash_array_extended(ARRAY(SELECT t.xmin FROM pg_catalog.pg_trigger t \
        WHERE t.tgrelid = \(table.relation) ORDER BY t.tgname), 0), \
        pg_catalog.hash_array_extended(\(CaptureLayout.heirs(of: relation, arePartitions: table.isPartitioned)), 0)], 0)
        """
    }
    let log = CaptureLayout.relation("\(schema.quoted).log")
    let lost = CaptureLayout.relation("\(schema.quoted).lost")
    let own = [
      """
      coalesce((SELECT pg_catalog.hashint8extended(c.oid::pg_catalog.int8, (c.xmin::pg_catalog.text)::pg_catalog.int8) \
      FROM pg_catalog.pg_class c WHERE c.oid = \(log)), 0)
      """,
      """
      coalesce(CASE WHEN pg_catalog.has_sequence_privilege(\(lost)::pg_catalog.oid, 'SELECT') \
      THEN pg_catalog.pg_sequence_last_value(\(lost)) END, -1)
      """,
    ]
    return "ARRAY[\((marks + own).joined(separator: ", "))]::pg_catalog.int8[]"
  }

  private static func relation(_ quotedName: String) -> String {
    "pg_catalog.to_regclass(\(Connection.literal(quotedName)))"
  }

  /// An array of numbers for the tables that inherit from one.
  ///
  /// Partitions are named with their files, which TRUNCATE replaces, and with
  /// their triggers.
  fileprivate static func heirs(of relation: String, arePartitions: Bool) -> String {
    guard arePartitions else {
      return """
        ARRAY(SELECT i.inhrelid::pg_catalog.int8 FROM pg_catalog.pg_inherits i WHERE i.inhparent = \(relation) \
        ORDER BY i.inhrelid)
        """
    }
    return """
      ARRAY(SELECT (c.oid::pg_catalog.int8 << 32) # c.relfilenode::pg_catalog.int8 # \
      pg_catalog.hash_array_extended(ARRAY(SELECT t.xmin FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid ORDER BY t.tgname), 0) \
      FROM pg_catalog.pg_partition_tree(\(relation)) p JOIN pg_catalog.pg_class c ON c.oid = p.relid ORDER BY c.oid)
      """
  }
}

// MARK: - Reading the catalog

extension CaptureLayout {
  /// The statements that read the layout of some tables.
  static func statements(
    of tables: StoreTables,
    in schema: LogSchema,
    hasLog: Bool = true
  ) -> [Statement] {
    let names = Parameter.texts(tables.all.map(\.quotedName))
    let relations = "SELECT pg_catalog.to_regclass(n) FROM pg_catalog.unnest($1) n"
    return [
      Statement(
        """
        SELECT coalesce(c.oid, 0::pg_catalog.oid), c.relkind = 'r' AND NOT c.relispartition \
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid OR i.inhparent = c.oid) \
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_subscription_rel s WHERE s.srrelid = c.oid), \
        c.relkind = 'p', c.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid), \
        c.relkind = 'p' AND EXISTS (SELECT FROM pg_catalog.pg_partition_tree(c.oid) p \
        JOIN pg_catalog.pg_trigger t ON t.tgrelid = c.oid AND (t.tgtype & 1) = 1 AND t.tgname LIKE '!results%' \
        WHERE p.relid <> c.oid AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger o \
        WHERE o.tgrelid = p.relid AND o.tgname = t.tgname AND o.tgfoid = t.tgfoid AND o.tgenabled IN ('O', 'A'))), \
        CASE WHEN c.relkind = 'p' THEN \(heirs(of: "c.oid", arePartitions: true)) \
        ELSE \(heirs(of: "c.oid", arePartitions: false)) END \
        FROM pg_catalog.unnest($1) WITH ORDINALITY n(name, i) \
        LEFT JOIN pg_catalog.pg_class c ON c.oid = pg_catalog.to_regclass(n.name) ORDER BY n.i
        """,
        [names],
        isPrepared: false
      ),
      Statement(
        """
        SELECT a.attrelid, a.attname::pg_catalog.text, a.attnum, \
        pg_catalog.format_type(a.atttypid, a.atttypmod), t.typarray, \
        (a.xmin::pg_catalog.text)::pg_catalog.int8 FROM pg_catalog.pg_attribute a \
        JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
        WHERE a.attrelid IN (\(relations)) AND a.attnum > 0 AND NOT a.attisdropped
        """,
        [names],
        isPrepared: false
      ),
      Statement(
        """
        SELECT t.tgrelid, t.tgname::pg_catalog.text, t.oid, (t.xmin::pg_catalog.text)::pg_catalog.int8, \
        t.tgenabled = 'A', n.nspname::pg_catalog.text, p.proname::pg_catalog.text, p.prosrc, \
        p.prosecdef, p.proconfig, pg_catalog.obj_description(t.oid, 'pg_trigger'), t.tgisinternal, \
        (t.tgtype & 1) = 1 AND (t.tgtype & 66) = 0, t.tgconstrrelid = t.tgrelid, \
        p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace \
        AND p.proname IN ('RI_FKey_cascade_del', 'RI_FKey_cascade_upd', 'RI_FKey_setnull_del', \
        'RI_FKey_setnull_upd', 'RI_FKey_setdefault_del', 'RI_FKey_setdefault_upd') \
        FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid \
        JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
        WHERE t.tgrelid IN (\(relations)) ORDER BY t.tgname
        """,
        [names],
        isPrepared: false
      ),
      Statement(
        """
        SELECT e.number, e.relation, e.keys, e.key_form, e.attributes, e.types, e.capture \
        FROM \(hasLog ? "\(schema.quoted).entity" : CaptureLayout.noEntities) e ORDER BY e.number
        """,
        isPrepared: false
      ),
      Statement(
        "SELECT pg_catalog.current_setting('max_prepared_transactions')::pg_catalog.int4 = 0",
        isPrepared: false
      ),
    ]
  }

  /// Stands for the log's table of entities where there is none.
  private static let noEntities = """
    (SELECT 0::int2 AS number, 0::oid AS relation, '{}'::text[] AS keys, '' AS key_form, '{}'::text[] AS attributes, \
    '{}'::text[] AS types, '' AS capture WHERE false)
    """

  /// What kind of relation a table is.
  fileprivate struct RelationKind {
    /// Whether nothing inherits from it, and it from nothing.
    let isPlain: Bool
    let isPartitioned: Bool
    /// Whether rows of other tables, which have triggers of their own, are among its rows.
    let hasChildren: Bool
    /// Whether a partition has not all triggers of its table.
    let lacksTriggers: Bool
    let heirs: [Int64]

    init(_ result: QueryResult, _ row: Int) {
      isPlain = result.boolean(row, 1) ?? false
      isPartitioned = result.boolean(row, 2) ?? false
      hasChildren = result.boolean(row, 3) ?? false
      lacksTriggers = result.boolean(row, 4) ?? false
      heirs = (result.elements(row, 5) ?? []).map { BinaryForm.integer($0) }
    }
  }

  /// A column in the catalog.
  fileprivate struct CatalogColumn {
    let number: Int64
    let type: String
    let array: UInt32
    let version: Int64
  }

  /// A trigger in the catalog.
  fileprivate struct CatalogTrigger {
    let name: String
    let versions: [Int64]
    let isAlways: Bool
    let schema: String
    let function: LogSchema.Function
    let settings: [String]
    let isDefiner: Bool
    let comment: String
    /// Whether it runs code after a row, which could change rows again.
    let runsAfterRow: Bool
  }

  /// Reads the results of `statements(of:in:)`.
  init(_ results: [QueryResult], of tables: StoreTables, in schema: LogSchema) {
    var columns: [UInt32: [String: CatalogColumn]] = [:]
    for row in 0..<results[1].count {
      columns[UInt32(results[1].unsigned(row, 0) ?? 0), default: [:]][
        results[1].text(row, 1) ?? ""
      ] = CatalogColumn(
        number: results[1].integer(row, 2) ?? 0,
        type: results[1].text(row, 3) ?? "",
        array: UInt32(results[1].unsigned(row, 4) ?? 0),
        version: results[1].integer(row, 5) ?? 0
      )
    }
    var triggers: [UInt32: [CatalogTrigger]] = [:]
    for row in 0..<results[2].count {
      let trigger = CatalogTrigger(results[2], row)
      triggers[UInt32(results[2].unsigned(row, 0) ?? 0), default: []].append(trigger)
    }
    let entities = (0..<results[3].count).map { CapturedEntity(results[3], $0) }
    let rings = results[4].boolean(0, 0) ?? false
    self.init(
      tables.all.enumerated().map { index, table in
        let relation = UInt32(results[0].unsigned(index, 0) ?? 0)
        return Table(
          table,
          relation: relation,
          kind: CaptureLayout.RelationKind(results[0], index),
          columns: columns[relation] ?? [:],
          triggers: triggers[relation] ?? [],
          entities: entities,
          rings: rings,
          in: schema
        )
      },
      rings: rings,
      lastNumber: entities.map(\.number).max() ?? 0
    )
  }
}

/// A row of the log's table of entities: a form in which a table is or was captured.
struct CapturedEntity: Hashable, Sendable {
  let number: Int
  let relation: UInt32
  let keys: [String]
  let keyForm: CaptureText.KeyForm?
  let attributes: [String]
  let types: [String]
  let mode: CaptureText.Mode?

  /// The functions and triggers of this form.
  func text(of table: EntityTable, rings: Bool, in schema: LogSchema) -> CaptureText? {
    guard let keyForm, let mode else { return nil }
    return CaptureText(
      schema: schema,
      home: [table.shape.schema, table.shape.name],
      keyTypes: table.keyColumns.map(\.coding.type),
      number: number,
      table: table.quotedName,
      keys: keys.map(Connection.quoted),
      attributes: attributes.map(Connection.quoted),
      keyForm: keyForm,
      mode: mode,
      rings: rings
    )
  }
}

extension CapturedEntity {
  fileprivate init(_ result: QueryResult, _ row: Int) {
    self.init(
      number: Int(result.integer(row, 0) ?? 0),
      relation: UInt32(result.unsigned(row, 1) ?? 0),
      keys: result.texts(row, 2),
      keyForm: CaptureText.KeyForm(rawValue: result.text(row, 3) ?? ""),
      attributes: result.texts(row, 4),
      types: result.texts(row, 5),
      mode: CaptureText.Mode(rawValue: result.text(row, 6) ?? "")
    )
  }
}

extension CaptureLayout.CatalogTrigger {
  fileprivate init(_ result: QueryResult, _ row: Int) {
    name = result.text(row, 1) ?? ""
    isAlways = result.boolean(row, 4) ?? false
    versions = [result.integer(row, 2) ?? 0, result.integer(row, 3) ?? 0]
    schema = result.text(row, 5) ?? ""
    function = LogSchema.Function(name: result.text(row, 6) ?? "", body: result.text(row, 7) ?? "")
    isDefiner = result.boolean(row, 8) ?? false
    settings = result.texts(row, 9)
    comment = result.text(row, 10) ?? ""
    let isInternal = result.boolean(row, 11) ?? false
    let isAfterRow = result.boolean(row, 12) ?? false
    let refersToItself = result.boolean(row, 13) ?? false
    let isAction = result.boolean(row, 14) ?? false
    // The system's own checks of references change nothing; its actions change rows of this table only if it refers to itself.
    runsAfterRow =
      isAfterRow && !name.hasPrefix(CaptureText.triggerPrefix)
      && (isInternal ? refersToItself && isAction : true)
  }
}

extension CaptureLayout.Table {
  fileprivate init(
    _ table: EntityTable,
    relation: UInt32,
    kind: CaptureLayout.RelationKind,
    columns: [String: CaptureLayout.CatalogColumn],
    triggers: [CaptureLayout.CatalogTrigger],
    entities: [CapturedEntity],
    rings: Bool,
    in schema: LogSchema
  ) {
    let keyNames = table.entity.identity.columns
    let names = table.entity.attributes.map(\.name)
    self.relation = relation
    keyForm = CaptureText.KeyForm(table.keyColumns)
    mode = kind.isPlain && !triggers.contains(where: \.runsAfterRow) ? .statement : .row
    keyArrays = keyNames.map { columns[$0]?.array ?? 0 }
    let used = (keyNames + names).compactMap { columns[$0] }
    columnNumbers = Set(used.map(\.number)).sorted()
    let known = entities.filter { $0.relation == relation && relation != 0 }
    let ours = triggers.filter { $0.name.hasPrefix(CaptureText.triggerPrefix) }
    // The newest form is the one whose triggers the table has.
    let current = known.last
    newest = current
    types = columns.mapValues(\.type)
    self.triggers = ours.map(\.name)
    earlierTriggers = triggers.filter { trigger in
      trigger.runsAfterRow
        && trigger.name.utf8.lexicographicallyPrecedes(CaptureText.triggerPrefix.utf8)
    }.map(\.name)
    let captured = current?.attributes ?? []
    var positions: [Int] = []
    var isFitting = current != nil && current?.keys == keyNames && current?.keyForm == keyForm
    for name in names {
      let position = captured.firstIndex(of: name)
      isFitting =
        isFitting && position != nil
        && current?.types[position ?? 0] == columns[name]?.type
      positions.append(position ?? 0)
    }
    // A form by statement must not be left where other code runs after a row; a form by row is always right.
    if current?.mode == .statement, mode == .row { isFitting = false }
    let ringing = [rings, !rings].first { rings in
      current?.text(of: table, rings: rings, in: schema)?.isInstalled(as: ours) == true
    }
    isOfThisText = ringing != nil
    isFitting = isFitting && isOfThisText
    // The functions would find neither what they read, nor what they name the row by.
    isFitting = isFitting && (captured + keyNames).allSatisfy { columns[$0] != nil }
    ringsAsWanted = ringing == rings
    isFitting = isFitting && earlierTriggers.isEmpty
    isFitting = isFitting && !kind.hasChildren && !kind.lacksTriggers
    isPartitioned = kind.isPartitioned
    let ourNames = Set(ours.map(\.name))
    let wanted = current?.text(of: table, rings: false, in: schema)
    let isOlder = wanted?.isInstalledInAnotherText(as: ours) ?? false
    isAltered =
      current != nil
      && (ours.contains { !$0.isAlways } || !ourNames.isSuperset(of: CaptureText.commonTriggers)
        || !isOlder && !ourNames.isSuperset(of: wanted?.triggers.map(\.name) ?? []))
    number = isFitting ? current?.number : nil
    self.positions = isFitting ? positions : []
    otherNumbers = Set(known.map(\.number)).subtracting(isFitting ? [known.last?.number ?? 0] : [])
    dependencies = used.map(\.version) + ours.flatMap(\.versions) + kind.heirs
    let name = table.quotedName
    if isFitting {
      problem = nil
    } else if relation == 0 {
      problem = "there is no table \(name)"
    } else if current == nil {
      problem = "changes of \(name) are not captured"
    } else if isAltered {
      problem = "triggers that capture changes of \(name) were switched off or removed"
    } else if kind.hasChildren {
      problem = "other tables inherit from \(name)"
    } else if kind.lacksTriggers {
      problem = "a partition of \(name) lacks the triggers that capture changes"
    } else if !earlierTriggers.isEmpty {
      problem = "a trigger of \(name) fires before those that capture changes"
    } else if !isOfThisText {
      problem = "the triggers that capture changes of \(name) are of another version"
    } else {
      problem = "\(name) is not as it was when its capture began"
    }
  }
}

extension CaptureText {
  /// The triggers that tables have had in every version.
  static let commonTriggers = Set(
    ["insert", "update", "delete", "truncate"].map { triggerPrefix + $0 }
  )

  /// Whether a trigger of a table has another text than here.
  fileprivate func isInstalledInAnotherText(as found: [CaptureLayout.CatalogTrigger]) -> Bool {
    let functions = guardedFunctions + schema.functions
    return triggers.contains { trigger in
      guard let other = found.first(where: { $0.name == trigger.name }),
        let function = functions.first(where: { $0.name == trigger.function })
      else { return false }
      return other.comment != trigger.digest || other.function.body != function.body
    }
  }

  /// Whether the triggers of a table are those of this text, and complete.
  fileprivate func isInstalled(as found: [CaptureLayout.CatalogTrigger]) -> Bool {
    let wanted = triggers
    guard found.count == wanted.count else { return false }
    let functions = guardedFunctions + schema.functions
    return wanted.allSatisfy { trigger in
      guard let other = found.first(where: { $0.name == trigger.name }),
        let function = functions.first(where: { $0.name == trigger.function })
      else { return false }
      return other.isAlways && other.schema == schema.name && other.isDefiner
        && other.comment == trigger.digest && other.function.name == function.name
        && other.function.body == function.body && other.settings == LogSchema.Function.settings
    }
  }
}
#endif
