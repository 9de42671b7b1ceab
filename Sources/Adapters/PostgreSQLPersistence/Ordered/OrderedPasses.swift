#if PostgreSQL
import Dispatch
import ResultsDomain
import ResultsStoreKit
import SQLStoreSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension PostgreSQLOrderedSource {
  /// About how many keys are passed in one flight, after which a pass can end.
  private static let passedTogether = 200_000
  /// Below this stride all keys are read.
  static let leastStride = 8

  func sample(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    let stride = max(1, stride)
    guard stride >= PostgreSQLOrderedSource.leastStride, let text = statements.sample() else {
      return try scan(every: stride, body)
    }
    return try pass(from: nil, to: nil, every: stride, text, body)
  }

  /// Passes over the keys between two keys, and calls a closure with every n-th one.
  /// - Parameters:
  ///   - lower: The key to begin with, or `nil` for the first one.
  ///   - upper: The key behind the last one, or `nil` for the end.
  ///   - stride: The distance of the keys.
  ///   - text: The statement that samples between them.
  ///   - body: The closure, which returns whether to continue.
  /// - Returns: The number of keys between the two, or `nil` if the closure ended the pass.
  /// - Throws: The store's error, and what the closure throws.
  func pass(
    from lower: [UInt8]?,
    to upper: [UInt8]?,
    every stride: Int,
    _ text: String,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    let end = upper.map { KeyBound.before($0) }
    let first = try keys(from: lower.map { .before($0) }, to: end, skipping: 0, limit: 1)
    guard first.count == 1 else { return 0 }
    var last = first.key(at: 0)
    let behind = try upper.map { (upper) throws(StoreError) in try parameters(of: upper) } ?? []
    let steps = max(1, PostgreSQLOrderedSource.passedTogether / stride)
    var sampled = 0
    var batch = first
    while true {
      if batch.count > 0, !(try body(batch)) { return nil }
      sampled += batch.count
      let result = try run([
        Statement(
          text,
          statements.parameters + (try parameters(of: last))
            + [.integer(Int64(stride)), .integer(Int64(steps))] + behind
        )
      ])[0]
      batch = try keys(of: result)
      if batch.count > 0 { last = batch.key(at: batch.count - 1) }
      guard batch.count == steps else { break }
    }
    if batch.count > 0, !(try body(batch)) { return nil }
    sampled += batch.count
    let rest = try count(from: .before(last), to: end)
    guard rest <= stride else { throw unexpected("the keys behind a sampled one are not sampled") }
    return (sampled - 1) * stride + rest
  }

  /// The columns of a key as parameters.
  private func parameters(of key: [UInt8]) throws(StoreError) -> [Parameter] {
    guard let found = sought(key) else {
      throw unexpected("a key that was read cannot be sought")
    }
    return found
  }

  /// The columns of a key as parameters, or `nil` if it is only the beginning of one, or a column's type cannot hold it.
  func sought(_ key: [UInt8]) -> [Parameter]? {
    parts(of: key, isBehind: false).parameters(plan, key, 0..<statements.terms.count)
  }

  /// Reads all keys, and passes on every n-th one.
  func scan(
    every stride: Int,
    _ body: (EntryBatch) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int? {
    var count = 0
    var isEnded = false
    var last: [UInt8] = []
    try forEachResult(of: Statement(statements.scan, statements.parameters)) {
      (result) throws(StoreError) in
      let all = try keys(of: result)
      if all.count > 0 {
        guard count == 0 || last.lexicographicallyPrecedes(all.key(at: 0)) else {
          throw unexpected("keys are out of order")
        }
        last = all.key(at: all.count - 1)
      }
      var batch = EntryBatch()
      for index in 0..<all.count where (count + index).isMultiple(of: stride) {
        batch.append { $0.bytes += all.key(at: index) }
      }
      count += all.count
      if batch.count > 0 { isEnded = !(try body(batch)) }
      return !isEnded
    }
    return isEnded ? nil : count
  }
}

// MARK: - In parts

extension PostgreSQLOrderedSource {
  /// From how many keys on a pass is divided among connections, which costs some milliseconds.
  private static let parallelCount = 300_000
  /// The connections of one pass: as many as there are processors here, which is all that is known of the server's.
  private static let connectionCount = max(2, min(4, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
  /// About how many random rows are read to divide the keys evenly.
  private static let sampledRows = 2_000.0

  /// Divides the keys into blocks; a long pass is divided among the connections that are free.
  ///
  /// PostgreSQL passes over an index with one processor for each connection. All read the same snapshot (the manual, 9.27.5).
  func blocks(
    ofAbout rows: Int,
    while isWanted: () -> Bool
  ) throws(StoreError) -> KeyBlocks {
    let least = PostgreSQLOrderedSource.parallelCount
    if let blocks = try parallelBlocks(ofAbout: rows, from: least, while: isWanted) {
      return blocks
    }
    return try sampledBlocks(of: rows, while: isWanted)
  }

  /// Divides the keys into blocks, in parts.
  /// - Parameters:
  ///   - rows: The number of keys in a block.
  ///   - least: From how many keys on it is worth while.
  ///   - isWanted: Whether the blocks are still wanted.
  /// - Returns: `nil` if the list is shorter, or cannot be divided.
  /// - Throws: The store's error, or `StoreError.aborted(by:)` once the blocks are not wanted any more.
  func parallelBlocks(
    ofAbout rows: Int,
    from least: Int,
    while isWanted: () -> Bool
  ) throws(StoreError) -> KeyBlocks? {
    guard let pool, !pool.settings.isPooled, rows >= PostgreSQLOrderedSource.leastStride,
      let text = statements.sample(isBounded: true), let count = try estimatedCount(),
      count >= least
    else { return nil }
    // More parts than connections, so that none waits long for the last one.
    let bounds = try evenBounds(parts: 2 * PostgreSQLOrderedSource.connectionCount)
    guard !bounds.isEmpty, let snapshot = try exportedSnapshot() else { return nil }
    let pass = ParallelPass(plan, reader.tables, path: reader.path, bounds, rows, text)
    let helpers = PostgreSQLOrderedSource.connectionCount - 1
    return try pass.run(self, snapshot, pool, helpers: helpers, while: isWanted)
  }

  /// The name of this transaction's snapshot, for other connections.
  private func exportedSnapshot() throws(StoreError) -> String? {
    let export = Statement("SELECT pg_catalog.pg_export_snapshot()", planning: .either)
    return try reader.run([export])[0].text(0, 0)
  }

  /// Keys that divide all keys into parts of about the same length.
  private func evenBounds(parts: Int) throws(StoreError) -> [[UInt8]] {
    let total = try estimatedRows() ?? 0
    guard total > 0 else { return [] }
    let percent = min(100, 100 * PostgreSQLOrderedSource.sampledRows / Double(total))
    let text = statements.randomKeys(percent: percent)
    let found = try keys(
      of: try reader.run([Statement(text, statements.parameters, isPrepared: false)])[0]
    )
    guard found.count >= parts * 16 else { return [] }
    return (1..<parts).map { found.key(at: found.count * $0 / parts) }
  }
}

/// A pass over all keys of a list in parts, each on the connection of a thread.
///
/// `state` is guarded by its lock, which is held for moments only.
private final class ParallelPass: Sendable {
  private struct State {
    /// The parts that nobody has begun.
    var open: [Int]
    var blocks: [Int: KeyBlocks] = [:]
    var failure: StoreError?
    /// Whether the rest is not wanted any more.
    var isEnded = false
  }

  private let plan: OrderedPlan
  private let tables: StoreTables
  private let path: String
  /// The keys between the parts.
  private let bounds: [[UInt8]]
  private let rows: Int
  private let text: String
  private let state: Mutex<State>
  private static let queue = DispatchQueue(
    label: "results.postgresql.passes",
    attributes: .concurrent
  )

  init(
    _ plan: OrderedPlan,
    _ tables: StoreTables,
    path: String,
    _ bounds: [[UInt8]],
    _ rows: Int,
    _ text: String
  ) {
    (self.plan, self.tables, self.path) = (plan, tables, path)
    (self.bounds, self.rows, self.text) = (bounds, rows, text)
    state = Mutex(State(open: Array((0...bounds.count).reversed())))
  }

  /// Passes over all parts: some here, others on the connections that are free.
  func run(
    _ source: PostgreSQLOrderedSource,
    _ snapshot: String,
    _ pool: ConnectionPool,
    helpers count: Int,
    while isWanted: () -> Bool
  ) throws(StoreError) -> KeyBlocks {
    let helpers = DispatchGroup()
    for _ in 0..<count {
      ParallelPass.queue.async(group: helpers) { self.help(snapshot, pool) }
    }
    work(source, isHelper: false, while: isWanted)
    helpers.wait()
    // What a helper has given back.
    work(source, isHelper: false, while: isWanted)
    let (found, failure, isEnded) = state.withLock { ($0.blocks, $0.failure, $0.isEnded) }
    if let failure { throw failure }
    guard !isEnded else { throw .aborted(by: CancellationError()) }
    var blocks = KeyBlocks()
    for part in 0...bounds.count { blocks.append(found[part] ?? KeyBlocks()) }
    return blocks
  }

  /// Passes over parts on a connection of its own; a part that fails here is done by the caller.
  private func help(_ snapshot: String, _ pool: ConnectionPool) {
    _ = try? pool.withFree { (connection) throws(StoreError) in
      let reader = TableReader(connection, tables: tables, path: path)
      _ = try reader.run(
        connection.opening(.reading)
          + [
            Statement(
              "SET TRANSACTION SNAPSHOT \(Connection.literal(snapshot))",
              isPrepared: false
            ),
            // Behind a session that waits for the caller's lock it would wait for the caller, which waits for it.
            Statement(TableLocks.ending, isPrepared: false),
          ]
      )
      defer { try? connection.post([.commit]) }
      let source = PostgreSQLOrderedSource(plan, reader)
      defer { source.end() }
      work(source, isHelper: true) { self.state.withLock { !$0.isEnded && $0.failure == nil } }
    }
  }

  private func work(
    _ source: PostgreSQLOrderedSource,
    isHelper: Bool,
    while isWanted: () -> Bool
  ) {
    while let part = state.withLock({ $0.isEnded || $0.failure != nil ? nil : $0.open.popLast() }) {
      do throws(StoreError) {
        let found = try blocks(part, source, while: isWanted)
        state.withLock { state in
          if let found { state.blocks[part] = found } else { state.isEnded = true }
        }
      } catch {
        state.withLock { state in
          if isHelper { state.open.append(part) } else { state.failure = error }
        }
        if isHelper { return }
      }
    }
  }

  /// The blocks of a part, or `nil` if they are not wanted any more.
  private func blocks(
    _ part: Int,
    _ source: PostgreSQLOrderedSource,
    while isWanted: () -> Bool
  ) throws(StoreError) -> KeyBlocks? {
    var blocks = KeyBlocks()
    let lower = part == 0 ? nil : bounds[part - 1]
    let upper = part == bounds.count ? nil : bounds[part]
    let text = upper == nil ? plan.statements.sample() ?? text : text
    let count = try source.pass(from: lower, to: upper, every: rows, text) {
      (batch) throws(StoreError) in
      for index in 0..<batch.count { blocks.append(batch.key(at: index), count: rows) }
      return isWanted()
    }
    guard let count else { return nil }
    blocks.shortenLast(toCount: count)
    return blocks
  }
}
#endif
