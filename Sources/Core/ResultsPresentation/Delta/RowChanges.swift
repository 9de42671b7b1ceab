public import ResultsDomain

/// What happened to the rows of a list, in canonical order (C2); a row is named at most once (R31).
public struct RowChanges: Hashable, Sendable {
  /// A row that left the list.
  public struct Delete: Hashable, Sendable {
    /// The row's identity.
    public var id: ObjectID
    /// Where it was.
    public var from: OldPath
    /// Its last values in the list, where they are known (R39).
    public var old: Row?

    /// A row that left the list.
    public init(id: ObjectID, from: OldPath, old: Row? = nil) {
      self.id = id
      self.from = from
      self.old = old
    }
  }

  /// A row that came into the list.
  public struct Insert: Hashable, Sendable {
    /// The row's identity.
    public var id: ObjectID
    /// Where it is.
    public var to: NewPath
    /// Its values, where they were read.
    public var new: Row?

    /// A row that came into the list.
    public init(id: ObjectID, to: NewPath, new: Row? = nil) {
      self.id = id
      self.to = to
      self.new = new
    }
  }

  /// A row that stayed in the list, at another place or with other content.
  public struct Survivor: Hashable, Sendable {
    /// The row's identity.
    public var id: ObjectID
    /// Where it was.
    public var from: OldPath
    /// Where it is.
    public var to: NewPath
    /// Its values before, where they are known.
    public var old: Row?
    /// Its values now, where they were read.
    public var new: Row?
    /// Which attributes changed: empty if none did, `nil` if that is not known.
    public var changed: AttributeSet?

    /// A row that stayed in the list.
    public init(
      id: ObjectID,
      from: OldPath,
      to: NewPath,
      old: Row? = nil,
      new: Row? = nil,
      changed: AttributeSet?
    ) {
      self.id = id
      self.from = from
      self.to = to
      self.old = old
      self.new = new
      self.changed = changed
    }

    /// Whether the content changed, or may have: a moved row needs drawing again if so (C7).
    public var contentChanged: Bool { changed.map { !$0.isEmpty } ?? true }
  }

  /// Rows that left, by descending `from`.
  public var deletes: [Delete]
  /// Rows that changed section or were taken out of the order of their section, by ascending `to`.
  public var moves: [Survivor]
  /// Rows that came, by ascending `to`.
  public var inserts: [Insert]
  /// Rows that kept their place but changed their content, by ascending `to`.
  public var updates: [Survivor]

  /// What happened to the rows; the lists must be in canonical order.
  public init(
    deletes: [Delete] = [],
    moves: [Survivor] = [],
    inserts: [Insert] = [],
    updates: [Survivor] = []
  ) {
    self.deletes = deletes
    self.moves = moves
    self.inserts = inserts
    self.updates = updates
  }

  /// Whether nothing happened.
  public var isEmpty: Bool {
    deletes.isEmpty && moves.isEmpty && inserts.isEmpty && updates.isEmpty
  }

  /// How many rows are named.
  public var count: Int { deletes.count + moves.count + inserts.count + updates.count }
}

/// What happened to the sections of a list, in canonical order (C2).
public struct SectionChanges: Hashable, Sendable {
  /// A section that is gone; `from` counts in the generation before.
  public struct Delete: Hashable, Sendable {
    /// Where it was.
    public var from: Int
    /// What it was.
    public var old: SectionHeader

    /// A section that is gone.
    public init(from: Int, old: SectionHeader) {
      self.from = from
      self.old = old
    }
  }

  /// A section that has changed its place among the others.
  public struct Move: Hashable, Sendable {
    /// Where it was, in the generation before.
    public var from: Int
    /// Where it is, in the generation after.
    public var to: Int
    /// What it was.
    public var old: SectionHeader
    /// What it is; title and aggregates may have changed too.
    public var new: SectionHeader

    /// A section that has changed its place.
    public init(from: Int, to: Int, old: SectionHeader, new: SectionHeader) {
      self.from = from
      self.to = to
      self.old = old
      self.new = new
    }
  }

  /// A section that is new; `to` counts in the generation after.
  public struct Insert: Hashable, Sendable {
    /// Where it is.
    public var to: Int
    /// What it is.
    public var new: SectionHeader

    /// A section that is new.
    public init(to: Int, new: SectionHeader) {
      self.to = to
      self.new = new
    }
  }

  /// Sections that are gone, by descending `from`.
  public var deletes: [Delete]
  /// Sections that changed place, by ascending `to`.
  public var moves: [Move]
  /// Sections that are new, by ascending `to`.
  public var inserts: [Insert]
  /// Sections that kept their place but changed their title or their aggregates, by ascending `to`.
  public var updates: [Move]

  /// What happened to the sections; the lists must be in canonical order.
  public init(
    deletes: [Delete] = [],
    moves: [Move] = [],
    inserts: [Insert] = [],
    updates: [Move] = []
  ) {
    self.deletes = deletes
    self.moves = moves
    self.inserts = inserts
    self.updates = updates
  }

  /// Whether nothing happened.
  public var isEmpty: Bool {
    deletes.isEmpty && moves.isEmpty && inserts.isEmpty && updates.isEmpty
  }
}

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
