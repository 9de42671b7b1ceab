/// The size of a terminal in character cells.
public struct TerminalSize: Hashable, Sendable {
  /// Cells in a line.
  public var columns: Int
  /// Lines.
  public var rows: Int

  /// A size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The size of the terminal behind a file descriptor, or `nil` if there is none or it does not know.
  ///
  /// The terminal's own answer comes first. A terminal that gives none (a serial line) falls back to `COLUMNS`
  /// and `LINES` of the environment.
  public static func current(descriptor: Int32, environment: [String: String]) -> TerminalSize? {
    guard SystemCalls.isTerminal(descriptor) else { return nil }
    if let size = SystemCalls.size(of: descriptor) { return size }
    guard let columns = environment["COLUMNS"].flatMap(Int.init), columns > 0 else { return nil }
    return TerminalSize(columns: columns, rows: environment["LINES"].flatMap(Int.init) ?? 24)
  }
}
