/// A terminal in memory that shows what the painter's bytes would show on a real one.
///
/// It understands the sequences that ``Painter`` writes: absolute positions, erasing, and styles. Tests use it as the
/// oracle of the painter: after any number of frames it shows exactly the last surface.
package struct ReplayedScreen: Sendable {
  /// What the terminal shows.
  package private(set) var surface: Surface
  /// The position of the cursor.
  package private(set) var cursor = Surface.Position(line: 0, column: 0)
  /// Sequences that the terminal did not understand.
  package private(set) var unknown: [String] = []
  private let measure: DisplayWidth
  private var style = Style()

  /// Creates an empty terminal.
  /// - Parameters:
  ///   - size: The size in cells.
  ///   - width: How this terminal measures clusters; a real one may differ from the program's measure.
  package init(size: TerminalSize, width: DisplayWidth = DisplayWidth()) {
    surface = Surface(size: size, width: width)
    measure = width
  }

  /// Shows the bytes of a frame.
  package mutating func replay(_ text: String) {
    var rest = Substring(text)
    while let first = rest.first {
      guard first == "\u{1B}" else {
        surface.write(String(first), line: cursor.line, column: cursor.column, style: style)
        cursor.column += measure.columns(of: first)
        rest = rest.dropFirst()
        continue
      }
      let end = rest.dropFirst(2).firstIndex { $0.isLetter } ?? rest.index(before: rest.endIndex)
      perform(String(rest[rest.startIndex...end]))
      rest = rest[rest.index(after: end)...]
    }
  }

  private mutating func perform(_ sequence: String) {
    let body = sequence.dropFirst(2).dropLast()
    let numbers = body.split(separator: ";").compactMap { Int($0) }
    switch sequence.last {
    case "H" where numbers.count == 2:
      cursor = Surface.Position(line: numbers[0] - 1, column: numbers[1] - 1)
    case "J" where body == "2": surface = Surface(size: surface.size, width: measure)
    case "K":
      for column in cursor.column..<max(cursor.column, surface.size.columns) {
        surface.write(" ", line: cursor.line, column: column)
      }
    case "m": select(numbers)
    case "h", "l": break
    default: unknown.append(sequence)
    }
  }

  private mutating func select(_ numbers: [Int]) {
    for number in numbers {
      switch number {
      case 0: style = Style()
      case 1: style.isBold = true
      case 2: style.isDim = true
      case 4: style.isUnderlined = true
      case 7: style.isReversed = true
      default: style.color = Style.Color(rawValue: number)
      }
    }
  }
}
