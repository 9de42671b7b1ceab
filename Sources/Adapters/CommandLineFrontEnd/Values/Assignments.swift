import ResultsDomain

/// Values that a person gave as `ATTRIBUTE=VALUE`.
struct Assignments {
  private var values: [(index: Int, value: Value)] = []
  /// The object's key, if it was given.
  private(set) var key: ObjectKey?

  /// Reads the words of a command.
  /// - Throws: `CommandFailure` for a word without `=`, an unknown or repeated attribute, or a value that is not understood.
  init(_ words: [String], of entity: EntityDescription, for reader: ReaderSettings) throws {
    for word in words {
      // Bytes, because a mark that begins the value would hide the sign in one cluster.
      guard let mark = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        throw CommandFailure(
          .usage,
          "“\(word)” is not ATTRIBUTE=VALUE.",
          remedy:
            "Write for example \(entity.attributes.first?.name ?? "name")=…, in quotes if there are spaces."
        )
      }
      let name = String(word[..<mark])
      let text = String(word[word.utf8.index(after: mark)...])
      if entity.index(of: name) == nil, entity.identity.columns == [name] {
        key = try ObjectKey(typed: text, of: entity)
        continue
      }
      guard let index = entity.index(of: name) else {
        throw CommandFailure.unknownAttribute(
          name,
          of: entity.name,
          known: entity.attributes.map(\.name)
        )
      }
      guard !values.contains(where: { $0.index == index }) else {
        throw CommandFailure(.usage, "\(name) is given twice.", remedy: "Give each value once.")
      }
      let attribute = entity.attributes[index]
      let value: Value =
        text == "NULL" ? .null : try ValueReader(reader).value(text, of: attribute)
      values.append((index, value))
    }
  }

  /// Writes the given values over a row's.
  func apply(to row: inout [Value]) {
    for (index, value) in values { row[index] = value }
  }
}
