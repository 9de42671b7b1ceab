/// Writes sections and rows of texts as a table for people or as lines for programs.
///
/// The writer is pure: each call returns the text to print now. An aligned table measures its first rows before it
/// prints them, so the text comes late at first and then row by row; memory stays bounded for lists of
/// any length. The other formats print at once and lose nothing: all values whole, no style, the section's
/// title in a column of its own where one is asked for.
///
/// ```swift
/// var writer = TableWriter(columns: [TableColumn("title"), TableColumn("year", alignment: .trailing)])
/// print(writer.section(title: "岩波書店", count: 1), terminator: "")
/// print(writer.row(["こころ", "1914"]), terminator: "")
/// print(writer.end(), terminator: "")
/// ```
public struct TableWriter: Sendable {
  /// How to write, apart from the columns.
  public struct Options: Hashable, Sendable {
    /// The format.
    public var format: TableFormat
    /// The width of the terminal, or `nil` if nothing may be cut.
    public var lineWidth: Int?
    /// Whether styles are written as escape sequences.
    public var isColored: Bool
    /// Whether a person sees the text on a terminal, so that control characters have to be shown in every format.
    public var isTerminal: Bool
    /// The measure of widths.
    public var width: DisplayWidth
    /// The heading of the column that holds the section's title in the line formats, or `nil` for none.
    public var sectionHeading: String?
    /// How many rows are measured before the first is printed.
    public var measuredRows: Int

    /// The options of a table for a pipe, coloured nowhere.
    public init(
      format: TableFormat = .table,
      lineWidth: Int? = nil,
      isColored: Bool = false,
      isTerminal: Bool = false,
      width: DisplayWidth = DisplayWidth(),
      sectionHeading: String? = nil,
      measuredRows: Int = 500
    ) {
      self.format = format
      self.lineWidth = lineWidth
      self.isColored = isColored
      self.isTerminal = isTerminal
      self.width = width
      self.sectionHeading = sectionHeading
      self.measuredRows = measuredRows
    }
  }

  private let columns: [TableColumn]
  private let options: Options
  private var aligned: AlignedTable
  private var sectionTitle = ""
  private var hasBegun = false

  /// A writer for a list with these columns.
  public init(columns: [TableColumn], options: Options = Options()) {
    self.columns = columns
    self.options = options
    aligned = AlignedTable(columns: columns, options: options)
  }

  /// Begins a section.
  /// - Parameters:
  ///   - title: The section's title; an empty one is shown as `(none)` in a table.
  ///   - count: How many rows it has, or `nil` to say nothing.
  ///   - aggregate: What is said at the end of the header, a sum perhaps.
  /// - Returns: The text to print now.
  public mutating func section(title: String, count: Int? = nil, aggregate: String? = nil)
    -> String
  {
    guard options.format == .table else {
      sectionTitle = title
      return begin()
    }
    return aligned.section(title: title, count: count, aggregate: aggregate)
  }

  /// Writes one row; cells that are missing are empty, cells too many are left out.
  /// - Returns: The text to print now.
  /// - Complexity: O(*n*) in the bytes of the row.
  public mutating func row(_ cells: [String]) -> String {
    guard options.format == .table else {
      let section = options.sectionHeading == nil ? [] : [sectionTitle]
      let padding = Array(repeating: "", count: max(columns.count - cells.count, 0))
      return begin() + line(section + cells.prefix(columns.count) + padding)
    }
    return aligned.row(cells)
  }

  /// Ends the list.
  /// - Returns: The text to print now.
  public mutating func end() -> String {
    options.format == .table ? aligned.end() : begin()
  }

  private mutating func begin() -> String {
    guard !hasBegun else { return "" }
    hasBegun = true
    guard options.format != .plain else { return "" }
    let section = options.sectionHeading.map { [$0] } ?? []
    return line(section + columns.map(\.title))
  }

  private func line(_ cells: [String]) -> String {
    let isCSV = options.format == .csv
    let texts = cells.map { cell in
      if isCSV { return quoted(options.isTerminal ? SafeText.lines(cell) : cell) }
      let escaped = SafeText.escaped(cell)
      return options.isTerminal ? SafeText.oneLine(escaped) : escaped
    }
    // A single empty cell would be an empty line, which readers skip.
    if isCSV, texts == [""] { return "\"\"\n" }
    return texts.joined(separator: isCSV ? "," : "\t") + "\n"
  }

  private func quoted(_ cell: String) -> String {
    let needsQuotes = cell.utf8.contains {
      $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D
    }
    guard needsQuotes else { return cell }
    // Scalars, not clusters: a mark after a quote must not hide the quote.
    let inner = cell.unicodeScalars.reduce(into: "") { result, scalar in
      result.unicodeScalars.append(scalar)
      if scalar == "\"" { result.unicodeScalars.append(scalar) }
    }
    return "\"" + inner + "\""
  }
}
