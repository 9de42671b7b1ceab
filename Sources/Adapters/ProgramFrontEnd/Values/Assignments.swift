package import ResultsDomain

/// The values of `ATTRIBUTE=VALUE` arguments.
package struct Assignments {
  private var values: [(index: Int, value: Value)] = []
  /// The object's key, if one was given.
  package private(set) var key: ObjectKey?

  /// Parses arguments.
  /// - Throws: `CommandFailure` for an argument without `=`, an unknown or repeated attribute, or an invalid value.
  package init(_ words: [String], of entity: EntityDescription, for settings: LocaleSettings) throws
  {
    for word in words {
      // Bytes: a combining mark at the start of the value would form one character with the sign.
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
        text == "NULL"
        ? .null : try ValueParser(settings, takesWords: true).value(text, of: attribute)
      values.append((index, value))
    }
  }

  /// The given values by the attributes' positions.
  package var assigned: [Int: Value] {
    Dictionary(values.map { ($0.index, $0.value) }, uniquingKeysWith: { _, last in last })
  }

  /// The names of the attributes with a value, in the order given.
  package func names(in entity: EntityDescription) -> [String] {
    values.map { entity.attributes[$0.index].name }
  }

  /// Refuses values that a program does not take, although its entity allows them.
  /// - Throws: `CommandFailure` with what is wrong.
  package func check<Program: ListProgram>(for program: Program.Type) throws(CommandFailure) {
    for (index, value) in values {
      let name = Program.fields.form.attributes[index].name
      guard let refusal = Program.refusal(of: value, for: name) else { continue }
      throw CommandFailure(.usage, "\(name): \(refusal)", remedy: "Nothing was stored.")
    }
  }

  /// Replaces the values of a row by the given ones.
  package func apply(to row: inout [Value]) {
    for (index, value) in values { row[index] = value }
  }
}

extension ObjectKey {
  /// Creates a key from an argument: a number, a text, the parts of a compound key with commas, or an object's URI.
  /// - Throws: `CommandFailure` for a text that cannot be a key of the entity.
  package init(typed text: String, of entity: EntityDescription) throws {
    if let id = ObjectID(uri: text), Value.text(id.entity) == .text(entity.name) {
      self = id.key
      return
    }
    let texts: [String] =
      if case .compound = entity.identity {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      } else {
        [text]
      }
    let parts = zip(entity.keyTypes, texts).compactMap { $0.value(parsing: $1) }
    guard parts.count == texts.count, let key = ObjectKey(parts: parts, of: entity.identity) else {
      throw CommandFailure(
        .usage,
        "“\(text)” is not an id of \(entity.name).",
        remedy: "'list --columns id' shows the ids."
      )
    }
    self = key
  }
}
