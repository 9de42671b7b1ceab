import Foundation
import ResultsDomain

/// An independent evaluator, written from the rules of SQL: 0 is false, 1 unknown, 2 true.
enum NaiveEvaluator {
  static func truth(_ predicate: FetchPredicate, _ row: Row) -> Int {
    switch predicate {
    case .all: return 2
    case .relative: return 1
    case .none: return 0
    case .comparison(let left, let comparison, let right):
      return compare(value(left, row), comparison, value(right, row))
    case .between(let inner, let low, let high):
      let found = value(inner, row)
      return min(compare(found, .greaterOrEqual, low), compare(found, .lessOrEqual, high))
    case .membership(let inner, let list):
      return list.map { compare(value(inner, row), .equal, $0) }.max() ?? 0
    case .identity(let set): return set.keys.contains(row.id.key) ? 2 : 0
    case .text(let inner, let comparison, let sought, let caseInsensitive):
      guard case .text(let text) = value(inner, row) else { return 1 }
      let sides = caseInsensitive ? [fold(text), fold(sought)] : [text, sought]
      if comparison == .matches {
        let regex = try? Regex(sides[1]).matchingSemantics(.unicodeScalar)
        return regex.flatMap { try? $0.wholeMatch(in: sides[0]) } == nil ? 0 : 2
      }
      let scalars = sides.map { Array($0.unicodeScalars) }
      return matches(scalars[0], comparison, scalars[1]) ? 2 : 0
    case .isNull(let inner): return value(inner, row).isNull ? 2 : 0
    case .not(let inner): return 2 - truth(inner, row)
    case .and(let parts): return parts.map { truth($0, row) }.min() ?? 2
    case .or(let parts): return parts.map { truth($0, row) }.max() ?? 0
    case .quantified: return 1
    }
  }

  private static func fold(_ text: String) -> String {
    text.unicodeScalars.map(\.properties.lowercaseMapping).joined()
  }

  private static func value(_ expression: FetchExpression, _ row: Row) -> Value {
    switch expression {
    case .attribute(let name):
      return row.entity.attributes.firstIndex { $0.name == name }.map { row.values[$0] } ?? .null
    case .objectKey: return row.id.key.parts[0]
    case .literal(let value): return value
    case .prefix(let inner, let length):
      return text(inner, row) { text in
        String(String.UnicodeScalarView(visible(text).prefix(length)))
      }
    case .lowercased(let inner):
      return text(inner, row) { text in
        text.unicodeScalars.map { ("A"..."Z").contains($0) ? "\($0)".lowercased() : "\($0)" }
          .joined()
      }
    case .uppercased(let inner):
      return text(inner, row) { text in
        text.unicodeScalars.map { ("a"..."z").contains($0) ? "\($0)".uppercased() : "\($0)" }
          .joined()
      }
    case .length(let inner):
      return value(inner, row).text.map { .integer(Int64(visible($0).count)) } ?? .null
    case .bucket(let inner, let width):
      guard let number = value(inner, row).integer else { return .null }
      return .integer(Int64((Double(number) / Double(width)).rounded(.down)) * width)
    case .ifNull(let inner, let other):
      let found = value(inner, row)
      return found.isNull ? value(other, row) : found
    case .transformed(.baseLetters, let inner):
      return text(inner, row) { text in
        let parts = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
          $0.properties.generalCategory != .nonspacingMark || ["\u{3099}", "\u{309A}"].contains($0)
        }
        return String(String.UnicodeScalarView(parts)).precomposedStringWithCanonicalMapping
      }
    // Its order is tested by itself.
    case .transformed(let order, let inner):
      return text(inner, row) { order.applied(to: $0) }
    case .related, .relatedAggregate: return .null
    }
  }

  /// The scalars of a text up to a NUL.
  private static func visible(_ text: String) -> [Unicode.Scalar] {
    let scalars = Array(text.unicodeScalars)
    return Array(scalars[..<(scalars.firstIndex(of: "\0") ?? scalars.endIndex)])
  }

  private static func text(
    _ inner: FetchExpression,
    _ row: Row,
    _ change: (String) -> String
  ) -> Value {
    value(inner, row).text.map { .text(change($0)) } ?? .null
  }

  private static func compare(_ left: Value, _ comparison: ComparisonOperator, _ right: Value)
    -> Int
  {
    guard !left.isNull, !right.isNull else { return 1 }
    let isLess: Bool
    let isEqual: Bool
    if let left = left.double, let right = right.double {
      (isLess, isEqual) = (left < right, left == right)
    } else {
      let (left, right) = (bytes(left), bytes(right))
      (isLess, isEqual) = (left.lexicographicallyPrecedes(right), left == right)
    }
    let holds =
      switch comparison {
      case .equal: isEqual
      case .notEqual: !isEqual
      case .less: isLess
      case .lessOrEqual: isLess || isEqual
      case .greater: !isLess && !isEqual
      case .greaterOrEqual: !isLess
      }
    return holds ? 2 : 0
  }

  private static func bytes(_ value: Value) -> [UInt8] {
    switch value {
    case .text(let text): Array(text.utf8)
    case .blob(let bytes): bytes
    default: []
    }
  }

  private static func matches(
    _ text: [Unicode.Scalar],
    _ comparison: TextOperator,
    _ sought: [Unicode.Scalar]
  ) -> Bool {
    switch comparison {
    case .beginsWith: return text.starts(with: sought)
    case .endsWith: return text.reversed().starts(with: sought.reversed())
    case .contains:
      return (0...text.count).contains { text.dropFirst($0).starts(with: sought) }
    case .like: return like(text[...], sought[...])
    case .matches: return false
    }
  }

  private static func like(
    _ text: ArraySlice<Unicode.Scalar>,
    _ pattern: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*":
      return like(text, rest) || !text.isEmpty && like(text.dropFirst(), pattern)
    case "?": return !text.isEmpty && like(text.dropFirst(), rest)
    case "\\":
      guard let literal = rest.first else { return text.count == 1 && text.first == "\\" }
      return text.first == literal && like(text.dropFirst(), rest.dropFirst())
    default: return text.first == first && like(text.dropFirst(), rest)
    }
  }
}
