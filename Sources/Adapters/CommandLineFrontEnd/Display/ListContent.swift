import ResultsDomain
import ResultsPresentation

/// A list that is to be printed, with the way to its rows.
struct ListContent {
  /// The sections and positions.
  let results: ResultsList<Row>
  private let rows: (Range<Int>) throws(ResultsError) -> [Row]
  /// How many rows are read at once.
  private static let batchSize = 500

  /// A list whose rows are all of one version.
  init(_ reading: ResultsReading<Row>) {
    results = reading.results
    rows = { (positions) throws(ResultsError) in try reading.objects(at: positions) }
  }

  /// A list whose rows are read as they are by then.
  init(_ results: ResultsList<Row>) {
    self.results = results
    rows = { (positions) throws(ResultsError) in try results.objects(at: positions) }
  }

  /// Hands over every section before its rows, and every row, in order.
  /// - Throws: `ResultsError` for a row that cannot be read, or what a closure throws.
  func forEach(
    section begin: (ResultsSection<Row>) throws -> Void,
    row: (ResultsSection<Row>, Row) throws -> Void
  ) throws {
    var batch: [Row] = []
    var (position, start) = (0, 0)
    for section in results.sections {
      try begin(section)
      for _ in 0..<section.count {
        if position == start + batch.count {
          start = position
          batch = try rows(start..<min(start + ListContent.batchSize, results.count))
        }
        try row(section, batch[position - start])
        position += 1
      }
    }
  }
}
