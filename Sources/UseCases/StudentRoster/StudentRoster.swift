public import ResultsDomain
public import ResultsPresentation

/// A roster of students, in sections by age and by number within them: its commands and live queries.
public struct StudentRoster: Sendable {
  /// The store the students are in.
  public let store: any Store

  /// A roster over a store that was opened with the entity Student.
  public init(_ store: any Store) { self.store = store }

  /// What the roster lists: at most two hundred, by number, read fifty at a time.
  ///
  /// The age comes first by itself, because it divides.
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

  /// What divides the roster unless told otherwise.
  public static let sectionKey = SectionKey.attribute("studentAge")

  /// The roster in its sections, kept under the name `StudentTable` where there is a place for caches.
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
  /// - Returns: The identity it was given.
  /// - Throws: `StoreError`.
  @discardableResult
  public func addRandom(
    using generator: inout some RandomNumberGenerator
  ) throws(StoreError) -> ObjectID {
    let student = Student.random(using: &generator)
    return try store.commit(origin: .unnamed) { try $0.insert(student) }.result
  }

  /// Removes the student at a path of what a list shows.
  /// - Returns: Whether there was one.
  /// - Throws: `StoreError`.
  @discardableResult
  public func remove(
    at path: RowPath,
    of results: FetchedResults<some FetchedObject>
  ) throws(StoreError) -> Bool {
    guard let id = results.objectID(at: path) else { return false }
    return try store.commit(origin: .unnamed) { try $0.delete(id, of: Student.entity) }.result
  }
}

/// Adds, changes and removes random students; equal seeds do equal things to equal stores.
public struct RosterSimulation {
  private var generator: SplitMix64
  private var keys: [Int64]
  private let store: any Store

  /// A simulation on a store, beginning with the students that are there.
  /// - Throws: `StoreError`.
  public init(seed: UInt64, in store: any Store) throws(StoreError) {
    generator = SplitMix64(state: seed)
    self.store = store
    let request = FetchRequest<ObjectID>(
      entity: Student.entity,
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    keys = try store.fetch(request).compactMap { id in
      if case .integer(let number) = id.key { number } else { nil }
    }
  }

  /// Does the next thing, as one commit: half of the time it adds, else it changes or removes.
  /// - Throws: `StoreError`; a student that another process removed is passed over.
  public mutating func step() throws(StoreError) {
    let choice = Int.random(in: 0..<10, using: &generator)
    if keys.isEmpty || choice < 5 {
      let student = Student.random(using: &generator)
      let id = try store.commit(origin: Self.origin) { try $0.insert(student) }.result
      if case .integer(let number) = id.key { keys.append(number) }
      return
    }
    let place = Int.random(in: keys.indices, using: &generator)
    let key = ObjectKey.integer(keys[place])
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
      keys.remove(at: place)
      let id = ObjectID(entity: Student.entity.name, key: key)
      _ = try store.commit(origin: Self.origin) { try $0.delete(id, of: Student.entity) }
    }
  }

  private static let origin = CommitOrigin("simulation")
}

/// SplitMix64 (Steele, Lea, Flood, 2014): small, and the same everywhere.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator that starts from a seed.
  public init(state: UInt64) { self.state = state }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
