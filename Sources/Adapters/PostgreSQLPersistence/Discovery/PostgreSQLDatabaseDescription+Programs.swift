#if PostgreSQL
package import ResultsDomain

/// A database on a server as programs over any database see it.
extension PostgreSQLDatabaseDescription: DescribedDatabase {
  package var absence: String { "not in the search path" }

  package func isSameName(_ name: String, _ other: String) -> Bool { name.hasSameBytes(as: other) }

  package func rowsWithoutIdentity(ofTable name: String) throws(StoreError) -> [[Value]]? {
    guard let table = table(named: name) else { return [] }
    return try unidentifiedRows(of: table)
  }

  /// The catalog has no number that would say so.
  package func isCurrent() throws(StoreError) -> Bool { false }

  package func openStore(
    of entities: [EntityDescription],
    busyTimeout: Duration,
    addsChangeLog: Bool
  ) throws(StoreError) -> any Store {
    try PostgreSQLStore(
      discovered: self,
      entities: entities,
      busyTimeout: busyTimeout,
      addsChangeLog: addsChangeLog
    )
  }
}

extension PostgreSQLTableDescription: DescribedTable {
  package var kindText: String {
    switch kind {
    case .table, .partitioned, .view: kind.rawValue
    case .materialized: "materialized view"
    case .foreign: "foreign table"
    }
  }

  package var isView: Bool { kind == .view || kind == .materialized }

  package var canHaveChangeLog: Bool {
    (kind == .table || kind == .partitioned) && textColumns.isEmpty
  }

  package var unsortableForms: [String: StoredForm] { [:] }

  package var convertedAttributes: [String] { [] }

  package var mixedAttributes: [String] { [] }

  package var remarks: [String] {
    var reasons: [String] = []
    if let entity = try? entity.get(), Set(entity.identity.columns) != Set(primaryKey) {
      reasons.append("a unique index identifies its rows")
    }
    if !textColumns.isEmpty {
      let columns = textColumns.map { "\($0.name) (\($0.type))" }.joined(separator: ", ")
      reasons.append("\(columns) \(textColumns.count == 1 ? "is" : "are") read as text")
    }
    guard !reasons.isEmpty else { return [] }
    return [
      "Open it with `PostgreSQLStore(discovered:entities:)`: \(reasons.joined(separator: "; "))."
    ]
  }
}
#endif
