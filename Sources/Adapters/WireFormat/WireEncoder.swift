public import ResultsDomain
public import ResultsPresentation

/// An encoder of snapshots and deltas in the wire form, version 1: each is one line of JSON (R46).
///
/// Integers and finite reals are written as numbers, exact decimals as texts with a point, dates in ISO 8601 with offset `Z`, and
/// without a time for a whole day, booleans as `true` and `false`, blobs as `{"base64":"…"}`, infinite reals as the texts `inf` and `-inf`. A text
/// that is not UTF-8 is `{"text":"…","base64":"…"}`: as it is shown, and its bytes. A section's later run of one value (R04) has
/// the id `{"value":…,"occurrence":1}`. `"changed":null` means that the changed attributes are not known. A row whose values were not
/// read has its id alone. The member `id` of a row is its key: an attribute of that name is written as `id_`. A section's declared
/// aggregates follow its title in `"aggregates"`, as values of their types; a sum beyond 64 bits is `{"overflow":true}` (R78). The life
/// that generations are counted in is in `"life"`, unless it is unknown (R44).
public struct WireEncoder: Sendable {
  /// The version of the wire form.
  public static let version = 1

  private let entity: EntityDescription
  private let columns: [(index: Int, label: String, attribute: AttributeDescription)]
  /// The names of all attributes as they are written.
  private let names: [String]
  private let sectionType: AttributeType?

  /// Creates an encoder of one list.
  /// - Parameters:
  ///   - entity: The entity of the rows.
  ///   - attributes: The attributes to write, in this order; `nil` for all. Unknown names are left out.
  ///   - sectionType: The type of the attribute whose values are the section ids; `nil` writes them by storage class.
  public init(
    entity: EntityDescription,
    attributes: [String]? = nil,
    sectionType: AttributeType? = nil
  ) {
    self.entity = entity
    self.sectionType = sectionType
    let indexes = attributes?.compactMap(entity.index(of:)) ?? Array(entity.attributes.indices)
    let names = WireEncoder.names(of: entity)
    self.names = names
    columns = indexes.map { index in
      (index, "," + JSONValue.string(names[index]).text + ":", entity.attributes[index])
    }
  }

  /// The names of attributes as they are written: `id` is the key's, so an attribute with that name gets as many underscores as make it
  /// unique.
  private static func names(of entity: EntityDescription) -> [String] {
    let names = entity.attributes.map(\.name)
    return names.map { name in
      guard name.hasSameBytes(as: "id") else { return name }
      var free = name + "_"
      while names.contains(where: free.hasSameBytes(as:)) { free += "_" }
      return free
    }
  }

  /// Returns the line of a whole list.
  /// - Complexity: O(*n*) in the bytes.
  public func snapshot(
    at position: ResultsPosition,
    groups: [GroupHeader] = [],
    sections: some Collection<WireSection>
  ) -> String {
    var writer = JSONWriter()
    writer.write(raw: "{\"v\":1,\"t\":\"snapshot\"")
    write(position, groups, sections, &writer)
    return writer.text
  }

  /// Returns the line of a whole list that replaces what a client has.
  /// - Complexity: O(*n*) in the bytes.
  public func reset(
    because reason: ResultsResetReason,
    at position: ResultsPosition,
    groups: [GroupHeader] = [],
    sections: some Collection<WireSection>
  ) -> String {
    reset(reason: reason.wireName, at: position, groups: groups, sections: sections)
  }

  /// Returns the line of a whole list that replaces what a client has, with a reason of your own.
  /// - Complexity: O(*n*) in the bytes.
  public func reset(
    reason: String,
    at position: ResultsPosition,
    groups: [GroupHeader] = [],
    sections: some Collection<WireSection>
  ) -> String {
    var writer = JSONWriter()
    writer.write(raw: "{\"v\":1,\"t\":\"reset\",\"reason\":")
    writer.write(string: reason)
    write(position, groups, sections, &writer)
    return writer.text
  }

  /// Returns the line of a failure; the last good list stays.
  public func error(_ message: String, generation: Int) -> String {
    var writer = JSONWriter()
    writer.write(raw: "{\"v\":1,\"t\":\"error\",\"generation\":\(generation),\"error\":")
    writer.write(string: message)
    writer.write(raw: "}")
    return writer.text
  }

  /// Returns the line that says why the list is compared with the store after commits of others, or that it no longer is.
  /// - Parameter problems: `StoreCapabilities.captureProblems`.
  /// - Returns: The line, without a line feed.
  public static func capture(problems: [String]) -> String {
    var writer = JSONWriter()
    writer.write(raw: "{\"v\":1,\"t\":\"capture\",\"complete\":\(problems.isEmpty)")
    writer.write(",\"problems\":[", problems, "]}") { $0.write(string: $1) }
    return writer.text
  }

  /// Returns the JSON object of one row, its id first.
  public func row(_ row: Row) -> String {
    var writer = JSONWriter()
    write(row, &writer)
    return writer.text
  }

  /// Returns the line of a change.
  /// - Parameters:
  ///   - delta: The change.
  ///   - row: Returns the values of a row where the delta does not hold them, or `nil`.
  /// - Returns: The line, without a line feed.
  /// - Complexity: O(*n*) in the bytes.
  public func delta(
    _ delta: ResultsDelta,
    row: (ObjectID) -> Row? = { _ in nil }
  ) -> String {
    var writer = JSONWriter()
    writer.write(raw: "{\"v\":1,\"t\":\"delta\"")
    writer.write(delta.life)
    writer.write(raw: ",\"from\":\(delta.from),\"to\":\(delta.to)")
    writer.write(raw: ",\"cause\":\"\(delta.cause.rawValue)\"")
    if let repair = delta.repair {
      writer.write(raw: ",\"repaired\":\"\(repair.rawValue)\"")
    }
    if let unobserved = delta.unobserved { write(unobserved, &writer) }
    if !delta.groups.isEmpty { write(delta.groups, &writer) }
    writer.write(raw: ",\"sections\":[")
    var separator = WireSeparator()
    for section in delta.sections.deletes {
      writer.write(raw: "\(separator.next){\"op\":\"delete\",\"from\":\(section.from)")
      write(id: section.old.id, &writer)
      writer.write(raw: "}")
    }
    for section in delta.sections.moves {
      writer.write(raw: "\(separator.next){\"op\":\"move\"")
      writer.write(raw: ",\"from\":\(section.from),\"to\":\(section.to)")
      write(section.new, &writer)
    }
    for section in delta.sections.inserts {
      writer.write(raw: "\(separator.next){\"op\":\"insert\",\"to\":\(section.to)")
      write(section.new, &writer)
    }
    for section in delta.sections.updates {
      writer.write(raw: "\(separator.next){\"op\":\"update\"")
      writer.write(raw: ",\"from\":\(section.from),\"to\":\(section.to)")
      write(section.new, &writer)
    }
    writer.write(raw: "],\"rows\":[")
    write(delta.rows, &writer, row)
    writer.write(raw: "]}")
    return writer.text
  }

  private func write(
    _ rows: RowChanges,
    _ writer: inout JSONWriter,
    _ values: (ObjectID) -> Row?
  ) {
    var separator = WireSeparator()
    for delete in rows.deletes {
      writer.write(raw: "\(separator.next){\"op\":\"delete\",\"id\":")
      write(delete.id.key, &writer)
      writer.write(raw: ",\"from\":\(delete.from.path)}")
    }
    func writeAll(_ survivors: [RowChanges.Survivor], _ op: String) {
      for survivor in survivors {
        writer.write(raw: "\(separator.next){\"op\":\"\(op)\",\"id\":")
        write(survivor.id.key, &writer)
        writer.write(raw: ",\"from\":\(survivor.from.path),\"to\":\(survivor.to.path)")
        writer.write(raw: ",\"changed\":")
        if let changed = survivor.changed {
          let indexes = changed.indexes.filter(names.indices.contains)
          writer.write("[", indexes, "]") { $0.write(string: names[$1]) }
        } else {
          writer.write(raw: "null")
        }
        write(member: survivor.new ?? values(survivor.id), survivor.id, &writer)
      }
    }
    writeAll(rows.moves, "move")
    for insert in rows.inserts {
      writer.write(raw: "\(separator.next){\"op\":\"insert\",\"id\":")
      write(insert.id.key, &writer)
      writer.write(raw: ",\"to\":\(insert.to.path)")
      if let former = rows.formerIDs[insert.id] {
        writer.write(raw: ",\"formerly\":")
        write(former.key, &writer)
      }
      write(member: insert.new ?? values(insert.id), insert.id, &writer)
    }
    writeAll(rows.updates, "update")
  }

  private func write(member row: Row?, _ id: ObjectID, _ writer: inout JSONWriter) {
    writer.write(raw: ",\"row\":")
    if let row {
      write(row, &writer)
    } else {
      writer.write(raw: "{\"id\":")
      write(id.key, &writer)
      writer.write(raw: "}")
    }
    writer.write(raw: "}")
  }

  private func write(
    _ position: ResultsPosition,
    _ groups: [GroupHeader],
    _ sections: some Collection<WireSection>,
    _ writer: inout JSONWriter
  ) {
    let count = sections.reduce(0) { $0 + $1.rows.count }
    writer.write(position.life)
    writer.write(raw: ",\"generation\":\(position.generation),\"rows\":\(count)")
    if !groups.isEmpty {
      writer.write(",\"groups\":[", groups, "]") { writer, group in
        writer.write(raw: "{")
        write(members: group, &writer)
      }
    }
    writer.write(",\"sections\":[", sections, "]}") { writer, section in
      writer.write(raw: "{\"id\":")
      write(section.header.id, &writer)
      writer.write(raw: ",\"title\":")
      writer.write(string: section.header.title)
      write(section.header.aggregates, &writer)
      write(total: section.header, &writer)
      writer.write(",\"rows\":[", section.rows, "]}") { write($1, &$0) }
    }
  }

  private func write(_ changes: GroupChanges, _ writer: inout JSONWriter) {
    writer.write(raw: ",\"groups\":[")
    var separator = WireSeparator()
    for group in changes.deletes {
      writer.write(raw: "\(separator.next){\"op\":\"delete\",\"from\":\(group.from),\"id\":")
      write(group.old.id, nil, &writer)
      writer.write(raw: "}")
    }
    for group in changes.moves {
      writer.write(raw: "\(separator.next){\"op\":\"move\"")
      writer.write(raw: ",\"from\":\(group.from),\"to\":\(group.to),")
      write(members: group.new, &writer)
    }
    for group in changes.inserts {
      writer.write(raw: "\(separator.next){\"op\":\"insert\",\"to\":\(group.to),")
      write(members: group.new, &writer)
    }
    for group in changes.updates {
      writer.write(raw: "\(separator.next){\"op\":\"update\"")
      writer.write(raw: ",\"from\":\(group.from),\"to\":\(group.to),")
      write(members: group.new, &writer)
    }
    writer.write(raw: "]")
  }

  /// Writes the members of a group, and the end of the object.
  private func write(members header: GroupHeader, _ writer: inout JSONWriter) {
    writer.write(raw: "\"id\":")
    write(header.id, nil, &writer)
    writer.write(raw: ",\"title\":")
    writer.write(string: header.title)
    writer.write(raw: ",\"sections\":\(header.sectionCount),\"rows\":\(header.rowCount)")
    write(header.aggregates, &writer)
    writer.write(raw: "}")
  }

  private func write(_ header: SectionHeader, _ writer: inout JSONWriter) {
    write(id: header.id, &writer)
    writer.write(raw: ",\"title\":")
    writer.write(string: header.title)
    write(header.aggregates, &writer)
    write(total: header, &writer)
    writer.write(raw: "}")
  }

  /// Writes the number of rows of a section with a limit.
  private func write(total header: SectionHeader, _ writer: inout JSONWriter) {
    if let total = header.matchingCount { writer.write(raw: ",\"total\":\(total)") }
  }

  private func write(_ aggregates: SectionAggregates, _ writer: inout JSONWriter) {
    guard !aggregates.isEmpty else { return }
    writer.write(",\"aggregates\":{", aggregates, "}") { writer, aggregate in
      writer.write(string: aggregate.name)
      writer.write(raw: ":")
      if aggregate.value.isOverflow {
        writer.write(raw: "{\"overflow\":true}")
      } else {
        write(aggregate.value.value, aggregate.value.type, &writer)
      }
    }
  }

  private func write(_ unobserved: UnobservedChanges, _ writer: inout JSONWriter) {
    let (old, new) = (unobserved.oldRows, unobserved.newRows)
    writer.write(raw: ",\"unobserved\":{\"from\":[\(old.lowerBound),\(old.upperBound)]")
    writer.write(raw: ",\"to\":[\(new.lowerBound),\(new.upperBound)]")
    for (name, counts) in [("above", unobserved.above), ("below", unobserved.below)] {
      writer.write(raw: ",\"\(name)\":{\"delete\":\(counts.removed)")
      writer.write(raw: ",\"insert\":\(counts.inserted),\"change\":\(counts.changed)}")
    }
    if !unobserved.isComplete { writer.write(raw: ",\"complete\":false") }
    writer.write(raw: "}")
  }

  private func write(id: SectionID, _ writer: inout JSONWriter) {
    writer.write(raw: ",\"id\":")
    write(id, &writer)
  }

  private func write(_ id: SectionID, _ writer: inout JSONWriter) {
    guard id.occurrence != 0 else { return write(id.value, sectionType, &writer) }
    writer.write(raw: "{\"value\":")
    write(id.value, sectionType, &writer)
    writer.write(raw: ",\"occurrence\":\(id.occurrence)}")
  }

  private func write(_ key: ObjectKey, _ writer: inout JSONWriter) {
    switch key {
    case .integer(let number): writer.write(raw: String(number))
    case .text(let text): writer.write(string: text)
    case .compound(let parts):
      if case .text = entity.identity, let part = parts.first { return write(part, nil, &writer) }
      let types = entity.keyTypes
      writer.write("[", parts.enumerated(), "]") { writer, part in
        let type = types.indices.contains(part.offset) ? types[part.offset] : nil
        write(part.element, type, &writer)
      }
    }
  }

  private func write(_ row: Row, _ writer: inout JSONWriter) {
    writer.write(raw: "{\"id\":")
    write(row.id.key, &writer)
    for column in columns {
      writer.write(raw: column.label)
      let value = row.values.indices.contains(column.index) ? row.values[column.index] : .null
      let shown = column.attribute.shown(value)
      write(shown.value, shown.type, &writer)
    }
    writer.write(raw: "}")
  }

  private func write(_ value: Value, _ type: AttributeType?, _ writer: inout JSONWriter) {
    switch (value, type) {
    case (.null, _): writer.write(raw: "null")
    case (.integer(let number), .date):
      writer.write(string: Instant(microseconds: number).plainText)
    case (.integer(let units), .decimal(let scale)):
      writer.write(string: ExactDecimal(units: units, scale: scale).description)
    case (.integer(0), .boolean): writer.write(raw: "false")
    case (.integer(1), .boolean): writer.write(raw: "true")
    case (.integer(let number), _): writer.write(raw: String(number))
    case (.real(let number), _):
      // JSON has no number for an infinite real.
      if number.isFinite {
        writer.write(raw: String(number))
      } else {
        writer.write(string: AttributeType.real.machineText(of: value))
      }
    case (.text(let text), _): writer.write(string: text)
    case (.blob, _):
      writer.write(raw: "{\"base64\":\"\(AttributeType.blob.machineText(of: value))\"}")
    case (.illFormedText(let text), _):
      writer.write(raw: "{\"text\":")
      writer.write(string: text.repaired)
      let bytes = AttributeType.blob.machineText(of: .blob(text.bytes))
      writer.write(raw: ",\"base64\":\"\(bytes)\"}")
    }
  }
}

extension JSONWriter {
  /// Writes the member that names a life after other members; nothing if it is unknown.
  mutating func write(_ life: ResultsLife) {
    guard life != .unknown else { return }
    write(raw: ",\"life\":")
    write(string: life.text)
  }
}

/// An empty text the first time, then a comma.
private struct WireSeparator {
  private var isFirst = true

  var next: String {
    mutating get {
      defer { isFirst = false }
      return isFirst ? "" : ","
    }
  }
}
