import GRDB
import ResultsDomain

/// A piece of SQL with the arguments it binds, in order.
///
/// No value is ever part of the text, except where that is asked for: constants inside expressions, by which SQLite knows an index over
/// one, and integers that it must know when it prepares a statement in order to choose an index of some rows.
struct SQLText {
  /// What a parameter is bound to.
  enum Argument {
    case value(Value)
    case list(ValueList)
  }

  private(set) var text = ""
  private(set) var arguments: [Argument] = []
  /// Whether the text calls functions that the connection must know.
  var needsFunctions = false
  /// Whether integers become part of the text after all.
  var writesLiterals = false
  /// Whether constants inside expressions become part of the text after all.
  var writesConstants = false

  /// Appends SQL.
  mutating func append(_ sql: String) { text += sql }

  /// Appends another piece with its arguments.
  mutating func append(_ other: SQLText) {
    text += other.text
    arguments += other.arguments
    needsFunctions = needsFunctions || other.needsFunctions
  }

  /// Appends a parameter.
  mutating func append(argument: Value) {
    if writesLiterals, case .integer(let number) = argument {
      text += String(number)
      return
    }
    text += "?"
    if case .real(let number) = argument, number.isNaN {
      arguments.append(.value(.null))
    } else {
      arguments.append(.value(argument))
    }
  }

  /// Appends a parameter that is read as a table.
  mutating func append(list: ValueList) {
    text += "?"
    arguments.append(.list(list))
    needsFunctions = true
  }

  /// Prepares the statement and binds its arguments.
  ///
  /// The lists live as long as this piece of SQL, which the caller keeps until the statement is reset.
  func prepare(on database: Database) throws -> PreparedStatement {
    if needsFunctions { try ConnectionFunctions.register(on: database) }
    let statement = try PreparedStatement(text, on: database)
    for (index, argument) in arguments.enumerated() {
      switch argument {
      case .value(let value): try statement.bind(value, at: Int32(index + 1))
      case .list(let list): try list.bind(to: statement, at: Int32(index + 1))
      }
    }
    return statement
  }
}
