import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The rows of one entity in ascending order of keys, as a copy-on-write value.
///
/// Rows are stored in chunks of bounded size. Copying a table is free; the first change after a copy copies the list of chunks
/// and one chunk.
struct RowTable: Sendable {
  /// The largest number of rows in a chunk.
  static let chunkLimit = 256

  private(set) var chunks: [[Row]] = []
  private(set) var count = 0

  /// The row with a key, or `nil` if there is none.
  /// - Complexity: O(log *n*)
  subscript(key: ObjectKey) -> Row? {
    let found = search(key)
    return found.isFound ? chunks[found.chunk][found.offset] : nil
  }

  /// The last row in key order.
  var last: Row? { chunks.last?.last }

  /// Calls a closure with all rows in key order until it returns false.
  func forEach(_ body: (Row) throws(StoreError) -> Bool) throws(StoreError) {
    for chunk in chunks {
      for row in chunk {
        guard try body(row) else { return }
      }
    }
  }

  /// Inserts a row, or replaces the row with the same key.
  /// - Complexity: O(log *n* + chunk size), and O(number of chunks) after a copy or a split.
  mutating func set(_ row: Row) {
    let found = search(row.id.key)
    guard !found.isFound else {
      chunks[found.chunk][found.offset] = row
      return
    }
    count += 1
    guard !chunks.isEmpty else {
      chunks.append([row])
      return
    }
    let isAtEnd = found.chunk == chunks.count - 1 && found.offset == chunks[found.chunk].count
    if isAtEnd, chunks[found.chunk].count >= RowTable.chunkLimit {
      // A split would leave half-empty chunks if rows are inserted in key order.
      chunks.append([row])
    } else {
      chunks[found.chunk].insert(row, at: found.offset)
      if chunks[found.chunk].count > RowTable.chunkLimit { split(found.chunk) }
    }
  }

  /// Removes the row with a key, if there is one.
  /// - Complexity: As `set(_:)`.
  mutating func remove(_ key: ObjectKey) {
    let found = search(key)
    guard found.isFound else { return }
    count -= 1
    chunks[found.chunk].remove(at: found.offset)
    mergeIfSmall(found.chunk)
  }

  private mutating func split(_ index: Int) {
    let middle = chunks[index].count / 2
    let upper = Array(chunks[index][middle...])
    chunks[index].removeSubrange(middle...)
    chunks.insert(upper, at: index + 1)
  }

  private mutating func mergeIfSmall(_ index: Int) {
    guard !chunks[index].isEmpty else {
      chunks.remove(at: index)
      return
    }
    let neighbour = index + 1 < chunks.count ? index : index - 1
    guard chunks[index].count < RowTable.chunkLimit / 4, neighbour >= 0,
      chunks[neighbour].count + chunks[neighbour + 1].count <= RowTable.chunkLimit / 2
    else { return }
    let upper = chunks.remove(at: neighbour + 1)
    chunks[neighbour].append(contentsOf: upper)
  }

  /// Finds the row with a key, or its insertion point; no chunk is empty.
  private func search(_ key: ObjectKey) -> (chunk: Int, offset: Int, isFound: Bool) {
    var (low, high) = (0, chunks.count)
    while low < high {
      let middle = (low + high) / 2
      if chunks[middle][0].id.key.order(key) == .descending {
        high = middle
      } else {
        low = middle + 1
      }
    }
    guard low > 0 else { return (0, 0, false) }
    let chunk = low - 1
    (low, high) = (0, chunks[chunk].count)
    while low < high {
      let middle = (low + high) / 2
      switch chunks[chunk][middle].id.key.order(key) {
      case .ascending: low = middle + 1
      case .same: return (chunk, middle, true)
      case .descending: high = middle
      }
    }
    return (chunk, low, false)
  }
}

// MARK: - Key comparison

extension ObjectKey {
  /// Compares two keys of one entity in the order of their identity's bytes.
  ///
  /// Numbers are compared by value, texts and blobs by bytes, compound keys part by part.
  func order(_ other: ObjectKey) -> ValueOrder {
    switch (self, other) {
    case (.integer(let left), .integer(let right)):
      return left < right ? .ascending : (left > right ? .descending : .same)
    case (.text(let left), .text(let right)): return compareBytes(left, right)
    case (.compound(let left), .compound(let right)):
      for (left, right) in zip(left, right) {
        let order = Value.compare(left, right)
        guard order == .same else { return order }
      }
      return Value.compare(.integer(Int64(left.count)), .integer(Int64(right.count)))
    case (.text, .compound), (.compound, .text):
      // A text that is not UTF-8 is a key of one part.
      return Value.compare(parts.first ?? .null, other.parts.first ?? .null)
    case (.integer, _): return .ascending
    case (_, .integer): return .descending
    }
  }

  private func compareBytes(_ left: String, _ right: String) -> ValueOrder {
    // Mutable copies share the storage, and native strings are read in place.
    var (left, right) = (left, right)
    let difference = left.withUTF8 { left in
      right.withUTF8 { KeyOrder.compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
    }
    return difference < 0 ? .ascending : (difference > 0 ? .descending : .same)
  }
}
