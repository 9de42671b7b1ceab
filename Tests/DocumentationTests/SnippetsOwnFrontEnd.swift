// snippet: front-end-imports, declaration
import FetchedResults
import InMemoryPersistence
import WireFormat
// end

// snippet: front-end-itself, declaration
/// A front end that holds lines and edits only those that a change names.
struct LineList: ResultsDisplay {
  private(set) var sections: [(title: String, lines: [String])] = []

  mutating func show(_ results: ResultsList<Book>) throws {
    sections = try results.sections.map { section in
      (section.title, try section.map { try $0.object.title })
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

  mutating func report(_ failure: StoreError) {
    print("The list is unchanged:", failure)
  }

  private func line(_ id: ObjectID, _ results: ResultsList<Book>) throws -> String {
    guard let path = results.path(of: id) else { return "" }
    return try results.object(at: path).title
  }
}
// end

@Sendable func ownFrontEnd() async throws {
  let store = try InMemoryStore(entities: [Book.entity])
  let controller = FetchedResultsController(
    FetchRequest<Book>(sortedBy: [.ascending(\.title)]),
    sectionedBy: .attribute(\.publisher),
    in: store
  )
  try await controller.performFetch()
  // snippet: own-front-end
  var list = LineList()
  for await event in controller.changes {
    try list.take(event)
    guard list.sections.isEmpty else { break }
    try await store.write { books in
      try books.insert(Book(publisher: "早川書房", title: "神の水"))
      try books.insert(Book(publisher: "岩波書店", title: "帰還"))
    }
  }
  for section in list.sections { print(section.title, section.lines) }

  var fresh = LineList()
  try fresh.show(controller.results)
  print("as if drawn from scratch:", list.sections.elementsEqual(fresh.sections, by: ==))
  // end
}

@Sendable func wireForm() async throws {
  let store = try InMemoryStore(entities: [Book.entity])
  let controller = FetchedResultsController(
    FetchRequest<Row>(entity: Book.entity, sortedBy: [.ascending("title")]),
    sectionedBy: .attribute("publisher"),
    in: store,
    options: ResultsOptions(life: ResultsLife("3w5e11264sgsf"))
  )
  try await controller.performFetch()
  // snippet: wire-form
  let encoder = WireEncoder(entity: Book.entity)
  var replay = WireReplay()
  for await event in controller.changes {
    switch event {
    case .snapshot(let now), .reset(_, let now):
      let sections = try now.sections.map { section in
        WireSection(header: section.header, rows: try section.map { try $0.object })
      }
      try replay.apply(line: encoder.snapshot(at: now.position, sections: sections))
      try await store.write { books in
        try books.insert(Book(publisher: "早川書房", title: "神の水"))
      }
    case .change(let change):
      let line = encoder.delta(change.delta)
      print(line)
      try replay.apply(line: line)
      print(replay.line ?? "")
      controller.cancel()
    case .failure(let failure): throw failure
    }
  }
  // end
}
