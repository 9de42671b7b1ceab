package import ResultsDomain

/// What a column of a table is for, as far as its name and its type say it; people read the columns in this order.
package enum ColumnRole: Int, Comparable, CaseIterable, Sendable {
  /// The column that names the rows.
  case name
  /// Other texts.
  case text
  /// Yes or no.
  case flag
  /// A number that is none of the others.
  case number
  /// A date or a time.
  case time
  /// Bytes.
  case blob
  /// A key, of the row itself or of another one.
  case key

  /// Whether people read columns of one role before those of another.
  package static func < (left: ColumnRole, right: ColumnRole) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The names of columns that name rows, the best first; letter case does not count.
  private static let usualNames = ["name", "title", "label", "subject"]

  /// Returns columns in the order in which people read them; those of one role keep the order of the table.
  /// - Parameters:
  ///   - names: The names of columns.
  ///   - entity: The table.
  /// - Returns: The same names.
  package static func arranged(_ names: [String], of entity: EntityDescription) -> [String] {
    let roles = roles(of: names, in: entity)
    return names.indices.sorted { (roles[$0], $0) < (roles[$1], $1) }.map { names[$0] }
  }

  private static func roles(of names: [String], in entity: EntityDescription) -> [ColumnRole] {
    var keys = Set(entity.identity.columns.map(Value.text))
    for case .toOne(let columns) in entity.relationships.map(\.kind) {
      keys.formUnion(columns.map(Value.text))
    }
    var roles = names.map { name -> ColumnRole in
      guard !keys.contains(.text(name)), let attribute = entity.attribute(named: name) else {
        return .key
      }
      return role(of: attribute.type)
    }
    let named = usualNames.lazy.compactMap { usual in
      names.firstIndex { $0.lowercased().hasSameBytes(as: usual) && isText($0, in: entity) }
    }
    if let index = named.first ?? roles.firstIndex(of: .text) { roles[index] = .name }
    return roles
  }

  private static func isText(_ name: String, in entity: EntityDescription) -> Bool {
    guard let attribute = entity.attribute(named: name) else {
      guard case .text(let column) = entity.identity else { return false }
      return column.hasSameBytes(as: name)
    }
    return attribute.type == .text
  }

  private static func role(of type: AttributeType) -> ColumnRole {
    switch type {
    case .text: .text
    case .boolean: .flag
    case .integer16, .integer32, .integer64, .real, .decimal: .number
    case .date: .time
    case .blob: .blob
    }
  }
}
