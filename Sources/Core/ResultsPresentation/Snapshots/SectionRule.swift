import OrderStatistics
import ResultsDomain
import ResultsStoreKit

/// The rule by which the keys of a list fall into sections.
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

  /// The number of first columns that all keys of a section agree in, and no others; `nil` where sections do not divide so.
  var sectionColumns: Int? {
    switch self {
    case .single: 0
    case .columns(let count, _): count
    case .numbered: 1
    case .grouping: nil
    }
  }

  /// The extent of a key's section, or `nil` if it is not known.
  func extent(of key: UnsafeRawBufferPointer, _ layout: KeyLayout) -> SectionExtent? {
    switch self {
    case .single: return .everything
    case .columns(let count, _): return SectionExtent(firstColumns: count, of: key, layout)
    case .numbered: return SectionExtent(firstColumns: 1, of: key, layout)
    case .grouping(let grouping):
      let value = layout.value(ofColumn: 0, in: key)
      guard !value.isNull else {
        return SectionExtent(prefix: [key[0]])
      }
      let group = grouping.group(of: value)
      guard let first = group.first, let next = group.next else { return nil }
      return SectionExtent(from: first, upTo: next, layout.order[0])
    }
  }
}

/// The range of one section's keys: from `lower` to before `upper`, which is `nil` at the end of the list.
struct SectionExtent: Hashable {
  private enum End: Hashable {
    /// The end of the list.
    case open
    /// The bytes of `lower` but for the last, and one that is greater than any byte that can follow them.
    case afterPrefix
    /// The bytes of a column and one that is greater than any byte that can follow them.
    case afterColumn([UInt8])
    case before([UInt8])
  }

  let lower: [UInt8]
  private let last: End

  /// All keys.
  static let everything = SectionExtent(lower: [], last: .open)

  private init(lower: [UInt8], last: End) {
    self.lower = lower
    self.last = last
  }

  var upper: [UInt8]? {
    switch last {
    case .open: nil
    case .afterPrefix: Array(lower.dropLast()) + [SectionExtent.greatest]
    case .afterColumn(let bytes), .before(let bytes): bytes
    }
  }

  /// `upper` as a bound of the order, for the store.
  var end: KeyBound? {
    switch last {
    case .open: nil
    case .afterPrefix: .after(Array(lower.dropLast()))
    case .afterColumn(let bytes): .after(Array(bytes.dropLast()))
    case .before(let bytes): .before(bytes)
    }
  }

  /// A byte that is greater than any with which a column begins.
  private static let greatest: UInt8 = 4

  /// The keys that begin with the bytes of some columns.
  ///
  /// The next column begins with 1, 2 or 3. Any other byte there belongs to a text that continues behind a zero (`KeyWriter`).
  init(prefix: [UInt8]) { self = prefix.withUnsafeBytes { SectionExtent(bytes: $0) } }

  /// The section that begins at a lower bound made from the bytes of some columns.
  init(lower: [UInt8]) { self.init(lower: lower, last: .afterPrefix) }

  private init(bytes prefix: UnsafeRawBufferPointer) {
    self.init(lower: SectionExtent.bytes(prefix, followedBy: 1), last: .afterPrefix)
  }

  private static func bytes(_ prefix: UnsafeRawBufferPointer, followedBy last: UInt8) -> [UInt8] {
    Array(unsafeUninitializedCapacity: prefix.count + 1) { bytes, count in
      UnsafeMutableRawBufferPointer(bytes).copyMemory(from: prefix)
      bytes[prefix.count] = last
      count = prefix.count + 1
    }
  }

  /// The keys that agree with a key in the first columns.
  init(firstColumns count: Int, of key: UnsafeRawBufferPointer, _ layout: KeyLayout) {
    let length = layout.prefixLength(columns: count, in: key)
    self.init(bytes: UnsafeRawBufferPointer(rebasing: key[0..<length]))
  }

  /// The keys whose column holds a value from one up to but not including another.
  init?(from first: Value, upTo next: Value, _ column: KeyColumn) {
    var (start, end) = (KeyWriter(), KeyWriter())
    guard start.append(first, column), end.append(next, column) else { return nil }
    if column.isDescending {
      let greatest = SectionExtent.greatest
      self.init(lower: end.bytes + [greatest], last: .afterColumn(start.bytes + [greatest]))
    } else {
      self.init(lower: start.bytes, last: .before(end.bytes))
    }
  }
}

extension SectionExtent {
  /// Whether a key that does not come before the section is in it.
  func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    switch last {
    case .open: return true
    case .afterColumn(let upper), .before(let upper):
      return upper.withUnsafeBytes { KeyOrder.compare(key, $0) < 0 }
    case .afterPrefix:
      let count = lower.count - 1
      return lower.withUnsafeBytes { lower in
        let prefix = UnsafeRawBufferPointer(rebasing: lower[..<count])
        let shared = UnsafeRawBufferPointer(rebasing: key.prefix(count))
        let order = KeyOrder.compare(shared, prefix)
        return order < 0 || order == 0 && (key.count <= count || key[count] < Self.greatest)
      }
    }
  }

  /// The positions of the section's keys in a list.
  /// - Complexity: O(log *n*)
  func positions(in keys: SortedKeyList) -> Range<Int> {
    let lower = keys.rank(of: lower)
    return lower..<max(lower, upper.map { keys.rank(of: $0) } ?? keys.count)
  }
}

// MARK: - Numbered sections

/// The keys of a list whose sections are merged or split, each prefixed by the number of its section (R04).
///
/// The numbers follow the first appearance of each section, so that sorting by them gathers what belongs together.
struct SectionNumbering {
  var keys: SortedKeyList
  /// Occurrence numbers of split sections, by section number; absent means 0.
  var occurrences: [Int64: Int] = [:]

  static let column = KeyColumn(.integer)

  /// Numbers the sections of some keys.
  /// - Returns: `nil` if the plan neither merges nor splits.
  /// - Complexity: O(*n* log *n*)
  init?(_ storeKeys: SortedKeyList, _ plan: ListPlan) throws(StoreError) {
    guard let contiguity = plan.sectionKey?.contiguity, contiguity != .error else { return nil }
    var numbers: [Value: Int64] = [:]
    var runs: [Value: Int] = [:]
    var occurrences: [Int64: Int] = [:]
    var numbered: [[UInt8]] = []
    var last: Value?
    var lastGroup: Value?
    let isGrouped = plan.groups?.isExpression ?? false
    var number: Int64 = -1
    var nextNumber: Int64 = 0
    storeKeys.forEachKey(in: 0..<storeKeys.count) { _, key in
      let id = plan.rule.id(of: key, plan.layout)
      // A section does not go on in the next group.
      let group = isGrouped ? plan.layout.value(ofColumn: 0, in: key) : nil
      defer { lastGroup = group }
      if id != last || group != lastGroup {
        if contiguity == .merge, let known = numbers[id] {
          number = known
        } else {
          number = nextNumber
          nextNumber += 1
          numbers[id] = number
          let run = runs[id] ?? 0
          runs[id] = run + 1
          if run > 0 { occurrences[number] = run }
        }
        last = id
      }
      var writer = KeyWriter()
      writer.append(number, SectionNumbering.column)
      numbered.append(writer.bytes + key)
    }
    numbered.sort { KeyOrder.compare($0, $1) < 0 }
    do {
      keys = SortedKeyList(limits: .packed)
      try keys.append(KeyBatch(numbered))
    } catch {
      throw .unexpected(path: plan.entity.name, detail: "\(error)")
    }
    self.occurrences = occurrences
  }

  /// The layout of numbered keys.
  static func layout(of plan: ListPlan) -> KeyLayout {
    KeyLayout(order: [column] + plan.layout.order, keyStorage: plan.entity.keyStorage)
  }

  /// The section rule for numbered keys.
  static func rule(of plan: ListPlan) -> SectionRule {
    switch plan.rule {
    case .single: .single
    case .columns(_, let idColumn): .columns(count: 1, idColumn: idColumn + 1)
    case .grouping(let grouping), .numbered(let grouping): .numbered(grouping)
    }
  }
}
