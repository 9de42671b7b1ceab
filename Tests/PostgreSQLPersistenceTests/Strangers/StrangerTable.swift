#if PostgreSQL
import ResultsDomain
import ResultsTesting

/// A random table of another application on a server, and the entity by which it is listed.
struct StrangerTable: Sendable {
  /// A column, and how its values are read without the store.
  struct Column: Sendable {
    enum Class: Sendable { case integer, real, text, blob, decimal, boolean }

    let name: String
    let type: String
    let kind: Class

    /// The attribute's type.
    var attribute: AttributeType {
      switch kind {
      case .integer: .integer64
      case .real: .real
      case .text: .text
      case .blob: .blob
      case .decimal: .decimal(scale: 2)
      case .boolean: .boolean
      }
    }

    /// The value as text, in SQL.
    var reading: String {
      let name = name.quotedName
      return switch kind {
      case .integer, .text: "\(name)::text"
      case .real: "\(name)::float8::text"
      case .blob: "encode(\(name), 'hex')"
      case .decimal: "(\(name) * 100)::bigint::text"
      case .boolean: "\(name)::int::text"
      }
    }
  }

  var name: String
  let key: [Column]
  let columns: [Column]
  /// The partitions or children, by name.
  var parts: [String]
  let isPartitioned: Bool
  let creation: [String]
  /// Whether rows of children may have equal keys.
  let isParent: Bool

  /// The entity, whose attributes begin with a compound key.
  func entity() throws -> EntityDescription {
    let attributes = columns.map {
      AttributeDescription($0.name, $0.attribute, isOptional: true)
    }
    guard key.count == 1, key[0].kind == .integer || key[0].kind == .text else {
      return try EntityDescription(
        name: name,
        identity: .compound(key.map(\.name)),
        attributes: key.map { AttributeDescription($0.name, $0.attribute) } + attributes
      )
    }
    return try EntityDescription(
      name: name,
      identity: key[0].kind == .integer
        ? .integer(column: key[0].name) : .text(column: key[0].name),
      attributes: attributes
    )
  }
}

/// A maker of random tables.
struct StrangerTables {
  var random: SeededGenerator
  let features: Set<StrangerFeature>
  private var taken: [String] = []

  init(seed: UInt64, _ features: Set<StrangerFeature>) {
    random = SeededGenerator(seed: seed)
    self.features = features
  }

  mutating func happens(_ feature: StrangerFeature, percent: Int) -> Bool {
    features.contains(feature) && random.happens(percent: percent)
  }

  private static let strangeNames = [
    "Two words", "it's", "a\"b", "Ünïcode", "表", "SELECT", "x\"\u{301}y", "'\u{308}", " ", "a.b",
    "%s", "$1", "😀", "UPPER", "user", "back\\slash", "tab\there",
  ]

  mutating func name(besides others: [String]) -> String {
    for _ in 0..<20 {
      let plain = random.choice("item", "orders", "person", "note", "v", "amount", "x", "y", "z")
      let strange =
        happens(.strangeNames, percent: 25) ? random.element(of: Self.strangeNames) : nil
      let name = strange ?? plain
      if !others.contains(name) { return name }
    }
    return "n\(random.number(in: 0...999_999_999))"
  }

  mutating func newName() -> String {
    let name = name(besides: taken)
    taken.append(name)
    return name
  }

  private mutating func column(besides others: [String]) -> StrangerTable.Column {
    let name = name(besides: others)
    if happens(.ownTypes, percent: 25) {
      let (type, kind): (String, StrangerTable.Column.Class) = random.choice(
        ("price", .decimal),
        ("mood", .text),
        ("text COLLATE blind", .text),
        ("text COLLATE \"en-x-icu\"", .text),
        ("citykind", .text)
      )
      return StrangerTable.Column(name: name, type: type, kind: kind)
    }
    let (type, kind): (String, StrangerTable.Column.Class) = random.choice(
      ("text", .text),
      ("integer", .integer),
      ("bigint", .integer),
      ("double precision", .real),
      ("bytea", .blob),
      ("numeric(12,2)", .decimal),
      ("boolean", .boolean),
      ("varchar(40)", .text),
      ("smallint", .integer)
    )
    return StrangerTable.Column(name: name, type: type, kind: kind)
  }

  /// A table that does not exist yet.
  mutating func newTable() -> StrangerTable {
    let name = newName()
    var columns: [StrangerTable.Column] = []
    for _ in 0..<random.number(in: 1...5) { columns.append(column(besides: columns.map(\.name))) }
    let keyNames = ["id", "key", "k2"]
    let (types, kinds): ([String], [StrangerTable.Column.Class]) = random.choice(
      (["integer"], [.integer]),
      (["bigint"], [.integer]),
      (["text"], [.text]),
      (["text", "integer"], [.text, .integer]),
      (["integer", "integer"], [.integer, .integer]),
      (["uuid"], [.text])
    )
    let key = zip(keyNames, zip(types, kinds))
      .map { StrangerTable.Column(name: $0, type: $1.0, kind: $1.1) }
    let isPartitioned = happens(.partitions, percent: 30)
    let isParent = !isPartitioned && happens(.inheritance, percent: 20)
    let definitions =
      key.map { "\($0.name.quotedName) \($0.type) NOT NULL" }
      + columns.map { "\($0.name.quotedName) \($0.type)" }
    let keys = key.map(\.name.quotedName).joined(separator: ", ")
    let unlogged = random.happens(percent: 10) && !isPartitioned ? "UNLOGGED " : ""
    var creation = [
      "CREATE \(unlogged)TABLE \(name.quotedName) (\((definitions + ["PRIMARY KEY (\(keys))"]).joined(separator: ", ")))"
        + (isPartitioned ? " PARTITION BY HASH (\(key[0].name.quotedName))" : "")
    ]
    var parts: [String] = []
    if isPartitioned {
      for number in 0..<3 {
        let part = "\(name) p\(number)"
        parts.append(part)
        creation.append(
          "CREATE TABLE \(part.quotedName) PARTITION OF \(name.quotedName) FOR VALUES WITH (MODULUS 3, REMAINDER \(number))"
        )
      }
    }
    if isParent {
      let part = "\(name) child"
      parts.append(part)
      creation.append("CREATE TABLE \(part.quotedName) () INHERITS (\(name.quotedName))")
    }
    if random.happens(percent: 50), let column = random.element(of: columns) {
      // An enumeration has no collation.
      let collation = column.kind == .text && column.type != "mood" ? " COLLATE \"C\"" : ""
      creation.append(
        "CREATE INDEX ON \(name.quotedName) (\(column.name.quotedName)\(collation), \(keys))"
      )
    }
    var table = StrangerTable(
      name: name,
      key: key,
      columns: columns,
      parts: parts,
      isPartitioned: isPartitioned,
      creation: creation,
      isParent: isParent
    )
    creation += triggers(of: table)
    table = StrangerTable(
      name: name,
      key: key,
      columns: columns,
      parts: parts,
      isPartitioned: isPartitioned,
      creation: creation,
      isParent: isParent
    )
    return table
  }

  // MARK: - Triggers and rules

  private mutating func triggers(of table: StrangerTable) -> [String] {
    var statements: [String] = []
    let name = table.name.quotedName
    guard let column = random.element(of: table.columns) else { return [] }
    let quoted = column.name.quotedName
    func add(_ kind: String, _ timing: String, _ body: String, _ end: String) {
      let function = "f\(taken.count)_\(statements.count)"
      statements.append(
        "CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN \(body) RETURN \(end); END $f$"
      )
      statements.append(
        "CREATE TRIGGER \(function) \(timing) ON \(name) FOR EACH \(kind) EXECUTE FUNCTION \(function)()"
      )
    }
    let first = table.key[0].name.quotedName
    if happens(.rowTriggers, percent: 25) {
      switch random.number(in: 0...2) {
      case 0:
        add("ROW", "BEFORE INSERT OR UPDATE", "NEW.\(quoted) := \(value(of: column));", "NEW")
      case 1:
        add(
          "ROW",
          "BEFORE UPDATE",
          "IF hashtext(OLD.\(first)::text) % 5 = 0 THEN RETURN NULL; END IF;",
          "NEW"
        )
      default:
        add(
          "ROW",
          "BEFORE INSERT",
          "IF hashtext(NEW.\(first)::text) % 7 = 0 THEN RAISE EXCEPTION 'no %', NEW.\(first); END IF;",
          "NEW"
        )
      }
    }
    if happens(.nestedTriggers, percent: 25) {
      let body = random.choice(
        "IF pg_trigger_depth() < 2 THEN UPDATE \(name) SET \(quoted) = NEW.\(quoted) WHERE \(first) > NEW.\(first); END IF;",
        "IF pg_trigger_depth() < 2 THEN DELETE FROM \(name) WHERE \(first) > NEW.\(first) AND \(quoted) IS NULL; END IF;"
      )
      if random.happens(percent: 50) {
        add("ROW", "AFTER INSERT OR UPDATE", body, "NULL")
      } else {
        add("ROW", "BEFORE UPDATE", body, "NEW")
      }
    }
    if happens(.nestedTriggers, percent: 15) {
      add(
        "STATEMENT",
        "AFTER UPDATE",
        "IF pg_trigger_depth() < 2 THEN UPDATE \(name) SET \(quoted) = NULL WHERE hashtext(\(first)::text) % 3 = 0; END IF;",
        "NULL"
      )
    }
    if happens(.rules, percent: 20) {
      statements.append(
        random.choice(
          "CREATE RULE keep AS ON DELETE TO \(name) WHERE hashtext(OLD.\(first)::text) % 3 = 0 DO INSTEAD NOTHING",
          "CREATE RULE also AS ON UPDATE TO \(name) WHERE OLD.\(quoted) IS NULL DO ALSO INSERT INTO audit VALUES ('x')"
        )
      )
    }
    return statements
  }

  // MARK: - Values

  /// A value of a column, as SQL.
  mutating func value(of column: StrangerTable.Column, isKey: Bool = false) -> String {
    if !isKey, random.happens(percent: 12) { return "NULL" }
    let number = random.number(in: 0...25)
    switch column.kind {
    case .integer: return random.choice("\(number)", "\(-number)", isKey ? "7" : "32767")
    case .real:
      return random.choice("\(number).5", "'-infinity'", "'infinity'", "0.1", "1e300", "-0.0")
    case .blob: return random.choice("'\\x'", "'\\x00ff'", "'\\x\(String(1000 + number))'")
    case .decimal: return random.choice("\(number).25", "0.01", "\(number)")
    case .boolean: return random.choice("true", "false")
    case .text: break
    }
    switch column.type {
    case "uuid":
      return "'00000000-0000-4000-8000-\(String(100_000_000_000 + number))'"
    case "mood": return random.choice("'sad'", "'good'")
    case "citykind": return random.choice("'old'", "'new'")
    default:
      return random.choice(
        "'a\(number)'",
        "'B\(number)'",
        isKey ? "'k\(number)'" : "''",
        "'é''\(number)'",
        "'e\u{301}\(number)'",
        "'日本\(number)'",
        "'\"\(number)'",
        "'\\ \(number)'"
      )
    }
  }
}

extension String {
  /// The name in quotation marks, as SQL.
  var quotedName: String { "\"" + doubled("\"") + "\"" }

  private func doubled(_ mark: Unicode.Scalar) -> String {
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar == mark { text.append(mark) }
      text.append(scalar)
    }
    return String(text)
  }
}
#endif
