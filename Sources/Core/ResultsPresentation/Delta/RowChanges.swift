public import ResultsDomain

/// The changes of the rows of a list, in canonical order (C2); a row is named at most once (R31).
public struct RowChanges: Hashable, Sendable {
  /// A row that was deleted from the list.
  public struct Delete: Hashable, Sendable {
    /// The row's identity.
    public var id: ObjectID
    /// The row's path before.
    public var from: OldPath
    /// The row's last values in the list, where they are known (R39).
    public var old: Row?

    /// Creates the deletion of a row.
    public init(id: ObjectID, from: OldPath, old: Row? = nil) {
      self.id = id
      self.from = from
      self.old = old
    }
  }

  /// A row that was inserted into the list.
  public struct Insert: Hashable, Sendable {
    /// The row's identity.
    public var id: ObjectID
    /// The row's path after.
    public var to: NewPath
    /// The row's values, where they were read.
    public var new: Row?

    /// Creates the insertion of a row.
    public init(id: ObjectID, to: NewPath, new: Row? = nil) {
      self.id = id
      self.to = to
      self.new = new
    }
  }

  /// A row that stayed in the list, at another position or with other content.
  public struct Survivor: Hashable, Sendable {
    /// The row's identity.
    public var id: ObjectID
    /// The row's path before.
    public var from: OldPath
    /// The row's path after.
    public var to: NewPath
    /// The row's values before, where they are known.
    public var old: Row?
    /// The row's values after, where they were read.
    public var new: Row?
    /// The changed attributes: empty if none changed, `nil` if that is not known.
    public var changed: AttributeSet?

    /// Creates the change of a row that stayed.
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

    /// Whether the content changed, or may have; a moved row must be redrawn if so (C7).
    public var contentChanged: Bool { changed.map { !$0.isEmpty } ?? true }
  }

  /// Deleted rows, by descending `from`.
  public var deletes: [Delete]
  /// Rows that moved to another section, or within the order of their own, by ascending `to`.
  public var moves: [Survivor]
  /// Inserted rows, by ascending `to`.
  public var inserts: [Insert]
  /// Rows that kept their order but changed their content, by ascending `to`.
  public var updates: [Survivor]
  /// The former identities of inserted rows, by their new ones: the same change deletes the row under its former identity (R109).
  ///
  /// A new row of a draft gets its final key when the draft is committed. If you keep something for a row, such as a selection, carry it
  /// over to the new identity. Rows outside the observed ones are not named.
  public internal(set) var formerIDs: [ObjectID: ObjectID] = [:]
  /// Rows that may have been read in a version between those of two generations, whether they are named or not.
  ///
  /// Whatever such a row was before, it is to be read again if it stays, or returns later (R201).
  package internal(set) var readLate: Set<ObjectID> = []

  /// Creates the changes of rows; the arrays must be in canonical order.
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

  /// Names the former identities of inserted rows, as far as both ends are named.
  mutating func name(_ formerIDs: [ObjectID: ObjectID]) {
    guard !formerIDs.isEmpty else { return }
    let deleted = Set(deletes.map(\.id))
    self.formerIDs = [:]
    for insert in inserts {
      guard let former = formerIDs[insert.id], deleted.contains(former) else { continue }
      self.formerIDs[insert.id] = former
    }
  }

  /// Whether no row changed.
  public var isEmpty: Bool {
    deletes.isEmpty && moves.isEmpty && inserts.isEmpty && updates.isEmpty
  }

  /// The number of rows that are named.
  public var count: Int { deletes.count + moves.count + inserts.count + updates.count }
}

extension [ObjectID: ObjectID] {
  /// The former identities over two consecutive changes, of which this dictionary has those of the second.
  func after(_ first: [ObjectID: ObjectID]) -> [ObjectID: ObjectID] {
    guard !first.isEmpty else { return self }
    return first.merging(mapValues { first[$0] ?? $0 }) { _, second in second }
  }
}

/// The changes of the sections of a list, or of its groups, in canonical order (C2).
///
/// `SectionChanges` are those of sections, and `GroupChanges` those of groups.
public struct HeaderChanges<Header>: Hashable, Sendable
where Header: Identifiable & Hashable & Sendable, Header.ID: Sendable {
  /// A deleted section or group.
  public struct Delete: Hashable, Sendable {
    /// Its index before.
    public var from: Int
    /// Its header before.
    public var old: Header

    /// Creates a deletion.
    public init(from: Int, old: Header) {
      self.from = from
      self.old = old
    }
  }

  /// A section or group that moved among the others, or whose header changed.
  public struct Move: Hashable, Sendable {
    /// Its index before.
    public var from: Int
    /// Its index after.
    public var to: Int
    /// Its header before.
    public var old: Header
    /// Its header after; title, numbers and aggregates may have changed.
    public var new: Header

    /// Creates the change of a section or group that stayed.
    public init(from: Int, to: Int, old: Header, new: Header) {
      self.from = from
      self.to = to
      self.old = old
      self.new = new
    }
  }

  /// An inserted section or group.
  public struct Insert: Hashable, Sendable {
    /// Its index after.
    public var to: Int
    /// Its header after.
    public var new: Header

    /// Creates an insertion.
    public init(to: Int, new: Header) {
      self.to = to
      self.new = new
    }
  }

  /// What was deleted, by descending `from`.
  public var deletes: [Delete]
  /// What moved, by ascending `to`.
  public var moves: [Move]
  /// What was inserted, by ascending `to`.
  public var inserts: [Insert]
  /// What kept its order but changed its header, by ascending `to`.
  public var updates: [Move]

  /// Creates changes; the arrays must be in canonical order.
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

  /// Whether nothing changed.
  public var isEmpty: Bool {
    deletes.isEmpty && moves.isEmpty && inserts.isEmpty && updates.isEmpty
  }

  /// The number of changes.
  var count: Int { deletes.count + moves.count + inserts.count + updates.count }
}

/// The changes of the sections of a list.
public typealias SectionChanges = HeaderChanges<SectionHeader>
/// The changes of the groups of a list, whose indexes count groups (R11).
public typealias GroupChanges = HeaderChanges<GroupHeader>

/// The changes of rows that a controller does not observe: a delta counts them instead of naming them.
///
/// A row that crossed the observed rows counts as deleted on one side and inserted on the other. The new position of one that stayed
/// on its side is not determined, so nothing need be read for it.
public struct UnobservedChanges: Hashable, Sendable {
  /// The numbers of changed rows on one side of the observed ones.
  public struct Counts: Hashable, Sendable {
    /// Rows deleted on that side.
    public var removed = 0
    /// Rows inserted on that side.
    public var inserted = 0
    /// Rows that stayed on that side, and whose content or position changed.
    public var changed = 0

    /// Creates counts of zero.
    public init() {}

    /// Whether all counts are zero.
    public var isEmpty: Bool { removed == 0 && inserted == 0 && changed == 0 }
  }

  /// The observed rows before, counted over all sections; they may extend beyond the end of the list.
  public var oldRows: Range<Int>
  /// The observed rows after: they follow the same rows as before, whatever was inserted or deleted above.
  public var newRows: Range<Int>
  /// The changes above the observed rows.
  public var above = Counts()
  /// The changes below the observed rows.
  public var below = Counts()
  /// Whether the counts include every row.
  ///
  /// Inserted, deleted and moved rows are always counted. Where a commit changes related objects that more rows show than are worth
  /// looking at, only the observed ones are looked at: any other row may then show other values, and is not counted (R100).
  public var isComplete = true

  /// Creates counts of zero beside some observed rows.
  public init(oldRows: Range<Int>, newRows: Range<Int>) {
    self.oldRows = oldRows
    self.newRows = newRows
  }

  /// Whether no unobserved row changed.
  public var isEmpty: Bool { above.isEmpty && below.isEmpty && isComplete }
}
