import OrderStatistics
import ResultsDomain

extension SectionCounts {
  /// The lengths of the sections of some keys, in a window.
  /// - Complexity: O(*n*) in the keys, or O(*s*) in the sections of an index; no row is read.
  static func counting(
    _ keys: ListKeys,
    _ window: Range<Int>,
    _ rule: SectionRule,
    _ layout: KeyLayout
  ) -> SectionCounts {
    if case .single = rule { return SectionCounts([window.count]) }
    switch keys {
    case .held(let held): return counting(held, window, rule, layout)
    case .indexed(let indexed): return SectionCounts(indexed.sections, in: window)
    }
  }

  /// The lengths of the sections of some keys, read off them in one pass.
  /// - Complexity: O(*n*) in the keys; no row is read.
  static func counting(
    _ keys: SortedKeyList,
    _ window: Range<Int>,
    _ rule: SectionRule,
    _ layout: KeyLayout
  ) -> SectionCounts {
    if case .single = rule { return SectionCounts([window.count]) }
    var lengths: [Int] = []
    var extent: SectionExtent?
    var lastID: Value?
    keys.forEachKey(in: window) { _, key in
      if let current = extent, current.contains(key) {
        lengths[lengths.count - 1] += 1
        return
      }
      extent = rule.extent(of: key, layout)
      let id: Value? = extent == nil ? rule.id(of: key, layout) : nil
      if let id, id == lastID {
        lengths[lengths.count - 1] += 1
      } else {
        lengths.append(1)
      }
      lastID = id
    }
    return SectionCounts(lengths)
  }
}

extension SectionExtent {
  /// Whether a key that does not come before the section is in it.
  func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    guard let upper else { return true }
    return upper.withUnsafeBytes { KeyOrder.compare(key, $0) < 0 }
  }

  /// The positions of the section's keys in a list.
  /// - Complexity: O(log *n*)
  func positions(in keys: SortedKeyList) -> Range<Int> {
    let lower = keys.rank(of: lower)
    return lower..<max(lower, upper.map { keys.rank(of: $0) } ?? keys.count)
  }
}
