#if PostgreSQL
import ResultsDomain

/// A plan of the server, as `EXPLAIN (FORMAT JSON)` describes it.
struct QueryExplanation: Sendable {
  /// A node of the plan.
  struct Node: Sendable {
    /// The name of the step, as `Index Only Scan`.
    var type = ""
    var relation: String?
    var index: String?
    var indexCondition: String?
    /// A test of each row that was read.
    var filter: String?
    /// The server's estimate of the rows that the step returns.
    var rows: Double = 0
    var children: [Node] = []

    /// The node and those below it, from the top.
    var all: [Node] { [self] + children.flatMap(\.all) }
  }

  let top: Node

  /// Reads the description of a plan; `nil` if it is none.
  init?(_ text: String) {
    var reader = Reader(bytes: Array(text.utf8))
    guard case .list(let plans) = reader.value(), case .object(let plan)? = plans.first,
      case .object(let node)? = plan["Plan"]
    else { return nil }
    top = QueryExplanation.node(node)
  }

  private static func node(_ fields: [String: Element]) -> Node {
    func text(_ name: String) -> String? {
      if case .text(let text)? = fields[name] { text } else { nil }
    }
    var node = Node(type: text("Node Type") ?? "")
    node.relation = text("Relation Name")
    node.index = text("Index Name")
    node.indexCondition = text("Index Cond")
    node.filter = text("Filter")
    if case .other(let number)? = fields["Plan Rows"] { node.rows = Double(number) ?? 0 }
    if case .list(let plans)? = fields["Plans"] {
      node.children = plans.compactMap { plan in
        if case .object(let fields) = plan { QueryExplanation.node(fields) } else { nil }
      }
    }
    return node
  }
}

extension QueryExplanation {
  /// The steps, each on a line, as the server's own text has them.
  var steps: [String] {
    top.all.map { node in
      var step = node.type
      if let index = node.index { step += " using \(index)" }
      if let relation = node.relation { step += " on \(relation)" }
      if let condition = node.indexCondition { step += " \(condition)" }
      if let filter = node.filter { step += " filtered by \(filter)" }
      return step
    }
  }

  /// The index that answers a statement alone, in its order; `nil` if rows are read from the table, tested or sorted.
  var onlyIndex: String? {
    var index: String?
    for node in top.all {
      switch node.type {
      case "Index Only Scan":
        guard node.filter == nil, let name = node.index, index == nil || index == name
        else { return nil }
        index = name
      case "Aggregate", "Limit", "Result", "Append", "Subquery Scan", "Function Scan", "CTE Scan",
        "WorkTable Scan", "Recursive Union", "Nested Loop", "Group":
        continue
      default: return nil
      }
    }
    return index
  }
}

// MARK: - JSON

extension QueryExplanation {
  fileprivate enum Element {
    case object([String: Element])
    case list([Element])
    case text(String)
    /// A number, a truth value or null.
    case other(String)
  }

  /// Reads what the server writes as JSON.
  private struct Reader {
    let bytes: [UInt8]
    var position = 0
    private var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func skipSpace() {
      while position < bytes.count, bytes[position] <= 32 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    /// The next element, or `nil` at the end or for other text.
    mutating func value() -> Element? {
      guard depth < 200 else { return nil }
      depth += 1
      defer { depth -= 1 }
      skipSpace()
      guard position < bytes.count else { return nil }
      switch bytes[position] {
      case UInt8(ascii: "{"): return object()
      case UInt8(ascii: "["): return list()
      case UInt8(ascii: "\""): return text().map { .text($0) }
      default:
        let start = position
        while position < bytes.count, !Array(",]} \n\r\t".utf8).contains(bytes[position]) {
          position += 1
        }
        return .other(String(decoding: bytes[start..<position], as: UTF8.self))
      }
    }

    private mutating func object() -> Element? {
      guard take("{") else { return nil }
      var fields: [String: Element] = [:]
      if take("}") { return .object(fields) }
      repeat {
        skipSpace()
        guard let name = text(), take(":"), let value = value() else { return nil }
        fields[name] = value
      } while take(",")
      return take("}") ? .object(fields) : nil
    }

    private mutating func list() -> Element? {
      guard take("[") else { return nil }
      var elements: [Element] = []
      if take("]") { return .list(elements) }
      repeat {
        guard let value = value() else { return nil }
        elements.append(value)
      } while take(",")
      return take("]") ? .list(elements) : nil
    }

    private mutating func text() -> String? {
      guard take("\"") else { return nil }
      var content: [UInt8] = []
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard position < bytes.count else { return nil }
          let escaped = bytes[position]
          position += 1
          switch escaped {
          case UInt8(ascii: "n"): content.append(10)
          case UInt8(ascii: "t"): content.append(9)
          case UInt8(ascii: "u"):
            // The server writes only control characters so.
            guard position + 4 <= bytes.count else { return nil }
            let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
            content += Array(
              String(UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? " ").utf8
            )
            position += 4
          default: content.append(escaped)
          }
        default: content.append(byte)
        }
      }
      return nil
    }
  }
}
#endif
