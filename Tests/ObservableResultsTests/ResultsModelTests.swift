import InMemoryPersistence
import ObservableResults
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import Testing

private let diskError = StoreError.inputOutput(path: "songs", detail: "the disk is gone")

/// R113: what a model shows beside its list, and how long it lives.
@Suite("A model for user interfaces", .timeLimit(.minutes(5)))
@MainActor
struct ResultsModelTests {
  private let store: SongStore

  init() throws {
    store = try SongStore()
    try store.add(("Blue", "Carey"), ("Blue", "River"), ("Hejira", "Coyote"))
  }

  private func titles(_ model: ResultsModel<Song>) -> [[String]] {
    model.sections.map { $0.rows.map { $0.title ?? "unread" } }
  }

  // MARK: Content

  @Test func `it shows nothing and reads nothing before it starts`() {
    let model = ResultsModel(Song.byAlbum(), in: store)
    #expect(model.sections.isEmpty)
    #expect(model.rows.isEmpty)
    #expect(model.results == nil)
    #expect(model.isLoading)
    #expect(store.reads == 0)
    #expect(throws: Never.self) { try model.rows.objects(at: 0..<5) }
  }

  @Test func `sections and rows are what the lists of user interfaces iterate over`() async {
    let model = ResultsModel(
      FetchRequest<Song>(sortedBy: [.ascending(\.title)]),
      sectionedBy: .attribute(\.album),
      in: store
    )
    model.start()
    #expect(model.isLoading)
    await model.settle()
    let lines = List(model.sections) { section in
      Section(section.title) { ForEach(section.rows) { row in [row.title ?? "unread"] } }
    }
    #expect(lines == ["Blue", "Carey", "River", "Hejira", "Coyote"])
    #expect(
      ForEach(model.rows) { [$0.title ?? "unread"] } == ["Carey", "River", "Coyote"]
    )
  }

  @Test func `a commit is one notification, and one that is not shown is none`() async throws {
    let model = ResultsModel(
      FetchRequest<Song>(where: \.plays == 0, sortedBy: [.ascending(\.title)]),
      in: store
    )
    let counter = NotificationCounter(of: model)
    model.start()
    await model.settle()
    // The list begins to load, and is ready.
    #expect(counter.count == 2)
    try store.add(("Hejira", "Amelia"), ("Hejira", "Hejira"))
    await model.settle()
    #expect(counter.count == 3)
    try store.commit { try $0.insert(Song(album: "Mingus", title: "x", plays: 1)) }
    try store.add(("Hejira", "Song for Sharon"))
    await model.settle()
    #expect(counter.count == 4)
    #expect(model.rows.count == 6)
  }

  @Test func `additional counts are shown although no row changes`() async throws {
    var definition = Song.byAlbum()
    definition.request.predicate = .comparison(.attribute("plays"), .equal, .literal(.integer(0)))
    definition.additionalCounts = ["all": CountRequest(Song.entity)]
    let model = ResultsModel(definition, in: store)
    model.start()
    await model.settle()
    #expect(model.results?.additionalCounts == ["all": 3])
    var reloads = 0
    model.onReload = { _ in reloads += 1 }
    try store.commit { try $0.insert(Song(album: "Mingus", title: "x", plays: 1)) }
    await model.wait { $0.results?.additionalCounts == ["all": 4] }
    #expect(model.isReady)
    #expect(reloads == 0)
  }

  @Test func `a change that names observed rows only is a reload`() async throws {
    let model = ResultsModel(Song.byAlbum(), in: store)
    model.start()
    await model.settle()
    model.controller.observedRows = 0..<1
    var calls: [String] = []
    model.onBatch = { _, _ in calls.append("batch") }
    model.onReload = { calls.append("reload \($0.count)") }
    try store.add(("Blue", "California"))
    await model.settle()
    #expect(calls == ["reload 4"])
  }

  // MARK: Failures

  @Test func `a failure keeps the list, and ends without a change of the list`() async throws {
    let model = ResultsModel(Song.byAlbum(), in: store)
    model.start()
    await model.settle()
    let shown = titles(model)
    store.fail(with: diskError)
    await model.refresh()
    await model.wait { $0.failure != nil }
    #expect(model.sections.map(\.count) == [2, 1])
    store.fail(with: nil)
    #expect(titles(model) == shown)
    await model.refresh()
    await model.settle()
    #expect(model.isReady)
    #expect(titles(model) == shown)
  }

  @Test func `a first fetch that fails is tried again by a refresh`() async throws {
    let model = ResultsModel(Song.byAlbum(), in: store)
    store.fail(with: diskError)
    model.start()
    await model.wait { $0.failure != nil }
    #expect(model.sections.isEmpty)
    store.fail(with: nil)
    await model.refresh()
    await model.settle()
    #expect(model.rows.count == 3)
  }

  @Test func `an update that is refused leaves the list, and says why`() async throws {
    let model = ResultsModel(Song.byAlbum(), in: store)
    model.start()
    await model.settle()
    await model.update { $0.request.sortDescriptors = [.ascending("nothing")] }
    await model.wait { $0.failure != nil }
    guard case .request = model.failure else { return #expect(Bool(false), "\(model.phase)") }
    #expect(titles(model) == [["Carey", "River"], ["Coyote"]])
    try store.add(("Blue", "A Case of You"))
    await model.settle()
    #expect(model.sections.map(\.count) == [3, 1])
  }

  // MARK: Updates, pauses and stops

  @Test func `an update is loading until its result is shown, as one event`() async throws {
    let model = ResultsModel(Song.byAlbum(), in: store)
    model.start()
    await model.settle()
    let counter = NotificationCounter(of: model)
    await model.update { definition in
      #expect(model.isLoading)
      #expect(model.rows.count == 3)
      definition.request.predicate = .none
    }
    await model.settle()
    #expect(model.rows.isEmpty)
    #expect(counter.count == 2)
    // The definition is another one, and shows the same.
    await model.update { $0.request.fetchLimit = 7 }
    await model.settle()
    #expect(model.isReady)
    #expect(model.controller.definition.request.fetchLimit == 7)
  }

  @Test func `the newest of several updates wins`() async throws {
    let model = ResultsModel(Song.byAlbum(), in: store)
    model.start()
    await withTaskGroup { group in
      for limit in [1, 3, 2] {
        group.addTask { await model.update { $0.request.fetchLimit = limit } }
      }
    }
    await model.settle()
    #expect(model.rows.count == model.controller.definition.request.fetchLimit)
  }

  @Test func `a pause hides commits, and its end shows them as one change`() async throws {
    let model = ResultsModel(Song.byAlbum(), in: store)
    model.start()
    await model.settle()
    let counter = NotificationCounter(of: model)
    model.pause()
    #expect(model.isPaused)
    let reads = store.reads
    try store.add(("Blue", "California"))
    try store.add(("Blue", "Blue"))
    #expect(store.reads == reads)
    #expect(model.rows.count == 3)
    await model.resume()
    await model.wait { $0.rows.count == 5 }
    // Two are the pause's own.
    #expect(counter.count == 3)
  }

  @Test func `a model that was stopped continues with one change`() async throws {
    let model = ResultsModel(Song.byAlbum(), in: store)
    model.start()
    await model.settle()
    var calls: [String] = []
    model.onBatch = { batch, _ in calls.append("+\(batch.insertedRows.count)") }
    model.onReload = { _ in calls.append("reload") }
    model.stop()
    let reads = store.reads
    try store.add(("Blue", "California"))
    try store.add(("Blue", "Blue"))
    #expect(store.reads == reads)
    #expect(model.rows.count == 3)
    model.start()
    model.start()
    await model.wait { $0.rows.count == 5 }
    #expect(calls == ["+2"])
    try store.add(("Blue", "All I Want"))
    await model.wait { $0.rows.count == 6 }
    #expect(calls == ["+2", "+1"])
  }

  @Test func `a model that is stopped before its first fetch fetches when it starts again`()
    async throws
  {
    let model = ResultsModel(Song.byAlbum(), in: store)
    model.start()
    model.stop()
    model.start()
    await model.settle()
    try store.add(("Blue", "California"))
    await model.wait { $0.rows.count == 4 }
  }

  @Test func `models share a controller, and stopping one does not affect the other`() async throws
  {
    let list = FetchedResultsController(Song.byAlbum(), in: store)
    let (first, second) = (ResultsModel(list), ResultsModel(list))
    first.start()
    second.start()
    await first.settle()
    await second.settle()
    first.stop()
    try store.add(("Blue", "California"))
    await second.wait { $0.rows.count == 4 }
    #expect(first.rows.count == 3)
    first.start()
    await first.wait { $0.rows.count == 4 }
  }

  // MARK: The end

  @Test func `the end of the controller keeps the list`() async throws {
    let model = ResultsModel(Song.byAlbum(), in: store)
    model.start()
    await model.settle()
    model.controller.cancel()
    await model.wait { $0.isEnded }
    #expect(model.rows.count == 3)
    await model.refresh()
    await model.update { $0.request.fetchLimit = 1 }
    #expect(model.isEnded)
    #expect(model.rows.count == 3)
  }

  @Test func `a model of a controller that has ended is ended`() async throws {
    let list = FetchedResultsController(Song.byAlbum(), in: store)
    list.cancel()
    let model = ResultsModel(list)
    model.start()
    await model.wait { $0.isEnded }
  }

  @Test(arguments: [0, 1, 2])
  func `nothing retains a model`(_ moment: Int) async throws {
    var model: ResultsModel<Song>? = ResultsModel(Song.byAlbum(), in: store)
    weak let released = model
    weak let controller = model?.controller
    if moment > 0 { model?.start() }
    if moment > 1 { await model?.settle() }
    if moment > 1 { try store.add(("Blue", "California")) }
    model = nil
    #expect(released == nil)
    // A fetch that has begun retains the controller until it ends.
    while controller != nil, !Task.isCancelled { await Task.yield() }
  }

  @Test func `a shared controller survives its models`() async throws {
    let list = FetchedResultsController(Song.byAlbum(), in: store)
    var model: ResultsModel? = ResultsModel(list)
    model?.start()
    await model?.settle()
    model = nil
    try store.add(("Blue", "California"))
    try await list.refresh()
    #expect(try list.results.count == 4)
  }
}

// MARK: - Stand-ins for SwiftUI, with its requirements

private func List<Data: RandomAccessCollection>(
  _ data: Data,
  content: (Data.Element) -> [String]
) -> [String] where Data.Element: Identifiable { ForEach(data, content: content) }

private func Section(_ title: String, content: () -> [String]) -> [String] { [title] + content() }

private func ForEach<Data: RandomAccessCollection>(
  _ data: Data,
  content: (Data.Element) -> [String]
) -> [String] where Data.Element: Identifiable {
  Set(data.map(\.id)).count == data.count ? data.flatMap(content) : ["an identity twice"]
}
