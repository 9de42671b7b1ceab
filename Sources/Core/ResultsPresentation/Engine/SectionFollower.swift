import OrderStatistics
import ResultsDomain

/// Carries section lengths from one generation to the next by looking only at sections that a commit touched.
struct SectionFollower {
  /// The section lengths of the new generation, and which sections came and went.
  struct Result {
    var counts: SectionCounts
    /// Places of sections that are gone, ascending, in the old generation.
    var deleted: [Int] = []
    /// Places of sections that are new, ascending, in the new generation.
    var inserted: [Int] = []
  }

  private let generations: GenerationPair

  private var old: ResultsSnapshot { generations.old }
  private var next: ResultsSnapshot { generations.next }

  init(_ generations: GenerationPair) { self.generations = generations }

  /// Follows the sections of some touched keys.
  /// - Returns: `nil` if the extent of a section is not known.
  /// - Complexity: O(*t* log *n*) for *t* touched keys.
  func follow(_ touched: SortedKeyList) -> Result? {
    if case .single = next.rule {
      return Result(counts: SectionCounts([next.window.count]))
    }
    guard let extents = extents(of: touched) else { return nil }
    var result = Result(counts: old.counts)
    for extent in extents {
      let before = old.keys.positions(of: extent).clamped(to: old.window)
      let after = next.keys.positions(of: extent).clamped(to: next.window)
      guard !before.isEmpty || !after.isEmpty else { continue }
      // Sections before this one have their new lengths already, so its new start is exact.
      let start = after.isEmpty ? startOfGap(extent) : after.lowerBound - next.window.lowerBound
      let run = result.counts.run(containing: start)?.run ?? result.counts.count
      if before.isEmpty {
        result.counts.insert(after.count, at: run)
        result.inserted.append(run)
      } else {
        guard run < result.counts.count, result.counts[run] == before.count else { return nil }
        if after.isEmpty {
          _ = result.counts.remove(at: run)
          let place = old.counts.run(containing: before.lowerBound - old.window.lowerBound)?.run
          guard let place else { return nil }
          result.deleted.append(place)
        } else if after.count != before.count {
          result.counts.add(after.count - before.count, at: run)
        }
      }
    }
    return result.counts.total == next.window.count ? result : nil
  }

  /// Where a section would start that has no rows in the new window.
  private func startOfGap(_ extent: SectionExtent) -> Int {
    let rank = next.keys.positions(of: extent).lowerBound
    return min(max(rank, next.window.lowerBound), next.window.upperBound) - next.window.lowerBound
  }

  private func extents(of touched: SortedKeyList) -> [SectionExtent]? {
    var extents: [SectionExtent] = []
    // The keys of one section follow each other.
    var last: SectionExtent?
    var isKnown = true
    touched.forEachKey(in: 0..<touched.count) { _, key in
      if let last, last.contains(key) { return }
      guard let extent = next.rule.extent(of: key, next.layout) else {
        isKnown = false
        return
      }
      extents.append(extent)
      last = extent
    }
    return isKnown ? extents : nil
  }
}

extension SectionFollower.Result {
  /// Where a section of the old generation is in the new one, or `nil` if it is gone.
  /// - Complexity: O(log *k*) in the sections that came or went.
  func newSection(ofOld section: Int) -> Int? {
    let gone = deleted.partitioningIndex { _, deleted in deleted >= section }
    guard gone == deleted.count || deleted[gone] != section else { return nil }
    let place = section - gone
    // Before the new section of number `index` stand so many that were there already.
    return place + inserted.partitioningIndex { index, inserted in inserted - index > place }
  }

  /// What happened to the sections.
  func changes(_ old: ResultsSnapshot, _ next: ResultsSnapshot) -> SectionChanges {
    SectionChanges(
      deletes: deleted.reversed().compactMap { place in
        old.header(ofSection: place).map { SectionChanges.Delete(from: place, old: $0) }
      },
      inserts: inserted.compactMap { place in
        next.header(ofSection: place).map { SectionChanges.Insert(to: place, new: $0) }
      }
    )
  }
}

extension [Int] {
  /// The first place of which something holds that holds of all later ones too.
  fileprivate func partitioningIndex(_ holds: (_ index: Int, _ element: Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle, self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
