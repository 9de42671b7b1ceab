import ResultsDomain
import ResultsTesting

/// All keys of a list, with reference answers to the queries of an ordered source.
struct OrderedReference {
  struct Group: Equatable {
    let prefix: [UInt8]
    var count: Int
  }

  let all: [[UInt8]]
  let columns: [KeyColumn]
  private let layout: KeyLayout

  init(_ snapshot: any StoreSnapshot, _ definition: OrderDefinition) throws(StoreError) {
    var keys: [[UInt8]] = []
    try snapshot.entries(of: definition) { (batch) throws(StoreError) in
      keys += batch.split
      return true
    }
    all = keys
    layout = definition.layout
    columns = layout.order + layout.identity
  }

  /// The keys between two bounds.
  func between(_ lower: KeyBound?, _ upper: KeyBound?) -> [[UInt8]] {
    all.filter { key in
      (lower.map { !isKey(key, before: $0) } ?? true)
        && (upper.map { isKey(key, before: $0) } ?? true)
    }
  }

  private func isKey(_ key: [UInt8], before bound: KeyBound) -> Bool {
    if key == bound.columns { return bound.isBehind }
    // After the end of a text the next column's tag of 1 to 3 follows; a longer text has 0 or 255 there.
    let isWhole = parts(of: bound.columns).allSatisfy { !$0.isEmpty }
    let next: [UInt8] = isWhole ? [] : [bound.isBehind ? 4 : 1]
    return key.lexicographicallyPrecedes(bound.columns + next)
  }

  /// Every nth key, from the first on.
  func every(_ stride: Int) -> [[UInt8]] {
    all.indices.filter { $0.isMultiple(of: stride) }.map { all[$0] }
  }

  /// The groups of keys that agree in the first columns.
  func groups(_ count: Int) -> [Group] {
    var groups: [Group] = []
    for key in all {
      let prefix = parts(of: key).prefix(count).flatMap(\.self)
      if groups.last?.prefix == prefix {
        groups[groups.count - 1].count += 1
      } else {
        groups.append(Group(prefix: prefix, count: 1))
      }
    }
    return groups
  }

  /// The columns of a key, each with its bytes.
  private func parts(of key: [UInt8]) -> [[UInt8]] {
    key.withUnsafeBytes { bytes in
      var start = 0
      return columns.map { column in
        let end = layout.end(of: column, in: bytes, from: start)
        defer { start = end }
        return Array(bytes[start..<end])
      }
    }
  }

  /// A random bound: an end of the list, a key, the first columns of a key, or columns of different keys.
  func bound(_ generator: inout SeededGenerator) -> KeyBound? {
    guard !generator.happens(percent: 10) else { return nil }
    let columns = boundColumns(&generator)
    return generator.happens(percent: 50) ? .before(columns) : .behind(columns)
  }

  private func boundColumns(_ generator: inout SeededGenerator) -> [UInt8] {
    let kind = generator.number(in: 1...9)
    let count = generator.number(in: 0...columns.count)
    let first = generator.element(of: all)
    if let first, kind < 4 { return parts(of: first).prefix(count).flatMap(\.self) }
    if let first, kind < 5 { return first }
    var bound: [UInt8] = []
    for (index, column) in columns.prefix(count).enumerated() {
      let other = generator.happens(percent: 70) ? first : generator.element(of: all)
      if let other, generator.happens(percent: 75) {
        bound += parts(of: other)[index]
        continue
      }
      var writer = KeyWriter()
      let isNull = generator.happens(percent: 20)
      let value = isNull ? Value.null : RandomOrderedList.value(column.storage, &generator)
      _ = writer.append(value, column)
      bound += writer.bytes
    }
    return bound
  }
}

extension EntryBatch {
  /// The single keys.
  var split: [[UInt8]] {
    var start = 0
    return ends.map { end in
      defer { start = end }
      return Array(bytes[start..<end])
    }
  }
}
