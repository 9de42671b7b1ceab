/// A list drawn as lines of text, so that the expectations of a test are easy to read.
///
/// ```text
/// = Ace (2)
///   Emma   1815
///   Persuasion
/// = Zed (0)
/// ```
///
/// A section without a title has no title line. A column is as wide as its widest cell in Unicode scalars; the last column is
/// not padded.
public struct ListPicture: Hashable, Sendable {
  /// A section: its title, if any, and the cells of its rows.
  public struct Section: Hashable, Sendable {
    /// The title, or `nil` for the only section of a list without sections.
    public var title: String?
    /// The cells of each row.
    public var rows: [[String]]

    /// Creates a section.
    public init(_ title: String?, _ rows: [[String]]) {
      self.title = title
      self.rows = rows
    }
  }

  /// The sections, in order.
  public var sections: [Section]

  /// Creates a picture of sections.
  public init(_ sections: [Section]) { self.sections = sections }

  /// Creates a picture of a list without sections.
  public init(rows: [[String]]) { sections = [Section(nil, rows)] }

  /// Creates a picture of any sequence of sections.
  public init<Sections: Sequence, Rows: Sequence>(
    _ sections: Sections,
    title: (Sections.Element) -> String?,
    rows: (Sections.Element) -> Rows,
    cells: (Rows.Element) -> [String]
  ) {
    self.sections = sections.map { Section(title($0), rows($0).map(cells)) }
  }
}

extension ListPicture: CustomStringConvertible {
  /// The lines, without a final line feed.
  public var description: String {
    var widths: [Int] = []
    for row in sections.flatMap(\.rows) {
      for (column, cell) in row.enumerated() {
        let width = cell.unicodeScalars.count
        if column < widths.count {
          widths[column] = max(widths[column], width)
        } else {
          widths.append(width)
        }
      }
    }
    var lines: [String] = []
    for section in sections {
      if let title = section.title { lines.append("= \(title) (\(section.rows.count))") }
      for row in section.rows {
        let cells = row.enumerated().map { column, cell in
          let isLast = column == row.count - 1
          let missing = isLast ? 0 : widths[column] - cell.unicodeScalars.count
          return cell + String(repeating: " ", count: missing)
        }
        lines.append((section.title == nil ? "" : "  ") + cells.joined(separator: "  "))
      }
    }
    return lines.joined(separator: "\n")
  }
}
