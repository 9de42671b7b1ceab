import InMemoryPersistence
import ResultsDomain
import ResultsPresentation
import StudentRoster
import Testing

@Suite struct RosterSimulationTests {
  @Test(arguments: [1, 7, 99] as [UInt64])
  func `equal seeds do equal things to fresh stores, step by step (R36)`(seed: UInt64) async throws
  {
    let first = try await deltas(seed: seed)
    #expect(first == (try await deltas(seed: seed)))
    #expect(first != (try await deltas(seed: seed + 1)))
    #expect(first.contains { !$0.rows.deletes.isEmpty })
    #expect(first.contains { !$0.rows.moves.isEmpty })
    #expect(first.contains { !$0.rows.updates.isEmpty })
  }

  @Test func `a simulation goes on with the students that are there`() throws {
    let store = try InMemoryStore(entities: [Student.entity])
    let id = try store.write {
      try $0.insert(Student(studentId: 1, studentName: "a", studentAge: 10))
    }
    var simulation = try RosterSimulation(seed: 2, in: store)
    for _ in 0..<200 { try simulation.step() }
    let request = FetchRequest<Student>(sortedBy: [.ascending(\.studentId)])
    let touched = try store.fetch(request).first { $0.objectID == id }
    #expect(touched?.line != "1:a age:10")
  }

  @Test func `a student that somebody else removed is passed over`() throws {
    let store = try InMemoryStore(entities: [Student.entity])
    var simulation = try RosterSimulation(seed: 3, in: store)
    for _ in 0..<50 { try simulation.step() }
    try store.write { transaction in
      let request = StudentRoster.request(ObjectID.self)
      for id in try transaction.fetch(request) { try transaction.delete(id, of: Student.entity) }
    }
    for _ in 0..<50 { try simulation.step() }
  }

  private func deltas(seed: UInt64) async throws -> [ResultsDelta] {
    let store = try InMemoryStore(entities: [Student.entity])
    var simulation = try RosterSimulation(seed: seed, in: store)
    let list = StudentRoster(store).students()
    try await list.performFetch()
    var events = list.changes.makeAsyncIterator()
    _ = await events.next()
    var deltas: [ResultsDelta] = []
    for _ in 0..<150 {
      let generation = try list.results.generation
      try simulation.step()
      try await list.refresh()
      guard try list.results.generation > generation,
        case .change(let change) = await events.next()
      else { continue }
      try change.delta.verify(
        from: change.before.snapshot.content,
        to: change.after.snapshot.content
      )
      deltas.append(change.delta)
    }
    return deltas
  }
}
