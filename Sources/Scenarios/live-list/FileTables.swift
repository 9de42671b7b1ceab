import CommandLineFrontEnd
import InMemoryPersistence
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import Synchronization

/// The tables and views of a file as rows of a list, which follows the schema and the numbers of rows.
///
/// The lock guards which number a name has, so that a table keeps its identity while others come and go; nothing waits while it is held.
final class FileTables: Sendable {
  /// A table as a row: its name, what it is, how many rows it has, what identifies them, and to which tables they refer.
  private struct Table: Hashable {
    var name: String
    var kind: String
    var rows: RowCount?
    var key: String
    var references: String

    /// The values of the attributes of an entity, which has one for the mark of an estimate or not.
    func values(of entity: EntityDescription) -> [Value] {
      let number = rows?.count.map { Value.integer(Int64($0)) } ?? .null
      let mark = rows?.isEstimated == true ? TablesProgram.mark : ""
      let values: [Value] = [.text(name), .text(kind), number, .text(key), .text(references)]
      return entity.index(of: TablesProgram.mark) == nil ? values : values + [.text(mark)]
    }
  }

  /// The store that has the rows.
  let store: InMemoryStore
  private let path: String
  private let busyTimeout: Duration
  private let entity: EntityDescription
  private let numbers = Mutex<[[UInt8]: Int64]>([:])

  /// How long the file is read before the list is shown.
  private static let firstLimit: Duration = .seconds(2)
  /// How long the file is read afterwards, for what was not found in time before.
  private static let limit: Duration = .seconds(10)
  /// How many times as long as it was read the file is left alone, and at least for how long.
  private static let rest = (times: 20, least: Duration.milliseconds(200))

  /// Reads the tables of a file.
  /// - Parameters:
  ///   - path: The file's path.
  ///   - entity: The entity of the rows, which has their attributes in their order.
  ///   - busyTimeout: How long to wait for another writer.
  /// - Throws: The store's error.
  init(of path: String, as entity: EntityDescription, busyTimeout: Duration) throws {
    (self.path, self.entity, self.busyTimeout) = (path, entity, busyTimeout)
    store = try InMemoryStore(entities: [entity], name: path)
    let start = ContinuousClock.now
    let database = try describe(within: FileTables.firstLimit)
    try show(database, rows: database.numbersOfRows(timeLimit: FileTables.firstLimit / 2))
    let isHurried = ContinuousClock.now - start > FileTables.firstLimit / 2
    // A file that cannot be followed is shown as it is now.
    let opened = try? database.openStore(of: [], busyTimeout: busyTimeout, addsChangeLog: false)
    guard let followed = opened else { return }
    OpenStores.closeAtEnd(followed)
    Task(executorPreference: followed.executor) {
      await self.follow(followed, database, isHurried: isHurried)
      try? followed.close()
    }
  }

  private func describe(within timeLimit: Duration) throws -> any DescribedDatabase {
    try DiscoveredStores.describe(
      path,
      naming: nil,
      for: TableProgram.name,
      busyTimeout: busyTimeout,
      timeLimit: timeLimit
    )
  }

  /// Shows what others commit until the list is closed.
  @concurrent private func follow(
    _ followed: any Store,
    _ described: any DescribedDatabase,
    isHurried: Bool
  ) async {
    var database = described
    do {
      if isHurried { try update(&database, isWhole: true) }
      for await _ in followed.commitNotifications() {
        let start = ContinuousClock.now
        try update(&database, isWhole: false)
        // A file that is read in place is locked meanwhile.
        let used = ContinuousClock.now - start
        try await Task.sleep(for: max(used * FileTables.rest.times, FileTables.rest.least))
      }
    } catch {
      // The list is closed.
    }
  }

  /// Shows the present tables; a file that cannot be read now is read after its next commit.
  /// - Throws: `StoreError.closed` once the list is closed.
  private func update(_ database: inout any DescribedDatabase, isWhole: Bool) throws {
    let found: (database: any DescribedDatabase, rows: [RowCount?])
    do {
      let isCurrent = try !isWhole && database.isCurrent()
      let present = isCurrent ? database : try describe(within: FileTables.limit)
      found = (present, try present.numbersOfRows(timeLimit: FileTables.limit / 2))
    } catch {
      return
    }
    database = found.database
    try show(found.database, rows: found.rows)
  }

  /// Changes the rows to those of a description.
  private func show(_ database: any DescribedDatabase, rows counts: [RowCount?]) throws {
    let tables: [any DescribedTable] = database.tables
    let shown = zip(tables, counts).map { table, count in
      Table(
        name: table.name,
        kind: table.kindText + (count == .damaged ? ", damaged" : ""),
        rows: count,
        key: table.keyText,
        references: table.referencesText(in: database)
      )
    }
    let entity = entity
    let wanted = shown.map { (ObjectKey.integer(number(of: $0.name)), $0.values(of: entity)) }
    let keys = Set(wanted.map(\.0))
    let stored = try store.fetch(
      FetchRequest<Row>(entity: entity, sortedBy: [FetchSortDescriptor(.objectKey)])
    )
    let old = Dictionary(stored.map { ($0.id.key, $0.values) }) { $1 }
    try store.commit(origin: CommitOrigin("tables")) { transaction in
      for (key, values) in wanted {
        guard let present = old[key] else {
          _ = try transaction.insert(values, key: key, into: entity)
          continue
        }
        guard present != values else { continue }
        let id = ObjectID(entity: entity.name, key: key)
        try transaction.update(id, to: values, of: entity, ifUnchangedFrom: nil)
      }
      for row in stored where !keys.contains(row.id.key) {
        _ = try transaction.delete(row.id, of: entity)
      }
    }
  }

  /// The number of a table, by the bytes of its name.
  private func number(of name: String) -> Int64 {
    numbers.withLock { numbers in
      let bytes = Array(name.utf8)
      if let number = numbers[bytes] { return number }
      let number = Int64(numbers.count + 1)
      numbers[bytes] = number
      return number
    }
  }
}
