import ResultsDomain

/// A place between the keys of a list: before or after all that begin with some columns.
///
/// Only columns in which keys differ count; of the others it was settled on which side of the keys the bound is.
struct OrderedBound {
  /// The bytes of one column in the bound's own.
  struct Part {
    let start: Int
    let end: Int
    let isNull: Bool
  }

  private(set) var parts: [Part] = []
  /// Whether it stands after the keys that begin with its columns, and not before them.
  private(set) var isAfter = false

  /// Makes it the bound before or behind all keys that begin with some bytes.
  /// - Complexity: O(*n*) in the bytes.
  mutating func set(_ bytes: UnsafeRawBufferPointer, isBehind: Bool, in plan: OrderedPlan) {
    parts.removeAll(keepingCapacity: true)
    isAfter = isBehind
    var start = 0
    for place in plan.roles.indices {
      guard start < bytes.count else { return }
      let column = plan.columns[place]
      let end = plan.layout.end(of: column, in: bytes, from: start)
      switch plan.roles[place] {
      case .varies:
        let tag = bytes[start]
        guard tag == 2 || tag == (column.nulls == .first ? 1 : 3) else {
          isAfter = tag > 2
          return
        }
        parts.append(Part(start: start, end: end, isNull: tag != 2))
      case .fixed(let value):
        let order = value.withUnsafeBytes {
          bytes.order(start, end, to: $0, 0, $0.count, isDescending: column.isDescending)
        }
        guard order == 0 else {
          isAfter = order > 0
          return
        }
      case .repeats(let index):
        let order = repeated(parts[index], plan.variable[index].key, bytes, start, end, column)
        guard order == 0 else {
          isAfter = order > 0
          return
        }
      }
      start = end
    }
  }

  /// How the bytes of a column compare with those that the value of an earlier one has there.
  private func repeated(
    _ part: Part,
    _ key: KeyColumn,
    _ bytes: UnsafeRawBufferPointer,
    _ start: Int,
    _ end: Int,
    _ column: KeyColumn
  ) -> Int {
    let isDescending = column.isDescending
    guard key != column else {
      return bytes.order(
        start,
        end,
        to: bytes,
        part.start,
        part.end,
        isDescending: isDescending
      )
    }
    let value = KeyReader.value(
      of: key,
      in: UnsafeRawBufferPointer(rebasing: bytes[part.start..<part.end])
    )
    var writer = KeyWriter()
    _ = writer.append(value, column)
    return writer.bytes.withUnsafeBytes {
      bytes.order(start, end, to: $0, 0, $0.count, isDescending: isDescending)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Compares a whole column's bytes with those of another key: less than 0, 0, or more.
  ///
  /// Where one begins with the other, the byte that goes on is that of an escape; what follows the other one's end in its key is
  /// between 0 and 255, the escapes of descending and of ascending columns.
  func order(
    _ start: Int,
    _ end: Int,
    to other: UnsafeRawBufferPointer,
    _ otherStart: Int,
    _ otherEnd: Int,
    isDescending: Bool
  ) -> Int {
    let count = end - start
    let otherCount = otherEnd - otherStart
    for index in 0..<Swift.min(count, otherCount) {
      let difference = Int(self[start + index]) - Int(other[otherStart + index])
      if difference != 0 { return difference }
    }
    return isDescending ? otherCount - count : count - otherCount
  }
}
