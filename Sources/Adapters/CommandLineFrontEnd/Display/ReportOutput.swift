import ArgumentParser
import FileFormats
package import ResultsDomain
import TerminalFrontEnd

/// The formats of a report, such as the sums of a list.
package enum ReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Aligned columns for people.
  case table
  /// Aligned columns without colours or lines.
  case plain
  /// Tab-separated values.
  case tsv
  /// Comma-separated values.
  case csv
  /// One JSON object per line.
  case jsonl

  /// The format where none is named: a table on a terminal, and tab-separated values elsewhere.
  package static var usual: ReportFormat { TerminalOutput.standard.isTerminal ? .table : .tsv }
}

/// A report on standard output, as a table or as JSON lines.
package struct ReportOutput {
  private var table: TableWriter?
  private var records = JSONLinesWriter()

  /// Begins a report.
  /// - Parameters:
  ///   - format: The format.
  ///   - columns: The headings; numbers are aligned at the right.
  package init(_ format: ReportFormat, columns: [(title: String, isNumber: Bool)]) {
    guard let format = TableFormat(rawValue: format.rawValue) else { return }
    let output = TerminalOutput.standard
    table = TableWriter(
      columns: columns.map { TableColumn($0.title, alignment: $0.isNumber ? .trailing : .leading) },
      options: TableWriter.Options(
        format: format,
        lineWidth: output.lineWidth,
        isTerminal: output.isTerminal
      )
    )
  }

  /// Writes a line.
  /// - Parameters:
  ///   - cells: The cells of a table.
  ///   - record: The names and values of a JSON object.
  /// - Throws: `TerminalOutputError`.
  package mutating func write(_ cells: [String], _ record: [(name: String, value: Value)]) throws {
    guard table == nil else {
      return try TerminalOutput.standard.write(table?.row(cells) ?? "")
    }
    _ = records.begin(columns: record.map(\.name))
    try TerminalOutput.standard.write(records.write(record.map(\.value)))
  }

  /// Ends the report.
  /// - Throws: `TerminalOutputError`.
  package mutating func end() throws { try TerminalOutput.standard.write(table?.end() ?? "") }
}
