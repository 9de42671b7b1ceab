import ResultsPresentation

/// A copy of a list that is kept up to date from lines of the wire form, as a front end in another process keeps it.
///
/// After each line it holds a state that the list had; a line that does not fit changes nothing.
public struct WireReplay: Sendable {
  /// The present list; `nil` until the first snapshot.
  public private(set) var list: WireList?
  /// The message of the last line, if it reported a failure.
  public private(set) var failure: String?

  /// Creates a replay that waits for its first snapshot.
  public init() {}

  /// The list as a line of kind `snapshot`, byte for byte as the encoder writes it; `nil` until the first snapshot.
  public var line: String? { list?.line }

  /// Decodes and applies one line.
  /// - Throws: `WireError`: what does not fit; the list then stays as it was.
  /// - Complexity: O(*n*) in the rows.
  public mutating func apply(line: String) throws(WireError) {
    try apply(WireDecoder().message(line))
  }

  /// Applies one message.
  /// - Throws: `WireError`: what does not fit; the list then stays as it was.
  /// - Complexity: O(*n*) in the rows.
  public mutating func apply(_ message: WireMessage) throws(WireError) {
    switch message {
    case .snapshot(let list), .reset(_, let list):
      self.list = list
      failure = nil
    case .delta(let delta):
      guard let list else { throw .noSnapshot }
      self.list = try list.applying(delta)
      failure = nil
    case .error(_, let message): failure = message
    case .other: break
    }
  }
}

extension WireList {
  /// Returns the list after a change: rows at all old paths are removed, then deleted and moved sections; sections are inserted, then
  /// rows; then headers and rows are replaced.
  /// - Throws: `WireError`: what does not fit.
  /// - Complexity: O(*n*) in the rows and O(*c* log *c*) in the changes.
  public func applying(_ delta: WireDelta) throws(WireError) -> WireList {
    guard !delta.isPartial else { throw .delta(.partial) }
    guard life == delta.life else {
      throw .delta(.otherLife(expected: delta.life, found: life))
    }
    guard generation == delta.from else {
      throw .delta(.outOfSync(expected: delta.from, found: generation))
    }
    try checkIdentities(delta)
    let moves = delta.rows.filter { $0.operation == .move }
    let inserts = delta.rows.filter { $0.operation == .insert }
    let deletes = delta.rows.filter { $0.operation == .delete }
    let entering = moves + inserts
    let patch = ListPatch(
      removedRows: (deletes + moves).compactMap(\.from),
      insertedRows: entering.compactMap(\.to),
      deletedSections: delta.sections.filter { $0.operation == .delete }.compactMap(\.from),
      movedSections: delta.sections.filter { $0.operation == .move }
        .compactMap { section in section.from.flatMap { from in section.to.map { (from, $0) } } },
      insertedSections: delta.sections.filter { $0.operation == .insert }.compactMap(\.to)
    )
    guard patch.insertedRows.count == entering.count else { throw .invalid(key: "to") }
    let patched: ListPatch.Result<JSONValue>
    do throws(DeltaError) {
      patched = try patch.apply(to: sections.map(\.rows)) { entering[$0].row ?? .null }
    } catch {
      throw .delta(error)
    }
    var result = WireList(
      life: delta.life,
      generation: delta.to,
      sections: zip(patched.sources, patched.rows).map { source, rows in
        let old = source.map { sections[$0] }
        return Section(
          id: old?.id ?? .null,
          title: old?.title ?? "",
          aggregates: old?.aggregates,
          total: old?.total,
          rows: rows
        )
      }
    )
    result.groups = try groups(after: delta)
    try result.checkGroups()
    try result.retitle(delta, patched.sources)
    try result.replaceRows(delta)
    return result
  }

  private func checkIdentities(_ delta: WireDelta) throws(WireError) {
    for section in delta.sections {
      guard let from = section.from else { continue }
      guard sections.indices.contains(from) else { throw .delta(.noSection(.before, at: from)) }
      guard sections[from].id == section.id else {
        throw .wrongIdentity(at: "section \(from) before the change")
      }
    }
    for row in delta.rows {
      guard let path = row.from?.path else { continue }
      guard sections.indices.contains(path.section),
        sections[path.section].rows.indices.contains(path.row)
      else { throw .delta(.noRow(.before, at: path)) }
      guard sections[path.section].rows[path.row]["id"] == row.id else {
        throw .wrongIdentity(at: "row \(path) before the change")
      }
    }
  }

  /// The groups after a change: deleted and moved ones are removed, moved and inserted ones are inserted, and the rest are updated.
  private func groups(after delta: WireDelta) throws(WireError) -> [Group] {
    guard !delta.groups.isEmpty else { return groups }
    var removed: Set<Int> = []
    var inserted: [Int: Group] = [:]
    var updated: [Int: (to: Int, group: Group)] = [:]
    for change in delta.groups {
      if let from = change.from {
        guard groups.indices.contains(from) else { throw .delta(.noGroup(.before, at: from)) }
        guard groups[from].id == change.id else {
          throw .wrongIdentity(at: "group \(from) before the change")
        }
        guard !removed.contains(from), updated[from] == nil else {
          throw .delta(.duplicateGroup(.before, at: from))
        }
      }
      switch (change.operation, change.from, change.to, change.group) {
      case (.delete, let from?, _, _): removed.insert(from)
      case (.update, let from?, let to?, let group?): updated[from] = (to, group)
      case (.move, _, let to?, let group?), (.insert, _, let to?, let group?):
        if let from = change.from { removed.insert(from) }
        guard inserted.updateValue(group, forKey: to) == nil else {
          throw .delta(.duplicateGroup(.after, at: to))
        }
      default: throw .invalid(key: "groups")
      }
    }
    let count = groups.count - removed.count + inserted.count
    for to in inserted.keys where to < 0 || to >= count {
      throw .delta(.noGroup(.after, at: to))
    }
    var stationary = groups.indices.lazy.filter { !removed.contains($0) }.makeIterator()
    var result: [Group] = []
    for to in 0..<count {
      if let group = inserted[to] {
        result.append(group)
      } else if let from = stationary.next() {
        guard updated[from].map({ $0.to == to }) ?? true else {
          throw .delta(.noGroup(.after, at: to))
        }
        result.append(updated[from]?.group ?? groups[from])
      }
    }
    return result
  }

  /// Checks that the groups have as many sections as the list.
  func checkGroups() throws(WireError) {
    guard !groups.isEmpty else { return }
    var rest = sections.count
    for group in groups {
      guard group.sections > 0, group.sections <= rest else {
        throw .delta(.sectionsOfGroups(expected: sections.count, found: group.sections))
      }
      rest -= group.sections
    }
    guard rest == 0 else {
      throw .delta(
        .sectionsOfGroups(expected: sections.count, found: sections.count - rest)
      )
    }
  }

  private mutating func retitle(
    _ delta: WireDelta,
    _ sources: [Int?]
  ) throws(WireError) {
    for section in delta.sections {
      guard let to = section.to, let title = section.title else { continue }
      guard sections.indices.contains(to) else { throw .delta(.noSection(.after, at: to)) }
      if section.operation != .insert, sources[to] != section.from {
        throw .wrongIdentity(at: "section \(to) after the change")
      }
      sections[to].id = section.id
      sections[to].title = title
      sections[to].aggregates = section.aggregates
      sections[to].total = section.total
    }
  }

  private mutating func replaceRows(_ delta: WireDelta) throws(WireError) {
    for update in delta.rows where update.operation == .update {
      guard let path = update.to?.path, let row = update.row else { continue }
      guard sections.indices.contains(path.section),
        sections[path.section].rows.indices.contains(path.row)
      else { throw .delta(.noRow(.after, at: path)) }
      guard sections[path.section].rows[path.row]["id"] == update.id else {
        throw .wrongIdentity(at: "row \(path) after the change")
      }
      sections[path.section].rows[path.row] = row
    }
  }
}
