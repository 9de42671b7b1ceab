import GRDB
import ResultsDomain
import ResultsStoreKit

/// Checks that the collation NOCASE orders some columns as their lowercased texts are ordered.
///
/// It does where all values are null or texts without NUL. All rows are read once; later versions are checked by what has changed since.
struct FoldedColumns {
  private let plan: OrderedPlan
  private let table: EntityTable

  init(of plan: OrderedPlan, in table: EntityTable) {
    self.plan = plan
    self.table = table
  }

  /// Whether the columns are in that order in a version; if not, the plan is refused from then on.
  /// - Complexity: O(*n*) in the rows the first time, and where the history since has a gap; otherwise in the changed rows.
  func hold(in snapshot: SQLiteSnapshot) throws(StoreError) -> Bool {
    guard !plan.foldedAttributes.isEmpty else { return true }
    let checked = plan.checkedVersion
    guard checked != snapshot.version else { return true }
    var isHeld = try changesHold(since: checked, in: snapshot)
    if isHeld == nil { isHeld = try rowsHold(in: snapshot) }
    guard isHeld == true else {
      plan.refuse()
      return false
    }
    plan.setChecked(snapshot.version)
    return true
  }

  /// Whether all changed rows are in order; `nil` if the changes are not known.
  private func changesHold(
    since checked: StoreVersion?,
    in snapshot: SQLiteSnapshot
  ) throws(StoreError) -> Bool? {
    guard let checked, checked.epoch == snapshot.version.epoch,
      checked.sequence < snapshot.version.sequence,
      case .commits(let records) = try snapshot.history(since: checked, of: table.entity)
    else { return nil }
    let indexes = plan.foldedAttributes.compactMap(table.entity.index(of:))
    return records.allSatisfy { record in
      record.changes.allSatisfy { change in
        indexes.allSatisfy { index in
          guard let value = change.after?.values[index] else { return true }
          return switch value {
          case .null: true
          case .text(let text): !text.utf8.contains(0)
          case .illFormedText(let text): !text.bytes.contains(0)
          case .integer, .real, .blob: false
          }
        }
      }
    }
  }

  private func rowsHold(in snapshot: SQLiteSnapshot) throws(StoreError) -> Bool {
    let conditions = plan.foldedAttributes.map { name in
      let column = name.quotedIdentifier
      return "typeof(\(column)) NOT IN ('text', 'null') OR instr(\(column), char(0)) > 0"
    }
    return try snapshot.with { database in
      try database.integer(
        """
        SELECT EXISTS (SELECT 1 FROM \(plan.statements.table) WHERE \(conditions.joined(separator: " OR ")))
        """
      ) == 0
    }
  }
}
