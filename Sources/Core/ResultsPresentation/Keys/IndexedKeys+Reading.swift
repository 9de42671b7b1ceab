import OrderStatistics
import ResultsDomain

/// One version of a store in which indexed keys are read, and what lies between that version and the keys' own.
struct IndexedReading {
  let keys: IndexedKeys
  let source: any OrderedSource
  /// What became of the keys until the version that is read.
  let since: KeyChange

  init(_ keys: IndexedKeys, _ source: any OrderedSource, since: KeyChange) {
    self.keys = keys
    self.source = source
    self.since = since
  }

  /// Finds the way from the keys' era to a version.
  /// - Throws: The store's error, or `StoreError.historyLost` if the way is not known any more.
  init(_ keys: IndexedKeys, in snapshot: any StoreSnapshot) throws(StoreError) {
    let index = keys.index
    var (change, version) = keys.era.change(until: snapshot.version)
    if version != snapshot.version {
      switch try snapshot.history(since: version, of: index.entity) {
      case .commits(let records):
        for record in records { change.append(try index.plan.keyChange(by: record.changes)) }
      case .gap(let reason): throw .historyLost(entity: index.entity.name, reason)
      }
    }
    self.init(keys, try index.source(in: snapshot), since: change)
  }
}

extension Store {
  /// Runs a closure with a version, and with later ones where it finds that a generation cannot be told from that one.
  ///
  /// A list can be led past a version while somebody begins to read it, and of the way from generations that were shown long
  /// before no step is kept that leads to one of the past.
  /// - Throws: The store's error, or the closure's.
  func rereading<Result: Sendable>(
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    var attempts = 1
    while true {
      do throws(StoreError) {
        return try read(body)
      } catch {
        guard case .historyLost = error, attempts < 3 else { throw error }
        attempts += 1
      }
    }
  }
}

extension ListPlan {
  /// The key of a row in the list, or `nil` if it is not in it.
  func key(of row: Row?) throws(StoreError) -> [UInt8]? {
    guard let row, predicate.holds(for: row) else { return nil }
    return try encoder.key(row.values, key: row.id.key)
  }

  /// What some changes of rows do to the keys.
  func keyChange(by changes: [CommittedChange]) throws(StoreError) -> KeyChange {
    var (removed, inserted) = (KeyBatch(), KeyBatch())
    for change in changes {
      let (old, new) = (try key(of: change.before), try key(of: change.after))
      guard old != new else { continue }
      if let old { removed.append(old) }
      if let new { inserted.append(new) }
    }
    do {
      return try KeyChange(sorting: removed, inserted)
    } catch {
      throw .unexpected(path: entity.name, detail: "a key stands twice in one change: \(error)")
    }
  }
}

extension IndexedReading {
  /// How many keys stand before some bytes, a key's or a section's.
  /// - Complexity: O(log *n*) and one count of at most a block; nothing is read if the block was read before.
  func rank(of key: [UInt8]) throws(StoreError) -> Int {
    let place = keys.blocks.location(of: key)
    guard key != place.lower, place.rows > 0 else { return place.start }
    if let run = keys.era.run(from: place.lower) { return place.start + run.rank(of: key) }
    let present = try source.count(from: bound(place.lower), to: .before(key))
    return place.start + present + since.lost(from: place.lower, to: key)
  }

  /// How many keys of the version that is read stand in a block before a key.
  /// - Parameters:
  ///   - place: The block.
  ///   - key: The key.
  ///   - rows: How many keys the block has in that version, if it is known: then they are counted from the end that is probably nearer.
  /// - Returns: The number of keys.
  /// - Throws: The store's error.
  func count(
    from place: BlockLocation,
    to key: [UInt8],
    of rows: Int? = nil
  ) throws(StoreError) -> Int {
    guard key != place.lower else { return 0 }
    if let rows, let upper = place.upper, key.isProbablyNearer(upper, than: place.lower) {
      return max(0, rows - (try source.count(from: .before(key), to: .before(upper))))
    }
    return try source.count(from: bound(place.lower), to: .before(key))
  }

  /// The keys of a block, if they were read before or so many of their places are wanted that reading them pays.
  func run(of place: BlockLocation, ifWorth wanted: Int) throws(StoreError) -> SortedKeyList? {
    wanted < 4 ? keys.era.run(from: place.lower) : try run(of: place)
  }

  /// How many keys stand before a bound.
  func rank(of bound: KeyBound, bytes: [UInt8]) throws(StoreError) -> Int {
    let place = keys.blocks.location(of: bytes)
    let present = try source.count(from: self.bound(place.lower), to: bound)
    return place.start + present + since.lost(from: place.lower, to: bytes)
  }

  /// The keys of a block.
  /// - Complexity: O(log *n* + *k*) for the block's *k* keys; nothing is read if it was read before.
  func run(of place: BlockLocation) throws(StoreError) -> SortedKeyList {
    if let run = keys.era.run(from: place.lower) { return run }
    let batch: EntryBatch
    if since.isEmpty {
      batch = try source.keys(
        from: bound(place.lower),
        to: nil,
        skipping: 0,
        limit: place.rows
      )
    } else {
      batch = try source.keys(
        from: bound(place.lower),
        to: place.upper.map { .before($0) },
        skipping: 0,
        limit: .max
      )
    }
    var run = SortedKeyList()
    try run.appendEntries(batch, of: keys.index.definition)
    since.undo(in: &run, from: place.lower, to: place.upper)
    guard run.count == place.rows else {
      throw .unexpected(
        path: keys.index.entity.name,
        detail: "\(run.count) rows stand where \(place.rows) were counted"
      )
    }
    keys.era.keep(run, from: place.lower)
    return run
  }

  /// The key at a position of a block, or `nil` if there is none.
  ///
  /// Its whole run is read only if it is asked for again, so a leap to any place costs one key, and a walk one reading a run.
  func key(at position: Int, in place: BlockLocation) throws(StoreError) -> [UInt8]? {
    guard isReadable(place), keys.era.mayGlimpse(place.lower)
    else { return try keys(at: position..<position + 1).first }
    let batch = try source.keys(
      from: bound(place.lower),
      to: nil,
      skipping: position - place.start,
      limit: 1
    )
    return batch.count == 1 ? batch.key(at: 0) : nil
  }

  /// Hands over the keys at some positions, in order.
  func forEachKey(
    in positions: Range<Int>,
    _ body: (Int, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    var position = positions.lowerBound
    while position < positions.upperBound {
      guard let place = keys.blocks.location(containing: position) else { return }
      let run = try run(of: place)
      let end = min(place.start + place.rows, positions.upperBound)
      run.forEachKey(in: position - place.start..<end - place.start) { offset, key in
        body(place.start + offset, key)
      }
      position = end
    }
  }

  /// The keys at some positions, in order.
  func keys(at positions: Range<Int>) throws(StoreError) -> [[UInt8]] {
    var found: [[UInt8]] = []
    found.reserveCapacity(positions.count)
    try forEachKey(in: positions) { _, key in found.append(Array(key)) }
    return found
  }

  /// All keys, held.
  /// - Complexity: O(*n*)
  func held(in snapshot: any StoreSnapshot) throws(StoreError) -> SortedKeyList {
    var held = try ListEngine.keys(of: keys.index.definition, in: snapshot)
    since.undo(in: &held, from: [], to: nil)
    return held
  }

  private func bound(_ lower: [UInt8]) -> KeyBound? { lower.isEmpty ? nil : .before(lower) }
}

extension [UInt8] {
  /// Whether the bytes, as a number, are nearer to some greater ones than to some smaller ones.
  ///
  /// It says nothing of how many keys lie between, but of dates and numbers that are spread evenly it is mostly right.
  fileprivate func isProbablyNearer(_ upper: [UInt8], than lower: [UInt8]) -> Bool {
    let shared = zip(lower, upper).prefix { $0 == $1 }.count
    func word(_ bytes: [UInt8]) -> UInt64 {
      var word: UInt64 = 0
      for place in shared..<shared + 8 {
        word = word << 8 | UInt64(place < bytes.count ? bytes[place] : 0)
      }
      return word
    }
    let (low, middle, high) = (word(lower), word(self), word(upper))
    return low <= middle && middle <= high && high - middle < middle - low
  }
}
