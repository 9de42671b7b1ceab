import ResultsDomain
import ResultsStoreKit

/// The Swift source of entities for discovered tables.
struct SwiftSource {
  private let tables: [SwiftTable]

  init(of tables: [any DescribedTable]) {
    var names = SwiftNames(taken: SwiftNames.knownTypes)
    self.tables = tables.map { SwiftTable($0, type: names.add(SwiftNames.type($0.name))) }
  }

  /// The text of a source file.
  var text: String {
    let relationships = SwiftRelationships(tables)
    return (["import FetchedResults"] + tables.map { declaration(of: $0, relationships) })
      .joined(separator: "\n\n") + "\n"
  }

  private func declaration(of table: SwiftTable, _ all: SwiftRelationships) -> String {
    let kind = table.description.isView ? "view" : "table"
    guard let entity = table.entity else {
      let reason = table.refusal.map { ", because \($0)" } ?? ""
      let name = table.description.name.inComment
      return "// \(table.description.kindText) \(name): no entity\(reason.inComment)."
    }
    if let uses = all.linked(by: table) {
      return "// The table \(table.description.name.inComment) is the link of \(uses)."
        + all.missingIndexes(of: table).map { "\n\($0)" }.joined()
    }
    var lines = ["/// A row of the \(kind) \(table.description.name.inComment)."]
    lines += table.description.remarks.map { "///\n/// \($0.inComment)" }
    lines.append("struct \(table.type): Entity {")
    lines += (table.keyProperty.map { [$0] } ?? []).map { "  \($0)" }
    lines += table.declaredAttributes.map { "  \(property($0, of: table))" }
    lines += table.conversions.map { "  \($0)" }
    let relationships = all.declarations(of: table)
    if !relationships.isEmpty { lines += [""] + relationships.map { "  \($0)" } }
    lines += ["", "  static let schema = EntitySchema<\(table.type)>("]
    lines.append("    \(entity.name.asLiteral), \(table.identity)")
    lines.append("  ) {")
    lines += table.declaredAttributes.map { attribute in
      let property = table.members[attribute.name] ?? ""
      return
        "    Attribute(\\.\(property), \(attribute.name.asLiteral)\(form(of: attribute, in: table)))"
    }
    lines += all.names(of: table).map { "    Relationship(\($0))" }
    lines += ["  }", "}"]
    return lines.joined(separator: "\n")
  }

  /// The declaration of an attribute's property, with its initial value.
  private func property(_ attribute: AttributeDescription, of table: SwiftTable) -> String {
    let (type, initial): (String, String) =
      switch attribute.type {
      case .integer16: ("Int16", "0")
      case .integer32: ("Int32", "0")
      case .integer64: ("Int64", "0")
      case .boolean: ("Bool", "false")
      case .date: ("Instant", "Instant(microseconds: 0)")
      case .decimal(let scale): ("ExactDecimal", "ExactDecimal(units: 0, scale: \(scale))")
      case .real: ("Double", "0")
      case .text: ("String", "\"\"")
      case .blob: ("[UInt8]", "[]")
      }
    var notes: [String] = []
    if table.description.generatedAttributes.contains(attribute.name) {
      notes.append("calculated: read only")
    }
    if table.description.mixedAttributes.contains(attribute.name) {
      notes.append(
        "has no declared type, and other values than \(attribute.type): their rows are errors"
      )
    }
    let name = table.members[attribute.name] ?? ""
    let isOptional =
      attribute.isOptional && !table.description.requiredAttributes.contains(attribute.name)
    return "var \(name): \(type)\(isOptional ? "?" : " = \(initial)")"
      + (notes.isEmpty ? "" : "  // " + notes.joined(separator: "; "))
  }

  private func form(of attribute: AttributeDescription, in table: SwiftTable) -> String {
    if case .decimal(let scale) = attribute.type { return ", scale: \(scale)" }
    guard let form = attribute.form ?? table.description.unsortableForms[attribute.name] else {
      return ""
    }
    let text =
      switch form {
      case .dateText(let digits): "dateText(digits: \(digits))"
      case .dateTextOmittingZeroFraction: "dateTextOmittingZeroFraction"
      case .iso8601(let digits): "iso8601(digits: \(digits))"
      case .uuidText(let isUppercase): "uuidText(isUppercase: \(isUppercase))"
      case .epochSeconds: "epochSeconds"
      case .epochMilliseconds: "epochMilliseconds"
      case .referenceSeconds: "referenceSeconds"
      case .fileTimeMicroseconds: "fileTimeMicroseconds"
      case .dayText: "dayText"
      case .uuidHex: "uuidHex"
      case .uuidBlob: "uuidBlob"
      case .decimalText: "decimalText"
      case .json: "json"
      case .words(let words): "words(\(words))"
      }
    return ", as: .\(text)"
  }
}

/// A table with the names that its declaration uses.
struct SwiftTable {
  let description: any DescribedTable
  /// The name of the struct.
  let type: String
  /// The property of each column, and of the key.
  let members: [String: String]
  /// The static member of each relationship.
  let relationships: [String: String]

  init(_ description: any DescribedTable, type: String) {
    self.description = description
    self.type = type
    var names = SwiftNames(taken: SwiftNames.knownMembers)
    var members: [String: String] = [:]
    var relationships: [String: String] = [:]
    if let entity = try? description.entity.get() {
      let keys = entity.keyAttributeIndexes.isEmpty ? entity.identity.columns : []
      for column in keys + entity.attributes.map(\.name) {
        members[column] = names.add(SwiftNames.member(column))
      }
      // A property of the type and one of its values can have the same name, as a relationship and its foreign key do.
      var statics = SwiftNames(taken: SwiftNames.knownMembers)
      for relationship in entity.relationships {
        let member = SwiftNames.member(relationship.name)
        let name = relationship.isNamedAsItsKey ? statics.add(member) : names.add(member)
        names.reserve(name)
        statics.reserve(name)
        relationships[relationship.name] = name
      }
    }
    self.members = members
    self.relationships = relationships
  }

  /// The entity, or `nil` if the table cannot be listed.
  var entity: EntityDescription? { try? description.entity.get() }

  /// The attributes that a declaration can have.
  var declaredAttributes: [AttributeDescription] {
    (entity?.attributes ?? []).filter { !isConverted($0) }
  }

  /// Comments on the columns that it cannot have.
  var conversions: [String] {
    (entity?.attributes ?? []).filter(isConverted)
      .map {
        "// \($0.name.inComment): left out, because its declared type turns some values into others."
      }
      + description.omittedColumns.map {
        "// \($0.name.inComment): left out, because it \($0.reason)."
      }
  }

  private func isConverted(_ attribute: AttributeDescription) -> Bool {
    description.convertedAttributes.contains(attribute.name)
      && entity?.identity.columns.contains(attribute.name) == false
      && !description.foreignKeys.contains { $0.columns.contains(attribute.name) }
  }

  /// Why the table cannot be listed.
  var refusal: String? {
    if case .failure(let refusal) = description.entity { "\(refusal)" } else { nil }
  }

  /// The declaration of the property that holds the key, unless attributes are the key.
  var keyProperty: String? {
    guard let entity, let key = entity.identity.columns.first.flatMap({ members[$0] }) else {
      return nil
    }
    return switch entity.identity {
    case .integer: "var \(key): Int64?"
    case .text: "var \(key) = \"\""
    case .compound: nil
    }
  }

  /// The arguments of the schema that name the key.
  var identity: String {
    guard let entity else { return "" }
    let columns = entity.identity.columns.map(\.asLiteral)
    let key = entity.identity.columns.first.flatMap { members[$0] } ?? ""
    return switch entity.identity {
    case .integer: "identity: \\.\(key), column: \(columns[0])"
    case .text: "textIdentity: \\.\(key), column: \(columns[0])"
    case .compound: "compoundIdentity: [\(columns.joined(separator: ", "))]"
    }
  }
}

extension String {
  /// A literal of Swift: what is not a plain character of ASCII is escaped.
  var asLiteral: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\" + String(scalar)
      case " "..."~": text.unicodeScalars.append(scalar)
      default: text += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return text + "\""
  }

  /// The text on one line, as in a comment.
  var inComment: String {
    String(
      UnicodeScalarView(
        unicodeScalars.map { scalar in
          let isBreak =
            scalar.value < 32 || ["\u{7F}", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
          return isBreak ? " " : scalar
        }
      )
    )
  }
}
