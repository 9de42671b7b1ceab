public import ResultsDomain
public import ResultsPresentation

/// One line of the wire form, read but not interpreted: ids and rows are JSON values.
public enum WireMessage: Hashable, Sendable {
  /// A whole list.
  case snapshot(WireList)
  /// A change.
  case delta(WireDelta)
  /// A whole list that takes the place of what the reader has, and why.
  case reset(reason: String, WireList)
  /// A failure; the last good list stays.
  case error(generation: Int, message: String)
  /// A line of a kind this reader does not know, to be passed over.
  case other(kind: String)
}

/// A whole list on the wire.
public struct WireList: Hashable, Sendable {
  /// One section.
  public struct Section: Hashable, Sendable {
    /// Its id.
    public var id: JSONValue
    /// Its title.
    public var title: String
    /// Its aggregates, an object; `nil` if the list declares none.
    public var aggregates: JSONValue?
    /// Its rows: objects with at least an `id`.
    public var rows: [JSONValue]

    /// One section.
    public init(id: JSONValue, title: String, aggregates: JSONValue? = nil, rows: [JSONValue]) {
      self.id = id
      self.title = title
      self.aggregates = aggregates
      self.rows = rows
    }
  }

  /// The life that its generation is counted in; unknown if the line names none.
  public var life: ResultsLife
  /// The generation of its stream.
  public var generation: Int
  /// The sections, in order.
  public var sections: [Section]

  /// A whole list.
  public init(life: ResultsLife = .unknown, generation: Int, sections: [Section]) {
    self.life = life
    self.generation = generation
    self.sections = sections
  }

  /// The life and the generation: what a reader that comes back asks to go on from.
  public var position: ResultsPosition { ResultsPosition(life: life, generation: generation) }

  /// The list as a line of kind `snapshot`, as the encoder writes it.
  /// - Complexity: O(*n*) in the bytes.
  public var line: String {
    var writer = JSONWriter()
    let count = sections.reduce(0) { $0 + $1.rows.count }
    writer.write(raw: "{\"v\":1,\"t\":\"snapshot\"")
    writer.write(life)
    writer.write(raw: ",\"generation\":\(generation),\"rows\":\(count)")
    writer.write(",\"sections\":[", sections, "]}") { writer, section in
      writer.write(raw: "{\"id\":")
      writer.write(section.id)
      writer.write(raw: ",\"title\":")
      writer.write(string: section.title)
      if let aggregates = section.aggregates {
        writer.write(raw: ",\"aggregates\":")
        writer.write(aggregates)
      }
      writer.write(",\"rows\":[", section.rows, "]}") { $0.write($1) }
    }
    return writer.text
  }
}

/// A change on the wire.
public struct WireDelta: Hashable, Sendable {
  /// What happens to a row or section.
  public enum Operation: String, Hashable, Sendable {
    /// It leaves.
    case delete
    /// It goes elsewhere.
    case move
    /// It comes.
    case insert
    /// It stays with other content.
    case update
  }

  /// One section's change.
  public struct Section: Hashable, Sendable {
    /// What happens.
    public var operation: Operation
    /// Where it was; `nil` if it comes.
    public var from: Int?
    /// Where it is; `nil` if it leaves.
    public var to: Int?
    /// Its id.
    public var id: JSONValue
    /// Its title; `nil` if it leaves.
    public var title: String?
    /// Its aggregates, an object; `nil` if it leaves or the list declares none.
    public var aggregates: JSONValue?
  }

  /// One row's change.
  public struct Row: Hashable, Sendable {
    /// What happens.
    public var operation: Operation
    /// Its id.
    public var id: JSONValue
    /// Where it was; `nil` if it comes.
    public var from: OldPath?
    /// Where it is; `nil` if it leaves.
    public var to: NewPath?
    /// The names of the changed attributes; `nil` if that is not known or the row comes or leaves.
    public var changed: [String]?
    /// The row now; `nil` if it leaves.
    public var row: JSONValue?
  }

  /// The life that its generations are counted in; unknown if the line names none.
  public var life = ResultsLife.unknown
  /// The generation it leads from.
  public var from: Int
  /// The generation it leads to.
  public var to: Int
  /// Why the list changed, as written.
  public var cause: String
  /// Why the writer had read its list again, or `nil` if it was told commit by commit.
  public var repaired: String?
  /// Whether only rows are named that the writer observes, so that no list can be led on with the change.
  public var isPartial = false
  /// What happened to the sections.
  public var sections: [Section]
  /// What happened to the rows.
  public var rows: [Row]
}

/// One section of a list with its rows, as snapshots on the wire carry it.
public struct WireSection: Hashable, Sendable {
  /// Its identity and title.
  public var header: SectionHeader
  /// Its rows, in order.
  public var rows: [Row]

  /// One section of a list with its rows.
  public init(header: SectionHeader, rows: [Row]) {
    self.header = header
    self.rows = rows
  }
}

/// Why a line of the wire form cannot be read or applied.
public enum WireError: Error, Hashable, Sendable {
  /// The line is not JSON.
  case malformed(JSONError)
  /// The line is of a version this reader does not know.
  case unsupportedVersion(String)
  /// A key that must be there is not, or has a value of another kind.
  case invalid(key: String)
  /// The number of rows is not the one the line says.
  case rowCount(expected: Int, found: Int)
  /// A change came before any list.
  case noSnapshot
  /// Another row or section stands where the change expects one.
  case wrongIdentity(at: String)
  /// The change does not fit the list, or another generation or another list's came (R44).
  case delta(DeltaError)
}

extension WireError: CustomStringConvertible {
  /// What is wrong, and where.
  public var description: String {
    switch self {
    case .malformed(let error): error.description
    case .unsupportedVersion(let version):
      "The line is of version \(version); this reader knows version \(WireEncoder.version)."
    case .invalid(let key): "\(key) is missing or of another kind than expected."
    case .rowCount(let expected, let found): "There are \(found) rows, not \(expected)."
    case .noSnapshot: "A change came before any list."
    case .wrongIdentity(let place): "Another one stands at \(place) than the change expects."
    case .delta(let error): error.description
    }
  }
}
