import OrderStatistics
import ResultsDomain

/// Rows that no commit touched but that came into the window or left it, because others came or went (C11).
struct WindowSlide {
  let old: ResultsSnapshot
  let next: ResultsSnapshot
  private let reach: Int
  private let touched: Set<[UInt8]>

  init(from old: ResultsSnapshot, to next: ResultsSnapshot, _ change: ListChange) {
    self.old = old
    self.next = next
    let isWhole =
      old.window.count == old.keys.count && next.window.count == next.keys.count
    reach = isWhole ? 0 : change.affected.count(where: \.keyChanged)
    touched =
      reach == 0 ? [] : Set(change.affected.flatMap { [$0.oldKey, $0.newKey].compactMap(\.self) })
  }

  /// The rows that slid over an edge, with the same key before and after.
  ///
  /// No row slides further than as many places as rows were touched, so only rows that near to an edge are looked at.
  /// - Complexity: O(*c* log *n*) for *c* touched rows.
  var rows: [AffectedRow] {
    guard reach > 0 else { return [] }
    var rows: [AffectedRow] = []
    for position in candidates(of: next.window, beside: old.window) {
      collect(next.keys.key(at: position), isInNew: true, into: &rows)
    }
    for position in candidates(of: old.window, beside: next.window) {
      collect(old.keys.key(at: position), isInNew: false, into: &rows)
    }
    return rows
  }

  private func candidates(of window: Range<Int>, beside other: Range<Int>) -> [Int] {
    let safeLower = other.lowerBound + reach
    let safeUpper = other.upperBound - reach
    guard safeLower < safeUpper else { return Array(window) }
    let below = window.lowerBound..<max(window.lowerBound, min(window.upperBound, safeLower))
    let above = min(window.upperBound, max(below.upperBound, safeUpper))..<window.upperBound
    return Array(below) + Array(above)
  }

  private func collect(_ key: [UInt8], isInNew: Bool, into rows: inout [AffectedRow]) {
    guard !touched.contains(key) else { return }
    let (there, window) = isInNew ? (old.keys, old.window) : (next.keys, next.window)
    guard let position = there.position(of: key), !window.contains(position),
      let id = key.withUnsafeBytes({ next.objectID(of: $0) })
    else { return }
    rows.append(AffectedRow(id: id, oldKey: key, newKey: key, changed: AttributeSet()))
  }
}
