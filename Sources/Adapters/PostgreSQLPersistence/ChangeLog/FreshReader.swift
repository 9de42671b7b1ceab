#if PostgreSQL
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Reads from the log what is fresh for a mark, and from the tables what the rows are now.
struct FreshReader {
  let schema: LogSchema
  let tables: StoreTables
  let layout: CaptureLayout
  /// The number that marks the transactions of this store.
  let writer: Int64

  /// The most rows of the log that are read at once.
  static let rowLimit = 1_000_000

  /// A key that a transaction touched, with its row before.
  struct Touch: Sendable {
    let key: ObjectKey
    let before: Before

    /// A row before a transaction; `nil` stands for no row.
    enum Before: Sendable {
      case row([Value]?)
      /// There was a row exactly if there is one after the transaction.
      case rowIfAfter([Value]?)
      case unknown
    }

    /// The row before, given the one after; `nil` if it is not known.
    func before(_ after: [Value]?) -> [Value]?? {
      switch before {
      case .row(let row): return .some(row)
      case .rowIfAfter(let row):
        guard after != nil else { return .some(nil) }
        return row.map { .some($0) }
      case .unknown: return nil
      }
    }
  }

  /// What a transaction wrote into the log.
  struct Group: Sendable {
    let transaction: UInt64
    var lastStep: Int64 = 0
    var origin = CommitOrigin.unnamed
    var isOwn = false
    /// The step of the row in which a store noted its name, if one did.
    var markerStep: Int64?
    /// The keys that it changed, with the rows before it, by the index of the table.
    var touches: [Int: [Touch]] = [:]
    var gaps: [Int: GapReason] = [:]
    fileprivate var histories: [Int: TouchHistory] = [:]

    init(transaction: UInt64) { self.transaction = transaction }
  }

  // MARK: - Statements

  /// A condition for the transactions at or above a number, which are few.
  ///
  /// Of a comparison with an unknown number the planner expects a third of the table; of a range it expects little, and uses the index.
  private static func isAtLeast(_ bound: String) -> String {
    "l.xid >= \(bound) AND l.xid <= '\(UInt64.max)'::pg_catalog.xid8"
  }

  /// The text for the rows of the log that are fresh for a mark.
  static func fresh(in schema: LogSchema) -> String {
    let log = "\(schema.quoted).log l"
    return """
      SELECT f.xid, f.step, f.entity, f.kind, f.ki, f.kt, f.kb, f.kis, f.kts, f.kbs, f.old, f.note FROM (\
      SELECT l.* FROM \(log) WHERE \(isAtLeast("$1")) AND l.xid <> ALL ($3) UNION ALL \
      SELECT l.* FROM \(log) WHERE l.xid = ANY ($2)) f ORDER BY f.step LIMIT \(rowLimit + 1)
      """
  }

  /// The text for the rows of the log of a store's commit, which the step of its marker names, and of all transactions after it.
  ///
  /// Who changes a row that the commit has changed does so after its marker, since the row is locked until the commit.
  static func since(commitIn schema: LogSchema) -> String {
    let log = "\(schema.quoted).log"
    return """
      SELECT f.xid, f.step, f.entity, f.kind, f.ki, f.kt, f.kb, f.kis, f.kts, f.kbs, f.old, f.note FROM \(log) f \
      WHERE f.xid IN (SELECT l.xid FROM \(log) l WHERE l.step >= $1) ORDER BY f.step LIMIT \(rowLimit + 1)
      """
  }

  /// The text that answers whether anything is fresh for a mark, and returns the transaction's number if there is only one.
  static func newness(in schema: LogSchema) -> String {
    let log = "\(schema.quoted).log l"
    let fresh = "SELECT l.xid FROM \(log) WHERE \(isAtLeast("$1")) AND l.xid <> ALL ($3)"
    return """
      SELECT n.first IS NOT NULL OR n.late, CASE WHEN n.first = n.last AND NOT n.late THEN n.first END FROM (\
      SELECT (\(fresh) ORDER BY l.xid LIMIT 1) AS first, (\(fresh) ORDER BY l.xid DESC LIMIT 1) AS last, \
      EXISTS (SELECT FROM \(log) WHERE l.xid = ANY ($2)) AS late) n
      """
  }

  /// The text for the transactions that a standby's mark must remember.
  static func visible(in schema: LogSchema) -> String {
    let bound = "pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())"
    return "SELECT DISTINCT l.xid FROM \(schema.quoted).log l WHERE \(isAtLeast(bound))"
  }

  /// The most keys of a table whose present rows are read in the round trip that finds them.
  static let promptLimit = 256

  /// The text for the present rows of what is fresh for a mark, in the round trip that reads it from the log.
  ///
  /// The keys are an array, for which the planner expects few and uses the key's index. More than `promptLimit` are not looked up.
  /// - Returns: `nil` for a table whose keys are not integers.
  static func presentOfFresh(
    _ table: EntityTable,
    _ layout: CaptureLayout,
    in schema: LogSchema
  ) -> String? {
    let captured = layout.tables[table.index]
    guard captured.keyForm == .integer, let number = captured.number, table.keyColumns.count == 1
    else { return nil }
    let log = "\(schema.quoted).log l"
    let conditions = [
      "\(FreshReader.isAtLeast("$1")) AND l.xid <> ALL ($3)", "l.xid = ANY ($2)",
    ]
    let keys = conditions.flatMap { condition in
      [
        "SELECT l.ki AS k FROM \(log) WHERE \(condition) AND l.entity = \(number) AND l.ki IS NOT NULL",
        "SELECT pg_catalog.unnest(l.kis) FROM \(log) WHERE \(condition) AND l.entity = \(number) AND l.kis IS NOT NULL",
      ]
    }
    let array =
      "ARRAY(SELECT DISTINCT f.k FROM (\(keys.joined(separator: " UNION ALL "))) f LIMIT \(FreshReader.promptLimit))"
    let selected = (table.keyColumns + table.attributeColumns).map { "t.\($0.name)" }
    return """
      SELECT \(selected.joined(separator: ", ")) FROM \(table.quotedName) t \
      WHERE t.\(table.keyColumns[0].name) = ANY (\(array))
      """
  }

  /// The statement for the present rows of some keys.
  private func present(_ table: EntityTable, _ keys: [ObjectKey]) -> Statement {
    let arrays = layout.tables[table.index].keyArrays
    let parts = keys.map(\.parts)
    let parameters = table.keyColumns.enumerated().map { index, column in
      Parameter.array(
        of: column.coding.type,
        arrays[index],
        parts.map { column.coding.parameter($0[index])?.bytes }
      )
    }
    let numbers = table.keyColumns.indices
    let selected =
      table.keyColumns.map { "t.\($0.name)" } + table.attributeColumns.map { "t.\($0.name)" }
    let names = numbers.map { "k\($0)" }.joined(separator: ", ")
    let joined = numbers.map { "t.\(table.keyColumns[$0].name) = k.k\($0)" }
      .joined(separator: " AND ")
    return Statement(
      """
      SELECT \(selected.joined(separator: ", ")) \
      FROM ROWS FROM (\(numbers.map { "pg_catalog.unnest($\($0 + 1))" }.joined(separator: ", "))) AS k(\(names)) \
      JOIN \(table.quotedName) t ON \(joined)
      """,
      parameters
    )
  }

  // MARK: - Groups

  /// The rows of a result of `fresh(since:in:)`, one group for each transaction, in the order of their last changes.
  /// - Returns: `nil` if there are too many.
  func groups(_ result: QueryResult) -> [Group]? {
    guard result.count <= FreshReader.rowLimit else { return nil }
    var groups: [Group] = []
    var indexes: [UInt64: Int] = [:]
    for row in 0..<result.count {
      let transaction = result.unsigned(row, 0) ?? 0
      let index: Int
      if let known = indexes[transaction] {
        index = known
      } else {
        index = groups.count
        indexes[transaction] = index
        groups.append(Group(transaction: transaction))
      }
      groups[index].lastStep = result.integer(row, 1) ?? 0
      read(result, row, into: &groups[index])
    }
    for index in groups.indices { groups[index].endHistories() }
    return groups.sorted { $0.lastStep < $1.lastStep }
  }

  private func read(_ result: QueryResult, _ row: Int, into group: inout Group) {
    let kind = UInt8(truncatingIfNeeded: result.integer(row, 3) ?? 0)
    let number = result.integer(row, 2).map { Int($0) }
    switch kind {
    case UInt8(ascii: "m"):
      group.origin = CommitOrigin(result.text(row, 11) ?? "")
      group.isOwn = result.integer(row, 4) == writer
      group.markerStep = result.integer(row, 1)
    case UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "d"), UInt8(ascii: "w"),
      UInt8(ascii: "x"), UInt8(ascii: "o"):
      guard let number else { return }
      for index in layout.byNumber[number] ?? [] {
        readChange(result, row, kind, of: index, into: &group)
      }
    default:
      let affected = number.map { layout.byNumber[$0] ?? [] } ?? Array(tables.all.indices)
      for index in affected { group.gaps[index] = .otherWriter }
    }
    guard let number else { return }
    for index in layout.byOtherNumber[number] ?? [] { group.gaps[index] = .schemaChanged }
  }

  private func readChange(
    _ result: QueryResult,
    _ row: Int,
    _ kind: UInt8,
    of index: Int,
    into group: inout Group
  ) {
    let table = tables.all[index]
    guard let keys = keys(result, row, of: table) else {
      group.gaps[index] = .otherWriter
      return
    }
    for key in keys {
      switch kind {
      case UInt8(ascii: "i"): group.histories[index, default: TouchHistory()].insert(key)
      case UInt8(ascii: "o"): group.histories[index, default: TouchHistory()].announce(key)
      default:
        let before = BinaryRecord.values(
          result.bytes(row, 10),
          at: layout.tables[index].positions,
          of: table.attributeColumns
        )
        // A value that the domain has not, or an image of another form.
        guard let before else {
          group.gaps[index] = .otherWriter
          continue
        }
        switch kind {
        case UInt8(ascii: "w"):
          group.histories[index, default: TouchHistory()].replaceOwn(key, before, isLast: false)
        case UInt8(ascii: "x"):
          group.histories[index, default: TouchHistory()].replaceOwn(key, before, isLast: true)
        default: group.histories[index, default: TouchHistory()].replace(key, before)
        }
      }
    }
  }

  /// The keys of a row of the log, or `nil` for one that is not a key of the entity.
  private func keys(_ result: QueryResult, _ row: Int, of table: EntityTable) -> [ObjectKey]? {
    let identity = table.entity.identity
    let form = layout.tables[table.index].keyForm
    let column = [.integer: 4, .text: 5, .record: 6][form] ?? 4
    let all: [UnsafeRawBufferPointer]
    if !result.isNull(row, column) {
      all = [result.bytes(row, column)]
    } else {
      all = result.elements(row, column + 3) ?? []
    }
    var keys: [ObjectKey] = []
    keys.reserveCapacity(all.count)
    for bytes in all {
      let parts: [Value]?
      switch form {
      case .integer: parts = [.integer(BinaryForm.integer(bytes))]
      case .text: parts = [.text(String(decoding: bytes, as: UTF8.self))]
      case .record:
        parts = BinaryRecord.values(
          bytes,
          at: Array(table.keyColumns.indices),
          of: table.keyColumns
        )
      }
      guard let key = parts.flatMap({ ObjectKey(parts: $0, of: identity) }) else { return nil }
      keys.append(key)
    }
    return keys
  }

  // MARK: - Net changes

  /// The net changes of groups, by the index of the table.
  struct NetChanges: Sendable {
    /// For each group.
    var changes: [[Int: [CommittedChange]]]
    /// The tables with a row that is not known: its value has no form in the domain, or the log does not say what was before.
    var unreadable: Set<Int> = []
  }

  /// The net changes of groups, oldest first.
  /// - Parameters:
  ///   - groups: All groups between a mark and the open transaction's snapshot.
  ///   - wanted: The tables whose changes are wanted.
  ///   - prompt: The results of `presentOfFresh(_:_:in:)`, by the index of the table.
  ///   - connection: A connection in that transaction.
  /// - Returns: The changes of each group.
  /// - Throws: The server's failure.
  func netChanges(
    of groups: [Group],
    ofTables wanted: [Int],
    prompt: [Int: QueryResult] = [:],
    on connection: Connection
  ) throws(PostgreSQLFailure) -> NetChanges {
    var net = NetChanges(changes: Array(repeating: [:], count: groups.count))
    for index in wanted {
      var keys: [ObjectKey] = []
      var next: [ObjectKey: [Value]?] = [:]
      for touch in groups.lazy.flatMap({ $0.touches[index] ?? [] })
      where next.updateValue(nil, forKey: touch.key) == nil {
        keys.append(touch.key)
      }
      guard !keys.isEmpty else { continue }
      let table = tables.all[index]
      let known = keys.count <= FreshReader.promptLimit ? prompt[index] : nil
      guard try readPresent(keys, of: table, known, into: &next, on: connection) else {
        net.unreadable.insert(index)
        continue
      }
      for (position, group) in groups.enumerated().reversed() {
        guard let touches = group.touches[index] else { continue }
        var changes: [CommittedChange] = []
        for touch in touches {
          let after = (next[touch.key] ?? nil) ?? nil
          guard let before = touch.before(after) else {
            net.unreadable.insert(index)
            continue
          }
          next[touch.key] = .some(before)
          guard after != before else { continue }
          changes.append(table.change(of: touch.key, from: before, to: after))
        }
        if !changes.isEmpty { net.changes[position][index] = table.sortedByKey(changes) }
      }
    }
    return net
  }

  /// Reads the present rows of some keys, unless they have been read.
  /// - Returns: `false` if a row has a value that the domain has not.
  private func readPresent(
    _ keys: [ObjectKey],
    of table: EntityTable,
    _ known: QueryResult?,
    into rows: inout [ObjectKey: [Value]?],
    on connection: Connection
  ) throws(PostgreSQLFailure) -> Bool {
    for start in stride(from: 0, to: keys.count, by: 100_000) {
      let part = Array(keys[start..<min(keys.count, start + 100_000)])
      let result: QueryResult
      if let known {
        result = known
      } else {
        result = try connection.run([present(table, part)])[0]
      }
      for row in 0..<result.count {
        guard let key = table.key(result, row, from: 0),
          let values = try? table.values(result, row, from: table.keyColumns.count)
        else { return false }
        rows[key] = .some(values)
      }
    }
    return true
  }
}

/// What one transaction did to the rows of a table, from which the row before it follows for each key.
///
/// A statement can run others, by functions and triggers, and their entries come before its own. So the order of entries does not say which
/// row was first. Who has written a row does: of those that a transaction replaces under one key, only the first is of another one.
struct TouchHistory: Sendable {
  private struct Entry: Sendable {
    /// How many rows were inserted under the key.
    var insertions = 0
    /// How many of the transaction's own rows were deleted or moved to another key.
    var removals = 0
    /// The row that another transaction has written.
    var foreign: [Value]?
    var foreignCount = 0
    /// A row that the transaction itself has written.
    var own: [Value]?
    var ownCount = 0
    /// How many of the entries to come are of rows that the transaction has written.
    var announced = 0
    /// Whether there was such an entry: capture by statement has one for every row that is written.
    var isComplete = false
  }

  private var keys: [ObjectKey] = []
  private var entries: [Entry] = []
  private var indexes: [ObjectKey: Int] = [:]

  private mutating func change(_ key: ObjectKey, _ body: (inout Entry) -> Void) {
    let (index, isNew) = indexes.indexOrNew(of: key, next: keys.count)
    if isNew {
      keys.append(key)
      entries.append(Entry())
    }
    body(&entries[index])
  }

  /// A row was inserted under a key.
  mutating func insert(_ key: ObjectKey) { change(key) { $0.insertions += 1 } }

  /// The next entry of a key is of a row that the transaction has written.
  mutating func announce(_ key: ObjectKey) {
    change(key) { entry in
      entry.announced += 1
      entry.isComplete = true
    }
  }

  /// A row was updated or deleted, which another transaction has written, unless that was announced.
  mutating func replace(_ key: ObjectKey, _ before: [Value]) {
    change(key) { entry in
      if entry.announced > 0 {
        entry.announced -= 1
        entry.ownCount += 1
        entry.own = before
      } else {
        entry.foreignCount += 1
        entry.foreign = before
      }
    }
  }

  /// A row of the transaction was updated, deleted or moved to another key.
  mutating func replaceOwn(_ key: ObjectKey, _ before: [Value], isLast: Bool) {
    change(key) { entry in
      entry.ownCount += 1
      entry.own = before
      if isLast { entry.removals += 1 }
    }
  }

  /// The keys with the rows before the transaction.
  var touches: [FreshReader.Touch] {
    zip(keys, entries).map { key, entry in
      FreshReader.Touch(key: key, before: before(entry))
    }
  }

  private func before(_ entry: Entry) -> FreshReader.Touch.Before {
    guard entry.announced == 0, entry.foreignCount <= 1 else { return .unknown }
    guard entry.foreignCount == 0 else { return .row(entry.foreign) }
    // By row, an update of other columns has no entry, and its row is the transaction's own all the same.
    let first = entry.ownCount == 1 ? entry.own : nil
    guard entry.insertions > 0 else { return first.map { .row($0) } ?? .unknown }
    guard !entry.isComplete, entry.removals >= entry.insertions else { return .row(nil) }
    // As many rows came as went, and perhaps one more went, which was there before.
    guard entry.removals == entry.insertions else { return first.map { .row($0) } ?? .unknown }
    return .rowIfAfter(first)
  }
}

extension [ObjectKey: Int] {
  /// The index of a key, which gets the next one if it has none.
  fileprivate mutating func indexOrNew(of key: ObjectKey, next: Int) -> (index: Int, isNew: Bool) {
    let index = self[key, default: next]
    guard index == next else { return (index, false) }
    self[key] = next
    return (next, true)
  }
}

extension FreshReader.Group {
  /// Finds the rows before the transaction, when all its entries have been read.
  fileprivate mutating func endHistories() {
    for (index, history) in histories { touches[index] = history.touches }
    histories = [:]
  }
}

/// The binary form of a row (`record_send` in PostgreSQL's rowtypes.c): for each column its type, its length and its value.
enum BinaryRecord {
  /// The values at some positions, or `nil` if there is none, or one has no value in the domain.
  static func values(
    _ bytes: UnsafeRawBufferPointer,
    at positions: [Int],
    of columns: [EntityTable.Column]
  ) -> [Value]? {
    guard bytes.count >= 4 else { return nil }
    let count = Int(BinaryForm.integer(bytes[0..<4]))
    var fields: [UnsafeRawBufferPointer?] = []
    fields.reserveCapacity(max(0, min(count, bytes.count / 8)))
    var offset = 4
    while fields.count < count {
      guard offset + 8 <= bytes.count else { return nil }
      let length = Int(BinaryForm.integer(bytes[offset + 4..<offset + 8]))
      offset += 8
      guard length >= 0 else {
        fields.append(nil)
        continue
      }
      guard offset + length <= bytes.count else { return nil }
      fields.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
      offset += length
    }
    var values: [Value] = []
    values.reserveCapacity(positions.count)
    for (position, column) in zip(positions, columns) {
      guard fields.indices.contains(position) else { return nil }
      guard let field = fields[position] else {
        values.append(.null)
        continue
      }
      // Later dates are in an order of the server, which the list's is not: it is compared.
      guard !column.coding.isLater(field), let value = column.coding.value(field) else {
        return nil
      }
      values.append(value)
    }
    return values
  }
}

extension EntityTable {
  /// The change of a key's row from some values to others; `nil` stands for no row.
  func change(
    of key: ObjectKey,
    from before: [Value]?,
    to after: [Value]?
  ) -> CommittedChange {
    CommittedChange(
      id: id(key),
      before: before.map { row(key, $0) },
      after: after.map { row(key, $0) }
    )
  }

  /// Changes in the order of their keys.
  func sortedByKey(_ changes: [CommittedChange]) -> [CommittedChange] {
    let layout = KeyLayout(order: [], keyStorage: entity.keyStorage)
    let numbers = changes.compactMap { change in
      if case .integer(let number) = change.id.key { number } else { nil }
    }
    guard numbers.count < changes.count else {
      let isAscending = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
      guard !isAscending else { return changes }
      return changes.indices.sorted { numbers[$0] < numbers[$1] }.map { changes[$0] }
    }
    let keys = changes.map { layout.identityBytes(of: $0.id.key) ?? [] }
    return changes.indices.sorted { keys[$0].lexicographicallyPrecedes(keys[$1]) }
      .map { changes[$0] }
  }
}
#endif
