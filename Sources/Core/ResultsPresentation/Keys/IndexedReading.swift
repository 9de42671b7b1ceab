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

extension IndexedReading {
  /// How many keys stand before some bytes, a key's or a section's.
  /// - Complexity: O(log *n*) and one count of at most a block; nothing is read if the block was read before.
  func rank(of key: [UInt8]) throws(StoreError) -> Int {
    let place = keys.blocks.place(of: key)
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
    from place: BlockPlace,
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
  func run(of place: BlockPlace, ifWorth wanted: Int) throws(StoreError) -> SortedKeyList? {
    wanted < 4 ? keys.era.run(from: place.lower) : try run(of: place)
  }

  /// How many keys stand before a bound.
  func rank(of bound: KeyBound, bytes: [UInt8]) throws(StoreError) -> Int {
    let place = keys.blocks.place(of: bytes)
    let present = try source.count(from: self.bound(place.lower), to: bound)
    return place.start + present + since.lost(from: place.lower, to: bytes)
  }

  /// The keys of a block.
  /// - Complexity: O(log *n* + *k*) for the block's *k* keys; nothing is read if it was read before.
  func run(of place: BlockPlace) throws(StoreError) -> SortedKeyList {
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
  func key(at position: Int, in place: BlockPlace) throws(StoreError) -> [UInt8]? {
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
      guard let place = keys.blocks.place(containing: position) else { return }
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

extension IndexedReading {
  /// The key that an object had, or `nil` if it was not in the list.
  func key(
    of objectKey: ObjectKey,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [UInt8]? {
    let index = keys.index
    guard let identity = index.layout.identityBytes(of: objectKey) else { return nil }
    if let earlier = since.removed.firstKey(of: identity, index.layout) { return earlier }
    let row = try snapshot.rows([objectKey], of: index.entity).first ?? nil
    guard let present = try index.plan.key(of: row), since.inserted.position(of: present) == nil
    else {
      return nil
    }
    return present
  }
}

extension SortedKeyList {
  /// The key that ends with some identity.
  /// - Complexity: O(*n*)
  fileprivate func firstKey(of identity: [UInt8], _ layout: KeyLayout) -> [UInt8]? {
    var found: [UInt8]?
    forEachKey(in: 0..<count) { _, key in
      guard found == nil, key[layout.identityStart(in: key)...].elementsEqual(identity) else {
        return
      }
      found = Array(key)
    }
    return found
  }
}

// MARK: - Pages

extension IndexedReading {
  /// The keys at some positions, in order, without any that were not asked for.
  ///
  /// Blocks in which nothing came or left are read by one query, from wherever in the first of them to wherever in the last; those
  /// that were read before are not read again.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* + log *n*) for *k* keys, and at most a block is skipped; a block that has changed since is read whole.
  func page(at positions: Range<Int>) throws(StoreError) -> EntryBatch {
    var page = EntryBatch()
    var position = positions.lowerBound
    while position < positions.upperBound, let place = keys.blocks.place(containing: position) {
      if isReadable(place) {
        let end = end(ofReadableFrom: place, within: positions.upperBound)
        let batch = try source.keys(
          from: place.lower.isEmpty ? nil : .before(place.lower),
          to: nil,
          skipping: position - place.start,
          limit: end - position
        )
        guard batch.count == end - position else {
          throw .unexpected(
            path: keys.index.entity.name,
            detail: "\(batch.count) rows stand where \(end - position) were counted"
          )
        }
        if page.count == 0 { page = batch } else { page.append(batch) }
        position = end
      } else {
        let end = min(place.positions.upperBound, positions.upperBound)
        page.append(try run(of: place), position - place.start..<end - place.start)
        position = end
      }
    }
    return page
  }

  /// Whether the store has the keys of a block as they were, and they are not kept.
  func isReadable(_ place: BlockPlace) -> Bool {
    !since.concerns(from: place.lower, to: place.upper) && keys.era.run(from: place.lower) == nil
  }

  /// Where the blocks end that can be read together, or a position before that.
  private func end(ofReadableFrom place: BlockPlace, within limit: Int) -> Int {
    var (end, upper) = (place.positions.upperBound, place.upper)
    // Blocks without rows lie between those that have some; what came into them must not be read.
    while end < limit, let lower = upper, let next = keys.blocks.place(containing: end),
      isReadable(next), !since.concerns(from: lower, to: next.lower)
    {
      (end, upper) = (next.positions.upperBound, next.upper)
    }
    return min(end, limit)
  }
}

extension EntryBatch {
  /// Appends some keys of a list.
  mutating func append(_ keys: SortedKeyList, _ positions: Range<Int>) {
    keys.forEachKey(in: positions) { _, key in append { $0.bytes.append(contentsOf: key) } }
  }

  /// Appends the keys of another batch.
  fileprivate mutating func append(_ other: EntryBatch) {
    other.forEachKey { key in append { $0.bytes.append(contentsOf: key) } }
  }

  /// Hands over the keys in order.
  func forEachKey(_ body: (UnsafeRawBufferPointer) -> Void) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      for end in ends {
        body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
      }
    }
  }
}

// MARK: - Auditing

extension IndexedReading {
  /// Whether a block has as many keys in the store as were counted.
  ///
  /// What a change takes to a place that no count can see, such as a row written with all triggers off, shows here.
  /// - Complexity: O(log *n* + *k*) for the block's *k* keys.
  func isSound(block number: Int) throws(StoreError) -> Bool {
    let place = keys.blocks.place(ofBlock: number)
    let lower: KeyBound? = place.lower.isEmpty ? nil : .before(place.lower)
    let present = try source.count(from: lower, to: place.upper.map { .before($0) })
    return present + since.lost(from: place.lower, to: place.upper) == place.rows
  }
}
