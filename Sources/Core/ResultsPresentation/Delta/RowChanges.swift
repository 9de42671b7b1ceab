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
