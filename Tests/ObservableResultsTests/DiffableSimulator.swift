import ObservableResults
import ResultsDomain
import ResultsPresentation

/// A diffable data source without a screen.
///
/// It configures a cell when its item is new or marked, as real ones do, and keeps the cells of all other items: an item whose change
/// was not marked shows what it showed before. What would raise an exception is a violation.
@MainActor
final class DiffableSimulator {
  /// What a data source takes.
  struct Snapshot {
    var sections: [SectionID] = []
    var items: [SectionID: [ObjectID]] = [:]
    var reconfigured: [ObjectID] = []
    var reloadedSections: [SectionID] = []
    var violations: [String] = []

    mutating func append(_ sections: [SectionID]) {
      for section in sections {
        if items[section] != nil { violations.append("section \(section) twice") }
        self.sections.append(section)
        items[section] = []
      }
    }

    mutating func append(_ added: [ObjectID], to section: SectionID) {
      if items[section] == nil { violations.append("no section \(section)") }
      items[section, default: []] += added
    }

    var allItems: [ObjectID] { sections.flatMap { items[$0] ?? [] } }
  }

  static let bridge = DiffableBridge(
    empty: Snapshot(),
    appendSections: { $0.append($1) },
    appendItems: { $0.append($1, to: $2) },
    reconfigureItems: { $0.reconfigured += $1 },
    reloadSections: { $0.reloadedSections += $1 }
  )

  private(set) var violations: [String] = []
  private var shown = Snapshot()
  private var cells: [ObjectID: Song] = [:]
  private var titles: [SectionID: String] = [:]

  /// Shows a snapshot in place of everything.
  func reload(_ snapshot: Snapshot?, from results: ResultsList<Song>) {
    (cells, titles, shown) = ([:], [:], Snapshot())
    apply(snapshot, from: results)
  }

  /// Shows a snapshot by its difference from what is shown.
  func apply(_ snapshot: Snapshot?, from results: ResultsList<Song>) {
    guard let snapshot else { return violations.append("a snapshot could not be filled") }
    violations += snapshot.violations
    let items = snapshot.allItems
    if Set(items).count != items.count { violations.append("an item twice") }
    for item in snapshot.reconfigured where cells[item] == nil || !items.contains(item) {
      violations.append("\(item) is reconfigured and not in both snapshots")
    }
    for section in snapshot.reloadedSections
    where titles[section] == nil || snapshot.items[section] == nil {
      violations.append("section \(section) is reloaded and not in both snapshots")
    }
    for section in results.sections
    where titles[section.id] == nil || snapshot.reloadedSections.contains(section.id) {
      titles[section.id] = section.title
    }
    for item in items where cells[item] == nil || snapshot.reconfigured.contains(item) {
      cells[item] = results.path(of: item).flatMap { try? results.object(at: $0) }
    }
    cells = cells.filter { items.contains($0.key) }
    titles = titles.filter { snapshot.items[$0.key] != nil }
    shown = snapshot
  }

  /// What the cells show.
  var screen: Screen {
    Screen(
      sections: shown.sections.map { section in
        Screen.Section(
          id: section,
          title: titles[section] ?? "none",
          rows: (shown.items[section] ?? []).compactMap { cells[$0] }
        )
      }
    )
  }
}
