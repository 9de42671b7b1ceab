/// Tells whether stored numbers that should be dates are in another unit than microseconds since 1970.
///
/// They would be shown as days in that year.
package enum DateUnits {
  /// How many rows are read from either end of a table.
  package static let sampleSize = 64
  /// A third of a year in microseconds, and the year 2286 in milliseconds: dates that are all nearer to 1970 are in another unit.
  private static let nearest: UInt64 = 10_000_000_000_000
  /// The year 5138 in seconds, and 1973 in milliseconds.
  private static let mostSeconds: UInt64 = 100_000_000_000
  /// 1973 in seconds; whole numbers below it are inconclusive.
  private static let leastSeconds: UInt64 = 100_000_000

  /// What a column of dates needs, as a part of a sentence.
  package static let needed =
    "dates are whole microseconds since 1970-01-01 UTC, as 1700000000000000"

  /// What is wrong with the numbers of a column's first and last rows; `nil` if they can be dates.
  package static func problem(_ name: String, _ numbers: [Int64]) -> String? {
    let largest = numbers.map(\.magnitude).max() ?? 0
    guard largest >= leastSeconds, largest < nearest else { return nil }
    let unit = largest < mostSeconds ? "seconds" : "milliseconds"
    return "\(name) seems to contain \(unit), such as \(numbers.last ?? 0), where \(needed)"
  }
}
