import Foundation

/// An axis on which every tenfold is as long as every other.
struct LogAxis {
  /// The powers of ten at the ends.
  let powers: ClosedRange<Int>
  /// Where the ends are, in points from the top left of the picture.
  let start: Double
  let end: Double

  /// An axis with room for all of some positive numbers.
  init(of numbers: [Double], from start: Double, to end: Double) {
    let least = Int(log10(max(numbers.min() ?? 1, .leastNormalMagnitude)).rounded(.down))
    let most = Int(log10(max(numbers.max() ?? 1, .leastNormalMagnitude)).rounded(.up))
    powers = least...max(least + 1, most)
    (self.start, self.end) = (start, end)
  }

  /// Where a number stands.
  func position(of number: Double) -> Double {
    let part = (log10(number) - Double(powers.lowerBound)) / Double(powers.count - 1)
    return start + part * (end - start)
  }

  /// The powers that are written beside the axis: at most seven.
  var ticks: [Int] {
    let step = (powers.count + 6) / 7
    return Array(stride(from: powers.lowerBound, through: powers.upperBound, by: step))
  }

  /// A power of ten in words: `10 k`, `1 M`, `0.01`.
  static func label(_ power: Int) -> String {
    switch power {
    case ..<0: "0." + String(repeating: "0", count: -power - 1) + "1"
    case 0..<3: "1" + String(repeating: "0", count: power)
    case 3..<6: "1" + String(repeating: "0", count: power - 3) + "k"
    case 6..<9: "1" + String(repeating: "0", count: power - 6) + "M"
    default: "1e\(power)"
    }
  }

  /// A number of microseconds in words: `10 ms`.
  static func timeLabel(_ power: Int) -> String {
    switch power {
    case ..<3: "\(label(power)) µs"
    case 3..<6: "\(label(power - 3)) ms"
    default: "\(label(power - 6)) s"
    }
  }
}
