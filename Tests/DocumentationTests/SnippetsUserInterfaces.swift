// snippet: ui-imports, declaration
import FetchedResults
import ObservableResults
// end

import Foundation
import FoundationAttributes
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

/// The structs of a chat.
private enum Messenger {
  // snippet: ui-chat, declaration
  struct Chat: Entity {
    var id: Int64?
    var name = ""

    static let messages = ToMany<Chat, Message>("messages", inverse: Message.chat)
    static let unread = messages.count(where: \.isRead == false)

    static let schema = EntitySchema<Chat>("Chat", identity: \.id) {
      Attribute(\.name, "name")
      Relationship(messages)
    }
  }

  struct Message: Entity {
    var id: Int64?
    var text = ""
    var sent = Date()
    var isRead = false
    var chatID: Int64 = 0

    static let chat = ToOne<Message, Chat>("chat", \.chatID, onDelete: .cascade)

    static let schema = EntitySchema<Message>("Message", identity: \.id) {
      Attribute(\.text, "text")
      Attribute(\.sent, "sent")
      Attribute(\.isRead, "isRead")
      Attribute(\.chatID, "chatID")
      Relationship(chat)
    }
  }

  struct ChatRow: FetchedProjection {
    var name = ""
    var unread = 0

    static let fields = ProjectionFields<ChatRow, Chat> {
      Field(\.name, \.name)
      Field(\.unread, Chat.unread)
    }
  }
  // end
}

private typealias Chat = Messenger.Chat
private typealias Message = Messenger.Message
private typealias ChatRow = Messenger.ChatRow

/// A store with three chats, of which one has been read.
private func messenger() throws -> InMemoryStore {
  let store = try InMemoryStore(entities: [Chat.entity, Message.entity])
  try store.write { transaction in
    for (id, name) in [(1, "Anna"), (2, "Club"), (3, "News")] as [(Int64, String)] {
      try transaction.insert(Chat(id: id, name: name))
    }
    // 2026-11-02, 09:00 in Berlin.
    let morning = 1_793_606_400.0
    for (chat, text, seconds, isRead) in [
      (1, "See you", -34_000, true), (1, "Morning!", 0, true), (1, "Tea?", 3600, false),
      (2, "a", 1, false), (2, "b", 2, false), (3, "c", 3, true),
    ] as [(Int64, String, Double, Bool)] {
      let sent = Date(timeIntervalSince1970: morning + seconds)
      try transaction.insert(Message(text: text, sent: sent, isRead: isRead, chatID: chat))
    }
  }
  return store
}

@Sendable func unreadCounts() async throws {
  let store = try messenger()
  // snippet: ui-unread
  let chats = FetchedResultsController(
    FetchRequest<ChatRow>(
      where: Chat.unread > 0,
      sortedBy: [.descending(Chat.unread), .ascending(\.name)]
    ),
    in: store
  )
  try await chats.performFetch()
  for row in try chats.results.rows { print(try row.object.name, try row.object.unread) }
  // end
}

@Sendable func messagesByDay() async throws {
  let store = try messenger()
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
  // snippet: ui-days
  let messages = FetchedResultsController(
    FetchRequest<Message>(where: \.chatID == 1, sortedBy: [.descending(\.sent)]),
    sectionedBy: .calendar(.day, of: \.sent, in: calendar, locale: Locale(identifier: "en_US")),
    in: store
  )
  try await messages.performFetch()
  for section in messages.sections { print(section.title, section.map { $0.text ?? "…" }) }
  // end
}

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
