import ResultsDomain
import ResultsTesting
import SQLitePersistence
import Testing

/// R55, R82, R85: between any two bounds an index gives the same answers as a pass over all keys, with nulls, ties, mixed directions and all
/// kinds of keys.
@Suite struct `Random lists that an index answers` {
  @Test(arguments: 0..<150)
  func `agree with a pass over all their keys (R82, R85)`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let list = try RandomOrderedList(&generator)
    let context = Comment(rawValue: "seed \(seed)\n\(list.story)")
    try list.store.read { (snapshot) throws(StoreError) in
      do {
        let keys = try OrderedReference(snapshot, list.definition)
        guard let source = try snapshot.orderedSource(of: list.definition) else {
          #expect(!list.isServed, context)
          return
        }
        for _ in 0..<80 {
          let lower = keys.bound(&generator)
          let upper = keys.bound(&generator)
          let expected = keys.between(lower, upper)
          let found = try source.count(from: lower, to: upper)
          try #require(found == expected.count, "\(context) \(bounds(lower, upper))")
          let skipped = generator.choice(0, 0, generator.number(in: 0...20), expected.count)
          let limit = generator.choice(1, 5, 1000, generator.number(in: 0...20))
          let page = try source.keys(from: lower, to: upper, skipping: skipped, limit: limit)
          let wanted = Array(expected.dropFirst(skipped).prefix(limit))
          try #require(page.split == wanted, "\(context) \(bounds(lower, upper))")
        }
        for stride in [1, 2, 7, 1000] {
          var sample: [[UInt8]] = []
          let total = try source.sample(every: stride) { (batch) throws(StoreError) in
            sample += batch.split
            return true
          }
          #expect(total == keys.all.count, context)
          try #require(sample == keys.every(stride), context)
        }
        for share in [1, 2, 9] {
          let indexes = keys.all.indices.filter { _ in generator.number(in: 1...share) == 1 }
          var wanted = EntryBatch()
          for index in indexes { wanted.append { $0.bytes += keys.all[index] } }
          try #require(try source.ranks(of: wanted) == indexes, context)
          try #require(try source.merged(with: wanted) == indexes, context)
          let strangers = keys.strangers(indexes)
          try #require(try source.ranks(of: strangers.batch) == strangers.indexes, context)
        }
        for columns in 0...keys.columns.count {
          var groups: [OrderedReference.Group] = []
          try source.groups(byFirstColumns: columns) { (prefix, count) throws(StoreError) in
            groups.append(OrderedReference.Group(prefix: prefix, count: count))
            return true
          }
          try #require(groups == keys.groups(columns), context)
        }
      } catch let error as StoreError {
        throw error
      } catch {
        throw .aborted(by: error)
      }
    }
  }

  private func bounds(_ lower: KeyBound?, _ upper: KeyBound?) -> String {
    "from \(String(describing: lower)) to \(String(describing: upper))"
  }
}

extension OrderedReference {
  /// Keys with integers next to those of random keys, ascending, and the number of keys before each; none for other identities.
  fileprivate func strangers(_ chosen: [Int]) -> (batch: EntryBatch, indexes: [Int]) {
    let chosen = columns.last?.storage == .integer ? chosen : []
    let nearby = chosen.flatMap { index in
      [1, 255].map { (step: UInt8) -> [UInt8] in
        var key = all[index]
        key.append((key.popLast() ?? 0) &+ step)
        return key
      }
    }
    var (batch, indexes) = (EntryBatch(), [Int]())
    for key in nearby.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      batch.append { $0.bytes += key }
      indexes.append(all.count { $0.lexicographicallyPrecedes(key) })
    }
    return (batch, indexes)
  }
}
