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
    case .single: return .everything
    case .columns(let count, _): return SectionExtent(firstColumns: count, of: key, layout)
    case .numbered: return SectionExtent(firstColumns: 1, of: key, layout)
    case .grouping(let grouping):
      let value = layout.value(ofColumn: 0, in: key)
      guard !value.isNull else {
        return SectionExtent(prefix: Array(key[0..<1]))
      }
      let group = grouping.group(of: value)
      guard let first = group.first, let next = group.next else { return nil }
      return SectionExtent(from: first, upTo: next, layout.order[0])
    }
  }
}

/// The keys of one section: those from `lower` on and before `upper`.
struct SectionExtent: Hashable {
  let lower: [UInt8]
  let upper: [UInt8]?
  /// The place that `upper` is, as a store understands it.
  let end: KeyBound?

  /// All keys.
  static let everything = SectionExtent(lower: [], upper: nil, end: nil)

  private init(lower: [UInt8], upper: [UInt8]?, end: KeyBound?) {
    self.lower = lower
    self.upper = upper
    self.end = end
  }

  /// The keys whose first columns are some bytes.
  ///
  /// The column that follows begins with 1, 2 or 3. Any other byte there belongs to a text that goes on behind a zero (`KeyWriter`).
  init(prefix: [UInt8]) {
    self.init(lower: prefix + [1], upper: prefix + [4], end: .after(prefix))
  }

  /// The keys that agree with a key in the first columns.
  init(firstColumns count: Int, of key: UnsafeRawBufferPointer, _ layout: KeyLayout) {
    self.init(prefix: Array(key[0..<layout.prefixLength(columns: count, in: key)]))
  }

  /// The keys whose column holds a value from one up to but not including another.
  init?(from first: Value, upTo next: Value, _ column: KeyColumn) {
    var (start, end) = (KeyWriter(), KeyWriter())
    guard start.append(first, column), end.append(next, column) else { return nil }
    if column.isDescending {
      self.init(
        lower: end.bytes + [4],
        upper: start.bytes + [4],
        end: .after(start.bytes)
      )
    } else {
      self.init(lower: start.bytes, upper: end.bytes, end: .before(end.bytes))
    }
  }
}
