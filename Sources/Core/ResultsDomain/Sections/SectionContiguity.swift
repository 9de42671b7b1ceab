/// What is done with rows of one section that do not stand together.
///
/// It can only happen where a section's order key differs between its rows, or a grouping is not monotone.
public enum SectionContiguity: Hashable, Sendable {
  /// Refuse, naming two such rows.
  case error
  /// Gather them where the first of them stands.
  case merge
  /// Make a section of each run; later runs get an occurrence number in their id.
  case split
}
