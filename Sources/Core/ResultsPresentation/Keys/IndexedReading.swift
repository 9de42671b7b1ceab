import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// Indexed keys as they are read in one version of the store, which may be later than their own.
struct IndexedReading {
  let keys: IndexedKeys
  let source: any OrderedSource
  /// The change of the keys from their own version to the one that is read.
  let since: KeyChange

  init(_ keys: IndexedKeys, _ source: any OrderedSource, since: KeyChange) {
    self.keys = keys
    self.source = source
    self.since = since
  }

  /// Finds the change from the keys' version to a snapshot's.
  /// - Throws: The store's error, or `StoreError.historyLost` if the change is not known any more.
  init(_ keys: IndexedKeys, in snapshot: any StoreSnapshot) throws(StoreError) {
    let index = keys.index
    var (change, version) = keys.keyVersion.change(upTo: snapshot.version)
    if version != snapshot.version {
      switch try snapshot.history(since: version, of: index.entity) {
      case .commits(let records):
        for record in records { change.append(try index.plan.keyChange(by: record.changes)) }
      case .gap(let reason): throw .historyLost(entity: index.entity.name, reason)
      }
    }
    self.init(keys, try index.source(in: snapshot), since: change)
  }

  /// The bound before the first key of a block, or `nil` for the start of the list.
  private func bound(_ lower: [UInt8]) -> KeyBound? { keys.index.bound(ofPivot: lower) }
}

extension Store {
  /// Runs a closure in a snapshot, and again in a later one where the first does not determine a generation.
  ///
  /// A list can be advanced past a version while a reader begins to read it, and the transitions of generations shown long before may
  /// skip the versions in between.
  /// - Parameters:
  ///   - isRepeatable: Whether nothing but the result of the closure's last call counts. Otherwise it is called again only if it has
  ///     failed with `StoreError.historyLost`.
  ///   - body: The closure.
  /// - Returns: The closure's result.
  /// - Throws: The store's error, or the closure's.
  func rereading<Result: Sendable>(
    isRepeatable: Bool = true,
    _ body: (any StoreSnapshot) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    var attempts = 1
    while true {
      do throws(StoreError) {
        return isRepeatable ? try readOptimistically(body) : try read(body)
      } catch {
        guard case .historyLost = error, attempts < 3 else { throw error }
        attempts += 1
      }
    }
  }
}

// MARK: - Ranks

extension IndexedReading {
  /// The number of keys before some bytes, which are those of a key or the start of a section.
  /// - Complexity: O(log *n*) and one count of at most a block; nothing is read if the run of the block is cached.
  func rank(of key: [UInt8]) throws(StoreError) -> Int {
    let block = keys.blocks.location(of: key)
    guard key != block.lower, block.rows > 0 else { return block.start }
    if let run = keys.keyVersion.cachedRun(from: block.lower) {
      return block.start + run.rank(of: key)
    }
    let present = try source.count(from: bound(block.lower), to: .before(key))
    return block.start + present + since.netRemoved(from: block.lower, to: key)
  }

  /// The numbers of keys before some bounds, counted together.
  func ranks(of bounds: [(bound: KeyBound, bytes: [UInt8])]) throws(StoreError) -> [Int] {
    let blocks = bounds.map { keys.blocks.location(of: $0.bytes) }
    let counts = try source.counts(
      of: zip(bounds, blocks).map { KeyRange(from: bound($1.lower), to: $0.bound) }
    )
    return bounds.indices.map { index in
      let block = blocks[index]
      return block.start + counts[index]
        + since.netRemoved(from: block.lower, to: bounds[index].bytes)
    }
  }

  /// How the keys of a block before a key are counted in the version that is read.
  /// - Parameters:
  ///   - block: The block.
  ///   - key: The key.
  ///   - rows: The number of keys that the block has in that version, if it is known: they are then counted from the end that is
  ///     probably nearer.
  /// - Returns: The range to count, and whether it ends with the block; `nil` for the block's first key, before which are none.
  func counting(
    from block: BlockLocation,
    to key: [UInt8],
    of rows: Int? = nil
  ) -> (range: KeyRange, isFromEnd: Bool)? {
    guard key != block.lower else { return nil }
    if rows != nil, let upper = block.upper, key.isProbablyNearer(upper, than: block.lower) {
      return (KeyRange(from: .before(key), to: bound(upper)), true)
    }
    return (KeyRange(from: bound(block.lower), to: .before(key)), false)
  }

  /// Whether a block has as many keys in the store as were counted.
  ///
  /// It finds changes that no history contains, such as a row written with all triggers off.
  /// - Complexity: O(log *n* + *k*) for the block's *k* keys.
  func isSound(block number: Int) throws(StoreError) -> Bool {
    let block = keys.blocks.location(ofBlock: number)
    let present = try source.count(from: bound(block.lower), to: block.upper.flatMap { bound($0) })
    return present + since.netRemoved(from: block.lower, to: block.upper) == block.rows
  }
}

extension [UInt8] {
  /// Whether the bytes, as a number, are nearer to some greater ones than to some smaller ones.
  ///
  /// It says nothing about the number of keys in between, but is mostly right for dates and numbers that are spread evenly.
  fileprivate func isProbablyNearer(_ upper: [UInt8], than lower: [UInt8]) -> Bool {
    var shared = 0
    while shared < lower.count, shared < upper.count, lower[shared] == upper[shared] { shared += 1 }
    func word(_ bytes: [UInt8]) -> UInt64 {
      var word: UInt64 = 0
      for index in shared..<shared + 8 {
        word = word << 8 | UInt64(index < bytes.count ? bytes[index] : 0)
      }
      return word
    }
    let (low, middle, high) = (word(lower), word(self), word(upper))
    return low <= middle && middle <= high && high - middle < middle - low
  }
}

// MARK: - Runs

extension IndexedReading {
  /// The keys of some blocks, as far as they are cached, and of those that are to be read if they are not.
  ///
  /// All that have to be read are read together, and cached.
  /// - Returns: The keys of each block, or `nil`.
  /// - Complexity: O(log *n* + *k*) for each block with *k* keys that is read.
  func runs(
    of blocks: [(block: BlockLocation, isRead: Bool)]
  ) throws(StoreError) -> [SortedKeyList?] {
    var runs = blocks.map { keys.keyVersion.cachedRun(from: $0.block.lower) }
    let missing = blocks.indices.filter { blocks[$0].isRead && runs[$0] == nil }
    guard missing.count > 1 else {
      for index in missing { runs[index] = try run(of: blocks[index].block) }
      return runs
    }
    let batches = try source.keys(
      inEach: missing.map { index in
        let block = blocks[index].block
        return KeyRange(from: bound(block.lower), to: block.upper.flatMap { bound($0) })
      }
    )
    for (index, batch) in zip(missing, batches) {
      runs[index] = try run(batch, of: blocks[index].block)
    }
    return runs
  }

  /// Reads and caches the keys of a block.
  /// - Complexity: O(log *n* + *k*) for the block's *k* keys; nothing is read if they are cached.
  func run(of block: BlockLocation) throws(StoreError) -> SortedKeyList {
    if let run = keys.keyVersion.cachedRun(from: block.lower) { return run }
    let batch: EntryBatch
    if since.isEmpty {
      batch = try source.keys(
        from: bound(block.lower),
        to: nil,
        skipping: 0,
        limit: block.rows
      )
    } else {
      batch = try source.keys(
        from: bound(block.lower),
        to: block.upper.flatMap { bound($0) },
        skipping: 0,
        limit: .max
      )
    }
    return try run(batch, of: block)
  }

  /// The keys of a block, from those that it has in the version that is read; they are cached.
  private func run(_ batch: EntryBatch, of block: BlockLocation) throws(StoreError) -> SortedKeyList
  {
    var run = SortedKeyList()
    try run.appendEntries(batch, of: keys.index.definition)
    since.undo(in: &run, from: block.lower, to: block.upper)
    guard run.count == block.rows else {
      throw miscounted(run.count, expected: block.rows)
    }
    keys.keyVersion.cacheRun(run, from: block.lower)
    return run
  }

  private func miscounted(_ count: Int, expected: Int) -> StoreError {
    .unexpected(
      path: keys.index.entity.name,
      detail: "the index has \(count) rows where \(expected) were counted"
    )
  }

  /// The key at a position of a block, or `nil` if there is none.
  ///
  /// The whole run is read only if it is needed twice in a row, so a jump to any position costs one key, and a walk one reading a run.
  /// The block's upper bound is not used.
  func key(at position: Int, in block: BlockLocation) throws(StoreError) -> [UInt8]? {
    let bounded = since.isEmpty ? block : keys.blocks.location(containing: position) ?? block
    guard isReadable(bounded), keys.keyVersion.allowsSingleKey(from: block.lower)
    else { return try keys(at: position..<position + 1).first }
    let batch = try source.keys(
      from: bound(block.lower),
      to: nil,
      skipping: position - block.start,
      limit: 1
    )
    return batch.count == 1 ? batch.key(at: 0) : nil
  }

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

  /// Calls a closure with the keys at some positions, in order.
  func forEachKey(
    in positions: Range<Int>,
    _ body: (Int, UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) {
    var position = positions.lowerBound
    while position < positions.upperBound {
      guard let block = keys.blocks.location(containing: position) else { return }
      let run = try run(of: block)
      let end = min(block.start + block.rows, positions.upperBound)
      run.forEachKey(in: position - block.start..<end - block.start) { offset, key in
        body(block.start + offset, key)
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

  /// All keys, in memory.
  /// - Complexity: O(*n*)
  func held(in snapshot: any StoreSnapshot) throws(StoreError) -> SortedKeyList {
    var held = try ListEngine.keys(of: keys.index.definition, in: snapshot)
    since.undo(in: &held, from: [], to: nil)
    return held
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
  /// Reads the keys at some positions, in order, and no others.
  ///
  /// Consecutive blocks without changes are read by one query, from any position in the first to any in the last; cached runs are not
  /// read again.
  /// - Parameters:
  ///   - positions: The positions.
  ///   - readsRows: Whether the snapshot is asked for the rows of the keys next.
  /// - Returns: The keys.
  /// - Throws: The store's error.
  /// - Complexity: O(*k* + log *n*) for *k* keys, and at most a block is skipped; a block that has changed since is read whole.
  func page(
    at positions: Range<Int>,
    readsRows: Bool = false
  ) throws(StoreError) -> EntryBatch {
    var page = EntryBatch()
    var position = positions.lowerBound
    while position < positions.upperBound, let block = keys.blocks.location(containing: position) {
      if isReadable(block) {
        let end = end(ofReadableFrom: block, within: positions.upperBound)
        let (lower, skipped) = (bound(block.lower), position - block.start)
        let batch =
          readsRows && position..<end == positions
          ? try source.page(from: lower, skipping: skipped, limit: end - position)
          : try source.keys(from: lower, to: nil, skipping: skipped, limit: end - position)
        guard batch.count == end - position else {
          throw miscounted(batch.count, expected: end - position)
        }
        if page.count == 0 { page = batch } else { page.append(batch) }
        position = end
      } else {
        let end = min(block.positions.upperBound, positions.upperBound)
        page.append(try run(of: block), position - block.start..<end - block.start)
        position = end
      }
    }
    return page
  }

  /// Whether the store has the keys of a block unchanged, and their run is not cached.
  private func isReadable(_ block: BlockLocation) -> Bool {
    !since.touches(from: block.lower, to: block.upper)
      && keys.keyVersion.cachedRun(from: block.lower) == nil
  }

  /// The end of the blocks that can be read together, or a position before that.
  private func end(ofReadableFrom block: BlockLocation, within limit: Int) -> Int {
    var (end, upper) = (block.positions.upperBound, block.upper)
    // Blocks without rows lie between those with rows; keys inserted into them must not be read.
    while end < limit, let lower = upper, let next = keys.blocks.location(containing: end),
      isReadable(next), !since.touches(from: lower, to: next.lower)
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

  /// Calls a closure with the keys in order.
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
