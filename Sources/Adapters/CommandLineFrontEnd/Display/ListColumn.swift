import ResultsDomain
import TerminalFrontEnd

/// One column of a printed list.
enum ListColumn: Sendable {
  /// The object's key.
  case key
  /// A stored attribute, at its place in a row's values.
  case attribute(Int, AttributeDescription)
  /// An attribute computed from a row.
  case transient(TransientAttribute)

  /// The column's heading.
  var title: String {
    switch self {
    case .key: "id"
    case .attribute(_, let attribute): attribute.name
    case .transient(let transient): transient.name
    }
  }

  /// Numbers stand at the right.
  var tableColumn: TableColumn {
    TableColumn(title, alignment: isNumber ? .trailing : .leading)
  }

  private var isNumber: Bool {
    switch self {
    case .key: false
    case .attribute(_, let attribute): ListColumn.isNumber(attribute.type)
    case .transient(let transient): ListColumn.isNumber(transient.type)
    }
  }

  private static func isNumber(_ type: AttributeType) -> Bool {
    switch type {
    case .integer16, .integer32, .integer64, .decimal, .real: true
    case .boolean, .date, .text, .blob: false
    }
  }

  /// The column's text for a row.
  func text(_ row: Row, _ printer: ValueFormatter) -> String {
    switch self {
    case .key: row.id.key.description
    case .attribute(let index, let attribute): printer.text(row.values[index], of: attribute.type)
    case .transient(let transient): printer.text(transient.compute(row), of: transient.type)
    }
  }

  /// The column's value for a row, as machine forms take it.
  func value(_ row: Row) -> Value {
    switch self {
    case .key: row.id.key.parts.count == 1 ? row.id.key.parts[0] : .text("\(row.id.key)")
    case .attribute(let index, let attribute): ListColumn.machine(row.values[index], attribute.type)
    case .transient(let transient): ListColumn.machine(transient.compute(row), transient.type)
    }
  }

  /// Integers, reals and texts as they are; dates, decimals and blobs as their machine texts.
  static func machine(_ value: Value, _ type: AttributeType) -> Value {
    switch (type, value) {
    case (_, .null): .null
    case (.integer16, _), (.integer32, _), (.integer64, _), (.real, _), (.text, _): value
    case (.boolean, _), (.date, _), (.decimal, _), (.blob, _): .text(type.machineText(of: value))
    }
  }
}
