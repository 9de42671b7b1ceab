import Foundation
import InMemoryPersistence
import ResultsDomain
import ResultsTesting
import SQLitePersistence
import Testing

/// One entity in both stores, side by side; everything done to one is done to the other.
final class TwinStores {
  let entity: EntityDescription
  let memory: InMemoryStore
  let sqlite: SQLiteStore
  private let folder: String

  /// Both stores, empty; the SQLite one in a file of its own.
  init(_ entity: EntityDescription) throws {
    self.entity = entity
    folder = NSTemporaryDirectory() + "twins-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    memory = try InMemoryStore(entities: [entity])
    sqlite = try SQLiteStore(
      at: folder + "/twin.sqlite",
      entities: [entity],
      // Nobody else writes, so nothing is to be looked for.
      options: SQLiteStoreOptions(pollInterval: nil)
    )
  }

  deinit {
    try? sqlite.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// All rows, by key.
  func rows(_ store: any Store) throws -> [Row] {
    try store.fetch(FetchRequest<Row>(entity: entity, sortedBy: order(by: [])))
  }

  /// Some terms, then the key.
  func order(by terms: [FetchSortDescriptor]) -> [FetchSortDescriptor] {
    guard case .compound = entity.identity else { return terms + [FetchSortDescriptor(.objectKey)] }
    return terms
      + entity.keyAttributeIndexes.map { .ascending(entity.attributes[$0].name) }
  }

  /// Does a transaction to both, which may end with an error, and expects that both say the same of each step.
  func transact(_ operations: [StoreOperation], isUndone: Bool, _ what: String) throws {
    let stores: [any Store] = [memory, sqlite]
    let pair = try stores.map { try outcomes(of: operations, isUndone: isUndone, in: $0) }
    try #require(pair[0] == pair[1], "\(what): \(operations)")
  }

  private func outcomes(
    of operations: [StoreOperation],
    isUndone: Bool,
    in store: any Store
  ) throws -> [OperationOutcome] {
    var outcomes: [OperationOutcome] = []
    do throws(StoreError) {
      try store.write { transaction in
        for operation in operations {
          outcomes.append(try transaction.perform(operation, on: entity))
        }
        if isUndone { throw Undone() }
      }
    } catch {
      guard case .aborted(let inner) = error, inner is Undone else { throw error }
    }
    return outcomes
  }

  private struct Undone: Error {}
}
