/// The widths of a table's columns on a terminal.
///
/// Every column first asks for its widest cell. Where they do not fit, the widest text columns shrink first,
/// down to their minimum; then the numbers, which mislead when cut; then all columns evenly. Columns for
/// which not even one cell of the terminal is left have width 0 and are not shown.
public struct ColumnLayout: Hashable, Sendable {
  /// The width of each column, in columns of the terminal.
  public let widths: [Int]
  /// The space between two columns.
  public static let gap = 2

  /// Fits natural widths into a line.
  /// - Parameters:
  ///   - columns: The table's columns.
  ///   - natural: The width each column would like, in the same order.
  ///   - lineWidth: The width of the terminal, or `nil` if lines may be as long as they like.
  /// - Complexity: O(*n* log *w*) in the columns and the width.
  public init(columns: [TableColumn], natural: [Int], lineWidth: Int?) {
    let natural = zip(columns, natural).map { max($0.1, 0) }
    guard let lineWidth else {
      widths = natural
      return
    }
    var shown = natural.count
    while shown > 1, shown + (shown - 1) * ColumnLayout.gap > lineWidth { shown -= 1 }
    let room = max(lineWidth - max(shown - 1, 0) * ColumnLayout.gap, 0)
    let fitted = ColumnLayout.fit(
      natural: Array(natural.prefix(shown)),
      columns: columns,
      into: room
    )
    widths = fitted + Array(repeating: 0, count: natural.count - shown)
  }

  /// The width of a line of the table.
  public var lineWidth: Int {
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
    let floors = [textMinimums, minimums, least].first { $0.reduce(0, +) <= room }
    return capped(natural, floors: floors ?? none, room: room)
  }

  /// Cuts the widest down to a common cap, never below their floors, until the sum fits; what the last step of
  /// the cap leaves over goes to the first columns that were cut.
  private static func capped(_ natural: [Int], floors: [Int], room: Int) -> [Int] {
    func widths(_ cap: Int) -> [Int] {
      zip(natural, floors).map { max(min($0, cap), $1) }
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
