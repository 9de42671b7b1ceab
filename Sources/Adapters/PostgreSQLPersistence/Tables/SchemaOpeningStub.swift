#if PostgreSQL
import ResultsDomain
enum SchemaOpening {
  static func tables(for entities: [EntityDescription], options: PostgreSQLStoreOptions, isWritable: Bool, path: String, on connection: Connection) throws(StoreError) -> StoreTables { StoreTables([]) }
}
struct TableReader {
  init(_ connection: Connection, tables: StoreTables, path: String) {}
  func rows(_ keys: [ObjectKey], of entity: EntityDescription) throws(StoreError) -> [Row?] { [] }
  func entries(of definition: OrderDefinition, _ body: (EntryBatch) throws(StoreError) -> Bool) throws(StoreError) {}
  func count(of entity: EntityDescription, where predicate: FetchPredicate) throws(StoreError) -> Int { 0 }
  func digests(of definition: OrderDefinition, attributes: AttributeSet, _ body: (EntryBatch) throws(StoreError) -> Bool) throws(StoreError) {}
  func aggregates(_ aggregates: CompiledAggregates, of definition: OrderDefinition, groupedByFirst columns: Int, _ body: (AggregateGroup) throws(StoreError) -> Bool) throws(StoreError) {}
  func referrers(to keys: [ObjectKey], through columns: [String], of entity: EntityDescription, limit: Int?) throws(StoreError) -> [ObjectKey]? { nil }
}
#endif
