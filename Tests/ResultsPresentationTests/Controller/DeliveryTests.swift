import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import Synchronization
import ResultsTesting
import Testing

@testable import ResultsPresentation

@Suite("Delivery", .timeLimit(.minutes(15)))
struct DeliveryTests {
  @Test func `R74: a late subscriber gets the present state first, and all converge`() async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var early = controller.changes.makeAsyncIterator()
    try store.add([("A", "y")])
    try await controller.refresh()
    var late = controller.changes.makeAsyncIterator()
    #expect(try await late.picture() == "A: x y")
    #expect(try await early.picture() == "A: x y")
    try store.add([("A", "z")])
    #expect(try await late.picture() == "+[0,2]")
    #expect(try await early.picture() == "+[0,2]")
  }

  @Test func `R28: what a slow subscriber misses is composed into one change`() async throws {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var slow = controller.changes.makeAsyncIterator()
    _ = await slow.next()
    for title in ["a", "b", "c"] {
      try store.add([("A", title)])
      try await controller.refresh()
    }
    try store.remove("b")
    try await controller.refresh()
    let change = try #require(await slow.change())
    #expect(change.delta.picture == "+[0,0] +[0,1]")
    #expect(change.delta.from == 1)
    #expect(change.delta.to == 5)
    try change.delta.verify(from: change.before.snapshot.content, to: change.after.snapshot.content)
  }

  @Test func `R27, R44: changes that cancel each other out are not delivered, and nothing is lost`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var slow = controller.changes.makeAsyncIterator()
    _ = await slow.next()
    let titles = (0..<20).map { "t\($0)" }
    for title in titles {
      try store.add([("A", title)])
      try await controller.refresh()
    }
    for title in titles {
      try store.remove(title)
      try await controller.refresh()
    }
    async let next = slow.change()
    try store.add([("A", "y")])
    try await controller.refresh()
    let change = try #require(await next)
    #expect(change.delta.picture == "+[0,1]")
    #expect((change.delta.from, change.delta.to) == (1, 42))
    #expect(change.before.generation == 1)
  }

  @Test func `R19: a generation never changes, whatever is written later`() async throws {
    let store = try Volume.store(("A", "x"), ("B", "y"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    let first = try controller.results
    let content = try first.snapshot.content
    for step in 0..<200 {
      try store.add([("A", "t\(step)")])
      if step % 3 == 0 { try store.remove("t\(step / 2)") }
      try await controller.refresh()
    }
    #expect(try first.snapshot.content == content)
    #expect(try controller.results.generation > 100)
  }

  @Test func `R70: after cancel nothing is delivered`() async throws {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    try store.add([("A", "y")])
    try await controller.refresh()
    controller.cancel()
    try store.add([("A", "z")])
    #expect(await events.next() == nil)
    var late = controller.changes.makeAsyncIterator()
    #expect(await late.next() == nil)
    await #expect(throws: StoreError.self) { try await controller.performFetch() }
  }

  @Test func `R69: writing, reading, redefining and cancelling while a change is handled is safe`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var seen: [String] = []
    for await event in controller.changes {
      switch event {
      case .snapshot: try store.add([("A", "y")])
      case .change(let change):
        seen.append(change.delta.picture)
        #expect(try change.after.objects().count == change.after.count)
        switch seen.count {
        case 1: try store.change("y") { $0.series = "B" }
        case 2: try await controller.update { $0.request.sortDescriptors = [.descending("title")] }
        default: break
        }
        if seen.count == 2 { try store.add([("A", "z")]) }
        if seen.count >= 3 { controller.cancel() }
      case .reset(let reason, _): Issue.record("\(reason)")
      case .failure(let error): Issue.record("\(error)")
      }
    }
    #expect(seen.prefix(2) == ["+[0,1]", "+s1 ~[0,1]>[1,0]*"])
  }

  @Test
  func `R71: a failure leaves the last good state, and the next good commit continues from it`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    store.fail(with: .inputOutput(path: "disk", detail: "gone"))
    await #expect(throws: StoreError.self) { try await controller.refresh() }
    guard case .failure(.inputOutput) = await events.next() else {
      Issue.record("no failure was published")
      return
    }
    guard case .failed(_, let last?) = controller.state else {
      Issue.record("no last good state")
      return
    }
    #expect(last.generation == 1)
    store.fail(with: nil)
    try store.add([("A", "y")])
    let change = try #require(await events.change())
    #expect(change.delta.from == 1)
    #expect(change.delta.to == 2)
    #expect(try change.after.picture() == "A: x y")
  }

  @Test func `R71: other writers that cannot be looked for are a failure like any other`()
    async throws
  {
    let store = try Volume.store(("A", "x"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    _ = await events.next()
    store.watch.withLock { $0.checkFailure = .inputOutput(path: "disk", detail: "gone") }
    await #expect(throws: StoreError.self) { try await controller.refresh() }
    guard case .failed(.inputOutput, let last?) = controller.state else {
      Issue.record("\(controller.state)")
      return
    }
    #expect(last.generation == 1)
    guard case .failure(.inputOutput) = await events.next() else {
      Issue.record("no failure was published")
      return
    }
    store.watch.withLock { $0.checkFailure = nil }
    try await controller.refresh()
    guard case .ready(let results) = controller.state else {
      Issue.record("\(controller.state)")
      return
    }
    #expect(results.generation == 1)
  }

  @Test func `R14: an identity that stands twice is an error that names it`() async throws {
    let store = try Volume.store(("A", "x"))
    store.watch.withLock { $0.repeatsEntries = true }
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    do {
      try await controller.performFetch()
      Issue.record("not refused")
    } catch {
      guard case .request(.duplicateIdentity(let id, first: 0, second: 1)) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(id.key == .integer(1))
    }
  }

  @Test func `R67: counts alongside are of the same version as the rows`() async throws {
    let store = try Volume.store(("A", "x"))
    var definition = Volume.bySeries()
    definition.additionalCounts = ["all": CountRequest(Volume.entity)]
    let controller = FetchedResultsController(definition, in: store)
    try await controller.performFetch()
    let watch = Task {
      var broken = 0
      for await event in controller.changes {
        if case .change(let change) = event,
          change.after.additionalCounts["all"] != change.after.count
        {
          broken += 1
        }
      }
      return broken
    }
    for step in 0..<50 { try store.add([("A", "t\(step)")]) }
    try await controller.refresh()
    #expect(try controller.results.additionalCounts["all"] == 51)
    controller.cancel()
    #expect(await watch.value == 0)
  }

  @Test
  func
    `frozen results keep membership and order, their attributes stay live, a deleted row is removed`()
    async throws
  {
    let store = try Volume.store(("A", "x"), ("A", "y"), ("B", "z"))
    let unread = try store.fetch(
      FetchRequest<ObjectID>(
        entity: Volume.entity,
        where: .comparison(.attribute("pages"), .equal, .literal(0)),
        sortedBy: [.ascending("title")]
      )
    )
    #expect(store.rowsRead == 0)
    let controller = FetchedResultsController<Volume>.frozen(
      IdentitySet(unread),
      FetchRequest<Volume>(sortedBy: [.ascending(\.title)]),
      in: store
    )
    try await controller.performFetch()
    var events = controller.changes.makeAsyncIterator()
    #expect(try await events.picture() == ": x y z")
    try store.change("x") { volume in
      volume.pages = 9
      volume.title = "zz"
    }
    #expect(try await events.picture() == "=[0,0]")
    try store.add([("A", "new")])
    try store.remove("y")
    #expect(try await events.picture() == "-[0,1]")
    #expect(try controller.results.picture() == ": zz z")
  }

  @Test func `the five callbacks come in the classic order and read the delivered state`()
    async throws
  {
    let store = try Volume.store(("A", "x"), ("B", "y"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    let recorder = CallbackRecorder()
    let before = try controller.results
    _ = try store.commit(origin: .unnamed) { transaction in
      try transaction.insert(Volume(series: "C", title: "c"))
      try transaction.delete(ObjectID(entity: "Volume", key: .integer(2)), of: Volume.entity)
    }
    var events = controller.changes.makeAsyncIterator()
    var change: ResultsChange<Volume>?
    if case .snapshot(let present) = await events.next(), present.generation == before.generation {
      change = await events.change()
    }
    change?.deliver(to: recorder)
    if change != nil {
      #expect(
        recorder.calls == [
          "will A: x | B: y", "-B 1", "+C 1", "- [1,0]", "+ [1,0]", "did A: x | C: c",
        ]
      )
    }
  }

  @Test func `R23 R24: index titles jump to sections, absent ones to the nearest before`() {
    let titles = SectionIndexTitles(
      of: ["Å", "Ångström", "beta", "", "7", "ßharp"].map(SectionIndexTitles.standard)
    )
    #expect(titles.titles == ["Å", "B", "#", "SS"])
    #expect(titles.sections == [0, 2, 3, 5])
    #expect(titles.section(forIndexTitle: "B") == 2)
    #expect(titles.section(forIndexTitle: "C") == 2)
    #expect(titles.section(forIndexTitle: "!") == 0)
    #expect(SectionIndexTitles(of: []).section(forIndexTitle: "A") == nil)
    #expect(SectionIndexTitles(of: ["A", "A"], collapsesRepeats: false).titles == ["A", "A"])
  }
}

extension DeliveryTests {
  @Test func `N11: a delegate names index titles, the section key the others`() async throws {
    final class Namer: FetchedResultsControllerDelegate {
      func controller(
        _ results: ResultsList<Volume>,
        sectionIndexTitleForSectionName name: String
      ) -> String? { name == "beta" ? "β" : nil }
    }
    let store = try Volume.store(("alpha", "x"), ("beta", "y"))
    let controller = FetchedResultsController(Volume.bySeries(), in: store)
    try await controller.performFetch()
    let titles = try controller.results.sectionIndexTitles(from: Namer())
    #expect(titles.titles == ["A", "β"])
  }
}

/// Writes callbacks down.
final class CallbackRecorder: FetchedResultsControllerDelegate {
  var calls: [String] = []

  func controllerWillChangeContent(_ results: ResultsList<Volume>) {
    calls.append("will \(shape(results))")
  }

  func controller(
    _ results: ResultsList<Volume>,
    didChange section: SectionHeader,
    atSectionIndex index: Int,
    for type: SectionChangeType
  ) {
    calls.append("\(type == .insert ? "+" : "-")\(section.title) \(index)")
  }

  func controller(
    _ results: ResultsList<Volume>,
    didChange id: ObjectID,
    at oldPath: OldPath?,
    for type: ObjectChangeType,
    newPath: NewPath?
  ) {
    switch type {
    case .insert: calls.append("+ \(newPath.map { "\($0.path)" } ?? "")")
    case .delete: calls.append("- \(oldPath.map { "\($0.path)" } ?? "")")
    case .move, .update: calls.append("~")
    }
  }

  func controllerDidChangeContent(_ results: ResultsList<Volume>) {
    calls.append("did \(shape(results))")
  }

  private func shape(_ results: ResultsList<Volume>) -> String {
    results.sections.map { section in
      "\(section.title): \(section.map { (try? $0.object.title) ?? "y" }.joined(separator: " "))"
    }.joined(separator: " | ")
  }
}
