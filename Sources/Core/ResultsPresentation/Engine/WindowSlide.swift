import OrderStatistics
import ResultsDomain

/// Rows that no commit touched but that came into the window or left it, because others came or went (C11).
struct WindowSlide {
  private let generations: GenerationPair
  private let places: any KeyPlaces
  private let reach: Int
  private let touched: Set<[UInt8]>

  init(
    between generations: GenerationPair,
    _ change: ListChange,
    _ places: any KeyPlaces
  ) {
    self.generations = generations
    self.places = places
    let windows = (old: generations.old.window, new: generations.next.window)
    let isWhole =
      windows.old.count == generations.old.keys.count
      && windows.new.count == generations.next.keys.count
    reach =
      isWhole
      ? 0
      : change.affected.count { row in
        row.keyChanged
          && [row.oldKey, row.newKey].contains { key in
            key.map { !places.isBehind(windows, $0) } ?? false
          }
      }
    touched =
      reach == 0 ? [] : Set(change.affected.flatMap { [$0.oldKey, $0.newKey].compactMap(\.self) })
  }

  /// The rows that slid over an edge, with the same key before and after.
  ///
  /// No row slides further than as many places as rows were touched, so only rows that near to an edge are looked at.
  /// - Complexity: O(*c* log *n*) for *c* touched rows.
  func rows() throws(StoreError) -> [AffectedRow] {
    guard reach > 0 else { return [] }
    var rows: [AffectedRow] = []
    let (old, next) = (generations.old.window, generations.next.window)
    for positions in candidates(of: next, beside: old) {
      for key in try places.newKeys(at: positions) where !touched.contains(key) {
        guard let position = try places.oldPosition(of: key) else { continue }
        if !old.contains(position) { collect(key, into: &rows) }
      }
    }
    for positions in candidates(of: old, beside: next) {
      for key in try places.oldKeys(at: positions) where !touched.contains(key) {
        guard let position = try places.newPosition(of: key) else { continue }
        if !next.contains(position) { collect(key, into: &rows) }
      }
    }
    return rows
  }

  private func candidates(of window: Range<Int>, beside other: Range<Int>) -> [Range<Int>] {
    let safeLower = other.lowerBound + reach
    let safeUpper = other.upperBound - reach
    guard safeLower < safeUpper else { return [window] }
    let below = window.lowerBound..<max(window.lowerBound, min(window.upperBound, safeLower))
    let above = min(window.upperBound, max(below.upperBound, safeUpper))..<window.upperBound
    return [below, above].filter { !$0.isEmpty }
  }

  private func collect(_ key: [UInt8], into rows: inout [AffectedRow]) {
    guard let id = key.withUnsafeBytes({ generations.next.objectID(of: $0) }) else { return }
    rows.append(AffectedRow(id: id, oldKey: key, newKey: key, changed: AttributeSet()))
  }
}
