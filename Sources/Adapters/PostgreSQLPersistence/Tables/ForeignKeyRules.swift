#if PostgreSQL
import ResultsDomain
import SQLStoreSupport

typealias ForeignKeyRules = SQLStoreSupport.ForeignKeyRules<PostgreSQLDialect>

extension CatalogReader.Findings: ForeignKeyCatalog {
  func foreignKeys(of entity: EntityDescription) -> [ForeignKeyShape]? {
    table(named: entity.name)?.foreignKeys
  }

  /// No column has values of any class.
  func compares(
    _ column: String,
    of entity: EntityDescription,
    with key: String,
    of destination: EntityDescription
  ) -> Bool { false }
}

extension ReferentialAction {
  /// The action of a letter in the catalog (`pg_constraint.confdeltype`).
  init(letter: String?) {
    self =
      switch letter {
      case "c": .cascade
      case "n": .setNull
      case "d": .setDefault
      case "r": .restrict
      default: .noAction
      }
  }
}
#endif
