/// The growth of figures with the number of rows: a few lines over the same sizes.
struct GrowthCurve: Sendable {
  /// A line of a curve.
  struct Line: Sendable {
    /// The label of the line.
    var label: String
    /// Rows and figures by ascending rows; none of them is zero.
    var points: [(rows: Double, value: Double)]
  }

  /// The name of the file.
  var file: String
  /// The title.
  var title: String
  /// The unit of the figures.
  var unit: String
  /// The lines, ours first.
  var lines: [Line]
}

extension GrowthCurve {
  /// Returns the curves of figures, without those that have no line of at least two sizes.
  static func all(of measurements: [Measurement]) -> [GrowthCurve] {
    let source = Source(measurements: measurements)
    let open = "first 50 rows from a valid cache, warm"
    let change = "one change, commit to exact paths"
    let page = "page of 50 identities at any depth"
    let again = source.line("all identities read again in C", 6, change, \.reference)
    let bytes = source.line("swift-fetched-results", 4, "bytes a row, keys", \.value)
    let curves = [
      GrowthCurve(
        file: "open.svg",
        title: "Opening a list from its cache, to the first 50 rows",
        unit: "µs",
        lines: [
          source.line("swift-fetched-results", 1, open, \.value),
          source.line("the index read in C", 1, open, \.reference), again,
        ]
      ),
      GrowthCurve(
        file: "change.svg",
        title: "One change, from the commit to exact paths",
        unit: "µs",
        lines: [
          source.line("swift-fetched-results", 5, change, \.value),
          source.line("row and two ranks in C", 5, change, \.reference), again,
        ]
      ),
      GrowthCurve(
        file: "page.svg",
        title: "A page of 50 identities at any depth",
        unit: "µs",
        lines: [
          source.line("swift-fetched-results", 9, page, \.value),
          source.line("a keyset page in C", 9, page, \.reference),
          source.line("LIMIT and OFFSET in C", 9, "\(page), with an offset", \.reference),
        ]
      ),
      GrowthCurve(
        file: "memory.svg",
        title: "Memory of a list, a row",
        unit: "bytes",
        lines: [
          bytes, bytes.constant("an array of 64-bit identities", 8),
          bytes.constant("an array of all rows", 128),
        ]
      ),
    ]
    return curves.compactMap { curve in
      var curve = curve
      curve.lines.removeAll { $0.points.count < 2 }
      return curve.lines.isEmpty ? nil : curve
    }
  }

  private struct Source {
    let measurements: [Measurement]

    /// Returns a line from one column of the figures with a name.
    func line(
      _ label: String,
      _ goal: Int,
      _ name: String,
      _ column: (Measurement) -> Double?
    ) -> Line {
      var points: [(rows: Double, value: Double)] = []
      for each in measurements where each.goal == goal && each.name == name {
        guard let value = column(each), value > 0, value.isFinite, each.rows > 0 else { continue }
        points.append((Double(each.rows), value))
      }
      return Line(label: label, points: points.sorted { $0.rows < $1.rows })
    }
  }
}

extension GrowthCurve.Line {
  /// Returns a constant line over the same sizes.
  fileprivate func constant(_ label: String, _ value: Double) -> Self {
    Self(label: label, points: points.map { ($0.rows, value) })
  }
}

// MARK: - Ratios

/// The ratios of two sizes of one run.
struct Growth {
  private let measurements: [Measurement]

  init(_ measurements: [Measurement]) { self.measurements = measurements }

  /// Returns the ratio of the largest to a small size for the given goals.
  func figures(goals: [Int]) -> [Measurement] {
    goals.flatMap { goal in
      switch goal {
      case 2:
        let ours = ["warm", "cold"].map { "first 50 rows from a valid cache, \($0)" }
        return ours.compactMap { figure(2, from: 10_000, goal: 1, $0, limit: 2) }
          + [figure(2, from: 10_000, goal: 2, OpeningBenchmark.coldRowsInC)].compactMap(\.self)
      case 5:
        return [figure(5, from: 1000, goal: 5, "one change, commit to exact paths", limit: 2)]
          .compactMap(
            \.self
          )
      case 19:
        return [figure(19, from: 10_000, goal: 19, RelatedChangeBenchmark.renameName, limit: 3)]
          .compactMap(\.self)
      default: return []
      }
    }
  }

  private func figure(
    _ goal: Int,
    from base: Int,
    goal source: Int,
    _ name: String,
    limit: Double? = nil
  ) -> Measurement? {
    let sizes = measurements.filter { $0.goal == source && $0.name == name && $0.value != nil }
    guard let last = sizes.max(by: { $0.rows < $1.rows }), last.rows > base,
      let first = sizes.first(where: { $0.rows == base })
    else { return nil }
    return Measurement(
      goal: goal,
      name: "growth, \(name)",
      rows: last.rows,
      value: last.value,
      unit: last.unit,
      reference: first.value,
      against: "\(ReportNumber.grouped(base)) rows",
      limit: limit
    )
  }
}
