public import ResultsDomain
public import ResultsStoreKit
public import ResultsPresentation

/// A roster of students, in sections by age, sorted by number: its commands and live queries.
public struct StudentRoster: Sendable {
  /// The store with the students.
  public let store: any Store

  /// A roster over a store that has the entity Student.
  public init(_ store: any Store) { self.store = store }

  /// The request for the roster: at most two hundred students by number, read fifty at a time.
  ///
  /// The age is the section key, so the controller sorts by it first.
  public static func request<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> FetchRequest<Object> {
    FetchRequest<Object>(
      entity: Student.entity,
      sortedBy: [.ascending("studentId")],
      fetchLimit: 200,
      fetchBatchSize: 50
    )
  }

  /// The default section key of the roster: the age.
  public static let sectionKey = SectionKey.attribute("studentAge")

  /// The roster in sections, cached under the name `StudentTable`.
  public static func definition<Object: FetchedObject>(
    _ kind: Object.Type = Object.self
  ) -> ResultsDefinition<Object> {
    ResultsDefinition(request(kind), sectionedBy: sectionKey, cacheName: "StudentTable")
  }

  /// The live list of students.
  public func students(
    options: ResultsOptions = ResultsOptions()
  ) -> FetchedResultsController<Student> {
    FetchedResultsController(Self.definition(Student.self), in: store, options: options)
  }

  /// Adds a random student.
  /// - Parameters:
  ///   - generator: The source of the student's values.
  ///   - origin: The name of the commit.
  /// - Returns: The student's id.
  /// - Throws: `StoreError`.
  @discardableResult
  public func addRandom(
    using generator: inout some RandomNumberGenerator,
    origin: CommitOrigin = .unnamed
  ) throws(StoreError) -> ObjectID {
    let student = Student.random(using: &generator)
    return try store.commit(origin: origin) { try $0.insert(student) }.result
  }

  /// Adds random students in one commit; the same seed gives the same students.
  /// - Throws: `StoreError`.
  public func addRandom(_ count: Int, seed: UInt64) throws(StoreError) {
    var generator = SeededGenerator(seed: seed)
    _ = try store.commit(origin: .unnamed) { transaction in
      for _ in 0..<count { try transaction.insert(Student.random(using: &generator)) }
    }
  }

  /// Removes the student at a path of a list.
  /// - Returns: Whether there is a student at the path.
  /// - Throws: `StoreError`.
  @discardableResult
  public func remove(
    at path: RowPath,
    of results: ResultsList<some FetchedObject>
  ) throws(StoreError) -> Bool {
    guard let id = results.objectID(at: path) else { return false }
    return try store.commit(origin: .unnamed) { try $0.delete(id, of: Student.entity) }.result
  }
}

/// Adds, changes and removes random students; on equal stores, the same seed gives the same operations.
public struct RosterSimulation {
  private var generator: SeededGenerator
  private var keys: [Int64]
  private let store: any Store

  /// A simulation on a store, which begins with the students that the store holds.
  /// - Throws: `StoreError`.
  public init(seed: UInt64, in store: any Store) throws(StoreError) {
    generator = SeededGenerator(seed: seed)
    self.store = store
    let request = FetchRequest<ObjectID>(
      entity: Student.entity,
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    keys = try store.fetch(request).compactMap { id in
      if case .integer(let number) = id.key { number } else { nil }
    }
  }

  /// Does the next operation in one commit: half of the time it adds a student, else it changes or removes one.
  /// - Throws: `StoreError`; a student that another process has removed is skipped.
  public mutating func step() throws(StoreError) {
    let choice = Int.random(in: 0..<10, using: &generator)
    if keys.isEmpty || choice < 5 {
      let student = Student.random(using: &generator)
      let id = try store.commit(origin: Self.origin) { try $0.insert(student) }.result
      if case .integer(let number) = id.key { keys.append(number) }
      return
    }
    let index = Int.random(in: keys.indices, using: &generator)
    let key = ObjectKey.integer(keys[index])
    if choice < 8 {
      let other = Student.random(using: &generator)
      let changesAge = Bool.random(using: &generator)
      _ = try store.commit(origin: Self.origin) { transaction in
        guard var student = try transaction.object(key, as: Student.self) else { return }
        if changesAge {
          student.studentAge = other.studentAge
        } else {
          student.studentName = other.studentName
        }
        try transaction.update(student)
      }
    } else {
      keys.remove(at: index)
      let id = ObjectID(entity: Student.entity.name, key: key)
      _ = try store.commit(origin: Self.origin) { try $0.delete(id, of: Student.entity) }
    }
  }

  private static let origin = CommitOrigin("simulation")
}

/// SplitMix64 (Steele, Lea, Flood, 2014): small, and the same on every platform.
private struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
