import ResultsPresentation
import WireFormat

/// What every committed state has in common, so that a torn mixture or a row of an undone transaction is seen.
///
/// - Pairs: the rows -2k and -2k-1 are always inserted, changed and deleted by one transaction, and have one name and one age.
/// - Poison: rows of this name are written only where they are undone, by a rollback, a savepoint or a killed process.
/// - The beat: a row whose name grows with every commit of one writer, so that no state comes back.
struct PairInvariant {
  static let poison = "poison"
  static let beat = -1
  /// The last of three rows that the last commit inserts; every view shows it.
  static let end = 2_000_000_003

  private(set) var rows: [Int: TortureRow] = [:]
  private var lastBeat = ""
  private let holdsPairs: Bool

  /// Whether the last commit is shown.
  var isAtEnd: Bool { rows[Self.end] != nil }

  init(holdsPairs: Bool) { self.holdsPairs = holdsPairs }

  /// Takes a whole list; `isChecked` says whether its values are of the version of its places.
  mutating func begin(_ list: WireList, isChecked: Bool) throws(Torn) {
    for section in list.sections {
      for json in section.rows {
        let row = try row(json)
        rows[row.id] = row
        if isChecked { try check(row, in: section) }
      }
    }
    if isChecked { for id in rows.keys { try checkPair(id) } }
  }

  /// Takes a change that led to a list, and checks what it touched.
  mutating func take(_ delta: WireDelta, to list: WireList) throws(Torn) {
    var touched: [Int] = []
    for change in delta.rows {
      guard let id = change.id.integer else { throw Torn(what: "no id: \(change.id.text)") }
      touched.append(id)
      guard let json = change.row, let path = change.to?.path else {
        rows[id] = nil
        continue
      }
      let row = try row(json)
      rows[id] = row
      try check(row, in: list.sections[path.section])
    }
    for id in touched { try checkPair(id) }
  }

  private func row(_ json: JSONValue) throws(Torn) -> TortureRow {
    guard let row = TortureRow(json) else { throw Torn(what: "a row is \(json.text)") }
    return row
  }

  private mutating func check(_ row: TortureRow, in section: WireList.Section) throws(Torn) {
    if row.name == Self.poison { throw Torn(what: "\(row) was undone") }
    if let age = section.id.integer, age != row.age {
      throw Torn(what: "\(row) is in section \(age)")
    }
    guard row.id == Self.beat else { return }
    guard row.name >= lastBeat else { throw Torn(what: "\(row.name) after \(lastBeat)") }
    lastBeat = row.name
  }

  private func checkPair(_ id: Int) throws(Torn) {
    guard holdsPairs, id < Self.beat else { return }
    let partner = id.isMultiple(of: 2) ? id - 1 : id + 1
    switch (rows[id], rows[partner]) {
    case (nil, nil): return
    case (let row?, let other?):
      guard other.name == row.name, other.age == row.age else {
        throw Torn(what: "\(row) stands beside \(other)")
      }
    case (let row?, nil), (nil, let row?): throw Torn(what: "\(row) is alone")
    }
  }
}
