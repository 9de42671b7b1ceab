import FetchedResults
import InMemoryPersistence
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

private struct Track: Entity {
  var id: Int64?
  var album = ""
  var title = ""
  var note: String?

  static let schema = EntitySchema<Track>("Track", identity: \.id) {
    Attribute(\.album, "album")
    Attribute(\.title, "title")
    Attribute(\.note, "note")
  }
}

/// The package as an app uses it: the umbrella and a store are the only imports.
@Suite("The surface an app adopts")
struct AdopterTests {
  private let store: InMemoryStore
  private let tracks: FetchedResultsController<Track>

  init() async throws {
    store = try InMemoryStore(entities: [Track.entity])
    tracks = FetchedResultsController(
      FetchRequest<Track>(sortedBy: [.ascending(\.title)], fetchBatchSize: 2),
      sectionedBy: .attribute(\.album),
      in: store
    )
    try await store.write { transaction in
      for (album, title) in [("Blue", "River"), ("Blue", "Carey"), ("Hejira", "Coyote")] {
        try transaction.insert(Track(album: album, title: title))
      }
    }
    try await tracks.performFetch()
  }

  /// Iterates as `ForEach` of SwiftUI does, with its requirements.
  private func forEach<Data: RandomAccessCollection, View>(
    _ data: Data,
    content: (Data.Element) -> View
  ) -> [(Data.Element.ID, View)] where Data.Element: Identifiable {
    data.map { ($0.id, content($0)) }
  }

  @Test func `sections and rows are random-access collections of identifiable elements`() throws {
    let results = try tracks.results
    let views = forEach(results.sections) { section in forEach(section) { $0.title ?? "…" } }
    #expect(views.map(\.0) == [SectionID("Blue"), SectionID("Hejira")])
    #expect(views.map { $0.1.map(\.1) } == [["Carey", "River"], ["Coyote"]])
    #expect(Set(views.flatMap { $0.1.map(\.0) }).count == 3)
    #expect(results.sections[0].map(\.title) == ["Carey", "River"])
    #expect(results.sections[0].reversed().map(\.path.row) == [1, 0])
    #expect(results.sections[0].distance(from: 0, to: results.sections[0].endIndex) == 2)
    #expect(results.rows.map(\.title) == ["Carey", "River", "Coyote"])
    #expect(try results.sections[1].objects().map(\.title) == ["Coyote"])
  }

  @Test func `a row has the identity of its object, in every generation`() async throws {
    let before = try tracks.results
    let id = try #require(before.sections[0][1].objectID)
    #expect(before.sections[0][1].id == .object(id))
    try await store.write { try $0.insert(Track(album: "Blue", title: "All I Want")) }
    try await tracks.refresh()
    let after = try tracks.results
    #expect(after.sections[0].map(\.id).firstIndex(of: .object(id)) == 2)
    #expect(before.sections[0].map(\.id).firstIndex(of: .object(id)) == 1)
  }

  @Test func `R25: a row that cannot be read is nil where nothing can be thrown, and throws why`()
    throws
  {
    let results = try tracks.results
    let row = results.sections[1][0]
    #expect(try row.object.title == "Coyote")
    // An attribute without a value and a row without an object differ.
    #expect(row.note == .some(nil))
    try store.close()
    let unread = results.sections[0][0]
    #expect(unread.title == nil)
    #expect(unread.note == nil)
    #expect(throws: ResultsError.self) { try unread.object }
    #expect(unread.objectID != nil)
    #expect(unread.path == RowPath(section: 0, row: 0))
  }

  @Test func `an index path has a section and a row`() throws {
    let path = RowPath(section: 1, row: 0)
    #expect(IndexPath(path) == [1, 0])
    #expect(RowPath(IndexPath(path)) == path)
    #expect(IndexPath(OldPath(path)) == [1, 0])
    #expect(IndexPath(NewPath(path)) == [1, 0])
    #expect(RowPath([1] as IndexPath) == nil)
    #expect(RowPath([1, 2, 3] as IndexPath) == nil)
    #expect(try tracks.object(at: try #require(RowPath([1, 0] as IndexPath))).title == "Coyote")
  }

  @Test func `the list is an error before it was fetched`() {
    let idle = FetchedResultsController(
      FetchRequest<Track>(sortedBy: [.ascending(\.title)]),
      in: store
    )
    #expect(throws: ResultsError.self) { try idle.results }
  }
}
