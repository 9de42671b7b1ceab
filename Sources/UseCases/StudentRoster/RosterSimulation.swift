public import ResultsDomain

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
