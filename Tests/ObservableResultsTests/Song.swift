import InMemoryPersistence
import ObservableResults
import Observation
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Synchronization

/// Songs in albums.
struct Song: Entity, Hashable {
  var id: Int64?
  var album = ""
  var title = ""
  var plays = 0

  static let schema = EntitySchema<Song>("Song", identity: \.id) {
    Attribute(\.album, "album")
    Attribute(\.title, "title")
    Attribute(\.plays, "plays")
  }

  static func byAlbum(limit: Int? = nil) -> ResultsDefinition<Song> {
    ResultsDefinition(
      FetchRequest<Song>(sortedBy: [.ascending(\.title)], fetchLimit: limit, fetchBatchSize: 5),
      sectionedBy: .attribute("album")
    )
  }
}

/// A store that fails on demand, and counts reads.
final class SongStore: ForwardingStore {
  private struct State {
    var failure: StoreError?
    var reads = 0
  }

  let base: InMemoryStore
  private let state = Mutex(State())

  init() throws { base = try InMemoryStore(entities: [Song.entity]) }

  var target: any Store { base }
  var reads: Int { state.withLock { $0.reads } }
  /// Makes every read fail, until called with `nil`.
  func fail(with failure: StoreError?) { state.withLock { $0.failure = failure } }

  func read<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let failure = state.withLock { state in
      state.reads += 1
      return state.failure
    }
    if let failure { throw failure }
    return try base.read(body)
  }

  /// Adds songs, written as album and title.
  func add(_ songs: (String, String)...) throws {
    try commit { transaction in
      for (album, title) in songs { try transaction.insert(Song(album: album, title: title)) }
    }
  }

  /// Makes a commit on the calling thread.
  func commit(_ body: (any StoreTransaction) throws -> Void) throws {
    _ = try commit(origin: .unnamed, body)
  }
}

/// What a view reads, drawn as lines.
struct Screen: Hashable {
  struct Section: Hashable {
    var id: SectionID
    var title: String
    var rows: [Song]
  }

  var sections: [Section]
}

extension Screen {
  init(_ sections: ResultsSections<Song>) throws {
    self.sections = try sections.map { section in
      Section(id: section.id, title: section.title, rows: try section.rows.map { try $0.object })
    }
  }
}

@MainActor
extension ResultsModel {
  /// Waits for the model's notifications until it shows something, or the test is cancelled.
  func wait(until isShown: (ResultsModel) -> Bool) async {
    while !isShown(self), !Task.isCancelled {
      let (notifications, notified) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        _ = state
      } onChange: {
        notified.yield()
      }
      for await _ in notifications { break }
    }
  }

  /// Waits until the model shows every commit so far, and is ready.
  func settle() async {
    await wait { $0.controller.state.results != nil }
    // A failure is an event, which the caller looks for.
    try? await controller.refresh()
    await wait { model in
      guard case .ready(let shown) = model.state, case .ready(let list) = model.controller.state
      else { return false }
      // The number of rows that match can change beyond the limit, without another position.
      return shown.position == list.position && shown.matchingCount == list.matchingCount
    }
  }

  var isReady: Bool { if case .ready = phase { true } else { false } }
  var isLoading: Bool { if case .loading = phase { true } else { false } }
  var isEnded: Bool { if case .ended = phase { true } else { false } }
  var failure: StoreError? { if case .failed(let error) = phase { error } else { nil } }
}
