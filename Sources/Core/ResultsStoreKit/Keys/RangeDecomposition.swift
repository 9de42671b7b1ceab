import ResultsDomain

/// The columns of a list's keys, as an index has them.
package final class OrderedColumns: Sendable {
  /// The role of a column of the keys in their order.
  package enum Role: Sendable {
    /// Keys differ in it; the index is that among the columns in which they do.
    case varies(Int)
    /// The predicate permits one value only, with these bytes.
    case fixed([UInt8])
    /// It repeats the value of an earlier column in which keys differ.
    case repeats(Int)
  }

  /// A column in which keys differ.
  package struct Column: Sendable {
    /// Its encoding in a key.
    package let key: KeyColumn
    /// Whether it can be null.
    package let isNullable: Bool

    /// Creates the description of a column.
    package init(_ key: KeyColumn, isNullable: Bool) {
      self.key = key
      self.isNullable = isNullable
    }
  }

  package let layout: KeyLayout
  /// The columns of the keys.
  package let all: [KeyColumn]
  /// The role of each of them.
  package let roles: [Role]
  /// The columns in which keys differ, in the list's order.
  package let variable: [Column]

  /// Creates the description of a list's columns, with a role for each column of the layout.
  package init(_ layout: KeyLayout, roles: [Role], variable: [Column]) {
    self.layout = layout
    all = layout.order + layout.identity
    self.roles = roles
    self.variable = variable
  }
}

/// Decomposes the range between two bounds into subranges, each of which one statement reads, in the order of the keys.
package struct RangeDecomposition {
  private let columns: [OrderedColumns.Column]
  package private(set) var subranges: [KeySubrange] = []

  package init(_ columns: OrderedColumns) { self.columns = columns.variable }

  /// Finds the subranges between two bounds; there are none if the second is not after the first.
  /// - Complexity: O(*n*) in the bounds' bytes.
  package mutating func decompose(
    _ lower: OrderedBound,
    _ lowerBytes: UnsafeRawBufferPointer,
    _ upper: OrderedBound,
    _ upperBytes: UnsafeRawBufferPointer
  ) {
    subranges.removeAll(keepingCapacity: true)
    let shared = min(lower.parts.count, upper.parts.count)
    var common = 0
    var order = 0
    while common < shared {
      let (low, high) = (lower.parts[common], upper.parts[common])
      order = lowerBytes.order(
        low.start,
        low.end,
        to: upperBytes,
        high.start,
        high.end,
        isDescending: columns[common].key.isDescending
      )
      guard order == 0 else { break }
      common += 1
    }
    guard order <= 0 else { return }
    let low = common < lower.parts.count ? lower.end(at: common, isUpper: false) : nil
    let high = common < upper.parts.count ? upper.end(at: common, isUpper: true) : nil
    // A bound with no more columns is before or after all keys that the other bound's further columns distinguish.
    guard low != nil || !lower.isAfter, high != nil || upper.isAfter else { return }
    guard common < columns.count else {
      let end = OrderedBound.End(isNull: lower.parts[common - 1].isNull, isIncluded: true)
      append(at: common - 1, .lower, from: end, to: end)
      return
    }
    for column in stride(from: lower.parts.count - 1, to: common, by: -1) {
      append(at: column, .lower, from: lower.end(at: column, isUpper: false), to: nil)
    }
    append(at: common, common < lower.parts.count ? .lower : .upper, from: low, to: high)
    for column in stride(from: common + 1, to: upper.parts.count, by: 1) {
      append(at: column, .upper, from: nil, to: upper.end(at: column, isUpper: true))
    }
  }

  /// Appends the keys that equal one bound in the columns before an index, and are between two ends in the column at that index.
  private mutating func append(
    at index: Int,
    _ side: KeySubrange.Side,
    from low: OrderedBound.End?,
    to high: OrderedBound.End?
  ) {
    let whole = KeySubrange(equal: index, side: side)
    guard low != nil || high != nil else {
      subranges.append(whole)
      return
    }
    let column = columns[index]
    let nullsFirst = column.key.nulls == .first
    let holdsNull =
      column.isNullable && (low.map { $0.isNull ? $0.isIncluded : !nullsFirst } ?? true)
      && (high.map { $0.isNull ? $0.isIncluded : nullsFirst } ?? true)
    // A null end is before or after all values.
    let holdsValues =
      (low.map { !$0.isNull || nullsFirst } ?? true)
      && (high.map { !$0.isNull || !nullsFirst } ?? true)
    var values = whole
    let first = low.flatMap { $0.isNull ? nil : $0 }
    let last = high.flatMap { $0.isNull ? nil : $0 }
    let (least, greatest) = column.key.isDescending ? (last, first) : (first, last)
    let (leastSide, greatestSide): (KeySubrange.Side, KeySubrange.Side) =
      column.key.isDescending ? (.upper, .lower) : (.lower, .upper)
    if let least { values.lower = .part(leastSide, isIncluded: least.isIncluded) }
    if let greatest { values.upper = .part(greatestSide, isIncluded: greatest.isIncluded) }
    let isUnlimited = least == nil && greatest == nil
    if isUnlimited, holdsValues, holdsNull || !column.isNullable {
      subranges.append(whole)
      return
    }
    // A comparison with a value excludes nulls.
    if isUnlimited { values.lower = .smallest }
    var null = whole
    null.endsInNull = true
    if holdsNull, nullsFirst { subranges.append(null) }
    if holdsValues { subranges.append(values) }
    if holdsNull, !nullsFirst { subranges.append(null) }
  }
}

extension OrderedBound {
  /// An end of the range of one column.
  fileprivate struct End {
    let isNull: Bool
    /// Whether keys with its value are on the bound's inner side.
    let isIncluded: Bool
  }

  fileprivate func end(at index: Int, isUpper: Bool) -> End {
    End(
      isNull: parts[index].isNull,
      isIncluded: index == parts.count - 1 && isAfter == isUpper
    )
  }
}

/// A subrange of the keys between two bounds: equal in some columns, within a range in the next.
///
/// A B-tree answers such a condition with one seek and no test per row. For comparisons of row values, SQLite seeks by the first column
/// alone (sqlite.org/rowvalue.html, 2.1), and PostgreSQL reads on to the end of the first column.
package struct KeySubrange: Sendable {
  /// The bound whose columns are compared with.
  package enum Side: Sendable {
    case lower
    case upper
  }

  /// An end of the range, in the order of the column's values and not of the list.
  package enum Edge: Sendable {
    case open
    /// Before every value, so that nulls are excluded.
    case smallest
    case part(Side, isIncluded: Bool)

    /// 0 for no end, 1 for an exclusive one, 2 for an inclusive one.
    package var form: Int {
      switch self {
      case .open: 0
      case .part(_, isIncluded: false): 1
      case .smallest, .part(_, isIncluded: true): 2
      }
    }
  }

  /// The number of first columns that equal those of a bound.
  package let equal: Int
  /// That bound.
  package let side: Side
  /// Whether the column after those is null, and so has no range.
  package fileprivate(set) var endsInNull = false
  package fileprivate(set) var lower = Edge.open
  package fileprivate(set) var upper = Edge.open

  /// The number of the subrange's form among those of a plan; each has a statement.
  package var shape: Int {
    KeySubrange.shape(equal: endsInNull ? equal + 1 : equal, lower.form, upper.form)
  }

  /// The number of a form.
  package static func shape(equal: Int, _ lower: Int, _ upper: Int) -> Int {
    equal * 9 + lower * 3 + upper
  }

  /// The parts of a form: the number of equal columns, and the forms of the range's two ends.
  package static func forms(of shape: Int) -> (equal: Int, lower: Int, upper: Int) {
    (shape / 9, shape % 9 / 3, shape % 3)
  }
}

/// A bound between the keys of a list: before or after all keys that begin with some columns.
///
/// It has only columns in which keys differ; the others have decided on which side of all keys the bound is.
package struct OrderedBound {
  /// The range of one column in the bound's bytes.
  package struct Part {
    package let start: Int
    package let end: Int
    package let isNull: Bool
  }

  package private(set) var parts: [Part] = []
  /// Whether it is after the keys that begin with its columns, and not before them.
  package private(set) var isAfter = false

  /// Creates the bound before all keys.
  package init() {}

  /// Sets it to the bound before or after all keys that begin with some bytes.
  /// - Complexity: O(*n*) in the bytes.
  package mutating func set(
    _ bytes: UnsafeRawBufferPointer,
    isBehind: Bool,
    in columns: OrderedColumns
  ) {
    parts.removeAll(keepingCapacity: true)
    parts.reserveCapacity(columns.variable.count)
    isAfter = isBehind
    var start = 0
    for index in columns.roles.indices {
      guard start < bytes.count else { return }
      let column = columns.all[index]
      let end = columns.layout.end(of: column, in: bytes, from: start)
      switch columns.roles[index] {
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
        let order = repeated(parts[index], columns.variable[index].key, bytes, start, end, column)
        guard order == 0 else {
          isAfter = order > 0
          return
        }
      }
      start = end
    }
  }

  /// Compares the bytes of a column with the encoding that the value of an earlier column has there.
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
  /// If one is a prefix of the other, the longer one continues with an escape byte; what follows the shorter one in its key is between 0 and
  /// 255, the escapes of descending and of ascending columns.
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
