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
