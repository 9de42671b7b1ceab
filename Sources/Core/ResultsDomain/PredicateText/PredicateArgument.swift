/// The value of a placeholder or a variable in a predicate's text, which is never inserted into the text.
///
/// An argument can be written as a literal: `348` is the number 348, whatever the scale of the decimal that it is compared
/// with.
public indirect enum PredicateArgument: Hashable, Sendable {
  /// A stored value: for `%@`, or for `%d`, `%f` and `%s` if it has that type.
  ///
  /// A decimal is given in units and a date in microseconds; text compared with a date is parsed as ISO 8601.
  case value(Value)
  /// A number, converted exactly to the type that it is compared with.
  case number(ExactDecimal)
  /// Several values: for `IN %@`, or two for `BETWEEN %@`.
  case list([PredicateArgument])
  /// Objects: for `SELF IN %@`.
  case identities(IdentitySet)
  /// The name of an attribute: for `%K`.
  case attribute(String)

  /// Several stored values: for `IN %@`, or two for `BETWEEN %@`.
  public static func values(_ values: some Sequence<Value>) -> PredicateArgument {
    .list(values.map { .value($0) })
  }
}

extension PredicateArgument: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral
{
  /// A number.
  public init(integerLiteral value: Int64) { self = .number(ExactDecimal(units: value, scale: 0)) }
  /// A real.
  public init(floatLiteral value: Double) { self = .value(.real(value)) }
  /// A text.
  public init(stringLiteral value: String) { self = .value(.text(value)) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .value(.integer(value ? 1 : 0)) }
  /// The absence of a value.
  public init(nilLiteral: ()) { self = .value(.null) }
  /// Several values.
  public init(arrayLiteral elements: PredicateArgument...) { self = .list(elements) }
}

/// The values of the placeholders and variables in a predicate's text.
///
/// ```swift
/// let entity = Book.entity
/// let both = PredicateArguments(["year"], variables: ["year": 1990])
/// let byOrder = try FetchPredicate(parsing: "year > %@", arguments: [1990], entity: entity)
/// let byName = try FetchPredicate(parsing: "year > $y", arguments: ["y": 1990], entity: entity)
/// let byBoth = try FetchPredicate(parsing: "%K > $year", arguments: both, entity: entity)
/// ```
public struct PredicateArguments: Hashable, Sendable {
  /// One argument for each placeholder, in order.
  public var positional: [PredicateArgument]
  /// The variables' arguments; a name is found by its bytes.
  private var named: [Value: PredicateArgument]

  /// Creates arguments.
  /// - Parameters:
  ///   - positional: One argument for each placeholder, in order.
  ///   - variables: The arguments of variables by their names, without the `$`.
  public init(
    _ positional: [PredicateArgument] = [],
    variables: [String: PredicateArgument] = [:]
  ) {
    self.positional = positional
    named = [:]
    for (name, argument) in variables { named[.text(name)] = argument }
  }

  /// The argument of a variable, or `nil` if there is none of that name.
  public subscript(variable name: String) -> PredicateArgument? {
    get { named[.text(name)] }
    set { named[.text(name)] = newValue }
  }

  /// The names of the variables, in the order of their bytes.
  public var variables: [String] {
    named.keys.compactMap(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension PredicateArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// One argument for each placeholder, in order.
  public init(arrayLiteral elements: PredicateArgument...) { self.init(elements) }

  /// The arguments of variables; of two with one name the last counts.
  public init(dictionaryLiteral elements: (String, PredicateArgument)...) {
    self.init([])
    for (name, argument) in elements { self[variable: name] = argument }
  }
}

/// The arguments of a predicate while its text is parsed: placeholders consume theirs in order, variables any number of times.
struct ArgumentReader {
  private let arguments: PredicateArguments
  private(set) var used = 0
  private var usedVariables: Set<Value> = []

  init(_ arguments: PredicateArguments) { self.arguments = arguments }

  /// The number of arguments of placeholders.
  var given: Int { arguments.positional.count }

  /// The next argument of a placeholder.
  var upcoming: PredicateArgument? {
    // In a conditional expression, `nil` would be an argument that is null.
    guard used < given else { return .none }
    return arguments.positional[used]
  }

  /// The names of the variables that have an argument.
  var variables: [String] { arguments.variables }

  /// The names of the variables that the text did not use.
  var unusedVariables: [String] { variables.filter { !usedVariables.contains(.text($0)) } }

  mutating func next() -> PredicateArgument? {
    guard let argument = upcoming else { return nil }
    used += 1
    return argument
  }

  /// The argument of a variable, without using it.
  func value(of variable: String) -> PredicateArgument? { arguments[variable: variable] }

  mutating func use(_ variable: String) -> PredicateArgument? {
    usedVariables.insert(.text(variable))
    return arguments[variable: variable]
  }
}
