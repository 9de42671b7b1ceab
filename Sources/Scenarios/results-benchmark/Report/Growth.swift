/// Figures that compare two sizes of one run.
struct Growth {
  private let measurements: [Measurement]

  init(_ measurements: [Measurement]) { self.measurements = measurements }

  /// How much the largest size takes more than a small one, for those of the goals that are named.
  func figures(goals: [Int]) -> [Measurement] {
    goals.flatMap { goal in
      switch goal {
      case 2:
        let ours = ["warm", "cold"].map { "first 50 rows from a valid cache, \($0)" }
        return ours.compactMap { figure(2, from: 10_000, goal: 1, $0, limit: 2) }
          + [figure(2, from: 10_000, goal: 2, MessageBench.coldRowsInC)].compactMap(\.self)
      case 5:
        return [figure(5, from: 1000, goal: 5, "one change, commit to exact paths", limit: 2)]
          .compactMap(
            \.self
          )
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
