/// What happened to the rows that a controller does not observe: a delta counts them instead of naming them.
///
/// A row that went from one side of the observed rows to the other was removed there and inserted here; one that stayed on its side is
/// not asked where, so that nothing need be read for it.
public struct UnobservedChanges: Hashable, Sendable {
  /// How many rows left, came and changed on one side of the observed ones.
  public struct Counts: Hashable, Sendable {
    /// Rows that left that side.
    public var removed = 0
    /// Rows that came to it.
    public var inserted = 0
    /// Rows that stayed on it, and whose content or place there changed.
    public var changed = 0

    /// No rows.
    public init() {}

    /// Whether there were none.
    public var isEmpty: Bool { removed == 0 && inserted == 0 && changed == 0 }
  }

  /// The observed rows before, counted over all sections; they may reach beyond the end of the list.
  public var oldRows: Range<Int>
  /// The observed rows after: they begin behind the same rows as before, whatever came and went above.
  public var newRows: Range<Int>
  /// What happened above the observed rows.
  public var above = Counts()
  /// What happened below them.
  public var below = Counts()

  /// Nothing, for some observed rows.
  public init(oldRows: Range<Int>, newRows: Range<Int>) {
    self.oldRows = oldRows
    self.newRows = newRows
  }

  /// Whether nothing happened to rows that are not observed.
  public var isEmpty: Bool { above.isEmpty && below.isEmpty }
}
