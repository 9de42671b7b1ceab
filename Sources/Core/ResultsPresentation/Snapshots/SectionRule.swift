import ResultsDomain

/// How the sections of a list are read off its keys.
enum SectionRule: Sendable {
  /// One section holds all rows.
  case single
  /// Rows whose first columns are equal share a section; one of those columns is its id.
  case columns(count: Int, idColumn: Int)
  /// Rows whose first column falls into one group share a section.
  case grouping(any SectionGrouping)
  /// Rows whose first column, a section number, is equal share a section; the group of the second is its id.
  case numbered(any SectionGrouping)

  /// The id of the section a key belongs to.
  func id(of key: UnsafeRawBufferPointer, _ layout: KeyLayout) -> Value {
    switch self {
    case .single: .null
    case .columns(_, let idColumn): layout.value(ofColumn: idColumn, in: key)
    case .grouping(let grouping): grouping.group(of: layout.value(ofColumn: 0, in: key)).id
    case .numbered(let grouping): grouping.group(of: layout.value(ofColumn: 1, in: key)).id
    }
  }

  /// The bytes between which all keys of a key's section lie, or `nil` if they are not known.
  ///
  /// `upper` is the smallest bytes after the section, or `nil` for the end of the list.
  func extent(of key: UnsafeRawBufferPointer, _ layout: KeyLayout) -> SectionExtent? {
    switch self {
    case .single: return SectionExtent(lower: [], upper: nil)
    case .columns(let count, _): return SectionExtent(firstColumns: count, of: key, layout)
    case .numbered: return SectionExtent(firstColumns: 1, of: key, layout)
    case .grouping(let grouping):
      let value = layout.value(ofColumn: 0, in: key)
      guard !value.isNull else {
        let prefix = Array(key[0..<1])
        return SectionExtent(lower: prefix, upper: SectionExtent.successor(of: prefix))
      }
      let group = grouping.group(of: value)
      guard let first = group.first, let next = group.next else { return nil }
      return SectionExtent(from: first, upTo: next, layout.order[0])
    }
  }
}

/// The keys of one section: those from `lower` on and before `upper`.
struct SectionExtent: Hashable {
  var lower: [UInt8]
  var upper: [UInt8]?

  init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  /// The keys that agree with a key in the first columns.
  init(firstColumns count: Int, of key: UnsafeRawBufferPointer, _ layout: KeyLayout) {
    lower = Array(key[0..<layout.prefixLength(columns: count, in: key)])
    upper = SectionExtent.successor(of: lower)
  }

  /// The keys whose column holds a value from one up to but not including another.
  init?(from first: Value, upTo next: Value, _ column: KeyColumn) {
    var (start, end) = (KeyWriter(), KeyWriter())
    guard start.append(first, column), end.append(next, column) else { return nil }
    if column.isDescending {
      lower = SectionExtent.successor(of: end.bytes) ?? end.bytes
      upper = SectionExtent.successor(of: start.bytes)
    } else {
      lower = start.bytes
      upper = end.bytes
    }
  }

  /// The smallest bytes after everything that begins with some bytes.
  static func successor(of prefix: [UInt8]) -> [UInt8]? {
    var bytes = prefix
    while let last = bytes.popLast() {
      if last < 255 { return bytes + [last + 1] }
    }
    return nil
  }
}
