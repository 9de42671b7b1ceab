// snippet: front-end-imports, declaration
import InMemoryPersistence
import ResultsDomain
import ResultsPresentation
// end

// snippet: front-end-itself, declaration
/// A front end: it keeps lines, and touches only those that a change names.
struct LineList {
  private(set) var sections: [(title: String, lines: [String])] = []

  mutating func show(_ results: FetchedResults<Book>) throws {
    sections = try results.sections.map { section in
      (section.title, try section.objects.map { try $0.get().title })
    }
  }

  mutating func apply(_ change: ResultsChange<Book>) throws {
    for step in change.delta.sequentialSteps {
      switch step {
      case .removeRow(let path): sections[path.section].lines.remove(at: path.row)
      case .removeSection(let index): sections.remove(at: index)
      case .moveSection(let from, let to): sections.insert(sections.remove(at: from), at: to)
      case .insertSection(let index, let header): sections.insert((header.title, []), at: index)
      case .retitleSection(let index, let header): sections[index].title = header.title
      case .insertRow(let path, let id, _):
        sections[path.section].lines.insert(try line(id, change.after), at: path.row)
      case .replaceRow(let path, let id, _):
        sections[path.section].lines[path.row] = try line(id, change.after)
      }
    }
  }

  private func line(_ id: ObjectID, _ results: FetchedResults<Book>) throws -> String {
    guard let path = results.path(of: id) else { return "" }
    return try results.object(at: path).title
  }
}
// end

@Sendable func ownFrontEnd() async throws {
  let store = try InMemoryStore(entities: [Book.entity])
  let results = FetchedResultsController(
    FetchRequest<Book>(sortedBy: [.ascending(\.title)]),
    sectionedBy: .attribute(\.publisher),
    in: store
  )
  try await results.performFetch()
  // snippet: own-front-end
  var list = LineList()
  var events = results.changes.makeAsyncIterator()
  if case .snapshot(let now) = await events.next() { try list.show(now) }

  try await store.write { books in
    try books.insert(Book(publisher: "早川書房", title: "神の水"))
    try books.insert(Book(publisher: "岩波書店", title: "帰還"))
  }
  if case .change(let change) = await events.next() {
    try list.apply(change)
    for section in list.sections { print(section.title, section.lines) }

    var fresh = LineList()
    try fresh.show(change.after)
    print("as if drawn anew:", list.sections.elementsEqual(fresh.sections, by: ==))
  }
  // end
}
