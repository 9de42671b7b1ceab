import CSQLiteHooks
import GRDB
import ResultsDomain
import SQLStoreSupport
import Synchronization

/// Captures every row that the writing connection changes, whatever statement changes it.
///
/// SQLite's pre-update hook reports rows that triggers, foreign keys, REPLACE and statements of the application touch, also in tables
/// without row numbers and in deletes without a condition. Where changes are packed for the log, it reports insertions and deletions only,
/// and updates are reported by temporary triggers (`UpdateTriggers`), which read only the columns of attributes.
///
/// `state` is guarded by a lock that is taken on the writing connection's thread, also inside the hook; no other lock is taken under it.
final class ChangeCapture: Sendable {
  /// The change that a statement of the store is about to make; its images need not be read back.
  struct Expected: Sendable {
    let operation: Int32
    let table: Int
    /// The key, or `nil` if SQLite assigns it.
    let key: ObjectKey?
    /// The key before an update that changes it.
    var oldKey: ObjectKey?
    /// The old values, or `nil` for an insertion.
    let before: [Value]?
    /// The new values, or `nil` for a deletion.
    let values: [Value]?
    /// Whether the database calculates some of the new values.
    var isCalculated = false

    /// The row after the change.
    var after: TouchedRows.NewImage { isCalculated ? .unknown : .known(values) }
  }

  private struct State {
    var rows: TouchedRows
    var expected: Expected?
    var isActive = true
    /// The entities' numbers in the log, if changes are packed for it.
    var numbers: [Int]?
    /// Filters changes in C.
    let gate: HookGate
    /// The table that was changed last.
    var latest = 0
    /// The positions of the columns of each table.
    var positions: [ColumnPositions]
    /// The store's update that a trigger is about to report again.
    var repeated: (table: Int, key: ObjectKey)?

    mutating func expectNothing() {
      expected = nil
      gate.skipsUpdates = numbers != nil
    }

    /// The table of a name.
    mutating func table(_ name: UnsafePointer<CChar>, of tables: StoreTables) -> EntityTable? {
      if tables.all.indices.contains(latest), tables.all[latest].name.isSpelled(name) {
        return tables.all[latest]
      }
      guard let table = tables.all.first(where: { $0.name.isSpelled(name) }) else { return nil }
      latest = table.index
      return table
    }
  }

  private let tables: StoreTables
  private let capacity: Int
  private let state: Mutex<State>
  /// Whether the library has the hook, and it is used.
  let isExact: Bool

  init(_ tables: StoreTables, capacity: Int, usesHook: Bool) {
    self.tables = tables
    self.capacity = capacity
    isExact = usesHook && results_hook_is_available() != 0
    let rows = TouchedRows(tableCount: tables.all.count, capacity: capacity)
    state = Mutex(State(rows: rows, gate: HookGate(), positions: tables.all.map(\.positions)))
  }

  /// Installs the hook on a connection, which keeps the capture alive until it is closed.
  func install(on connection: OpaquePointer?) throws {
    guard isExact else { return }
    let context = Unmanaged.passRetained(self).toOpaque()
    // Of all that a connection owns only a function has a destructor.
    let code = sqlite3_create_function_v2(
      connection,
      ChangeCapture.function,
      -1,
      SQLITE_UTF8,
      context,
      ChangeCapture.update,
      nil,
      nil,
      { context in
        if let context { Unmanaged<ChangeCapture>.fromOpaque(context).release() }
      }
    )
    guard code == SQLITE_OK else { throw SQLiteFailure(connection) }
    state.withLock { $0.gate.install(ChangeCapture.hook, context: context, on: connection) }
  }

  /// Starts or stops packing changes for the log; while packing, updates are reported by the connection's temporary triggers.
  func pack(as numbers: [Int]?) {
    state.withLock { state in
      state.numbers = numbers
      // The temporary triggers report updates, and only those of attributes.
      state.gate.skipsUpdates = numbers != nil
      _ = state.gate.takeSkipped()
      state.rows = TouchedRows(
        tableCount: tables.all.count,
        capacity: capacity,
        numbers: numbers
      )
    }
  }

  /// Why the pre-update hook cannot be relied on, naming the columns, or `nil`.
  var reasonForInexactHook: String? {
    let columns = state.withLock { $0.positions.flatMap(\.inexact) }
    guard !columns.isEmpty else { return nil }
    return
      "\(columns.joined(separator: ", ")): the database calculates this column, or one before it,"
      + " on every read"
  }

  /// Reads the positions of the columns again, after the schema has changed.
  func readColumnPositions(on database: Database) throws {
    let positions = try SchemaCatalog.using(database) { _ in
      try tables.all.map { table in
        let shape = try database.tableShape(of: table.entity.name)
        return shape.map { ColumnPositions(of: table.entity, in: $0) } ?? table.positions
      }
    }
    state.withLock { $0.positions = positions }
  }

  /// Stops capturing.
  func deactivate() { state.withLock { $0.isActive = false } }

  /// Takes the rows that were touched since the last call.
  func take() -> TouchedRows {
    state.withLock { state in
      defer {
        state.rows = TouchedRows(
          tableCount: tables.all.count,
          capacity: capacity,
          numbers: state.numbers
        )
        state.expected = nil
        state.repeated = nil
      }
      state.rows.countEvents(state.gate.takeSkipped())
      return state.rows
    }
  }

  /// Announces what the next statement does.
  func expect(_ change: Expected) {
    state.withLock { state in
      state.expected = change
      if change.operation == SQLITE_UPDATE { state.gate.skipsUpdates = false }
    }
  }

  /// Confirms that the statement has done it; without the hook the change is noted here.
  func confirm(_ change: Expected, key: ObjectKey) {
    state.withLock { state in
      state.expectNothing()
      guard !isExact else { return }
      state.rows.countEvents(1)
      note(change, key, in: &state)
    }
  }

  /// Discards the expected images, since something may have been rolled back, or the application uses the connection.
  func forgetNewImages() {
    state.withLock { state in
      state.expectNothing()
      state.rows.forgetNewImages()
    }
  }

  private func note(_ change: Expected, _ key: ObjectKey, in state: inout State) {
    if let oldKey = change.oldKey, oldKey != key {
      state.rows.touch(change.table, oldKey, after: .known(nil)) { change.before }
      state.rows.touch(change.table, key, after: change.after) { nil }
    } else {
      state.rows.touch(change.table, key, after: change.after) { change.before }
    }
  }
}

extension ChangeCapture {
  private static let mainSchema = Array("main".utf8)

  private static let hook: results_row_hook = {
    context,
    connection,
    operation,
    schema,
    table,
    oldNumber,
    newNumber in
    guard let context, let connection, let schema, let table else { return }
    let capture = Unmanaged<ChangeCapture>.fromOpaque(context).takeUnretainedValue()
    capture.captured(
      ChangedRow(connection: connection, operation: operation, oldNumber, newNumber),
      isMain: ChangeCapture.mainSchema.isSpelled(schema),
      table: table
    )
  }

  private func captured(_ row: ChangedRow, isMain: Bool, table name: UnsafePointer<CChar>) {
    state.withLock { state in
      guard state.isActive else { return }
      state.rows.countEvents(1)
      guard isMain, let table = state.table(name, of: tables) else { return }
      if let expected = state.expected, expected.table == table.index,
        expected.operation == row.operation, row.depth == 0
      {
        state.expected = nil
        let key = expected.key ?? .integer(row.newNumber)
        note(expected, key, in: &state)
        if row.operation == SQLITE_UPDATE { state.repeated = (table.index, key) }
        return
      }
      // The temporary triggers report updates, and only those of attributes.
      guard state.numbers == nil || row.operation != SQLITE_UPDATE else { return }
      let positions = state.positions[table.index]
      guard positions.inexact.isEmpty, row.columnCount == positions.count else {
        state.rows.noteInexact()
        return
      }
      // An update has both sides, since it may change the key.
      if row.operation != SQLITE_INSERT { note(row, .old, table, positions, in: &state) }
      if row.operation != SQLITE_DELETE { note(row, .new, table, positions, in: &state) }
    }
  }

  private func note(
    _ row: ChangedRow,
    _ side: ChangedRow.Side,
    _ table: EntityTable,
    _ positions: ColumnPositions,
    in state: inout State
  ) {
    guard let key = row.key(side, of: table, positions) else { return state.rows.noteInexact() }
    guard side == .old else {
      // A new key was free before, or the row that had it was already captured.
      return state.rows.touch(table.index, key, after: .unknown) { nil }
    }
    var isReadable = true
    state.rows.touch(table.index, key, after: .unknown) {
      let image = row.image(of: table, positions)
      isReadable = image != nil
      return image
    }
    if !isReadable { state.rows.noteInexact() }
  }
}

extension ChangeCapture {
  /// The function that the temporary triggers call for each updated row.
  static let function = "results_capture"

  private static let update:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context,
      count,
      arguments in
      guard let context, let data = sqlite3_user_data(context), let arguments else { return }
      let capture = Unmanaged<ChangeCapture>.fromOpaque(data).takeUnretainedValue()
      capture.updated(UnsafeMutableBufferPointer(start: arguments, count: Int(count)))
      sqlite3_result_null(context)
    }

  /// Notes an update from its table's index, the old key, the new key, and the old values.
  private func updated(_ arguments: UnsafeMutableBufferPointer<OpaquePointer?>) {
    let cells = arguments.compactMap(\.self)
    guard let first = cells.first, cells.count == arguments.count else { return }
    let index = Int(sqlite3_value_int64(first))
    guard tables.all.indices.contains(index) else { return }
    let table = tables.all[index]
    let storage = table.keyStorage
    let kinds = table.entity.attributes.map(\.storage)
    guard cells.count == 1 + 2 * storage.count + kinds.count else { return }
    func key(_ start: Int) -> ObjectKey? {
      let parts = zip(cells[start...], storage).map { Value($0, storage: $1) }
      return table.key(storedIn: parts)
    }
    let (old, new) = (key(1), key(1 + storage.count))
    state.withLock { state in
      guard state.isActive, state.numbers != nil else { return }
      guard let old, let new else { return state.rows.noteInexact() }
      if let repeated = state.repeated, repeated == (index, new) {
        state.repeated = nil
        return
      }
      state.rows.touch(index, old, after: .unknown) {
        zip(cells[(1 + 2 * storage.count)...], kinds).map { Value($0, storage: $1) }
      }
      if old != new { state.rows.touch(index, new, after: .unknown) { nil } }
    }
  }
}

extension [UInt8] {
  /// Whether the bytes are those of a C string.
  fileprivate func isSpelled(_ other: UnsafePointer<CChar>) -> Bool {
    for index in indices {
      // A shorter name ends in a NUL, which no name contains.
      guard UInt8(bitPattern: other[index]) == self[index] else { return false }
    }
    return other[count] == 0
  }
}

/// Temporary triggers of the writing connection, which report updated rows to `ChangeCapture`.
///
/// The pre-update hook would read every column of every update; a trigger reads only its columns. They are in the TEMP schema: no other
/// connection has them, and they run while the schema's triggers are off.
struct UpdateTriggers {
  private let tables: StoreTables

  init(_ tables: StoreTables) { self.tables = tables }

  private func name(_ table: EntityTable) -> String { "_results_update_\(table.index)" }

  /// Creates the triggers, and replaces earlier ones.
  func install(on database: Database) throws {
    try remove(on: database)
    for table in tables.all {
      let attributes = table.attributeColumns
      let names = table.isRowNumber ? ["rowid", "oid", "_rowid_"].filter(isFree(table)) : []
      let keys = table.isCompound ? [] : table.keyColumns + names
      let arguments =
        ["\(table.index)"] + table.keyColumns.map { "old.\($0)" }
        + table.keyColumns.map { "new.\($0)" } + attributes.map { "old.\($0)" }
      // No update names a calculated column.
      let columns = " OF \((attributes + keys).joined(separator: ", "))"
      try database.execute(
        sql: """
          CREATE TEMP TRIGGER \(name(table))
          AFTER UPDATE\(table.generatedIndexes.isEmpty ? columns : "") ON main.\(table.quotedName)
          BEGIN SELECT \(ChangeCapture.function)(\(arguments.joined(separator: ", "))); END
          """
      )
    }
  }

  /// Removes the triggers.
  func remove(on database: Database) throws {
    for table in tables.all {
      try database.execute(sql: "DROP TRIGGER IF EXISTS temp.\(name(table))")
    }
  }

  /// Whether no column of a table has a name, so that it names the row number.
  private func isFree(_ table: EntityTable) -> (String) -> Bool {
    let taken = table.entity.attributes.map(\.name) + table.entity.identity.columns
    return { name in !taken.contains { $0.caselessIdentifier == Array(name.utf8) } }
  }
}

/// One row that is about to change, as the pre-update hook reports it; valid only inside the hook.
private struct ChangedRow {
  /// Before or after the change.
  enum Side {
    case old
    case new
  }

  private let connection: OpaquePointer
  let operation: Int32
  private let oldNumber: Int64
  let newNumber: Int64

  init(connection: OpaquePointer, operation: Int32, _ oldNumber: Int64, _ newNumber: Int64) {
    self.connection = connection
    self.operation = operation
    self.oldNumber = oldNumber
    self.newNumber = newNumber
  }

  /// 0 for a row of the statement itself, more for those of triggers and foreign keys.
  var depth: Int32 { results_hook_depth(connection) }

  /// The number of columns of the row.
  var columnCount: Int32 { results_hook_columns(connection) }

  /// The row's key on a side, or `nil` if it cannot be read.
  func key(_ side: Side, of table: EntityTable, _ positions: ColumnPositions) -> ObjectKey? {
    guard !table.isRowNumber else { return .integer(side == .old ? oldNumber : newNumber) }
    var parts: [Value] = []
    for (column, storage) in zip(positions.keys, table.keyStorage) {
      guard
        let value = side == .old
          ? results_hook_old(connection, column) : results_hook_new(connection, column)
      else { return nil }
      parts.append(Value(value, storage: storage))
    }
    return table.key(storedIn: parts)
  }

  /// The row's values before the change, or `nil` if they cannot be read.
  func image(of table: EntityTable, _ positions: ColumnPositions) -> [Value]? {
    var values: [Value] = []
    values.reserveCapacity(positions.attributes.count)
    for (column, attribute) in zip(positions.attributes, table.entity.attributes) {
      guard let value = results_hook_old(connection, column) else { return nil }
      values.append(Value(value, storage: attribute.storage))
    }
    return values
  }
}

/// A filter in C between SQLite and the hook of a connection, so that changes that need not be captured cost next to nothing.
private final class HookGate: Sendable {
  /// The address of the filter: SQLite reads it during statements of the one connection, and nothing changes it then.
  private let address: UInt

  init() {
    let gate = UnsafeMutablePointer<results_hook_gate>.allocate(capacity: 1)
    gate.initialize(to: results_hook_gate())
    address = UInt(bitPattern: gate)
  }

  deinit { gate?.deallocate() }

  private var gate: UnsafeMutablePointer<results_hook_gate>? {
    UnsafeMutablePointer(bitPattern: address)
  }

  /// Installs a hook behind the filter, which must outlive the connection's use of it.
  func install(
    _ hook: @escaping results_row_hook,
    context: UnsafeMutableRawPointer,
    on connection: OpaquePointer?
  ) {
    gate?.pointee.hook = hook
    gate?.pointee.context = context
    results_hook_install(connection, gate)
  }

  /// Whether updates are only counted.
  var skipsUpdates: Bool {
    get { gate?.pointee.skips_updates != 0 }
    set { gate?.pointee.skips_updates = newValue ? 1 : 0 }
  }

  /// Takes the number of updates that were only counted since the last call.
  func takeSkipped() -> Int {
    defer { gate?.pointee.skipped = 0 }
    return Int(gate?.pointee.skipped ?? 0)
  }
}
