import CSQLiteHooks
import GRDB
import ResultsDomain
import Synchronization

/// Hears of every row that the writing connection changes, whoever asked for it.
///
/// SQLite's pre-update hook tells of rows that triggers, foreign keys, REPLACE and statements of the application touch, also in
/// tables without row numbers and in deletes without a condition.
final class ChangeCapture: Sendable {
  /// The change that the store's own statement is about to make; its images need not be read back.
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
  }

  private struct State {
    var rows: TouchedRows
    var expected: Expected?
    var isActive = true
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
    state = Mutex(State(rows: TouchedRows(tableCount: tables.all.count, capacity: capacity)))
  }

  /// Begins to listen to a connection, which keeps the capture alive until it is closed.
  func install(on connection: OpaquePointer?) throws {
    guard isExact else { return }
    let context = Unmanaged.passRetained(self).toOpaque()
    // A function is the one thing of a connection that has a destructor.
    let code = sqlite3_create_function_v2(
      connection,
      "results_capture",
      0,
      SQLITE_UTF8,
      context,
      { context, _, _ in sqlite3_result_null(context) },
      nil,
      nil,
      { context in
        if let context { Unmanaged<ChangeCapture>.fromOpaque(context).release() }
      }
    )
    guard code == SQLITE_OK else { throw SQLiteFailure(connection) }
    results_hook_install(connection, ChangeCapture.hook, context)
  }

  /// Stops listening.
  func deactivate() { state.withLock { $0.isActive = false } }

  /// Takes what was heard since the last time.
  func take() -> TouchedRows {
    state.withLock { state in
      defer {
        state.rows = TouchedRows(tableCount: tables.all.count, capacity: capacity)
        state.expected = nil
      }
      return state.rows
    }
  }

  /// Says what the next statement does.
  func expect(_ change: Expected) { state.withLock { $0.expected = change } }

  /// Says that the statement has done it; without the hook this is where it is noted.
  func done(_ change: Expected, key: ObjectKey) {
    state.withLock { state in
      state.expected = nil
      guard !isExact else { return }
      state.rows.countEvent()
      note(change, key, in: &state)
    }
  }

  /// Says that something may have been rolled back, or that others use the connection.
  func forgetNewImages() {
    state.withLock { state in
      state.expected = nil
      state.rows.forgetNewImages()
    }
  }

  private func note(_ change: Expected, _ key: ObjectKey, in state: inout State) {
    if let oldKey = change.oldKey, oldKey != key {
      state.rows.touch(change.table, oldKey, after: .known(nil)) { change.before }
      state.rows.touch(change.table, key, after: .known(change.values)) { nil }
    } else {
      state.rows.touch(change.table, key, after: .known(change.values)) { change.before }
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
    capture.heard(
      ChangedRow(connection: connection, operation: operation, oldNumber, newNumber),
      isMain: ChangeCapture.mainSchema.isSpelled(schema),
      table: table
    )
  }

  private func heard(_ row: ChangedRow, isMain: Bool, table name: UnsafePointer<CChar>) {
    state.withLock { state in
      guard state.isActive else { return }
      state.rows.countEvent()
      guard isMain, let table = tables.all.first(where: { $0.name.isSpelled(name) }) else { return }
      if let expected = state.expected, expected.table == table.index,
        expected.operation == row.operation, row.depth == 0
      {
        state.expected = nil
        note(expected, expected.key ?? .integer(row.newNumber), in: &state)
        return
      }
      guard table.hasExactImages, row.columnCount == table.columnCount else {
        state.rows.noteInexact()
        return
      }
      for side in row.sides {
        guard let key = row.key(side, of: table) else {
          state.rows.noteInexact()
          continue
        }
        var isReadable = true
        // A new key was free before, or the row that had it was told of already.
        state.rows.touch(table.index, key, after: .unknown) {
          guard side == .old else { return nil }
          let image = row.image(of: table)
          isReadable = image != nil
          return image
        }
        if !isReadable { state.rows.noteInexact() }
      }
    }
  }
}

extension [UInt8] {
  /// Whether the bytes are those of a C string.
  fileprivate func isSpelled(_ other: UnsafePointer<CChar>) -> Bool {
    for index in indices {
      // The bytes of a shorter name end in a NUL, which no name contains.
      guard UInt8(bitPattern: other[index]) == self[index] else { return false }
    }
    return other[count] == 0
  }
}
