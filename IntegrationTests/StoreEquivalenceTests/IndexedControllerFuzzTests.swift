import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsTesting
import SQLitePersistence
import Synchronization
import Testing

/// R26, R43, R49, R50, R55, R64, R71, R77, R78, R88: controllers of lists that hold only counts live like those that hold their keys.
@Suite(.serialized) struct `Controllers of lists over random indexes` {
  static let seeds: ClosedRange<UInt64> = {
    let first = ProcessInfo.processInfo.environment["RESULTS_INDEXED_SEED"].flatMap { UInt64($0) }
    let count = ProcessInfo.processInfo.environment["RESULTS_INDEXED_SEEDS"].flatMap { UInt64($0) }
    return (first ?? 501)...((first ?? 501) + (count ?? 6) - 1)
  }()

  @Test(.timeLimit(.minutes(5)), arguments: seeds)
  func `live, rest, change and come back in the same way`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let table = try IndexedTable(&generator)
    table.crowd = 400
    for _ in 0..<8 { try table.commit(&generator, rows: 60, by: [.stranger]) }
    let list = try table.list(&generator)
    try table.makeIndex(for: list)
    let options = ResultsOptions(
      delivery: generator.choice(.immediate, .onDemand, .every(.seconds(1))),
      clock: ManualClock(),
      caches: KeptCaches()
    )
    var pair = try await IndexedPair(list.definition, in: table.store, options)
    var indexed = try await pair.isIndexed() ? 1 : 0
    for step in 0..<14 {
      let place = comment("seed \(seed), step \(step)", table)
      try await live(&pair, table, &generator, place)
      if try await pair.isIndexed() { indexed += 1 }
    }
    let definition = pair.held.definition
    for round in 0..<3 {
      let place = comment("seed \(seed), opening \(round)", table)
      try await pair.held.saveCache()
      try await pair.indexed.saveCache()
      let wasIndexed = try await pair.isIndexed()
      pair.cancel()
      if generator.happens(percent: 50) { try table.reopen() }
      for _ in 0..<round {
        try table.commit(&generator, rows: generator.number(in: 1...8))
      }
      pair = try await IndexedPair(definition, in: table.store, options)
      let outcome = try #require(pair.indexed.cacheOutcome, place)
      try #require(outcome == pair.held.cacheOutcome, place)
      if case .miss(let reason) = outcome { Issue.record("a miss: \(reason); \(place)") }
      try #require(try await pair.isIndexed() == wasIndexed, place)
      try pair.compare(&generator, place)
      for _ in 0..<2 {
        try table.commit(&generator, rows: 5)
        try await pair.look(&generator, place)
      }
    }
    pair.cancel()
  }

  /// One of the things that happen to a list.
  private func live(
    _ pair: inout IndexedPair,
    _ table: IndexedTable,
    _ generator: inout SeededGenerator,
    _ place: Comment
  ) async throws {
    func commit(_ count: Int) throws {
      for _ in 0..<count {
        try table.commit(&generator, rows: generator.choice(1, 3, 8, 60))
      }
    }
    let lists = [pair.held, pair.indexed]
    switch generator.number(in: 0...9) {
    case 0...1:
      let next = try table.list(&generator)
      try table.makeIndex(for: next)
      try commit(generator.number(in: 0...2))
      for list in lists {
        try await list.update { definition in
          let name = definition.cacheName
          definition = next.definition
          definition.cacheName = name
        }
      }
    case 2...3:
      lists.forEach { $0.pause() }
      try commit(generator.number(in: 1...4))
      if generator.happens(percent: 30) {
        try await pair.look(&generator, place)
        try commit(1)
      }
      for list in lists { try await list.resume() }
    case 4:
      try commit(1)
      for list in lists { try await list.performFetch() }
    default: try commit(generator.number(in: 0...3))
    }
    try await pair.look(&generator, place)
    if let earlier = generator.element(of: pair.shown) {
      try pair.delta(since: earlier, place)
    }
  }

  private func comment(_ what: String, _ table: IndexedTable) -> Comment {
    Comment(rawValue: ([what] + table.story).joined(separator: "\n"))
  }
}

/// Caches that live as long as the object.
final class KeptCaches: SectionCacheStorage {
  private let kept = Mutex<[String: [UInt8]]>([:])

  func load(_ name: String) -> [UInt8]? { kept.withLock { $0[name] } }

  func save(_ bytes: [UInt8], as name: String) { kept.withLock { $0[name] = bytes } }

  func remove(_ name: String) -> Bool { kept.withLock { $0.removeValue(forKey: name) != nil } }

  func removeAll() -> Int {
    kept.withLock { kept in
      defer { kept = [:] }
      return kept.count
    }
  }

  func entries() -> [SectionCacheEntry] {
    kept.withLock { kept in
      kept.sorted { $0.key < $1.key }
        .map { SectionCacheEntry(name: $0.key, byteCount: $0.value.count, writtenAt: nil) }
    }
  }
}
