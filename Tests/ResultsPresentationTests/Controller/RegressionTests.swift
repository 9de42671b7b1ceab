import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ResultsPresentation

@Suite("What once went wrong", .timeLimit(.minutes(15)))
struct RegressionTests {
  @Test func `R44: after changes that cancel out, the next one continues without a gap`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var slow = controller.changes.makeAsyncIterator()
    _ = await slow.next()
    try store.add([("A", "y")])
    try await controller.refresh()
    try store.remove("y")
    try await controller.refresh()
    try store.add([("A", "z")])
    try await controller.refresh()
    let change = try #require(await slow.change())
    #expect(change.delta.picture == "+[0,1]")
    #expect(change.delta.from == 1)
    #expect(change.before.generation == 1)
    #expect(change.delta.to == 4)
  }

  @Test func `R69: the closure of an update may read the controller`() async throws {
    let store = try Volume.store(("A", "x"), ("A", "y"))
    let controller = FetchedResultsController(Volume.bySeries(limit: 1), in: store)
    try await controller.performFetch()
    try await controller.update { definition in
      definition.request.fetchLimit = (controller.state.results?.count ?? 0) + 1
    }
    #expect(try controller.results.picture() == "A: x y")
  }

  @Test func `R50: of two definitions the newest wins, whichever comes to be fetched first`()
    throws
  {
    let store = try Volume.store(("A", "x"), ("B", "y"))
    let list = LiveList(store)
    let first = list.publisher.request { _ in }
    let second = list.publisher.request { $0.request.fetchLimit = 1 }
    for number in [second, first] { try list.fetch(number) }
    #expect(try list.state.results?.picture() == "A: x")
    guard case .ready = list.state else {
      Issue.record("\(list.state)")
      return
    }
  }

  @Test func `R50: a first fetch that was overtaken returns only when something is shown`() throws {
    let store = try Volume.store(("A", "x"), ("B", "y"))
    let list = LiveList(store)
    let first = list.publisher.request { _ in }
    _ = list.publisher.request { $0.request.fetchLimit = 1 }
    try list.fetch(first)
    #expect(try list.state.results?.picture() == "A: x")
  }

  @Test(arguments: [false, true])
  func `R50: a definition that is overtaken while its keys are read is not shown`(
    isFetched: Bool
  ) throws {
    let store = try Volume.store(("A", "x"), ("B", "y"))
    let list = LiveList(store)
    if isFetched { try list.fetch(list.publisher.request { _ in }) }
    let older = list.publisher.request { $0.request.fetchLimit = 1 }
    store.duringNextRead { _ = list.publisher.request { $0.request.fetchLimit = 0 } }
    try list.fetch(older)
    // The first fetch shows what is wanted; later ones leave that to who wants it.
    #expect(list.state.results?.count == (isFetched ? 2 : 0))
  }

  @Test func `R51: a commit does not hide that another definition is on its way`() throws {
    let store = try Volume.store(("A", "x"))
    let list = LiveList(store)
    try list.fetch(list.publisher.request { _ in })
    _ = list.publisher.request { $0.request.fetchLimit = 5 }
    try store.add([("A", "y")])
    try list.bringUpToDate()
    guard case .loading(let last?) = list.state else {
      Issue.record("\(list.state)")
      return
    }
    #expect(last.count == 2)
  }

  @Test func `R71: a list is ready again once the store can be read, changed or not`() async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    store.fail(with: .inputOutput(path: "disk", detail: "gone"))
    await #expect(throws: StoreError.self) { try await controller.refresh() }
    store.fail(with: nil)
    try await controller.refresh()
    guard case .ready = controller.state else {
      Issue.record("\(controller.state)")
      return
    }
  }

  @Test func `R67: a definition that shows the same is taken over even if a commit came with it`()
    throws
  {
    let store = try Volume.store(("A", "x"))
    let list = LiveList(store)
    try list.fetch(list.publisher.request { _ in })
    try store.add([("A", "y")])
    try list.fetch(
      list.publisher.request {
        $0.additionalCounts = ["all": CountRequest(Volume.entity)]
      }
    )
    #expect(list.state.results?.additionalCounts == ["all": 2])
  }

  @Test func `R68: commits delivered as one change keep the names of all their writers`() throws {
    let store = try Volume.store(("A", "x"))
    var definition = Volume.bySeries()
    definition.additionalCounts = ["all": CountRequest(Volume.entity)]
    var engine = try store.engine(definition)
    for name in ["mine", "theirs"] {
      _ = try store.commit(origin: CommitOrigin(name)) { transaction in
        try transaction.insert(Volume(series: "A", title: name))
      }
    }
    let steps = try store.read { (snapshot) throws(StoreError) in
      try engine.advance(to: snapshot)
    }
    #expect(steps.map(\.delta.origins) == [[CommitOrigin("mine"), CommitOrigin("theirs")]])
  }

  @Test func `R60: a commit of attributes that are not shown leaves the digests in step`() throws {
    let store = try Volume.store(("A", "x"))
    var definition = Volume.bySeries()
    definition.request.propertiesToFetch = ["series", "title"]
    definition.sectionKey = nil
    var engine = try store.engine(definition, maintainsDigests: true)
    try store.change("x") { $0.pages = 7 }
    let own = try store.read { (snapshot) throws(StoreError) in try engine.advance(to: snapshot) }
    #expect(own.isEmpty)
    try store.change("x") { $0.series = "B" }
    let other = try store.read { (snapshot) throws(StoreError) in try engine.requery(in: snapshot) }
    #expect(other.map(\.delta.picture) == ["=[0,0]"])
  }

  @Test func `R27 R39 R40: a sort value that is not shown and moves nothing is no update`() throws {
    let store = try Volume.store(("A", "x"), ("B", "y"))
    try store.change("x") { $0.pages = 10 }
    try store.change("y") { $0.pages = 20 }
    var definition = Volume.bySeries()
    definition.sectionKey = nil
    definition.request.sortDescriptors = [.ascending("pages")]
    definition.request.propertiesToFetch = ["title"]
    var engine = try store.engine(definition, maintainsDigests: true)
    try store.change("x") { $0.pages = 15 }
    let still = try store.read { (snapshot) throws(StoreError) in
      try engine.requery(in: snapshot)
    }
    #expect(still.map(\.delta.picture) == [])
    try store.change("x") { $0.pages = 30 }
    let moved = try store.read { (snapshot) throws(StoreError) in
      try engine.requery(in: snapshot)
    }
    #expect(moved.map(\.delta.picture) == ["~[0,0]>[0,1]"])
    let move = try #require(moved.first?.delta.rows.moves.first)
    #expect(move.changed == AttributeSet())
    // What it was is not known, and not guessed from what it is.
    #expect(move.old == nil)
    #expect(move.new?["pages"] == 30)
    try store.change("x") { volume in
      volume.pages = 40
      volume.title = "z"
    }
    let updated = try store.read { (snapshot) throws(StoreError) in
      try engine.requery(in: snapshot)
    }
    #expect(updated.map(\.delta.picture) == ["=[0,1]"])
  }

  @Test func `R200 R201: a row that leaves the window unseen has no old values`()
    throws
  {
    let store = try Volume.store(("A", "x"))
    var definition = Volume.bySeries()
    definition.sectionKey = nil
    definition.request.sortDescriptors = [.ascending("title")]
    definition.request.fetchLimit = 1
    var engine = try store.engine(definition, maintainsDigests: false)
    try store.change("x") { $0.pages = 7 }
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert(Volume(series: "A", title: "b"))
    }
    let steps = try store.read { (snapshot) throws(StoreError) in
      try engine.requery(in: snapshot, assumingChanges: true)
    }
    let left = try #require(steps.first?.delta.rows.deletes.first)
    #expect(left.old == nil)
    // So what returns as it is now is named, whatever it was.
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.delete(ObjectID(entity: "Volume", key: .integer(2)), of: Volume.entity)
    }
    let back = try store.read { (snapshot) throws(StoreError) in try engine.advance(to: snapshot) }
    let net = try steps[0].delta.then(back[0].delta)
    #expect(net.rows.updates.map(\.changed) == [nil], "\(net.rows)")
  }

  @Test func `R40: a section value that is not shown moves a row without an update`() throws {
    let store = try Volume.store(("A", "x"), ("A", "y"), ("B", "z"))
    var definition = Volume.bySeries()
    definition.request.propertiesToFetch = ["title"]
    var engine = try store.engine(definition, maintainsDigests: true)
    try store.change("y") { $0.series = "B" }
    let moved = try store.read { (snapshot) throws(StoreError) in
      try engine.requery(in: snapshot)
    }
    #expect(moved.map(\.delta.picture) == ["~[0,1]>[1,0]"])
  }

  @Test func `R61: what others changed just before a redefinition is an update all the same`()
    throws
  {
    let store = try Volume.store(("A", "x"), ("A", "y"))
    let definition = Volume.bySeries()
    var engine = try store.engine(definition, maintainsDigests: true)
    try store.change("y") { $0.pages = 7 }
    let plan = try ListPlan(definition)
    let step = try store.read { (snapshot) throws(StoreError) in
      try engine.redefine(plan, in: snapshot)
    }
    #expect(step?.delta.picture == "=[0,1]")
  }

  @Test func `R59: where the history is too short for a commit every row may have changed`()
    async throws
  {
    let store = WatchedStore(try InMemoryStore(entities: [Volume.entity], historyCapacity: 1))
    try store.add([("A", "x"), ("A", "y"), ("A", "z")])
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    _ = try store.commit(origin: .unnamed) { transaction in
      for var volume in try transaction.fetch(Volume.bySeries().request) where volume.title != "z" {
        volume.pages = 7
        try transaction.update(volume)
      }
    }
    try await controller.refresh()
    #expect(try controller.results.objects().map(\.pages) == [7, 7, 0])
    #expect(try await events.picture() == "=[0,0] =[0,1] =[0,2]")
  }

  @Test func `a frozen list with merged sections follows the store's own deletes`() throws {
    let store = try Volume.store(("A", "x"), ("B", "y"), ("A", "z"))
    for (title, pages) in [("x", 1), ("y", 2), ("z", 3)] {
      try store.change(title) { $0.pages = pages }
    }
    var definition = Volume.bySeries()
    definition.sectionKey = .expression(.attribute("series"), orderedBy: .attribute("pages"))
    definition.sectionKey?.contiguity = .merge
    definition.isFrozen = true
    var engine = try store.engine(definition)
    try store.remove("z")
    let steps = try store.read { (snapshot) throws(StoreError) in
      try engine.advance(to: snapshot)
    }
    #expect(steps.map(\.delta.picture) == ["-[0,1]"])
    #expect(steps.map(\.delta.cause) == [.own])
  }

  @Test(arguments: [0, -1, Int.min, Int.max])
  func `R20: a batch of any size can be asked for`(size: Int) async throws {
    let store = try Volume.store(("A", "x"), ("A", "y"))
    var definition = Volume.bySeries()
    definition.request.fetchBatchSize = size
    definition.request.fetchOffset = 1
    definition.request.fetchLimit = .max
    let controller = FetchedResultsController(definition, in: store)
    try await controller.performFetch()
    #expect(try controller.results.picture() == "A: y")
    try await controller.update { $0.request.fetchOffset = .max }
    #expect(try controller.results.count == 0)
  }
}

extension WatchedStore {
  fileprivate func engine(
    _ definition: ResultsDefinition<Volume>,
    maintainsDigests: Bool = false
  ) throws -> ListEngine {
    let plan = try ListPlan(definition)
    return try read { (snapshot) throws(StoreError) in
      try ListEngine(plan, from: snapshot, generation: 1, maintainsDigests: maintainsDigests)
    }
  }
}

extension LiveList {
  fileprivate var state: ResultsState<Volume> { ResultsState(publisher.state) }

  /// An active list of volumes.
  fileprivate convenience init(_ store: WatchedStore) {
    self.init(Volume.bySeries(), store, detectsExternalChanges: true, ResultsOptions())
    _ = activate()
  }
}
