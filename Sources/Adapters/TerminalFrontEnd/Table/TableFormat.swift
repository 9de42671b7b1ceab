/// How a list is written.
public enum TableFormat: String, CaseIterable, Hashable, Sendable {
  /// Aligned columns with section headers, for people.
  case table
  /// Tab-separated values without headings, one row a line.
  case plain
  /// Tab-separated values with a line of headings.
  case tsv
  /// Comma-separated values with a line of headings (RFC 4180, lines ending in LF).
  case csv
}
