import GRDB
import ResultsDomain
import SQLStoreSupport
import Synchronization

/// Checks that tables still fit their entities, once for each version of the schema.
///
/// Another program can rename a column, or make a table again with other columns or another key. A statement would then fail in words of
/// SQLite, and rows that share a key would be taken for one.
final class TableChecks: Sendable {
  private enum Finding {
    case fits
    case differs(String)
  }

  private struct State {
    /// The version of the schema that the findings are about.
    var cookie: Int64?
    var findings: [Int: Finding] = [:]
  }

  private let state = Mutex(State())

  /// Checks a table in the version of the schema that a connection's transaction sees.
  /// - Throws: `OpenFailureError` if the table does not fit any more, or SQLite's error.
  func check(
    _ table: EntityTable,
    orView isDiscovered: Bool,
    on database: Database,
    cookie: Int64
  ) throws {
    let known = state.withLock { $0.cookie == cookie ? $0.findings[table.index] : nil }
    let finding: Finding
    if let known {
      finding = known
    } else {
      let difference = try table.difference(orView: isDiscovered, on: database)
      finding = difference.map { .differs($0) } ?? .fits
      state.withLock { state in
        if state.cookie != cookie { state = State(cookie: cookie) }
        state.findings[table.index] = finding
      }
    }
    guard case .differs(let detail) = finding else { return }
    throw OpenFailureError(.tableChanged(entity: table.entity.name, detail: detail))
  }
}

extension EntityTable {
  /// What has changed of the table since the store was opened, as far as the entity's rows depend on it.
  /// - Returns: `nil` if nothing has.
  fileprivate func difference(orView isDiscovered: Bool, on database: Database) throws -> String? {
    guard let present = try database.tableShape(of: entity.name, orView: isDiscovered) else {
      return "there is no such table any more"
    }
    let isByRowNumber = entity.isIdentifiedByRowNumber(of: present)
    let keys = isByRowNumber ? [] : entity.identity.columns
    for name in keys + entity.attributes.map(\.name) {
      guard let column = present.column(named: name) else {
        return "there is no column \(name) any more"
      }
      guard let known = shape.column(named: name) else { continue }
      if present.affinity(of: name) != shape.affinity(of: name) {
        return "\(name) is now declared \(column.declaredType)"
      }
      if known.isRequired, !column.isRequired { return "\(name) can be null now" }
    }
    if shape.isStrict, !present.isStrict { return "it is not strict any more" }
    // A view has no key that is declared.
    guard !isByRowNumber, !shape.keyColumns.isEmpty else { return nil }
    guard Set(present.keyColumns) == Set(shape.keyColumns),
      present.isWithoutRowNumber == shape.isWithoutRowNumber
    else { return "its primary key is another one now" }
    return try database.comparesKeyByBytes(of: present)
      ? nil : "its primary key does not compare by bytes any more"
  }
}

extension TableShape {
  /// The names of the primary key's columns, in lowercase.
  fileprivate var keyColumns: [[UInt8]] {
    columns.filter { $0.keyPosition > 0 }.map(\.name.caselessIdentifier)
  }
}

extension Database {
  /// Whether SQLite compares a table's primary key by bytes; so it does where the key is the row number, which has no index.
  func comparesKeyByBytes(of shape: TableShape) throws -> Bool {
    let index = try String.fetchOne(
      self,
      sql: "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'",
      arguments: [shape.name]
    )
    guard let index else { return true }
    let collations = try String.fetchAll(
      self,
      sql: "SELECT coll FROM pragma_index_xinfo(?) WHERE key = 1",
      arguments: [index]
    )
    return collations.allSatisfy { $0.caselessIdentifier == Array("binary".utf8) }
  }
}
