package import ResultsDomain
package import ResultsStoreKit

/// A draft as an array of touched values, which shares no code with the real one.
///
/// It remembers for each attribute that the draft changed what it was and what it is to be; everything else of a row is the base's.
package struct NaiveDraft: Sendable {
  private enum Edit {
    case inserted([Value])
    case deleted(old: [Value])
    /// The touched attributes, and the base's values when there last was a row.
    case touched([Int: Touched], last: [Value])
  }

  private struct Touched {
    var old: Value
    let mine: Value
  }

  /// The rows of the base, by their integer keys.
  package private(set) var base: [Int64: [Value]]
  private var edits: [Int64: Edit] = [:]
  private let entity: EntityDescription

  package init(_ entity: EntityDescription) {
    self.entity = entity
    base = [:]
  }

  /// The rows that the draft shows.
  package var shown: [Int64: [Value]] {
    var rows = base
    for key in edits.keys { rows[key] = mine(key) }
    return rows
  }

  /// The keys of the draft's edits.
  package var editedKeys: [Int64] { edits.keys.sorted() }

  private func mine(_ key: Int64) -> [Value]? {
    switch edits[key] {
    case nil: return base[key]
    case .inserted(let values): return values
    case .deleted: return nil
    case .touched(let touched, let last):
      var values = base[key] ?? last
      for (index, value) in touched { values[index] = value.mine }
      return values
    }
  }

  private func row(_ key: Int64, _ values: [Value]?) -> Row? {
    values.map {
      Row(entity: entity, id: ObjectID(entity: entity.name, key: .integer(key)), values: $0)
    }
  }

  /// What the draft does to a row.
  package func state(_ key: Int64) -> DraftState? {
    let isConflict: Bool
    let state: DraftState
    switch edits[key] {
    case nil: return nil
    case .inserted: (isConflict, state) = (base[key] != nil, .inserted)
    case .deleted(let old): (isConflict, state) = (base[key] != old, .deleted)
    case .touched(let touched, _):
      isConflict = base[key].map { row in touched.contains { $1.old != row[$0] } } ?? true
      state = .edited(touched.keys.sorted().map { entity.attributes[$0].name })
    }
    guard isConflict else { return state }
    return .conflict(mine: row(key, mine(key)), theirs: row(key, base[key]))
  }

  /// The keys of rows in conflict.
  package var conflicts: [Int64] {
    editedKeys.filter { if case .conflict = state($0) { true } else { false } }
  }
}

// MARK: - Changes of the base

extension NaiveDraft {
  /// Sets or removes a row of the base.
  package mutating func setBase(_ key: Int64, _ values: [Value]?) {
    base[key] = values
    switch edits[key] {
    case nil: break
    case .inserted(let mine): if mine == values { edits[key] = nil }
    case .deleted: if values == nil { edits[key] = nil }
    case .touched(var touched, var last):
      guard let values else {
        // What was set back to what it had been stays, but is no edit of a row that is gone.
        for (index, value) in touched where value.mine == value.old { last[index] = value.old }
        edits[key] = .touched(touched.filter { $1.mine != $1.old }, last: last)
        return
      }
      touched = touched.filter { values[$0] != $1.mine }
      edits[key] = touched.isEmpty ? nil : .touched(touched, last: values)
    }
  }
}

// MARK: - Edits

extension NaiveDraft {
  /// Sets a row that the draft shows, or adds one.
  package mutating func set(_ key: Int64, _ values: [Value]) {
    var touched: [Int: Touched] = [:]
    switch (edits[key], base[key]) {
    case (nil, nil): edits[key] = .inserted(values)
    case (.inserted, let row): edits[key] = row == values ? nil : .inserted(values)
    case (nil, let row?):
      for index in values.indices where values[index] != row[index] {
        touched[index] = Touched(old: row[index], mine: values[index])
      }
      edits[key] = touched.isEmpty ? nil : .touched(touched, last: row)
    case (.deleted(let old), let row):
      // A deleted row that the base does not have is no edit.
      guard let row else { return }
      for index in values.indices where values[index] != row[index] {
        touched[index] = Touched(old: old[index], mine: values[index])
      }
      edits[key] = touched.isEmpty ? nil : .touched(touched, last: row)
    case (.touched(let known, var last), let row):
      for index in values.indices {
        let old = known[index]?.old ?? row?[index] ?? last[index]
        if values[index] != row?[index] ?? old {
          touched[index] = Touched(old: old, mine: values[index])
        } else if row == nil {
          last[index] = old
        }
      }
      edits[key] = touched.isEmpty && row != nil ? nil : .touched(touched, last: row ?? last)
    }
  }

  /// Deletes a row that the draft shows.
  package mutating func delete(_ key: Int64) {
    switch (edits[key], base[key]) {
    case (.inserted, _), (_, nil): edits[key] = nil
    case (.touched(let touched, _), let row?):
      var old = row
      for (index, value) in touched { old[index] = value.old }
      edits[key] = .deleted(old: old)
    case (_, let row?): edits[key] = .deleted(old: row)
    }
  }

  /// Bases an edit on other values of its row than those that it began with.
  package mutating func setAncestor(_ key: Int64, _ values: [Value]) {
    guard base[key] != nil else { return }
    switch edits[key] {
    case .deleted: edits[key] = .deleted(old: values)
    case .touched(var touched, let last):
      for (index, value) in touched {
        touched[index] = Touched(old: values[index], mine: value.mine)
      }
      edits[key] = .touched(touched, last: last)
    case .inserted, nil: break
    }
  }

  package mutating func keepMine(_ key: Int64) {
    switch (edits[key], base[key]) {
    case (.inserted(let mine), .some):
      edits[key] = nil
      set(key, mine)
    case (.deleted, let row?): edits[key] = .deleted(old: row)
    case (.touched(let touched, let last), let row?):
      edits[key] = .touched(
        touched.mapValues { $0 }.reduce(into: [:]) { kept, next in
          kept[next.key] = Touched(old: row[next.key], mine: next.value.mine)
        },
        last: last
      )
    case (.touched, nil): edits[key] = mine(key).map { .inserted($0) }
    default: break
    }
  }

  package mutating func takeTheirs(_ key: Int64) {
    guard case .touched(let touched, let last) = edits[key], let row = base[key] else {
      edits[key] = nil
      return
    }
    let rest = touched.filter { $1.old == row[$0] }
    edits[key] = rest.isEmpty ? nil : .touched(rest, last: last)
  }

  package mutating func discard() { edits = [:] }

  /// Moves all edits into the base.
  /// - Parameter final: Returns the final key of a new row.
  package mutating func commit(_ final: (Int64) -> Int64) {
    let rows = editedKeys.map { ($0, mine($0)) }
    // A new row can get the key of one that was deleted.
    for (key, row) in rows where row == nil { base[key] = nil }
    for case (let key, let row?) in rows { base[final(key)] = row }
    edits = [:]
  }
}
