import ResultsDomain

extension SQLText {
  /// The statement that reads the keys of a list in their order: the terms' values, then the key's.
  init(entriesOf definition: OrderDefinition, in table: EntityTable) {
    self.init()
    writesConstants = true
    append("SELECT ")
    for term in definition.terms {
      append(term.expression, in: table)
      append(", ")
    }
    append(table.keyColumns.joined(separator: ", "))
    append(" FROM \(table.quotedName)")
    append(where: definition.predicate, in: table)
    append(" ORDER BY ")
    for (place, term) in definition.terms.enumerated() {
      // A number names a result column, so that the expression's arguments are bound once.
      append(
        "\(place + 1)\(table.direction(of: term, column: definition.layout.order[place])), "
      )
    }
    append(table.keyOrder)
  }
}

extension EntityTable {
  /// The direction of a term in `ORDER BY`, with the place of nulls only where it is not SQLite's own, so that
  /// indexes serve.
  func direction(of term: FetchSortDescriptor, column: KeyColumn) -> String {
    let collation = column.storage == .text ? " COLLATE BINARY" : ""
    // Where nothing is null, any place of nulls is SQLite's own.
    let nulls =
      canBeNull(term.expression) ? term.nulls : term.direction == .ascending ? .first : .last
    switch (term.direction, nulls) {
    case (.ascending, .first): return collation
    case (.ascending, .last): return collation + " NULLS LAST"
    case (.descending, .last): return collation + " DESC"
    case (.descending, .first): return collation + " DESC NULLS FIRST"
    }
  }

  /// The key's columns in `ORDER BY`.
  var keyOrder: String {
    zip(keyColumns, keyStorage)
      .map { $1 == .text ? $0 + " COLLATE BINARY" : $0 }
      .joined(separator: ", ")
  }
}
