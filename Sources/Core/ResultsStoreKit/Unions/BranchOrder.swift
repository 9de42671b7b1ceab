import ResultsDomain

/// The order of a list over a union as the order of a branch's rows, and the way between the keys of both.
///
/// A key of the union has the columns of the list's order, then the word of the branch, then the object's key. For each of them the branch
/// has a column, or all its rows have the same value. So the keys of a branch, in the branch's order, are ascending keys of the union.
struct BranchOrder {
  /// Where a column of the union's keys comes from.
  private enum Part {
    /// All rows of the branch have the same bytes.
    case constant([UInt8])
    /// A column of the branch's keys, those of the identity after those of the order.
    case column(Int, KeyColumn)
  }

  let branch: BranchPlan
  /// The list of the branch's rows.
  let definition: OrderDefinition
  private let union: KeyLayout
  private let parts: [Part]
  /// The columns of the branch's keys, those of the identity after those of the order.
  private let columns: [KeyColumn]
  /// Whether the branch is ordered by its objects' keys alone, which its keys then contain twice.
  private let isOrderedByKey: Bool
  /// For keys that differ in nothing but the word of the branch, the bytes before and after the object's key.
  private let insertion: (word: [UInt8], filler: [UInt8])?

  /// Creates the order of a branch.
  /// - Returns: `nil` if the list can have no row of the branch.
  /// - Throws: `StoreError.request` for a term that the branch cannot be ordered by.
  init?(_ list: OrderDefinition, of branch: BranchPlan) throws(StoreError) {
    let predicate = branch.predicate(list.predicate)
    if case .none = predicate { return nil }
    self.branch = branch
    union = list.layout
    var terms: [FetchSortDescriptor] = []
    var origins: [Part] = []
    do {
      for (term, column) in zip(list.terms, list.layout.order) {
        let value = branch.expression(term.expression)
        let storage = try value.storage(in: branch.entity)
        if value.isLiteral || storage == nil {
          let constant: Value = if case .literal(let value) = value { value } else { .null }
          origins.append(.constant(try BranchOrder.bytes(of: constant, column, list, branch)))
        } else if let known = terms.firstIndex(where: { $0.expression == value }) {
          origins.append(.column(known, column))
        } else {
          origins.append(.column(terms.count, column))
          terms.append(FetchSortDescriptor(value, term.direction, nulls: term.nulls))
        }
      }
      isOrderedByKey = terms.isEmpty
      if terms.isEmpty { terms = branch.entity.keyExpressions.map { FetchSortDescriptor($0) } }
      // As terms of the section, all are columns of their own, also behind those of the key.
      definition = try OrderDefinition(
        entity: branch.entity,
        predicate: predicate,
        sectionTerms: terms,
        sortDescriptors: Array(terms.prefix(1))
      )
    } catch let error as RequestError {
      throw .request(error)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .aborted(by: error)
    }
    columns = definition.layout.order + definition.layout.identity
    let word = try BranchOrder.bytes(
      of: .text(branch.union.branches[branch.index].name),
      list.layout.identity[0],
      list,
      branch
    )
    origins.append(.constant(word))
    var filler: [UInt8] = []
    let ownKey = definition.layout.order.count..<columns.count
    for (number, column) in list.layout.identity.dropFirst().enumerated() {
      if number < ownKey.count {
        origins.append(.column(ownKey.lowerBound + number, column))
      } else {
        let bytes = try BranchOrder.bytes(of: .text(""), column, list, branch)
        filler += bytes
        origins.append(.constant(bytes))
      }
    }
    parts = origins
    insertion = BranchOrder.isInsertion(origins, columns, list.layout) ? (word, filler) : nil
  }

  private static func bytes(
    of value: Value,
    _ column: KeyColumn,
    _ list: OrderDefinition,
    _ branch: BranchPlan
  ) throws(StoreError) -> [UInt8] {
    var writer = KeyWriter()
    guard writer.append(value, column) else {
      let name = branch.union.branches[branch.index].name
      throw .request(.mixedStorage("the order of \(list.entity.name) in the branch \(name)"))
    }
    return writer.bytes
  }

  /// Whether the union's keys are those of the branch with the word of the branch before the object's key.
  private static func isInsertion(
    _ parts: [Part],
    _ columns: [KeyColumn],
    _ layout: KeyLayout
  ) -> Bool {
    var next = 0
    for (index, part) in parts.enumerated() {
      guard case .column(let column, let target) = part else {
        if index < layout.order.count { return false }
        continue
      }
      guard column == next, columns[column] == target else { return false }
      next += 1
    }
    return next == columns.count
  }
}

// MARK: - Keys

extension BranchOrder {
  /// The keys of a batch of the branch as keys of the union.
  /// - Complexity: O(*n*) in the bytes.
  func unionKeys(_ batch: EntryBatch) throws(StoreError) -> EntryBatch {
    var keys = EntryBatch()
    try append(batch, to: &keys)
    return keys
  }

  /// Appends the keys of a batch of the branch to a batch of keys of the union.
  func append(_ batch: EntryBatch, to keys: inout EntryBatch) throws(StoreError) {
    let bytes = batch.bytes
    var start = 0
    for end in batch.ends {
      try keys.append { (writer) throws(StoreError) in
        try write(bytes[start..<end], columns: parts.count, to: &writer)
      }
      start = end
    }
  }

  /// The first columns of a key of the union, given at least those first columns of the branch's key that they come from.
  func unionPrefix(_ key: [UInt8], columns count: Int) throws(StoreError) -> [UInt8] {
    var writer = KeyWriter()
    try write(key[...], columns: count, to: &writer)
    return writer.bytes
  }

  /// The number of first columns of the branch's keys from which the first columns of the union's come.
  func branchColumns(forFirst count: Int) -> Int {
    parts.prefix(count).reduce(0) { most, part in
      if case .column(let column, _) = part { max(most, column + 1) } else { most }
    }
  }

  private func write(
    _ key: ArraySlice<UInt8>,
    columns count: Int,
    to writer: inout KeyWriter
  ) throws(StoreError) {
    let isWritten = key.withUnsafeBytes { write($0, columns: count, to: &writer) }
    guard isWritten else { throw malformed() }
  }

  /// - Returns: Whether the key has the form of the branch's keys.
  private func write(
    _ key: UnsafeRawBufferPointer,
    columns count: Int,
    to writer: inout KeyWriter
  ) -> Bool {
    if let insertion, count == parts.count {
      let identity = definition.layout.identityStart(in: key)
      writer.bytes.append(contentsOf: key[..<identity])
      writer.bytes += insertion.word
      writer.bytes.append(contentsOf: key[identity...])
      writer.bytes += insertion.filler
      return true
    }
    var ends: [Int] = []
    ends.reserveCapacity(columns.count)
    for column in columns {
      ends.append(definition.layout.end(of: column, in: key, from: ends.last ?? 0))
    }
    for part in parts.prefix(count) {
      switch part {
      case .constant(let bytes): writer.bytes += bytes
      case .column(let index, let column):
        let range = (index == 0 ? 0 : ends[index - 1])..<ends[index]
        let content = UnsafeRawBufferPointer(rebasing: key[range])
        if columns[index] == column {
          writer.bytes.append(contentsOf: content)
        } else {
          let value = KeyReader.value(of: columns[index], in: content)
          guard writer.append(value, column) else { return false }
        }
      }
    }
    return true
  }

  private func malformed() -> StoreError {
    .unexpected(
      path: branch.union.entity.name,
      detail: "a key of the branch \(branch.union.branches[branch.index].name) has another form"
    )
  }
}

// MARK: - Bounds

extension BranchOrder {
  /// A position between the keys of the branch.
  enum Position {
    /// Before all keys.
    case start
    /// After all keys.
    case end
    case bound(KeyBound)
  }

  /// Whether positions between the union's keys are found in the branch by its columns: each of the order has the same form in both.
  var findsPositions: Bool {
    zip(parts, union.order).allSatisfy { part, column in
      if case .column(let index, _) = part {
        columns[index].storage == column.storage
      } else {
        true
      }
    }
  }

  /// The position between the branch's keys of a bound between those of the union.
  ///
  /// The columns of the bound are followed as long as the branch can have their values. Where all its rows have another one, they are
  /// all before the bound, or all behind it.
  func position(of bound: KeyBound) throws(StoreError) -> Position {
    var found: [[UInt8]] = []
    var start = 0
    let bytes = bound.columns
    for (part, column) in zip(parts, union.order + union.identity) where start < bytes.count {
      let end = bytes.withUnsafeBytes { union.end(of: column, in: $0, from: start) }
      let sought = Array(bytes[start..<end])
      start = end
      let own: [UInt8]
      switch part {
      case .constant(let constant): own = constant
      case .column(let index, let column):
        guard !isOrderedByKey, index < found.count else {
          found.append(try branchBytes(of: sought, column, index))
          continue
        }
        own = try unionBytes(of: found[index], index, column)
      }
      guard own != sought else { continue }
      // In a key another column follows; its first byte decides if one begins with the other.
      let isBefore = (own + [2]).lexicographicallyPrecedes(sought + [2])
      return position(found, isAfter: isBefore)
    }
    return position(found, isAfter: bound.isAfter)
  }

  private func position(_ found: [[UInt8]], isAfter: Bool) -> Position {
    guard !found.isEmpty else { return isAfter ? .end : .start }
    var bytes = found.flatMap(\.self)
    if isOrderedByKey, found.count == definition.layout.identity.count { bytes += bytes }
    return .bound(isAfter ? .after(bytes) : .before(bytes))
  }

  private func branchBytes(
    of content: [UInt8],
    _ column: KeyColumn,
    _ index: Int
  ) throws(StoreError) -> [UInt8] {
    guard columns[index] != column else { return content }
    let value = content.withUnsafeBytes { KeyReader.value(of: column, in: $0) }
    var writer = KeyWriter()
    guard writer.append(value, columns[index]) else { throw malformed() }
    return writer.bytes
  }

  private func unionBytes(
    of content: [UInt8],
    _ index: Int,
    _ column: KeyColumn
  ) throws(StoreError) -> [UInt8] {
    guard columns[index] != column else { return content }
    let value = content.withUnsafeBytes { KeyReader.value(of: columns[index], in: $0) }
    var writer = KeyWriter()
    guard writer.append(value, column) else { throw malformed() }
    return writer.bytes
  }
}
