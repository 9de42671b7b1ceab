public import ResultsDomain

/// What leads from one generation of a list to a later one, exactly.
///
/// Deletes, moved-from and updated-from places count in the generation before; inserts, moved-to and updated-to places in
/// the one after (C1). Shifts caused by other rows are implied (C5). The laws hold for every delta a controller delivers:
/// - applying it to the content before gives the content after (R26);
/// - two in a row compose (R28), and each has an inverse (R29);
/// - it is never empty (R27).
///
/// Of a controller that observes some rows only (`FetchedResultsController.observedRows`), `rows` names what touches those, and `unobserved`
/// counts the rest. Such a delta is exact as far as it goes, but no content can be led on with it, and it does not compose.
public struct ResultsDelta: Hashable, Sendable {
  private var mark = LifeMark()
  /// The life of the list that made it, in which its generations are counted; it is no part of what makes two deltas equal.
  public var life: ResultsLife {
    get { mark.life }
    set { mark.life = newValue }
  }
  /// The generation it leads from.
  public var from: Int
  /// The generation it leads to.
  public var to: Int
  /// Why the list changed.
  public var cause: DeltaCause
  /// Whether changes of other causes were composed with those of `cause`.
  package var hasOtherCauses = false
  /// Why the list was read again, although the store should have told commit by commit; `nil` if it did.
  public var repair: GapReason?
  /// Who made the commits, oldest first, without repeats; empty for a change that no commit made.
  ///
  /// A commit without a name is `CommitOrigin.unnamed`; of what was found by reading again nobody is known.
  public var origins: [CommitOrigin]
  /// What happened to the sections.
  public var sections: SectionChanges
  /// What happened to the rows.
  public var rows: RowChanges
  /// What happened to rows that are not observed, or `nil` if all are.
  public var unobserved: UnobservedChanges?
  /// How many sections there were before.
  public var oldSectionCount: Int
  /// How many sections there are after.
  public var newSectionCount: Int

  /// What leads from one generation to a later one.
  public init(
    from: Int,
    to: Int,
    cause: DeltaCause,
    origins: [CommitOrigin] = [],
    repair: GapReason? = nil,
    sections: SectionChanges = SectionChanges(),
    rows: RowChanges = RowChanges(),
    oldSectionCount: Int,
    newSectionCount: Int
  ) {
    self.from = from
    self.to = to
    self.cause = cause
    self.origins = origins
    self.repair = repair
    self.sections = sections
    self.rows = rows
    self.oldSectionCount = oldSectionCount
    self.newSectionCount = newSectionCount
  }

  /// Whether nothing happened.
  public var isEmpty: Bool {
    sections.isEmpty && rows.isEmpty && unobserved?.isEmpty ?? true
  }
}
