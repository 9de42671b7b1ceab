import ResultsStoreKit
import Foundation

/// Draws a curve as SVG with two logarithmic axes; each line has its label at its end, and the colours suit light and dark pages.
struct CurveChart {
  private static let (width, height) = (720.0, 400.0)
  private static let (left, right, top, bottom) = (76.0, 500.0, 56.0, 340.0)
  private static let colours = ["#2f81f7", "#d9822b", "#8b949e", "#2da44e"]
  /// The minimum distance between two labels.
  private static let lineHeight = 18.0

  let curve: GrowthCurve
  private let across: LogAxis
  private let up: LogAxis

  init(_ curve: GrowthCurve) {
    self.curve = curve
    let points = curve.lines.flatMap(\.points)
    across = LogAxis(of: points.map(\.rows), from: Self.left, to: Self.right)
    up = LogAxis(of: points.map(\.value), from: Self.bottom, to: Self.top)
  }

  /// The SVG document.
  var svg: String {
    let lines = curve.lines.indices.map { line($0) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.text(Self.width)) \
      \(Self.text(Self.height))" role="img" aria-labelledby="title description">
      <title id="title">\(Self.escaped(curve.title))</title>
      <desc id="description">\(Self.escaped(description))</desc>
      <style>
      text { font: 13px sans-serif; fill: #57606a; }
      .title { font-size: 16px; font-weight: bold; }
      .grid { stroke: #8b949e; stroke-opacity: 0.3; }
      @media (prefers-color-scheme: dark) { text { fill: #c9d1d9; } }
      </style>
      <text class="title" x="\(Self.text(Self.left))" y="26">\(Self.escaped(curve.title))</text>
      \((grid + lines + names).joined(separator: "\n"))
      </svg>

      """
  }

  /// The description for screen readers.
  private var description: String {
    let ends = curve.lines.compactMap { line in
      line.points.last.map {
        let figure = ReportNumber.text($0.value, curve.unit)
        return "\(line.label): \(figure) at \(ReportNumber.grouped(Int($0.rows))) rows"
      }
    }
    return ends.joined(separator: "; ")
  }

  private var grid: [String] {
    let (left, right) = (Self.text(Self.left), Self.text(Self.right))
    let (top, bottom) = (Self.text(Self.top), Self.text(Self.bottom))
    var parts = across.ticks.flatMap { power in
      let x = Self.text(across.position(of: power.powerOfTen))
      return [
        "<line class=\"grid\" x1=\"\(x)\" y1=\"\(top)\" x2=\"\(x)\" y2=\"\(bottom)\"/>",
        Self.label(LogAxis.label(power), x, Self.text(Self.bottom + 20), "middle"),
      ]
    }
    parts += up.ticks.flatMap { power in
      let y = up.position(of: power.powerOfTen)
      let words = curve.unit == "µs" ? LogAxis.timeLabel(power) : LogAxis.label(power)
      return [
        "<line class=\"grid\" x1=\"\(left)\" y1=\"\(Self.text(y))\" x2=\"\(right)\""
          + " y2=\"\(Self.text(y))\"/>",
        Self.label(words, Self.text(Self.left - 8), Self.text(y + 4), "end"),
      ]
    }
    let middle = Self.text((Self.left + Self.right) / 2)
    parts.append(Self.label("rows", middle, Self.text(Self.bottom + 42), "middle"))
    if curve.unit != "µs" {
      parts.append(
        Self.label(curve.unit, Self.text(Self.left - 8), Self.text(Self.top - 14), "end")
      )
    }
    return parts
  }

  private func line(_ number: Int) -> String {
    let colour = Self.colours[number % Self.colours.count]
    let points = curve.lines[number].points.map {
      (x: Self.text(across.position(of: $0.rows)), y: Self.text(up.position(of: $0.value)))
    }
    let path = points.map { "\($0.x),\($0.y)" }.joined(separator: " ")
    let dots = points.map {
      "<circle cx=\"\($0.x)\" cy=\"\($0.y)\" r=\"3.5\" fill=\"\(colour)\"/>"
    }
    let width = number == 0 ? "3" : "2"
    return "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\""
      + " stroke-width=\"\(width)\"/>\n\(dots.joined())"
  }

  /// The labels of the lines from top to bottom, moved apart where lines end close together.
  private var names: [String] {
    var ends = curve.lines.enumerated().compactMap { number, line in
      line.points.last.map { (number: number, y: up.position(of: $0.value), value: $0.value) }
    }
    ends.sort { $0.y < $1.y }
    for index in ends.indices.dropFirst() {
      ends[index].y = max(ends[index].y, ends[index - 1].y + 2 * Self.lineHeight)
    }
    return ends.map { end in
      let colour = Self.colours[end.number % Self.colours.count]
      let x = Self.text(Self.right + 14)
      let label = Self.escaped(curve.lines[end.number].label)
      let figure = Self.escaped(ReportNumber.text(end.value, curve.unit))
      return "<text x=\"\(x)\" y=\"\(Self.text(end.y + 4))\" style=\"fill:\(colour)\">\(label)"
        + "<tspan x=\"\(x)\" dy=\"\(Self.text(Self.lineHeight - 2))\">\(figure)</tspan></text>"
    }
  }

  private static func label(_ words: String, _ x: String, _ y: String, _ anchor: String) -> String {
    "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(escaped(words))</text>"
  }

  /// Formats a length with one decimal.
  private static func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths.isMultiple(of: 10) ? String(tenths / 10) : "\(Double(tenths) / 10)"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

extension Int {
  /// Ten to this power.
  fileprivate var powerOfTen: Double {
    let size = (0..<abs(self)).reduce(1.0) { product, _ in product * 10 }
    return self < 0 ? 1 / size : size
  }
}

// MARK: - Axes

/// A logarithmic axis.
struct LogAxis {
  /// The powers of ten at both ends.
  let powers: ClosedRange<Int>
  /// The positions of the ends, in points from the top left of the picture.
  let start: Double
  let end: Double

  /// Creates an axis that covers positive numbers.
  init(of numbers: [Double], from start: Double, to end: Double) {
    let least = Int(log10(max(numbers.min() ?? 1, .leastNormalMagnitude)).rounded(.down))
    let most = Int(log10(max(numbers.max() ?? 1, .leastNormalMagnitude)).rounded(.up))
    powers = least...max(least + 1, most)
    (self.start, self.end) = (start, end)
  }

  /// Returns the position of a number.
  func position(of number: Double) -> Double {
    let part = (log10(number) - Double(powers.lowerBound)) / Double(powers.count - 1)
    return start + part * (end - start)
  }

  /// The powers of ten with a label: at most seven.
  var ticks: [Int] {
    let step = (powers.count + 6) / 7
    return Array(stride(from: powers.lowerBound, through: powers.upperBound, by: step))
  }

  /// Formats a power of ten: `10k`, `1M`, `0.01`.
  static func label(_ power: Int) -> String {
    switch power {
    case ..<0: "0." + String(repeating: "0", count: -power - 1) + "1"
    case 0..<3: "1" + String(repeating: "0", count: power)
    case 3..<6: "1" + String(repeating: "0", count: power - 3) + "k"
    case 6..<9: "1" + String(repeating: "0", count: power - 6) + "M"
    default: "1e\(power)"
    }
  }

  /// Formats a power of ten of microseconds: `10 ms`.
  static func timeLabel(_ power: Int) -> String {
    switch power {
    case ..<3: "\(label(power)) µs"
    case 3..<6: "\(label(power - 3)) ms"
    default: "\(label(power - 6)) s"
    }
  }
}

// MARK: - Files

/// Writes growth curves into a folder.
enum CurveFiles {
  /// Checks that a folder is writable, and creates it if it is missing.
  static func check(_ folder: String) throws {
    try BenchmarkFolder.makeWritable(URL(fileURLWithPath: folder, isDirectory: true))
  }

  /// Writes one file per curve.
  /// - Returns: The names of the files.
  /// - Throws: `BenchmarkError.cannotWrite`.
  static func write(_ curves: [GrowthCurve], to folder: String) throws -> [String] {
    let url = URL(fileURLWithPath: folder, isDirectory: true)
    try check(folder)
    for curve in curves {
      let file = url.appendingPathComponent(curve.file)
      do {
        try Data(CurveChart(curve).svg.utf8).write(to: file, options: .atomic)
      } catch {
        let detail = (error as NSError).localizedDescription
        throw BenchmarkError.cannotWrite(path: file.path, detail: detail)
      }
    }
    return curves.map(\.file)
  }
}
