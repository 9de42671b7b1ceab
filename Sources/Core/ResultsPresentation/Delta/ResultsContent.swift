public import ResultsDomain

/// A list written out: its sections with their titles, and the identities of their rows.
///
/// It is what the laws speak of. It takes room for every row; front ends use a snapshot instead.
public struct ResultsContent: Hashable, Sendable {
  /// One section written out.
  public struct Section: Hashable, Sendable {
    /// Its identity and title.
    public var header: SectionHeader
    /// The identities of its rows, in order.
    public var rows: [ObjectID]

    /// One section written out.
    public init(header: SectionHeader, rows: [ObjectID]) {
      self.header = header
      self.rows = rows
    }
  }

  /// The sections, in order.
  public var sections: [Section]

  /// A list written out.
  public init(sections: [Section]) { self.sections = sections }
}
