package import ResultsDomain
package import ResultsPresentation

/// A column of a printed list.
package enum ListColumn: Sendable {
  /// The object's key, with its heading.
  case key(String)
  /// A stored attribute, with its index in a row's values.
  case attribute(Int, AttributeDescription)
  /// A value of related objects, which the list fetches beside the stored attributes.
  case related(AttributeDescription)
  /// The same, under a name of the program's own.
  case value(NamedValue, AttributeDescription)
  /// The name of a related object, or the names of several, under the name of the relationship.
  case named(NamedRelationship)
  /// An attribute computed from a row.
  case transient(TransientAttribute)
  /// An aggregate over the rows up to a row, whose value is added to the row where the list is printed.
  case running(RunningColumn, AttributeDescription)

  /// The column's heading.
  package var title: String {
    switch self {
    case .key(let title): title
    case .attribute(_, let attribute), .related(let attribute): attribute.name
    case .value(let value, _): value.name
    case .named(let relationship): relationship.name
    case .transient(let transient): transient.name
    case .running(let running, _): running.name
    }
  }

  /// Returns the column's text for a row.
  package func text(_ row: Row, _ formatter: ValueFormatter) -> String {
    switch self {
    case .key: row.id.key.description
    case .attribute(let index, let attribute): formatter.text(row.values[index], of: attribute)
    case .related(let attribute), .value(_, let attribute), .running(_, let attribute):
      formatter.text(row[attribute.name], of: attribute)
    case .named(let relationship): relationship.shown(in: row).text ?? ""
    case .transient(let transient): formatter.text(transient.compute(row), of: transient.type)
    }
  }

  /// Returns the column's value for a row, as machine formats represent it.
  package func value(_ row: Row) -> Value {
    switch self {
    case .key: row.id.key.parts.count == 1 ? row.id.key.parts[0] : .text("\(row.id.key)")
    case .attribute(let index, let attribute):
      ListColumn.machine(row.values[index], of: attribute)
    case .related(let attribute), .value(_, let attribute), .running(_, let attribute):
      ListColumn.machine(row[attribute.name], of: attribute)
    case .named(let relationship): relationship.shown(in: row)
    case .transient(let transient): ListColumn.machine(transient.compute(row), transient.type)
    }
  }

  /// The indexes of the columns whose machine values for a row are `true` and `false`.
  package static func booleans(_ columns: [ListColumn], in row: Row) -> Set<Int> {
    Set(columns.indices.filter { columns[$0].isBoolean(row) })
  }

  private func isBoolean(_ row: Row) -> Bool {
    switch self {
    case .attribute(let index, let attribute): attribute.shown(row.values[index]).type == .boolean
    case .related(let attribute), .value(_, let attribute), .running(_, let attribute):
      attribute.shown(row[attribute.name]).type == .boolean
    case .transient(let transient): transient.type == .boolean
    case .key, .named: false
    }
  }

  /// Returns the value that an attribute of a stored form shows, as machine formats represent it.
  private static func machine(_ value: Value, of attribute: AttributeDescription) -> Value {
    let shown = attribute.shown(value)
    return machine(shown.value, shown.type)
  }

  /// Returns integers, reals, texts and blobs unchanged, so that a format which distinguishes blobs from texts can do so; dates, decimals and
  /// booleans as their machine texts.
  private static func machine(_ value: Value, _ type: AttributeType) -> Value {
    switch (type, value) {
    case (_, .null): .null
    case (_, .blob), (.integer16, _), (.integer32, _), (.integer64, _), (.real, _), (.text, _):
      value
    // Another number in a column of booleans is that number.
    case (.boolean, .integer(let number)) where number != 0 && number != 1: value
    case (.boolean, _), (.date, _), (.decimal, _), (.blob, _): .text(type.machineText(of: value))
    }
  }

  /// The column's name, or `nil` for the key.
  package var nameBesideKey: String? {
    if case .key = self { nil } else { title }
  }
}

extension ResultsDefinition<Row> {
  /// Returns the definition with the values of related objects that some columns show.
  /// - Parameters:
  ///   - columns: The columns.
  ///   - observesNames: Whether the list follows the names of related objects. A list that is printed once reads them with its rows
  ///     (`ObjectFields.rows(_:adding:in:)`), and so remains the list that is cached.
  /// - Returns: The definition; without a cache if it reads related objects.
  package func fetching(
    _ columns: [ListColumn],
    observesNames: Bool = true
  ) -> ResultsDefinition<Row> {
    let paths = columns.compactMap { column -> String? in
      switch column {
      case .related(let attribute), .value(_, let attribute): attribute.name
      case .named(let relationship) where observesNames: relationship.path.description
      case .key, .attribute, .named, .transient, .running: nil
      }
    }
    guard !paths.isEmpty else { return self }
    var definition = self
    definition.cacheName = nil
    let own = request.propertiesToFetch ?? request.entity.attributes.map(\.name)
    definition.request.propertiesToFetch = own + paths
    return definition
  }
}

extension ListProgram {
  /// The columns of an export: all fields, and the key if it is chosen by the user.
  package static var exportColumns: [ListColumn] {
    let attributes = fields.form.attributes.enumerated().map { ListColumn.attribute($0, $1) }
    if case .text = entity.identity { return [.key(keyTitle)] + attributes }
    return isReadOnly && entity.keyAttributeIndexes.isEmpty && showsKey
      ? [.key(keyTitle)] + attributes : attributes
  }
}
