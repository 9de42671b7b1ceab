import ResultsDomain
import ResultsStoreKit

/// Gives the columns of foreign keys the type and the form of the columns that they refer to.
///
/// The type of a column without values is a guess by its declaration. A column that holds the keys of another table has their type, so
/// that a relationship does not depend on which of two tables has rows.
enum ForeignKeyTypes {
  /// Returns descriptions of tables whose foreign keys have the types of the keys that they hold.
  /// - Complexity: O(*n*) in the foreign keys, for each table in a chain of keys that are foreign keys, of which some are followed.
  static func aligned(_ tables: [TableDescription]) -> [TableDescription] {
    var tables = tables
    let indexes = Dictionary(
      tables.indices.map { (tables[$0].name.caselessIdentifier, $0) }
    ) { first, _ in first }
    // The key of a table can be a foreign key itself; each pass follows one step of such a chain.
    for _ in tables.prefix(longestChain) {
      var isChanged = false
      for index in tables.indices {
        let aligned = aligned(tables[index]) { name in
          indexes[name.caselessIdentifier].map { tables[$0] }
        }
        guard let aligned else { continue }
        tables[index] = aligned
        isChanged = true
      }
      if !isChanged { break }
    }
    return tables
  }

  /// The number of steps of a chain that are followed.
  private static let longestChain = 8

  /// The table with other types, or `nil` if none differs.
  private static func aligned(
    _ table: TableDescription,
    _ find: (_ name: String) -> TableDescription?
  ) -> TableDescription? {
    guard let entity = try? table.entity.get() else { return nil }
    var attributes = entity.attributes
    for key in table.foreignKeys {
      guard let target = find(key.table), target.name != table.name,
        let other = try? target.entity.get()
      else { continue }
      let names = key.targets.isEmpty ? other.identity.columns : key.targets
      for (column, name) in zip(key.columns, names) {
        guard let model = attribute(name, of: other),
          let index = attributes.firstIndex(where: {
            $0.name.caselessIdentifier == column.caselessIdentifier
          }),
          attributes[index].holdsAnyValue == model.holdsAnyValue
        else { continue }
        let attribute = attributes[index]
        attributes[index] = AttributeDescription(
          attribute.name,
          model.type,
          isOptional: attribute.isOptional,
          holdsAnyValue: attribute.holdsAnyValue,
          form: model.form
        )
        attributes[index].showsIntegers = attribute.showsIntegers
      }
    }
    guard attributes != entity.attributes else { return nil }
    let changed = try? EntityDescription(
      name: entity.name,
      identity: entity.identity,
      attributes: attributes
    )
    return changed.map { table.with($0) }
  }

  private static func attribute(
    _ name: String,
    of entity: EntityDescription
  ) -> AttributeDescription? {
    entity.attributes.first { $0.name.caselessIdentifier == name.caselessIdentifier }
  }
}
