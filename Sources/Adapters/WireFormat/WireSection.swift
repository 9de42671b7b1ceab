public import ResultsDomain
public import ResultsPresentation

/// One section of a list with its rows, as snapshots on the wire carry it.
public struct WireSection: Hashable, Sendable {
  /// Its identity and title.
  public var header: SectionHeader
  /// Its rows, in order.
  public var rows: [Row]

  /// One section of a list with its rows.
  public init(header: SectionHeader, rows: [Row]) {
    self.header = header
    self.rows = rows
  }
}
