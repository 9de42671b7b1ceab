public import ResultsDomain
public import ResultsPresentation

/// One decoded line of the wire form; identities and rows stay JSON values.
public enum WireMessage: Hashable, Sendable {
  /// A whole list.
  case snapshot(WireList)
  /// A change.
  case delta(WireDelta)
  /// A whole list that replaces what the client has, with the reason.
  case reset(reason: String, WireList)
  /// A failure; the last good list stays.
  case error(generation: Int, message: String)
  /// A line of an unknown kind, to be ignored.
  case other(kind: String)
}

/// A whole list in the wire form.
public struct WireList: Hashable, Sendable {
  /// A section with its rows.
  public struct Section: Hashable, Sendable {
    /// The section's identity.
    public var id: JSONValue
    /// The section's title.
    public var title: String
    /// The section's aggregates, an object; `nil` if the list declares none.
    public var aggregates: JSONValue?
    /// The number of rows of a section with a limit, those beyond it included (R107); `nil` without a limit.
    public var total: Int?
    /// The section's rows: objects with at least an `id`.
    public var rows: [JSONValue]

    /// Creates a section.
    public init(
      id: JSONValue,
      title: String,
      aggregates: JSONValue? = nil,
      total: Int? = nil,
      rows: [JSONValue]
    ) {
      self.id = id
      self.title = title
      self.aggregates = aggregates
      self.total = total
      self.rows = rows
    }
  }

  /// A group of sections (R11).
  public struct Group: Hashable, Sendable {
    /// The group's identity.
    public var id: JSONValue
    /// The group's title.
    public var title: String
    /// The number of its sections, which follow those of the groups before it.
    public var sections: Int
    /// The number of rows in its sections, those beyond the limits of sections included.
    public var rows: Int
    /// The group's aggregates, an object; `nil` if the list declares none.
    public var aggregates: JSONValue?

    /// Creates a group.
    public init(
      id: JSONValue,
      title: String,
      sections: Int,
      rows: Int,
      aggregates: JSONValue? = nil
    ) {
      self.id = id
      self.title = title
      self.sections = sections
      self.rows = rows
      self.aggregates = aggregates
    }
  }

  /// The life that the generation is counted in; unknown if the line names none.
  public var life: ResultsLife
  /// The generation of the list.
  public var generation: Int
  /// The groups of the sections, in order; none in a list without them.
  public var groups: [Group]
  /// The sections, in order.
  public var sections: [Section]

  /// Creates a whole list.
  public init(
    life: ResultsLife = .unknown,
    generation: Int,
    groups: [Group] = [],
    sections: [Section]
  ) {
    self.life = life
    self.generation = generation
    self.groups = groups
    self.sections = sections
  }

  /// The life and the generation: the position from which a client that returns continues.
  public var position: ResultsPosition { ResultsPosition(life: life, generation: generation) }

  /// The list as a line of kind `snapshot`, as the encoder writes it.
  /// - Complexity: O(*n*) in the bytes.
  public var line: String {
    var writer = JSONWriter()
    let count = sections.reduce(0) { $0 + $1.rows.count }
    writer.write(raw: "{\"v\":1,\"t\":\"snapshot\"")
    writer.write(life)
    writer.write(raw: ",\"generation\":\(generation),\"rows\":\(count)")
    if !groups.isEmpty {
      writer.write(",\"groups\":[", groups, "]") { writer, group in
        writer.write(raw: "{\"id\":")
        writer.write(group.id)
        writer.write(raw: ",\"title\":")
        writer.write(string: group.title)
        writer.write(raw: ",\"sections\":\(group.sections),\"rows\":\(group.rows)")
        if let aggregates = group.aggregates {
          writer.write(raw: ",\"aggregates\":")
          writer.write(aggregates)
        }
        writer.write(raw: "}")
      }
    }
    writer.write(",\"sections\":[", sections, "]}") { writer, section in
      writer.write(raw: "{\"id\":")
      writer.write(section.id)
      writer.write(raw: ",\"title\":")
      writer.write(string: section.title)
      if let aggregates = section.aggregates {
        writer.write(raw: ",\"aggregates\":")
        writer.write(aggregates)
      }
      if let total = section.total { writer.write(raw: ",\"total\":\(total)") }
      writer.write(",\"rows\":[", section.rows, "]}") { $0.write($1) }
    }
    return writer.text
  }
}

/// A change in the wire form.
public struct WireDelta: Hashable, Sendable {
  /// The kind of a change of a row or section.
  public enum Operation: String, Hashable, Sendable {
    /// It was deleted.
    case delete
    /// It moved.
    case move
    /// It was inserted.
    case insert
    /// Its content changed.
    case update
  }

  /// The change of a section.
  public struct Section: Hashable, Sendable {
    /// The kind of change.
    public var operation: Operation
    /// The section's index before; `nil` if it is inserted.
    public var from: Int?
    /// The section's index after; `nil` if it is deleted.
    public var to: Int?
    /// The section's identity.
    public var id: JSONValue
    /// The section's title; `nil` if it is deleted.
    public var title: String?
    /// The section's aggregates, an object; `nil` if it is deleted or the list declares none.
    public var aggregates: JSONValue?
    /// The number of rows of a section with a limit (R107); `nil` if it is deleted or has no limit.
    public var total: Int?
  }

  /// The change of a group (R11).
  public struct Group: Hashable, Sendable {
    /// The kind of change.
    public var operation: Operation
    /// The group's index before; `nil` if it is inserted.
    public var from: Int?
    /// The group's index after; `nil` if it is deleted.
    public var to: Int?
    /// The group's identity.
    public var id: JSONValue
    /// The group after; `nil` if it is deleted.
    public var group: WireList.Group?
  }

  /// The change of a row.
  public struct Row: Hashable, Sendable {
    /// The kind of change.
    public var operation: Operation
    /// The row's identity.
    public var id: JSONValue
    /// The row's path before; `nil` if it is inserted.
    public var from: OldPath?
    /// The row's path after; `nil` if it is deleted.
    public var to: NewPath?
    /// The names of the changed attributes; `nil` if they are not known, or the row is inserted or deleted.
    public var changed: [String]?
    /// The row after; `nil` if it is deleted.
    public var row: JSONValue?
  }

  /// The life that the generations are counted in; unknown if the line names none.
  public var life = ResultsLife.unknown
  /// The generation before.
  public var from: Int
  /// The generation after.
  public var to: Int
  /// The cause of the change, as written.
  public var cause: String
  /// The reason why the list was read again instead of following the history, or `nil` if it was followed.
  public var repaired: String?
  /// Whether the change names only observed rows, so that it cannot be applied to a whole list.
  public var isPartial = false
  /// The changes of groups; none in a list without them.
  public var groups: [Group] = []
  /// The changes of sections.
  public var sections: [Section]
  /// The changes of rows.
  public var rows: [Row]
}

/// A section of a list with its rows, as an encoder takes it.
public struct WireSection: Hashable, Sendable {
  /// The section's identity, title and aggregates.
  public var header: SectionHeader
  /// The section's rows, in order.
  public var rows: [Row]

  /// Creates a section with its rows.
  public init(header: SectionHeader, rows: [Row]) {
    self.header = header
    self.rows = rows
  }
}

/// The reason why a line of the wire form cannot be decoded or applied.
public enum WireError: Error, Hashable, Sendable {
  /// The line is not JSON.
  case malformed(JSONError)
  /// The line has an unknown version.
  case unsupportedVersion(String)
  /// A required key is missing, or has a value of another kind.
  case invalid(key: String)
  /// The number of rows differs from the one that the line states.
  case rowCount(expected: Int, found: Int)
  /// A change arrived before any list.
  case noSnapshot
  /// The row or section at a path is another one than the change states.
  case wrongIdentity(at: String)
  /// The change does not fit the list, or belongs to another generation or another list (R44).
  case delta(DeltaError)
}

extension WireError: CustomStringConvertible {
  /// What is wrong, and where.
  public var description: String {
    switch self {
    case .malformed(let error): error.description
    case .unsupportedVersion(let version):
      "The line has version \(version); only version \(WireEncoder.version) is understood."
    case .invalid(let key): "\(key) is missing, or its value is of another kind than expected."
    case .rowCount(let expected, let found): "There are \(found) rows, not \(expected)."
    case .noSnapshot: "A change arrived before any list. Start with a snapshot."
    case .wrongIdentity(let location): "The change names another one than \(location)."
    case .delta(let error): error.description
    }
  }
}
