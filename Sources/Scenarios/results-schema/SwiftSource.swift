import ResultsDomain
import SQLitePersistence

/// The Swift source of entities for discovered tables.
struct SwiftSource {
  private let tables: [TableDescription]
  private let typeNames: [String: String]

  init(of tables: [TableDescription]) {
    self.tables = tables
    var names = SwiftNames(taken: SwiftNames.knownTypes)
    var typeNames: [String: String] = [:]
    for table in tables { typeNames[table.name] = names.add(SwiftNames.type(table.name)) }
    self.typeNames = typeNames
  }

  /// The text of a source file.
  var text: String {
    (["import FetchedResults"] + tables.map(declaration)).joined(separator: "\n\n") + "\n"
  }

  private func declaration(of table: TableDescription) -> String {
    switch table.entity {
    case .failure(let refusal):
      return
        "// \(table.kind.rawValue) \(comment(table.name)): no entity, because \(comment("\(refusal)"))."
    case .success(let entity): return declaration(of: table, entity)
    }
  }

  private func declaration(of table: TableDescription, _ entity: EntityDescription) -> String {
    let name = typeNames[table.name] ?? "Table"
    var names = SwiftNames(taken: SwiftNames.knownMembers)
    var properties: [String] = []
    var identity: String
    switch entity.identity {
    case .integer(let column):
      let key = names.add(SwiftNames.member(column))
      properties.append("var \(key): Int64?")
      identity = "identity: \\.\(key), column: \(literal(column))"
    case .text(let column):
      let key = names.add(SwiftNames.member(column))
      properties.append("var \(key) = \"\"")
      identity = "textIdentity: \\.\(key), column: \(literal(column))"
    case .compound(let columns):
      identity = "compoundIdentity: [\(columns.map(literal).joined(separator: ", "))]"
    }
    var attributes: [String] = []
    for attribute in entity.attributes {
      let property = names.add(SwiftNames.member(attribute.name))
      let note =
        table.generatedAttributes.contains(attribute.name) ? "  // calculated: read only" : ""
      properties.append("var \(property)\(type(of: attribute))\(note)")
      attributes.append(
        "Attribute(\\.\(property), \(literal(attribute.name))\(form(of: attribute)))"
      )
    }
    let relationships = entity.relationships.map { relationship in
      let kind =
        switch relationship.kind {
        case .toOne(let columns): "to one, by \(columns.joined(separator: ", "))"
        case .toMany(let columns): "to many, by their \(columns.joined(separator: ", "))"
        case .manyToMany(let link, _, _): "to many, through \(link.entity.name)"
        }
      return
        "/// - \(comment(relationship.name)): \(comment(relationship.destination.name)), \(comment(kind))"
    }
    var lines = [
      "/// A row of the \(table.kind == .view ? "view" : "table") \(comment(table.name))."
    ]
    if table.kind == .view { lines.append("///\n/// A view is read only.") }
    if !relationships.isEmpty { lines += ["///", "/// Relationships:"] + relationships }
    lines.append("struct \(name): Entity {")
    lines += properties.map { "  \($0)" }
    lines += ["", "  static let schema = EntitySchema<\(name)>("]
    lines.append("    \(literal(entity.name)), \(identity)")
    lines += ["  ) {"] + attributes.map { "    \($0)" } + ["  }", "}"]
    return lines.joined(separator: "\n")
  }

  /// The type of a property with its initial value.
  private func type(of attribute: AttributeDescription) -> String {
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
    if case .decimal = attribute.type { return ": \(type) = \(initial)" }
    return attribute.isOptional ? ": \(type)?" : ": \(type) = \(initial)"
  }

  private func form(of attribute: AttributeDescription) -> String {
    if case .decimal(let scale) = attribute.type { return ", scale: \(scale)" }
    guard let form = attribute.form else { return "" }
    let text =
      switch form {
      case .dateText(let digits): "dateText(digits: \(digits))"
      case .iso8601(let digits): "iso8601(digits: \(digits))"
      case .uuidText(let isUppercase): "uuidText(isUppercase: \(isUppercase))"
      case .epochSeconds: "epochSeconds"
      case .epochMilliseconds: "epochMilliseconds"
      case .referenceSeconds: "referenceSeconds"
      case .fileTimeMicroseconds: "fileTimeMicroseconds"
      case .uuidHex: "uuidHex"
      case .uuidBlob: "uuidBlob"
      case .decimalText: "decimalText"
      case .json: "json"
      }
    return ", as: .\(text)"
  }

  /// A name as a literal of Swift: what is not a plain character of ASCII is escaped.
  private func literal(_ name: String) -> String {
    var text = "\""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\" + String(scalar)
      case " "..."~": text.unicodeScalars.append(scalar)
      default: text += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return text + "\""
  }

  /// A text in a comment, on one line.
  private func comment(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
  }
}

/// Names of Swift for tables and columns, each once in its scope.
struct SwiftNames {
  private var taken: Set<String>

  init(taken: Set<String>) { self.taken = taken }

  /// Types of the language and of the package that a struct of the same name would hide.
  static let knownTypes: Set<String> = [
    "Any", "Array", "Attribute", "Bool", "Character", "Double", "Entity", "EntitySchema", "Error",
    "ExactDecimal", "Instant", "Int", "Int16", "Int32", "Int64", "Never", "Optional", "Protocol",
    "Result", "Row", "Self", "Set", "String", "Type", "UInt8", "Value", "Void",
  ]

  /// Members of an entity, and names that mean something else in a key path.
  static let knownMembers: Set<String> = [
    "Protocol", "Type", "attributeValues", "entity", "init", "objectID", "schema", "self",
  ]

  private static let keywords: Set<String> = [
    "Any", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default",
    "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
    "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
    "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
    "self", "Self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
    "try", "typealias", "var", "where", "while",
  ]

  /// Adds a name, changed so that it is unique and no keyword.
  mutating func add(_ name: String) -> String {
    var unique = name
    var number = 2
    while !taken.insert(unique).inserted {
      unique = "\(name)\(number)"
      number += 1
    }
    return SwiftNames.keywords.contains(unique) ? "`\(unique)`" : unique
  }

  /// The name of a type: its words with capitals.
  static func type(_ name: String) -> String {
    let joined = words(of: name).map(capitalized).joined()
    return begun(joined.isEmpty ? "Table" : joined)
  }

  /// The name of a property: its words with capitals but for the first, and `ID` for an id.
  static func member(_ name: String) -> String {
    var words = words(of: name)
    guard !words.isEmpty else { return "column" }
    if words.count > 1, let last = words.last, last.lowercased() == "id" {
      words[words.count - 1] = "ID"
    }
    let first = words[0]
    let isAcronym = first.count > 1 && first.allSatisfy { $0.isUppercase || $0.isNumber }
    let head = isAcronym ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
    return begun(head + words.dropFirst().map(capitalized).joined())
  }

  private static func capitalized(_ word: String) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  /// The name with a character before it that may begin a name of Swift.
  private static func begun(_ name: String) -> String {
    guard let first = name.unicodeScalars.first, first.properties.isXIDStart || first == "_" else {
      return "_" + name
    }
    return name
  }

  /// The words between characters that no name of Swift has, and before capitals that follow a small letter.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var wasSmall = false
    for scalar in name.unicodeScalars {
      let isPart = scalar.properties.isXIDContinue && scalar != "_"
      let isCapital = scalar.properties.isUppercase
      if !isPart || isCapital && wasSmall {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if isPart { word.unicodeScalars.append(scalar) }
      wasSmall = isPart && !isCapital
    }
    return word.isEmpty ? words : words + [word]
  }
}
