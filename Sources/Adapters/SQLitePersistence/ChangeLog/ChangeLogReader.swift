import CSQLiteHooks
import GRDB
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport

/// Reads the history of one entity from the log, in the open transaction.
///
/// The log has the values of each row before a change. Its values after the change are those before the next one, and after the last one
/// those in the table.
struct ChangeLogReader {
  let database: Database
  let tables: StoreTables
  let table: EntityTable
  let layout: ChangeLogLayout
  /// The number of the writer whose commits count as own.
  let writer: Int64

  private enum Interruption: Error {
    case gap(GapReason)
  }

  /// Reads the history after one version, up to another.
  func history(after old: StoreVersion, through new: StoreVersion) throws -> StoreHistory {
    try ChangeLogReader.history(of: [self], after: old, through: new)
  }

  /// Reads the log once for several entities: one record for each version.
  ///
  /// Changes of others are combined whatever their entity, so a transaction has the same version in the history of each entity.
  static func history(
    of readers: [ChangeLogReader],
    after old: StoreVersion,
    through new: StoreVersion
  ) throws -> StoreHistory {
    do {
      let groups = try groups(of: readers, after: old.sequence, through: new.sequence)
      let histories = try zip(readers, groups).map { try $0.records($1, through: new) }
      return .commits(CommitRecord.merging(histories))
    } catch Interruption.gap(let reason) {
      return .gap(reason)
    } catch let failure as SQLiteFailure
      where failure.primaryCode == SQLITE_CORRUPT || failure.primaryCode == SQLITE_IOERR
    {
      return .gap(.trimmed)
    }
  }

  private func records(
    _ groups: [CommitGroup],
    through new: StoreVersion
  ) throws -> [CommitRecord] {
    var groups = groups
    for index in groups.indices {
      let isKnown = groups[index].removeLaterImages(writtenByTriggers: entity.isWrittenByTriggers)
      guard isKnown else { throw Interruption.gap(.otherWriter) }
    }
    var records: [CommitRecord] = []
    for (group, after) in zip(groups, try imagesAfter(groups)) where group.sequence <= new.sequence
    {
      let changes = changes(by: group, after: after)
      guard !changes.isEmpty else { continue }
      records.append(
        CommitRecord(
          version: StoreVersion(epoch: new.epoch, sequence: group.sequence),
          origin: group.origin,
          isOwn: group.isOwn,
          changes: table.sortedByKey(changes)
        )
      )
    }
    return records
  }

  /// The rows of each group after it: as they are before the next group that touches them, or else in the table.
  private func imagesAfter(_ groups: [CommitGroup]) throws -> [[[Value]?]] {
    let reader = TableReader(database: database, tables: tables)
    if groups.count == 1, let group = groups.first {
      let touches = group.touches
      return [try reader.images(of: touches.map(\.key), in: table) { touches[$0].before }]
    }
    var keys: [ObjectKey] = []
    var known: [ObjectKey: [Value]?] = [:]
    for touch in groups.lazy.flatMap(\.touches)
    where known.updateValue(nil, forKey: touch.key) == nil {
      keys.append(touch.key)
    }
    for (key, image) in zip(keys, try reader.images(of: keys, in: table) { _ in nil }) {
      known[key] = .some(image)
    }
    let reversed = groups.reversed().map { group in
      group.touches.map { known.updateValue($0.before, forKey: $0.key) ?? nil }
    }
    return reversed.reversed()
  }

  private func changes(by group: CommitGroup, after: [[Value]?]) -> [CommittedChange] {
    var changes: [CommittedChange] = []
    changes.reserveCapacity(after.count)
    for (touch, after) in zip(group.touches, after) where touch.before != after {
      changes.append(table.change(of: touch.key, from: touch.before, to: after))
    }
    return changes
  }
}

/// What an entry of the log says of its row.
private enum Step: UInt8 {
  /// There was none before, and there is one now.
  case insertion
  /// It was there, and still is.
  case update
  /// It was there, and may be gone.
  case removal
}

/// The touched rows of one record of the history.
private struct CommitGroup {
  var sequence: UInt64 = 0
  var origin = CommitOrigin.unnamed
  var isOwn = false
  /// The touched rows and their values before, in the order of the changes, with repetitions.
  var touches: [(key: ObjectKey, before: [Value]?, step: Step)] = []

  /// Removes all but the first image of each row, which is its state before the group.
  ///
  /// An insertion is logged after it, because only then its key is known. What a trigger of the application does to the new row can be
  /// logged before, since SQLite does not define which trigger runs first. A row that was updated before it was inserted was therefore not
  /// there; of one that was also removed that cannot be said. All other entries precede their changes, whatever statements these contain.
  /// - Parameter isWrittenByTriggers: Whether triggers of the application write into the table.
  /// - Returns: Whether each row's state is known.
  /// - Complexity: O(*n* log *n*), and O(*n*) where keys are numbers in ascending order.
  mutating func removeLaterImages(writtenByTriggers isWrittenByTriggers: Bool) -> Bool {
    let numbers = touches.compactMap { touch in
      if case .integer(let number) = touch.key { number } else { nil }
    }
    guard numbers.count == touches.count else {
      var indexes: [ObjectKey: Int] = [:]
      var first: [(key: ObjectKey, before: [Value]?, step: Step)] = []
      for touch in touches {
        if let index = indexes[touch.key] {
          guard add(touch.step, to: &first[index], isWrittenByTriggers) else { return false }
        } else {
          indexes[touch.key] = first.count
          first.append(touch)
        }
      }
      touches = first
      return true
    }
    guard zip(numbers, numbers.dropFirst()).contains(where: { $0 >= $1 }) else { return true }
    let order = numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
    var first: [(key: ObjectKey, before: [Value]?, step: Step)] = []
    first.reserveCapacity(order.count)
    for (rank, index) in order.enumerated() {
      if rank == 0 || numbers[index] != numbers[order[rank - 1]] {
        first.append(touches[index])
      } else {
        let last = first.count - 1
        guard add(touches[index].step, to: &first[last], isWrittenByTriggers) else { return false }
      }
    }
    touches = first
    return true
  }

  /// Adds a later step of a row to its first one, which then says whether it may have been removed or inserted since.
  /// - Returns: Whether it is known what was there before the first step.
  private func add(
    _ step: Step,
    to first: inout (key: ObjectKey, before: [Value]?, step: Step),
    _ isWrittenByTriggers: Bool
  ) -> Bool {
    switch (first.step, step) {
    case (.insertion, _), (.update, .update), (.removal, .update), (.removal, .removal): return true
    case (.update, .removal): first.step = .removal
    case (.update, .insertion): (first.before, first.step) = (nil, .insertion)
    case (.removal, .insertion):
      first.step = .insertion
      return !isWrittenByTriggers
    }
    return true
  }
}

extension ChangeLogReader {
  private var entity: ChangeLogLayout.Entity { layout.entities[table.index] }

  /// The commits of each entity: consecutive changes of others together, and each commit of a store by itself.
  private static func groups(
    of readers: [ChangeLogReader],
    after old: UInt64,
    through new: UInt64
  ) throws -> [[CommitGroup]] {
    guard let first = readers.first else { return [] }
    let values = (0..<first.layout.width).map { "v\($0)" }.joined(separator: ", ")
    let statement = try PreparedStatement(
      """
      SELECT sequence, entity, kind, key, \(values) FROM main._results_log
      WHERE sequence > ? ORDER BY sequence
      """,
      on: first.database
    )
    defer { statement.reset() }
    try statement.bind(.integer(Int64(clamping: old)), at: 1)
    var builders = readers.map { _ in GroupBuilder(limit: new) }
    var budgets = readers.map { KeyBudget(of: $0.table, on: $0.database) }
    var expected = old
    while try statement.step() {
      let row = statement.pointer
      let sequence = UInt64(clamping: sqlite3_column_int64(row, 0))
      expected += 1
      guard sequence == expected,
        let kind = ChangeLogFormat.Kind(rawValue: sqlite3_column_int64(row, 2))
      else { throw Interruption.gap(.trimmed) }
      for (index, reader) in readers.enumerated() {
        try reader.add(row, sequence, kind, to: &builders[index], &budgets[index])
      }
    }
    guard expected >= new else { throw Interruption.gap(.trimmed) }
    return builders.indices.map { builders[$0].finish() }
  }

  /// Adds a row of the log.
  private func add(
    _ row: OpaquePointer,
    _ sequence: UInt64,
    _ kind: ChangeLogFormat.Kind,
    to builder: inout GroupBuilder,
    _ budget: inout KeyBudget
  ) throws {
    let isOfEntity = sqlite3_column_int64(row, 1) == Int64(entity.number)
    builder.step(to: sequence)
    switch kind {
    case .insertion:
      if isOfEntity { builder.note(try key(row), nil, .insertion) }
    case .update:
      if isOfEntity { builder.note(try key(row), try image(row), .update) }
    case .deletion, .replaced:
      if isOfEntity { builder.note(try key(row), try image(row), .removal) }
    case .interruption:
      let isForAll = sqlite3_column_type(row, 1) == SQLITE_NULL
      if isOfEntity || isForAll { throw Interruption.gap(.schemaChanged) }
    case .part, .commit:
      builder.beginCommit()
      try unpack(row, into: &builder, &budget)
      if kind == .commit { builder.endCommit(origin(row), isOwn: isOwn(row)) }
    case .marker:
      let first = UInt64(clamping: sqlite3_column_int64(row, 3))
      builder.endCommit(from: first, origin(row), isOwn: isOwn(row))
    }
  }

  private func unpack(
    _ row: OpaquePointer,
    into builder: inout GroupBuilder,
    _ budget: inout KeyBudget
  ) throws {
    guard case .blob(let bytes) = Value(row, column: 3, storage: .blob) else {
      throw Interruption.gap(.trimmed)
    }
    do throws(PayloadReader.Malformed) {
      var reader = try PayloadReader(bytes)
      var isValid = true
      let isInOrder = entity.columns == Array(0..<entity.width)
      budget.add(UInt64(bytes.count))
      try reader.read(
        entity: entity.number,
        identity: table.entity.identity,
        permitting: { budget.permits($0) },
        { key, values in
          // Packed changes are in the order in which they were made.
          guard let values else { return builder.note(key, nil, .removal) }
          guard values.count == entity.width else {
            isValid = false
            return
          }
          let image = isInOrder ? values : entity.columns.map { values[$0] }
          isValid = isValid && fits(image)
          builder.note(key, image, .removal)
        }
      )
      guard isValid else { throw PayloadReader.Malformed() }
    } catch {
      throw Interruption.gap(.trimmed)
    }
  }

  private func key(_ row: OpaquePointer) throws -> ObjectKey {
    let storage = table.keyStorage
    let parts =
      entity.keyColumns.isEmpty
      ? [Value(row, column: 3, storage: storage[0])]
      : zip(entity.keyColumns, storage).map { Value(row, column: Int32(4 + $0), storage: $1) }
    guard let key = table.key(storedIn: parts) else {
      throw Interruption.gap(.trimmed)
    }
    return key
  }

  private func image(_ row: OpaquePointer) throws -> [Value] {
    let image = zip(entity.columns, table.entity.attributes).map { column, attribute in
      Value(row, column: Int32(4 + column), storage: attribute.storage)
    }
    guard fits(image) else { throw Interruption.gap(.trimmed) }
    return image
  }

  /// Whether the table can have contained the values.
  private func fits(_ image: [Value]) -> Bool {
    !table.isStrict
      || zip(image, table.entity.attributes).allSatisfy { value, attribute in
        value.isNull || attribute.holdsAnyValue || value.storage == attribute.storage
      }
  }

  private func origin(_ row: OpaquePointer) -> CommitOrigin {
    CommitOrigin(Value(row, column: 4, storage: .text).text ?? "")
  }

  private func isOwn(_ row: OpaquePointer) -> Bool { sqlite3_column_int64(row, 5) == writer }
}

/// The number of keys that packed changes may name: a damaged log could name any number of them in a few bytes.
///
/// A row that was inserted is still in the table, or its old values are in the log, in at least one byte. A commit that inserted rows and
/// deleted them again can name more keys than that; its history is then reported as trimmed.
private struct KeyBudget {
  /// This many keys are permitted without counting the rows of the table.
  private static let free: UInt64 = 65_536

  private let table: EntityTable
  private let database: Database
  private var named: UInt64 = 0
  private var bytes: UInt64 = 0
  private var rows: UInt64?

  init(of table: EntityTable, on database: Database) {
    self.table = table
    self.database = database
  }

  /// Adds bytes of the log.
  mutating func add(_ count: UInt64) { bytes += count }

  /// Whether the number of further keys is plausible.
  mutating func permits(_ count: UInt64) -> Bool {
    let (sum, isOver) = named.addingReportingOverflow(count)
    named = sum
    guard !isOver else { return false }
    guard sum > KeyBudget.free else { return true }
    let count = "SELECT count(*) FROM main.\(table.quotedName)"
    let rows = rows ?? UInt64(clamping: (try? database.integer(count)) ?? 0)
    self.rows = rows
    return sum <= KeyBudget.free + rows + bytes
  }
}

/// Combines the rows of the log into the records of a history.
private struct GroupBuilder {
  /// The version up to which the history is read; later rows are of the transaction that reads.
  let limit: UInt64
  private var groups: [CommitGroup] = []
  /// The changes of others, one by one, since a later marker may claim some of them.
  private var loose: [(sequence: UInt64, key: ObjectKey, image: [Value]?, step: Step)] = []
  private var commit: CommitGroup?
  private var sequence: UInt64 = 0

  init(limit: UInt64) { self.limit = limit }

  mutating func step(to sequence: UInt64) {
    if self.sequence == limit, commit == nil { closeLoose(through: limit) }
    self.sequence = sequence
  }

  mutating func note(_ key: ObjectKey, _ image: [Value]?, _ step: Step) {
    if commit != nil {
      commit?.touches.append((key, image, step))
    } else {
      loose.append((sequence, key, image, step))
    }
  }

  mutating func beginCommit() {
    guard commit == nil else { return }
    closeLoose(through: sequence - 1)
    commit = CommitGroup()
  }

  mutating func endCommit(_ origin: CommitOrigin, isOwn: Bool) {
    guard var group = commit else { return }
    commit = nil
    (group.sequence, group.origin, group.isOwn) = (sequence, origin, isOwn)
    groups.append(group)
  }

  /// Ends a commit whose changes were noted one by one, beginning with a sequence number.
  mutating func endCommit(from first: UInt64, _ origin: CommitOrigin, isOwn: Bool) {
    let own = loose.filter { $0.sequence >= first }
    closeLoose(through: max(first, 1) - 1)
    commit = CommitGroup()
    commit?.touches = own.map { ($0.key, $0.image, $0.step) }
    endCommit(origin, isOwn: isOwn)
  }

  /// Combines the changes of others up to a sequence number into one record, and drops those after it.
  private mutating func closeLoose(through end: UInt64) {
    var group = CommitGroup()
    group.sequence = end
    group.touches = loose.filter { $0.sequence <= end }.map { ($0.key, $0.image, $0.step) }
    loose = []
    if !group.touches.isEmpty { groups.append(group) }
  }

  mutating func finish() -> [CommitGroup] {
    closeLoose(through: sequence)
    return groups
  }
}
