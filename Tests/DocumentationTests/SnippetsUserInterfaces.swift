// snippet: ui-imports, declaration
import FetchedResults
import ObservableResults
// end

import Foundation
import InMemoryPersistence
import Observation
#if canImport(SwiftUI) && canImport(UIKit)
import SwiftUI
import UIKit
#endif

// snippet: ui-swiftui, declaration
struct BookList: View {
  @State private var books: ResultsModel<Book>
  @State private var search = ""

  init(in store: any Store) {
    let byTitle = FetchRequest<Book>(sortedBy: [.ascending(\.title)], fetchBatchSize: 50)
    books = ResultsModel(byTitle, sectionedBy: .attribute(\.publisher), in: store)
  }

  var body: some View {
    List(books.sections) { section in
      Section(section.title) {
        ForEach(section.rows) { row in Text(row.title ?? "…") }
      }
    }
    .overlay { if case .failed(let error) = books.phase { Text(error.description) } }
    .searchable(text: $search)
    .onChange(of: search) {
      let found = EntityPredicate<Book>.contains(\.title, search, caseInsensitive: true)
      Task { await books.update { $0.request.predicate = found.predicate } }
    }
    .refreshable { await books.refresh() }
    .onAppear { books.start() }
    .onDisappear { books.stop() }
  }
}
// end

// snippet: ui-diffable, declaration
typealias BookSource = UITableViewDiffableDataSource<SectionID, ObjectID>

/// Makes a table view show a model; the caller retains the data source.
@MainActor
func show(_ books: ResultsModel<Book>, in tableView: UITableView) -> BookSource {
  let source = BookSource(tableView: tableView) { [weak books] tableView, indexPath, id in
    let cell = tableView.dequeueReusableCell(withIdentifier: "book", for: indexPath)
    let results = books?.results
    let path = results?.path(of: id)
    cell.textLabel?.text = path.flatMap { try? results?.object(at: $0).title }
    return cell
  }
  let bridge = DiffableBridge(
    empty: NSDiffableDataSourceSnapshot<SectionID, ObjectID>(),
    appendSections: { $0.appendSections($1) },
    appendItems: { $0.appendItems($1, toSection: $2) },
    reconfigureItems: { $0.reconfigureItems($1) },
    reloadSections: { $0.reloadSections($1) }
  )
  books.onReload = { [weak source] results in
    guard let snapshot = try? bridge.snapshot(of: results) else { return }
    source?.applySnapshotUsingReloadData(snapshot)
  }
  books.onBatch = { [weak source] _, change in
    guard let snapshot = try? bridge.snapshot(after: change) else { return }
    source?.apply(snapshot)
  }
  books.start()
  return source
}
// end

// snippet: ui-table, declaration
extension UITableView {
  func perform(_ batch: TableViewBatch) {
    performBatchUpdates { [self] in
      deleteSections(IndexSet(batch.deletedSections), with: .automatic)
      insertSections(IndexSet(batch.insertedSections), with: .automatic)
      deleteRows(at: batch.deletedRows.map { IndexPath($0) }, with: .automatic)
      insertRows(at: batch.insertedRows.map { IndexPath($0) }, with: .automatic)
      for move in batch.movedRows { moveRow(at: IndexPath(move.from), to: IndexPath(move.to)) }
      reloadRows(at: batch.updatedRows.map { IndexPath($0) }, with: .automatic)
    }
    reconfigureRows(at: batch.reconfiguredRows.map { IndexPath($0) })
    reloadSections(IndexSet(batch.retitledSections), with: .automatic)
  }
}
// end

// snippet: ui-draw, declaration
/// Draws a list, and again after each notification.
@MainActor
func draw(_ books: ResultsModel<Book>) {
  withObservationTracking {
    for section in books.sections { print(section.title, section.rows.map { $0.title ?? "…" }) }
  } onChange: {
    Task { @MainActor in draw(books) }
  }
}
// end

@Sendable @MainActor func drawingModel() async throws {
  let store = try InMemoryStore(entities: [Book.entity])
  // snippet: ui-any
  let books = ResultsModel(
    FetchRequest<Book>(sortedBy: [.ascending(\.title)]),
    sectionedBy: .attribute(\.publisher),
    in: store
  )
  draw(books)
  books.start()
  try await store.write { try $0.insert(Book(publisher: "岩波書店", title: "帰還")) }
  // end
  while let page = Page.current, page.lines.isEmpty, !Task.isCancelled { await Task.yield() }
  // The model lives until here: nothing else need retain it.
  books.stop()
}
