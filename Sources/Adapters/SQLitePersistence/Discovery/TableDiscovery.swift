import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Describes one table or view as an entity, so that any row in it can be listed whatever its values are.
struct TableDiscovery {
  private let name: String
  private let kind: TableDescription.Kind
  private let database: Database
  private let foreignKeys: [ForeignKeyDescription]
  private let bound: ReadingBound?
  private let knownForm: KnownForm?

  /// Returns the form of a column that is known without a sample, by the table's name, the column's name and its declared type.
  typealias KnownForm = (_ table: String, _ column: String, _ declaredType: String) -> StoredForm?

  init(
    name: String,
    kind: TableDescription.Kind,
    foreignKeys: [ForeignKeyDescription],
    on database: Database,
    within bound: ReadingBound?,
    form knownForm: KnownForm? = nil
  ) {
    self.name = name
    self.kind = kind
    self.database = database
    self.foreignKeys = foreignKeys
    self.bound = bound
    self.knownForm = knownForm
  }

  /// Runs statements within the bound; `nil` if they did not end in time.
  private func bounded<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try bound?.run(on: database, body) ?? body()
    } catch is ReadingBound.Exceeded {
      return nil
    }
  }

  /// The refusal of a view whose rows cannot be read in time.
  private static let endless = TableRefusal(
    description: "reading its rows has not ended within the time for a description"
  )

  /// Describes the table.
  /// - Parameter isSpared: Returns whether a failure because of damaged rows refuses the table, and is not thrown.
  /// - Returns: The description.
  /// - Throws: SQLite's failures.
  func description(isSpared: (SQLiteFailure) -> Bool) throws -> TableDescription {
    let entity: Result<EntityDescription, TableRefusal>
    var generated: [String] = []
    var unsortable: [String: StoredForm] = [:]
    var converted: [String] = []
    var found: TableShape?
    var mixed: [String] = []
    var isSampled = true
    var unidentified: EntityDescription?
    var collations: [String] = []
    do {
      guard let shape = try database.tableShape(of: name, orView: true) else {
        throw TableRefusal(description: "its declaration cannot be read")
      }
      found = shape
      collations = kind == .table ? try MissingCollations.names(of: shape, on: database) : []
      generated = shape.columns.filter { $0.generation != .none }.map(\.name)
      let sampled = try bounded {
        try MissingCollations.replaced(for: shape, on: database) {
          try ColumnSample.samples(of: shape, kind, on: database)
        }
      }
      guard sampled != nil || kind == .table else { throw TableDiscovery.endless }
      isSampled = sampled != nil
      let samples = sampled ?? shape.columns.map { _ in ColumnSample() }
      mixed = zip(shape.columns, samples).filter { $0.declaredType.isEmpty && $1.isMixed }.map(
        \.0.name
      )
      let described: EntityDescription
      do {
        described = try self.entity(of: shape, samples, try identity(of: shape))
      } catch let missing as MissingIdentity {
        unidentified = try? self.entity(of: shape, samples, missing.numbering(shape))
        throw missing.refusal
      }
      unsortable = try unsortableForms(of: described, shape, samples)
      converted = described.attributes.filter { attribute in
        let form = attribute.form ?? unsortable[attribute.name]
        let preserves = shape.affinity(of: attribute.name)
          .preserves(form?.storage ?? attribute.type.storage)
        return !preserves && form?.isNeverNumber != true
      }
      .map(\.name)
      entity = .success(described)
    } catch let refusal as TableRefusal {
      entity = .failure(refusal)
    } catch let error as SchemaError {
      entity = .failure(TableRefusal(description: "\(error)"))
    } catch {
      // Such as a virtual table whose module this library lacks, or a view of a table that was dropped.
      let codes = [SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_NOMEM]
      guard let failure = SQLiteFailure(error) else { throw error }
      if failure.primaryCode == SQLITE_CORRUPT, isSpared(failure) {
        entity = .failure(TableRefusal(description: "its rows are damaged (\(failure.message))"))
      } else {
        guard codes.contains(failure.primaryCode) else { throw error }
        let missing = found.flatMap { shape in
          collations.first.map { MissingCollations.refusal(of: $0, in: shape) }
        }
        entity = .failure(missing ?? TableRefusal(description: failure.message))
      }
    }
    var table = TableDescription(
      name: name,
      kind: kind,
      entity: entity,
      foreignKeys: foreignKeys,
      generatedAttributes: generated,
      unsortableForms: unsortable,
      convertedAttributes: converted,
      mixedAttributes: mixed,
      isSampled: isSampled,
      uniqueColumns: kind == .table ? try database.indexedColumns(of: name, onlyUnique: true) : [],
      shape: found
    )
    table.missingCollations = collations
    table.unidentifiedEntity = unidentified
    return table
  }

  /// The forms of texts that do not sort like their values.
  private func unsortableForms(
    of entity: EntityDescription,
    _ shape: TableShape,
    _ samples: [ColumnSample]
  ) throws -> [String: StoredForm] {
    var forms: [String: StoredForm] = [:]
    for (column, sample) in zip(shape.columns, samples) {
      guard let attribute = entity.attribute(named: column.name), attribute.type == .text,
        attribute.form == nil, !entity.identity.columns.contains(column.name)
      else { continue }
      let proposal = FormProposal(column, sample)
      if proposal.isDecimalText {
        forms[column.name] = .decimalText
      } else if sample.beginsLikeJSON,
        try bounded({ try sample.isJSON(column, of: shape, on: database) }) == true
      {
        forms[column.name] = .json
      }
    }
    return forms
  }

  /// The entity of rows with an identity.
  private func entity(
    of shape: TableShape,
    _ samples: [ColumnSample],
    _ identity: EntityIdentity
  ) throws -> EntityDescription {
    guard !shape.columns.isEmpty else { throw TableRefusal(description: "it has no columns") }
    guard shape.columns.map(\.name).equalButForComposition.isEmpty else {
      throw TableRefusal(
        description: "two columns have the same name but for the composition of its letters"
          + " (é as one or as two code points)"
      )
    }
    let keys = Set(identity.columns.map(\.caselessIdentifier))
    let recorded = try recordedTypes()
    let isCompound = if case .compound = identity { true } else { false }
    var attributes: [AttributeDescription] = []
    for (column, sample) in zip(shape.columns, samples) {
      let isKey = keys.contains(column.name.caselessIdentifier)
      // A column without a name, which SQLite permits, cannot be an attribute.
      guard isCompound || !isKey, !column.name.isEmpty else { continue }
      let isStrict = shape.isStrict && column.declaredType.caselessIdentifier != Array("any".utf8)
      let proposal = FormProposal(column, sample)
      let known = knownForm?(shape.name, column.name, column.declaredType)
      let form = recorded[column.name] == nil ? proposal.form(expecting: known) : nil
      let type = form?.type ?? (proposal.isPlainDate ? .date : sample.type(of: column))
      var attribute = AttributeDescription(
        column.name,
        recorded[column.name] ?? type,
        isOptional: !isKey && !column.isRequired,
        holdsAnyValue: !isStrict,
        form: form
      )
      attribute.showsIntegers =
        attribute.type == .real && sample.showsIntegers(of: column, in: shape)
      attributes.append(attribute)
    }
    return try EntityDescription(name: shape.name, identity: identity, attributes: attributes)
  }

  /// The types that a store of this package has recorded for its own table.
  private func recordedTypes() throws -> [String: AttributeType] {
    let own = ["_results_store", "_results_entity", "_results_attribute"]
    guard try own.allSatisfy({ try database.tableShape(of: $0) != nil }),
      // A table of another application that has a change log stays as that application writes it. The first format has no
      // such column.
      try bounded({ (try? StoreFormat.isAdopted(on: database)) != true }) == true,
      let recorded = try bounded({ try StoreFormat.recorded(name, on: database) }) ?? nil
    else { return [:] }
    let types = recorded.attributes.compactMap { attribute in
      AttributeType(description: attribute.type).map { (attribute.name, $0) }
    }
    return Dictionary(types) { first, _ in first }
  }

  /// The foreign keys that a table declares.
  static func foreignKeys(
    of name: String,
    on database: Database
  ) throws -> [ForeignKeyDescription] {
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: "PRAGMA main.foreign_key_list(\(name.quotedIdentifier))"
    )
    var keys: [Int64: (columns: [String], table: String, targets: [String], rule: DeleteRule)] = [:]
    for row in rows {
      let id: Int64 = try row.decode(forColumn: "id")
      let table: String = try row.decode(forColumn: "table")
      let action: String = try row.decode(forColumn: "on_delete")
      var key = keys[id] ?? ([], table, [], ReferentialAction(named: action).rule)
      key.columns.append(try row.decode(forColumn: "from"))
      if let target = try row.decode(String?.self, forColumn: "to") { key.targets.append(target) }
      keys[id] = key
    }
    // SQLite numbers the keys from the last one declared.
    return keys.sorted { $0.key > $1.key }
      .map {
        ForeignKeyDescription(
          columns: $1.columns,
          table: $1.table,
          targets: $1.targets,
          onDelete: $1.rule,
          isDeclared: true
        )
      }
  }
}

// MARK: - Identity

extension TableDiscovery {
  /// The identity by which every row of the table is found.
  ///
  /// The primary key is used where no row can lack it: SQLite permits null in it, unless it is an `INTEGER PRIMARY KEY` or the
  /// table has no row numbers (sqlite.org/quirks.html). Otherwise the row number is the identity.
  private func identity(of shape: TableShape) throws -> EntityIdentity {
    let key = shape.columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
    guard kind != .view else {
      guard let identity = try bounded({ try viewIdentity(of: shape) }) else {
        throw TableDiscovery.endless
      }
      return identity
    }
    if key.count == 1, try isRowNumber(key[0], in: shape) {
      return .integer(column: key[0].name)
    }
    if !key.isEmpty, try isUsable(key, in: shape) {
      guard key.count == 1, try bounded({ try holdsTextsOnly(key[0], in: shape) }) == true else {
        return .compound(key.map(\.name))
      }
      return .text(column: key[0].name)
    }
    guard !shape.isWithoutRowNumber else {
      let missing = try MissingCollations.ofKey(of: shape, on: database).first.map {
        MissingCollations.refusal(of: $0, in: shape)
      }
      // Without the collation nothing can be read of such a table.
      if let missing, shape.isCalculated { throw missing }
      throw MissingIdentity(
        missing ?? TableRefusal(description: "its primary key does not compare by bytes")
      )
    }
    let taken = Set(shape.columns.map(\.name.caselessIdentifier))
    let free = TableShape.rowNumberNames.first { !taken.contains($0.caselessIdentifier) }
    guard let free else {
      throw MissingIdentity(
        TableRefusal(description: "columns hide its row number: rowid, _rowid_ and oid")
      )
    }
    return .integer(column: free)
  }

  /// Whether a column is another name for the row number.
  private func isRowNumber(_ column: TableShape.Column, in shape: TableShape) throws -> Bool {
    guard !shape.isWithoutRowNumber,
      column.declaredType.caselessIdentifier == Array("integer".utf8)
    else { return false }
    // A key declared `INTEGER PRIMARY KEY DESC` is an ordinary column with an index.
    return try primaryIndex(of: shape) == nil
  }

  private func primaryIndex(of shape: TableShape) throws -> String? {
    try String.fetchOne(
      database,
      sql: "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'",
      arguments: [shape.name]
    )
  }

  /// Whether all rows have the key, and SQLite compares it by bytes.
  private func isUsable(_ key: [TableShape.Column], in shape: TableShape) throws -> Bool {
    guard let index = try primaryIndex(of: shape) else { return false }
    let collations = try String.fetchAll(
      database,
      sql: "SELECT coll FROM pragma_index_xinfo(?) WHERE key = 1",
      arguments: [index]
    )
    guard collations.allSatisfy({ $0.caselessIdentifier == Array("binary".utf8) }) else {
      return false
    }
    guard !shape.isWithoutRowNumber else { return true }
    let nullable = key.filter { !$0.isRequired }.map { "\($0.name.quotedIdentifier) IS NULL" }
    guard !nullable.isEmpty else { return true }
    // A key whose rows cannot be read in time identifies them no worse by their numbers.
    return try bounded { try exists(nullable.joined(separator: " OR "), in: shape) } == false
  }

  /// Whether a column of the primary key holds texts and nothing else.
  private func holdsTextsOnly(_ column: TableShape.Column, in shape: TableShape) throws -> Bool {
    guard column.affinity == .text else { return false }
    let name = column.name.quotedIdentifier
    // Texts sort before blobs, so a search for the first blob is enough (sqlite.org/datatype3.html, 4.1).
    return try !exists("\(name) >= x''", in: shape)
  }

  private func exists(_ condition: String, in shape: TableShape) throws -> Bool {
    try database.integer(
      "SELECT EXISTS (SELECT 1 FROM main.\(shape.name.quotedIdentifier) WHERE \(condition))"
    ) == 1
  }

  /// The identity of a view's rows: the first column that has a value in every row and never the same one twice, or else all
  /// columns if no two rows are equal.
  private func viewIdentity(of shape: TableShape) throws -> EntityIdentity {
    let view = shape.name.quotedIdentifier
    let columns = shape.columns.map(\.name)
    /// A number; `nil` if a value is longer than a file of others may have.
    func number(_ text: String) throws -> Int64? {
      do {
        return try database.integer(text)
      } catch  where SQLiteFailure(error)?.primaryCode == SQLITE_TOOBIG {
        return nil
      }
    }
    let rows = try database.integer("SELECT count(*) FROM main.\(view)")
    for column in columns {
      let name = column.quotedIdentifier
      let count = try number("SELECT count(DISTINCT \(name) COLLATE BINARY) FROM main.\(view)")
      if count == rows { return .compound([column]) }
    }
    let nulls = columns.map { "\($0.quotedIdentifier) IS NULL" }.joined(separator: " OR ")
    let names = columns.map { "\($0.quotedIdentifier) COLLATE BINARY" }.joined(separator: ", ")
    let distinct = try number("SELECT count(*) FROM (SELECT DISTINCT \(names) FROM main.\(view))")
    guard distinct == rows, try !exists(nulls, in: shape) else {
      throw MissingIdentity(
        TableRefusal(
          description: "no column of the view identifies its rows: each has equal or missing values"
        )
      )
    }
    return .compound(columns)
  }
}
