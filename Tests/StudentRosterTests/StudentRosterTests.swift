import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import StudentRoster
import Testing

@Suite struct StudentRosterTests {
  private let roster: StudentRoster

  init() throws { roster = StudentRoster(try InMemoryStore(entities: [Student.entity])) }

  @Test func `the section key is the primary sort order (R03, N5)`() async throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<150 { try roster.addRandom(using: &generator) }
    let list = roster.students()
    try await list.performFetch()
    let students = try list.results.objects()
    let order = students.map { [Int($0.studentAge), Int($0.studentId), Int($0.id ?? 0)] }
    #expect(order == order.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(Set(list.sections.map(\.title)).count == list.sections.count)
    #expect(list.definition.request.fetchBatchSize == 50)
  }

  @Test func `at most two hundred students are listed, also while the list is live (R75, N24)`()
    async throws
  {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<250 { try roster.addRandom(using: &generator) }
    let list = roster.students()
    try await list.performFetch()
    for step in 0..<60 {
      if step.isMultiple(of: 3) {
        let section = generator.number(in: 0...9)
        try roster.remove(at: RowPath(section: section, row: 0), of: list.results)
      } else {
        try roster.addRandom(using: &generator)
      }
      try await list.refresh()
      let results = try list.results
      let fresh = try roster.store.fetch(StudentRoster.request(Student.self).inSections)
      #expect(results.count == 200, "seed \(generator.seed)")
      #expect(try results.objects().map(\.id) == fresh.map(\.id), "seed \(generator.seed)")
      #expect(results.matchingCount > 200)
    }
  }

  @Test func `random students have values in range, and the same seed gives the same students`()
    throws
  {
    var (first, second) = (SeededGenerator(seed: 9), SeededGenerator(seed: 9))
    for _ in 0..<1_000 {
      let student = Student.random(using: &first)
      #expect((0...32_766).contains(student.studentId))
      #expect((10...19).contains(student.studentAge))
      let number = try #require(Int(student.studentName.dropFirst("student-".count)))
      #expect((0..<100_000).contains(number))
      #expect(student.line == Student.random(using: &second).line)
    }
  }

  @Test func `a line has number, name and age, and two students may have one number`()
    async throws
  {
    try await roster.store.write { transaction in
      for name in ["a", "b"] {
        try transaction.insert(Student(studentId: 7, studentName: name, studentAge: 12))
      }
    }
    let list = roster.students()
    try await list.performFetch()
    #expect(try list.results.objects().map(\.line) == ["7:a age:12", "7:b age:12"])
  }

  @Test func `removing at a missing path returns false (R20)`() async throws {
    let list = roster.students()
    try await list.performFetch()
    #expect(try !roster.remove(at: RowPath(section: 0, row: 0), of: list.results))
    #expect(try !roster.remove(at: RowPath(section: -1, row: .min), of: list.results))
  }
}

extension FetchRequest {
  /// The request with the section key first.
  fileprivate var inSections: FetchRequest {
    var request = self
    request.sortDescriptors.insert(.ascending("studentAge"), at: 0)
    return request
  }
}

@Suite struct RosterSimulationTests {
  @Test(arguments: [1, 7, 99] as [UInt64])
  func `the same seed gives the same deltas on fresh stores (R36)`(seed: UInt64) async throws {
    let first = try await deltas(seed: seed)
    #expect(first == (try await deltas(seed: seed)))
    #expect(first != (try await deltas(seed: seed + 1)))
    #expect(first.contains { !$0.rows.deletes.isEmpty })
    #expect(first.contains { !$0.rows.moves.isEmpty })
    #expect(first.contains { !$0.rows.updates.isEmpty })
  }

  @Test func `a simulation uses the existing students`() throws {
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

  @Test func `a student that another writer removed is skipped`() throws {
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
