package import ResultsDomain

/// A file as programs over any database see it.
extension DatabaseDescription: DescribedDatabase {
  package var absence: String { "no such table" }

  package func isSameName(_ name: String, _ other: String) -> Bool {
    name.caselessIdentifier == other.caselessIdentifier
  }

  package func numbersOfRows(timeLimit: Duration) throws(StoreError) -> [RowCount?] {
    try rowCounts(timeLimit: timeLimit).map { $0.map { RowCount($0) } }
  }

  package func rowsWithoutIdentity(ofTable name: String) throws(StoreError) -> [[Value]]? {
    guard let table = table(named: name) else { return [] }
    return try unidentifiedRows(of: table)
  }

  package func openStore(
    of entities: [EntityDescription],
    busyTimeout: Duration,
    addsChangeLog: Bool
  ) throws(StoreError) -> any Store {
    try SQLiteStore(
      discovered: self,
      entities: entities,
      busyTimeout: busyTimeout,
      addsChangeLog: addsChangeLog
    )
  }
}

extension TableDescription: DescribedTable {
  package var kindText: String { kind.rawValue }

  package var isView: Bool { kind == .view }

  package var canHaveChangeLog: Bool { kind == .table }

  package var omittedColumns: [OmittedColumn] {
    unnamedColumns.map { OmittedColumn("column \($0)", reason: "has no name") }
  }

  package var remarks: [String] {
    var remarks: [String] = []
    if kind == .view {
      remarks.append("A view is read only: open it with `SQLiteStore(discovered:entities:)`.")
    }
    if !isSampled {
      remarks.append("Its rows were not sampled in time: the types are those of the declaration.")
    }
    return remarks
      + missingCollations.map {
        "It uses the collation \($0), which only its application has; listed in byte order."
      }
  }
}
