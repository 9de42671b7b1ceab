public import ResultsDomain
import ResultsStoreKit

/// The full content of a list: its sections with their headers, and the identities of all rows.
///
/// The laws of deltas are stated over it. It takes memory for every row; front ends use a snapshot instead.
public struct ResultsContent: Hashable, Sendable {
  /// The content of one section.
  public struct Section: Hashable, Sendable {
    /// The section's identity, title and aggregates.
    public var header: SectionHeader
    /// The identities of the section's rows, in order.
    public var rows: [ObjectID]

    /// Creates the content of one section.
    public init(header: SectionHeader, rows: [ObjectID]) {
      self.header = header
      self.rows = rows
    }
  }

  /// The sections, in order.
  public var sections: [Section]
  /// The headers of the groups, in order; none in a list without them (R11).
  public var groups: [GroupHeader]

  /// Creates the content of a list.
  public init(sections: [Section], groups: [GroupHeader] = []) {
    self.sections = sections
    self.groups = groups
  }
}

// MARK: - Applying a delta

extension ResultsContent {
  /// Returns the content after a change, and checks every statement of the delta (R26).
  ///
  /// Rows at all old paths are removed, then deleted and moved sections; sections are inserted ascending, then rows ascending; headers
  /// are replaced. Updates of rows change nothing here, but their paths must be correct.
  ///
  /// ```swift
  /// let after = try content.applying(change.delta)
  /// ```
  /// - Throws: `DeltaError` saying what does not fit, and where.
  /// - Complexity: O(*n*) in the rows and O(*c* log *c*) in the changes.
  public func applying(_ delta: ResultsDelta) throws(DeltaError) -> ResultsContent {
    guard delta.unobserved == nil else { throw .partial }
    guard sections.count == delta.oldSectionCount else {
      throw .sectionCount(.before, expected: delta.oldSectionCount, found: sections.count)
    }
    try checkRowsBefore(delta)
    try checkSectionsBefore(delta)
    let entering = delta.rows.moves.map(\.id) + delta.rows.inserts.map(\.id)
    let patched = try ListPatch(delta).apply(to: sections.map(\.rows)) { entering[$0] }
    guard patched.rows.count == delta.newSectionCount else {
      throw .sectionCount(.after, expected: delta.newSectionCount, found: patched.rows.count)
    }
    let headers = try headers(after: delta, from: patched.sources)
    let result = ResultsContent(
      sections: zip(headers, patched.rows).map { Section(header: $0, rows: $1) },
      groups: try groups(after: delta.groups)
    )
    let grouped = result.groups.reduce(0) { $0 + $1.sectionCount }
    guard result.groups.isEmpty || grouped == result.sections.count else {
      throw .sectionsOfGroups(expected: result.sections.count, found: grouped)
    }
    for update in delta.rows.updates {
      guard let found = result.id(at: update.to.path) else {
        throw .noRow(.after, at: update.to.path)
      }
      guard found == update.id else {
        throw .wrongRow(.after, at: update.to.path, expected: update.id, found: found)
      }
    }
    return result
  }

  /// Returns the identity of the row at a path, or `nil` if there is no such row.
  public func id(at path: RowPath) -> ObjectID? {
    guard sections.indices.contains(path.section),
      sections[path.section].rows.indices.contains(path.row)
    else { return nil }
    return sections[path.section].rows[path.row]
  }

  private func checkRowsBefore(_ delta: ResultsDelta) throws(DeltaError) {
    var named: Set<ObjectID> = []
    for id in delta.rows.ids where !named.insert(id).inserted { throw .duplicateRow(id) }
    for (id, path) in delta.rows.withOldPaths {
      guard let found = self.id(at: path.path) else { throw .noRow(.before, at: path.path) }
      guard found == id else {
        throw .wrongRow(.before, at: path.path, expected: id, found: found)
      }
    }
  }

  private func checkSectionsBefore(_ delta: ResultsDelta) throws(DeltaError) {
    let survivors = delta.sections.moves + delta.sections.updates
    for section in survivors where section.old.id != section.new.id {
      throw .wrongSection(
        .after,
        at: section.to,
        expected: section.old,
        found: section.new
      )
    }
    for (from, old) in delta.sections.deletes.map({ ($0.from, $0.old) })
      + survivors.map({ ($0.from, $0.old) })
    {
      guard sections.indices.contains(from) else { throw .noSection(.before, at: from) }
      guard sections[from].header == old else {
        throw .wrongSection(.before, at: from, expected: old, found: sections[from].header)
      }
    }
  }

  /// The headers of the groups after a change, which are checked as those of sections are.
  private func groups(after changes: GroupChanges) throws(DeltaError) -> [GroupHeader] {
    guard !changes.isEmpty else { return groups }
    let survivors = changes.moves + changes.updates
    for (from, old) in changes.deletes.map({ ($0.from, $0.old) })
      + survivors.map({ ($0.from, $0.old) })
    {
      guard groups.indices.contains(from) else { throw .noGroup(.before, at: from) }
      guard groups[from] == old else {
        throw .wrongGroup(.before, at: from, expected: old, found: groups[from])
      }
    }
    for group in survivors where group.old.id != group.new.id {
      throw .wrongGroup(.after, at: group.to, expected: group.old, found: group.new)
    }
    let removed = Set(changes.deletes.map(\.from) + changes.moves.map(\.from))
    guard removed.count == changes.deletes.count + changes.moves.count else {
      throw .duplicateGroup(.before, at: removed.min() ?? 0)
    }
    var inserted: [Int: GroupHeader] = [:]
    for (to, new) in changes.moves.map({ ($0.to, $0.new) })
      + changes.inserts.map({ ($0.to, $0.new) })
    where inserted.updateValue(new, forKey: to) != nil { throw .duplicateGroup(.after, at: to) }
    let count = groups.count - removed.count + inserted.count
    for to in inserted.keys where to < 0 || to >= count { throw .noGroup(.after, at: to) }
    var updated: [Int: (to: Int, new: GroupHeader)] = [:]
    for update in changes.updates
    where removed.contains(update.from)
      || updated.updateValue((update.to, update.new), forKey: update.from) != nil
    { throw .duplicateGroup(.before, at: update.from) }
    var stationary = groups.indices.lazy.filter { !removed.contains($0) }.makeIterator()
    var result: [GroupHeader] = []
    for to in 0..<count {
      if let new = inserted[to] {
        result.append(new)
      } else if let from = stationary.next() {
        let update = updated.removeValue(forKey: from)
        guard update.map({ $0.to == to }) ?? true else { throw .noGroup(.after, at: to) }
        result.append(update?.new ?? groups[from])
      }
    }
    return result
  }

  private func headers(
    after delta: ResultsDelta,
    from sources: [Int?]
  ) throws(DeltaError) -> [SectionHeader] {
    var replaced: [Int: SectionHeader] = [:]
    for move in delta.sections.moves { replaced[move.to] = move.new }
    for insert in delta.sections.inserts { replaced[insert.to] = insert.new }
    for update in delta.sections.updates {
      guard sources.indices.contains(update.to) else { throw .noSection(.after, at: update.to) }
      guard sources[update.to] == update.from,
        replaced.updateValue(update.new, forKey: update.to) == nil
      else { throw .duplicateSection(.after, at: update.to) }
    }
    return sources.enumerated().map { to, source in
      replaced[to] ?? source.map { sections[$0].header }
        ?? SectionHeader(id: SectionID(.null), title: "")
    }
  }
}

extension RowChanges {
  /// The identities of all rows that are named.
  var ids: [ObjectID] {
    deletes.map(\.id) + moves.map(\.id) + inserts.map(\.id) + updates.map(\.id)
  }

  /// The rows that are named with a path in the generation before.
  var withOldPaths: [(ObjectID, OldPath)] {
    deletes.map { ($0.id, $0.from) } + (moves + updates).map { ($0.id, $0.from) }
  }
}
