/// The widths of a table's columns on a terminal.
///
/// The natural width of a column is that of its widest cell. If the columns do not fit, the widest text columns
/// shrink first, down to their minimum; then the numbers, which mislead when truncated; then all columns evenly but
/// those that have a larger minimum than the usual one.
/// Columns for which no cell of the terminal is left have width 0 and are not shown. Of many columns only as many are
/// shown as have room for a few letters each.
package struct ColumnLayout: Hashable, Sendable {
  /// The width of each column, in columns of the terminal.
  package let widths: [Int]
  /// The number of spaces between two columns.
  package static let gap = 2

  /// The number of columns that are shown with less than a few letters each, rather than not at all.
  private static let mostCrowded = 6

  /// The number of columns that have cells and no room.
  package let hiddenColumns: Int

  /// Creates a layout that fits the natural widths into a line.
  /// - Parameters:
  ///   - columns: The table's columns.
  ///   - natural: The natural width of each column, in the same order.
  ///   - lineWidth: The width of the terminal, or `nil` for unlimited lines.
  /// - Complexity: O(*n* log *w*) in the columns and the width.
  package init(columns: [TableColumn], natural: [Int], lineWidth: Int?) {
    let natural = zip(columns, natural).map { max($0.1, 0) }
    guard let lineWidth else {
      widths = natural
      hiddenColumns = 0
      return
    }
    var shown = natural.count
    while shown > 1, shown + (shown - 1) * ColumnLayout.gap > lineWidth { shown -= 1 }
    let needed = zip(natural, columns).map { natural, column in
      let least = column.minimumWidth == .max ? TableColumn.usualMinimumWidth : column.minimumWidth
      return min(natural, max(least, 1))
    }
    var least = needed.prefix(shown).reduce(0, +) + max(shown - 1, 0) * ColumnLayout.gap
    while shown > ColumnLayout.mostCrowded, least > lineWidth {
      shown -= 1
      least -= needed[shown] + ColumnLayout.gap
    }
    let room = max(lineWidth - max(shown - 1, 0) * ColumnLayout.gap, 0)
    let fitted = ColumnLayout.fit(
      natural: Array(natural.prefix(shown)),
      columns: columns,
      into: room
    )
    widths = fitted + Array(repeating: 0, count: natural.count - shown)
    hiddenColumns = natural.dropFirst(shown).count { $0 > 0 }
  }

  /// The width of a line of the table.
  package var lineWidth: Int {
    let shown = widths.filter { $0 > 0 }
    return shown.reduce(0, +) + max(shown.count - 1, 0) * ColumnLayout.gap
  }
}

extension ColumnLayout {
  private static func fit(natural: [Int], columns: [TableColumn], into room: Int) -> [Int] {
    let minimums = zip(natural, columns).map { min($0, max($1.minimumWidth, 1)) }
    let textMinimums = natural.indices.map { index in
      columns[index].alignment == .trailing ? natural[index] : minimums[index]
    }
    let least = natural.map { min($0, 1) }
    let none = natural.map { _ in 0 }
    func keeping(_ isKept: (Int) -> Bool) -> [Int] {
      zip(natural, columns).map { isKept($1.minimumWidth) ? min($0, $1.minimumWidth) : min($0, 1) }
    }
    let whole = keeping { $0 > TableColumn.usualMinimumWidth }
    let name = keeping { $0 > TableColumn.usualMinimumWidth && $0 < .max }
    let fitting = [textMinimums, minimums, whole, name, least].first { $0.reduce(0, +) <= room }
    return capped(natural, minimums: fitting ?? none, room: room)
  }

  /// Caps the widest columns, never below their minimum, until the sum fits; columns that remain after rounding go
  /// to the first capped columns.
  private static func capped(_ natural: [Int], minimums: [Int], room: Int) -> [Int] {
    func widths(_ cap: Int) -> [Int] {
      zip(natural, minimums).map { max(min($0, cap), $1) }
    }
    var (low, high) = (0, natural.max() ?? 0)
    while low < high {
      let middle = (low + high + 1) / 2
      if widths(middle).reduce(0, +) <= room { low = middle } else { high = middle - 1 }
    }
    var result = widths(low)
    var rest = room - result.reduce(0, +)
    for index in result.indices where rest > 0 && result[index] == low {
      guard result[index] < natural[index] else { continue }
      result[index] += 1
      rest -= 1
    }
    return result
  }
}
