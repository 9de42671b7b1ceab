import Foundation

/// Prints figures as they come, and keeps them for what is made of all.
struct Report {
  /// The forms of a report.
  enum Format: String, CaseIterable, Sendable {
    /// A table, line by line as figures come.
    case text
    /// One array of objects, at the end.
    case json
  }

  /// The figures so far.
  private(set) var measurements: [Measurement] = []
  private let format: Format

  init(_ format: Format) { self.format = format }

  /// Prints the head of a table.
  func begin() {
    guard format == .text else { return }
    show(ReportTable.head)
  }

  /// Takes figures, and prints them if the form allows it.
  mutating func add(_ more: [Measurement]) {
    let said = more.filter { !$0.isIdle }
    measurements += said
    guard format == .text else { return }
    for each in said { show(ReportTable.line(of: each)) }
  }

  /// Says something beside the figures.
  func note(_ text: String) {
    FileHandle.standardError.write(Data("results-benchmark: \(text)\n".utf8))
  }

  /// Prints what can only be printed at the end.
  func end() throws {
    switch format {
    case .json: show(try ReportRows.text(of: measurements))
    case .text:
      let limited = measurements.filter { $0.limit != nil || $0.value == nil }
      show("\(limited.filter(\.holds).count) of \(limited.count) limits hold.")
    }
  }

  /// Prints at once, so that a reader sees figures come.
  private func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
