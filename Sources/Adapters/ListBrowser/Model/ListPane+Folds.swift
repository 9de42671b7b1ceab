import ResultsDomain
import ResultsPresentation

extension ListPane {
  /// Folds or opens a section; a fold around the cursor puts it on the header.
  mutating func setFolded(_ isFolded: Bool, section: Int) {
    guard lines.hasHeaders, let header = header(section), lines.isFolded(section) != isFolded else {
      return
    }
    if isFolded { foldedIDs.insert(header.id) } else { foldedIDs.remove(header.id) }
    fold(isFolded ? lines.folded + [section] : lines.folded.filter { $0 != section })
  }

  /// Folds the sections of the group that a section is in, or opens them.
  mutating func setFolded(_ isFolded: Bool, groupOf section: Int) {
    guard let list, let sections = lines.sections(inGroupOf: section) else { return }
    let ids = sections.compactMap { list.snapshot.header(ofSection: $0)?.id }
    if isFolded { foldedIDs.formUnion(ids) } else { foldedIDs.subtract(ids) }
    let others = lines.folded.filter { !sections.contains($0) }
    fold(isFolded ? others + sections : others)
  }

  /// Whether all sections of the group that a section is in are folded.
  /// - Complexity: O(*k* log *f*) for *k* sections.
  func isGroupFolded(_ section: Int) -> Bool {
    lines.sections(inGroupOf: section)?.allSatisfy(lines.isFolded) ?? false
  }

  /// Folds all sections, or opens them.
  mutating func setAllFolded(_ isFolded: Bool) {
    guard lines.hasHeaders, let list else { return }
    foldedIDs = isFolded ? Set(list.sections.map(\.id)) : []
    fold(isFolded ? Array(0..<lines.sectionCount) : [])
  }

  private mutating func fold(_ folded: [Int]) {
    edge = nil
    // A row that the fold hides had its header on the screen line that it takes now.
    let line = line
    let cursor = cursor
    lines = LineMap(list, folded: folded)
    put(cursor, onLine: line)
  }

  /// The folded sections of another list, found by their identities.
  func foldedSections(in list: ResultsList<Row>) -> [Int] {
    guard list.isSectioned else { return [] }
    return foldedIDs.compactMap { list.snapshot.section(of: $0) }
  }

  /// The folded sections after a change.
  func foldedSections(
    after delta: ResultsDelta,
    _ mapping: PathMapping
  ) -> [Int] {
    let returned = delta.sections.inserts.filter { foldedIDs.contains($0.new.id) }.map(\.to)
    return lines.folded.compactMap { mapping.newSection(for: $0) } + returned
  }
}
