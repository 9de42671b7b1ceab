import CSQLiteHooks
import GRDB
import ResultsDomain

/// Checks whether the dates of a table are in another unit than microseconds since 1970, and would be read as days in that year.
struct DateColumns {
  private let entity: EntityDescription
  private let shape: TableShape

  init(of entity: EntityDescription, in shape: TableShape) {
    self.entity = entity
    self.shape = shape
  }

  /// What is wrong with the dates of the first and last rows by key: one sentence per column.
  func problems(on database: Database) throws -> [String] {
    // What a form writes is in the unit of the form.
    try entity.attributes.filter { $0.type == .date && $0.form == nil }
      .compactMap { attribute in
        guard shape.column(named: attribute.name) != nil else { return nil }
        return problem(attribute.name, try sample(attribute.name, on: database))
      }
  }

  private func sample(_ name: String, on database: Database) throws -> [Value] {
    let keys = entity.identity.columns.map(\.quotedIdentifier)
    let statements = ["ASC", "DESC"].map { direction in
      """
      SELECT * FROM (SELECT \(name.quotedIdentifier) FROM main.\(shape.name.quotedIdentifier)
      ORDER BY \(keys.map { "\($0) \(direction)" }.joined(separator: ", ")) LIMIT \(DateUnits.sampleSize))
      """
    }
    let statement = try PreparedStatement(statements.joined(separator: " UNION ALL "), on: database)
    defer { statement.reset() }
    var values: [Value] = []
    while try statement.step() {
      values.append(Value(statement.pointer, column: 0, storage: .integer))
    }
    return values.filter { !$0.isNull }
  }

  private func problem(_ name: String, _ values: [Value]) -> String? {
    let numbers = values.compactMap(\.integer)
    if let other = values.first(where: { $0.integer == nil }), numbers.count * 2 < values.count {
      let (kind, text) =
        switch other {
        case .text(let text): ("texts", "'\(text.prefix(40))'")
        case .illFormedText(let text): ("texts", "'\(text.repaired.prefix(40))'")
        case .real(let number): ("fractions", "\(number)")
        default: ("blobs", "of bytes")
        }
      return "\(name) contains \(kind) such as \(text), where \(DateUnits.needed)"
    }
    return DateUnits.problem(name, numbers)
  }
}
