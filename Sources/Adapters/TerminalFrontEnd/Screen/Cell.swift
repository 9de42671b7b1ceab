/// One cell of a screen: a cluster with its style, or the right half of a wide one.
package struct Cell: Hashable, Sendable {
  /// The cluster that is drawn from this cell on, or `nil` for a cell that the cluster before it covers.
  package var cluster: Character?
  /// The number of cells that the cluster takes; 0 for a covered cell.
  package var width: Int
  /// The look of the cluster.
  package var style: Style

  /// Creates a cell; without arguments, a blank.
  package init(_ cluster: Character? = " ", width: Int = 1, style: Style = Style()) {
    self.cluster = cluster
    self.width = width
    self.style = style
  }

  /// An empty cell in the terminal's own colours.
  package static let blank = Cell()

  /// Whether terminals disagree about the width of the cell's cluster, so that the cursor's position behind it is not known.
  var isRisky: Bool { cluster.map(DisplayWidth.isRisky) ?? false }
}

extension DisplayWidth {
  /// Whether terminals disagree about the width of a cluster: emoji sequences, variation selectors, spacing marks, new emoji.
  /// - Complexity: O(*n*) in the scalars of the cluster.
  package static func isRisky(_ cluster: Character) -> Bool {
    let scalars = cluster.unicodeScalars
    guard let first = scalars.first, first.value >= 0x300 || scalars.count > 1 else { return false }
    // Emoji of recent versions of Unicode take no cell on terminals that do not know them.
    if first.value >= 0x1FA70 {
      return (0x1FA70...0x1FAFF).contains(first.value) || scalars.count > 1
    }
    return scalars.dropFirst().contains { scalar in
      switch scalar.value {
      case 0x200D, 0xFE00...0xFE0F, 0x20E3, 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF: true
      default: scalar.properties.generalCategory == .spacingMark
      }
    }
  }
}
