/// Names of Swift for tables and columns, each once in its scope.
struct SwiftNames {
  private var taken: Set<String>

  init(taken: Set<String>) { self.taken = taken }

  /// Types of the language and of the package that a struct of the same name would hide.
  static let knownTypes: Set<String> = [
    "Any", "Array", "Attribute", "Bool", "Character", "Double", "Entity", "EntitySchema", "Error",
    "ExactDecimal", "Instant", "Int", "Int16", "Int32", "Int64", "Link", "Never", "Optional",
    "Protocol", "Relationship", "Result", "Row", "Self", "Set", "String", "ToMany", "ToOne", "Type",
    "UInt8", "Value", "Void",
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

  /// Excludes a name that was added to another scope.
  mutating func reserve(_ name: String) {
    taken.insert(name.replacing("`", with: ""))
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
