import ResultsPresentation

/// A decoder of lines of the wire form, version 1; unknown keys are ignored (R46).
public struct WireDecoder: Sendable {
  private let maximumBytes: Int

  /// Creates a decoder that refuses lines longer than a maximum.
  public init(maximumBytes: Int = 1 << 30) { self.maximumBytes = maximumBytes }

  /// Decodes one line.
  /// - Throws: `WireError`: what is wrong; no input traps.
  /// - Complexity: O(*n*) in the bytes.
  public func message(_ line: String) throws(WireError) -> WireMessage {
    try message(bytes: Array(line.utf8))
  }

  /// Decodes one line from bytes that need not be UTF-8.
  /// - Throws: `WireError`: what is wrong.
  /// - Complexity: O(*n*) in the bytes.
  public func message(bytes: [UInt8]) throws(WireError) -> WireMessage {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: bytes, maximumBytes: maximumBytes)
    } catch {
      throw .malformed(error)
    }
    guard let version = json["v"] else { throw .invalid(key: "v") }
    guard version.integer == WireEncoder.version else { throw .unsupportedVersion(version.text) }
    switch try json.required("t", \.string) {
    case "snapshot": return .snapshot(try list(json))
    case "reset": return .reset(reason: try json.required("reason", \.string), try list(json))
    case "delta": return .delta(try delta(json))
    case "error":
      return .error(
        generation: try json.required("generation", \.integer),
        message: try json.required("error", \.string)
      )
    case let kind: return .other(kind: kind)
    }
  }

  private func list(_ json: JSONValue) throws(WireError) -> WireList {
    var list = WireList(
      life: try json.life,
      generation: try json.required("generation", \.integer),
      sections: []
    )
    list.groups = try json.groups { (json) throws(WireError) in try json.group }
    for section in try json.required("sections", \.array) {
      let rows = try section.required("rows", \.array)
      for row in rows where row["id"] == nil { throw .invalid(key: "id") }
      list.sections.append(
        WireList.Section(
          id: try section.required("id", \.self),
          title: try section.required("title", \.string),
          aggregates: try section.aggregates,
          total: try section.total,
          rows: rows
        )
      )
    }
    let count = list.sections.reduce(0) { $0 + $1.rows.count }
    let expected = try json.required("rows", \.integer)
    guard expected == count else { throw .rowCount(expected: expected, found: count) }
    try list.checkGroups()
    return list
  }

  private func delta(_ json: JSONValue) throws(WireError) -> WireDelta {
    var delta = WireDelta(
      from: try json.required("from", \.integer),
      to: try json.required("to", \.integer),
      cause: try json.required("cause", \.string),
      repaired: json["repaired"]?.string,
      sections: [],
      rows: []
    )
    delta.life = try json.life
    delta.isPartial = json["unobserved"] != nil
    delta.groups = try json.groups { (json) throws(WireError) in
      let operation = try json.required("op", \.operation)
      return WireDelta.Group(
        operation: operation,
        from: operation == .insert ? nil : try json.required("from", \.integer),
        to: operation == .delete ? nil : try json.required("to", \.integer),
        id: try json.required("id", \.self),
        group: operation == .delete ? nil : try json.group
      )
    }
    for json in try json.required("sections", \.array) {
      let operation = try json.required("op", \.operation)
      delta.sections.append(
        WireDelta.Section(
          operation: operation,
          from: operation == .insert ? nil : try json.required("from", \.integer),
          to: operation == .delete ? nil : try json.required("to", \.integer),
          id: try json.required("id", \.self),
          title: operation == .delete ? nil : try json.required("title", \.string),
          aggregates: operation == .delete ? nil : try json.aggregates,
          total: operation == .delete ? nil : try json.total
        )
      )
    }
    for json in try json.required("rows", \.array) {
      let operation = try json.required("op", \.operation)
      let id = try json.required("id", \.self)
      let row = operation == .delete ? nil : try json.required("row", \.self)
      if let row, row["id"] != id { throw .invalid(key: "row") }
      delta.rows.append(
        WireDelta.Row(
          operation: operation,
          id: id,
          from: operation == .insert ? nil : OldPath(try json.required("from", \.path)),
          to: operation == .delete ? nil : NewPath(try json.required("to", \.path)),
          changed: try json.changedNames,
          row: row
        )
      )
    }
    return delta
  }
}

extension JSONValue {
  fileprivate func required<Kind>(
    _ key: String,
    _ kind: (JSONValue) -> Kind?
  ) throws(WireError) -> Kind {
    guard let value = self[key].flatMap(kind) else { throw .invalid(key: key) }
    return value
  }

  fileprivate var operation: WireDelta.Operation? {
    string.flatMap { WireDelta.Operation(rawValue: $0) }
  }

  fileprivate var path: RowPath? {
    guard let parts = array, parts.count == 2, let section = parts[0].integer,
      let row = parts[1].integer
    else { return nil }
    return RowPath(section: section, row: row)
  }

  fileprivate var life: ResultsLife {
    get throws(WireError) {
      guard let life = self["life"] else { return .unknown }
      guard let text = life.string else { throw .invalid(key: "life") }
      return ResultsLife(text)
    }
  }

  /// The members of `groups`, which is absent in a list without them.
  fileprivate func groups<Group>(
    _ group: (JSONValue) throws(WireError) -> Group
  ) throws(WireError) -> [Group] {
    guard let json = self["groups"] else { return [] }
    guard let members = json.array else { throw .invalid(key: "groups") }
    var groups: [Group] = []
    for member in members { groups.append(try group(member)) }
    return groups
  }

  fileprivate var group: WireList.Group {
    get throws(WireError) {
      WireList.Group(
        id: try required("id", \.self),
        title: try required("title", \.string),
        sections: try required("sections", \.integer),
        rows: try required("rows", \.integer),
        aggregates: try aggregates
      )
    }
  }

  fileprivate var total: Int? {
    get throws(WireError) {
      guard let total = self["total"] else { return nil }
      guard let number = total.integer else { throw .invalid(key: "total") }
      return number
    }
  }

  fileprivate var aggregates: JSONValue? {
    get throws(WireError) {
      guard let aggregates = self["aggregates"] else { return nil }
      guard case .object = aggregates else { throw .invalid(key: "aggregates") }
      return aggregates
    }
  }

  fileprivate var changedNames: [String]? {
    get throws(WireError) {
      guard let changed = self["changed"], changed != .null else { return nil }
      guard let values = changed.array else { throw .invalid(key: "changed") }
      let names = values.compactMap(\.string)
      guard names.count == values.count else { throw .invalid(key: "changed") }
      return names
    }
  }
}
