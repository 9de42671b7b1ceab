package import ResultsDomain
import ResultsStoreKit

/// The table of one entity as a statement reads it.
package protocol SQLTable: AnyObject, Sendable {
  var entity: EntityDescription { get }
  /// The table in a `FROM` clause, with the name that the statement gives it.
  var source: String { get }
  /// The tables that the statement joins to this one.
  var joins: [TableJoin<Self>] { get }

  /// A table under a name of its own in a statement that reads several tables.
  init(_ table: Self, as name: String)

  /// A named table with others joined to it.
  init(_ table: Self, joining joins: [TableJoin<Self>])

  /// The condition that columns of a table hold the key of this one.
  func keyCondition(_ columns: [String], of holder: Self) -> String
}

extension SQLTable {
  /// The table at the end of a path, or `nil` if it is not joined.
  package func related(along path: [String]) -> Self? {
    path.isEmpty ? self : joins.first { $0.path.isSamePath(as: path) }?.table
  }
}

/// A table that a statement joins to another one by its key.
package struct TableJoin<Table: SQLTable>: Sendable {
  /// The to-one relationships from the other table.
  package let path: [String]
  package let table: Table
  /// The condition by which at most one row is joined.
  package let condition: String
}

/// The tables of all entities that a store was opened with.
package final class SQLTables<Table: SQLTable>: Sendable {
  package let all: [Table]
  package let entities: [EntityDescription]

  package init(_ all: [Table]) {
    self.all = all
    entities = all.map(\.entity)
  }

  /// The table of an entity, or `nil` if the store was not opened with it.
  package func find(_ entity: EntityDescription) -> Table? {
    entities.index(matching: entity).map { all[$0] }
  }

  /// The table of an entity.
  /// - Throws: `StoreError.unknownEntity` for an entity that the store was not opened with, or that has another schema.
  package func table(of entity: EntityDescription) throws(StoreError) -> Table {
    guard let table = find(entity) else {
      throw .unknownEntity(entity.name, known: entities.map(\.name))
    }
    return table
  }
}
