/// One figure, next to a reference from the same run.
///
/// A limit applies to the ratio if there is a reference, otherwise to the figure itself, never to both. Limits of times are ratios,
/// because machines differ; only counts and bytes have limits of their own.
struct Measurement: Hashable, Sendable {
  /// The number of the goal in `docs/performance.md`, or 0 for a case without a number.
  var goal = 0
  /// The name of the case.
  var name: String
  /// The number of rows.
  var rows: Int
  /// The figure, or `nil` if it could not be measured.
  var value: Double?
  /// The unit of the figure and of the reference.
  var unit: String
  /// The figure of the same work done in another way.
  var reference: Double?
  /// The name of the reference.
  var against = ""
  /// The median ratio of interleaved pairs, or `nil` if the figure and its reference were not measured in pairs.
  var pairedRatio: Double?
  /// The largest allowed ratio, or the largest allowed figure if there is no reference.
  var limit: Double?
  /// The limit that the project aims at, if it is stricter than the present one.
  var target: Double?
  /// The reason why there is no figure.
  var reason = ""

  /// The ratio of the figure to its reference: the median of pairs if there are pairs, otherwise the ratio of the medians.
  ///
  /// A slow moment of the machine makes both halves of a pair slow, so the median of pairs hardly depends on how busy it is.
  var ratio: Double? {
    if let pairedRatio { return pairedRatio }
    guard let value, let reference, reference > 0 else { return nil }
    return value / reference
  }

  /// Whether there is a figure that does not exceed its limit.
  var holds: Bool {
    guard let value else { return false }
    guard let limit else { return true }
    guard reference != nil else { return value <= limit }
    // A reference of zero proves nothing.
    return ratio.map { $0 <= limit } ?? false
  }

  /// The name with the reference, or with the reason why there is no figure.
  var fullName: String {
    guard reason.isEmpty else { return "\(name) (not measured: \(reason))" }
    return against.isEmpty ? name : "\(name), against \(against)"
  }

  /// Returns a figure that could not be measured; it never holds.
  static func missing(
    goal: Int,
    _ name: String,
    rows: Int,
    unit: String,
    limit: Double? = nil,
    because reason: String
  ) -> Measurement {
    Measurement(goal: goal, name: name, rows: rows, unit: unit, limit: limit, reason: reason)
  }
}

extension Measurement {
  /// Creates a figure from interleaved pairs.
  init(
    goal: Int = 0,
    name: String,
    rows: Int,
    _ pairs: Pairs,
    against: String,
    limit: Double? = nil,
    target: Double? = nil
  ) {
    self.init(
      goal: goal,
      name: name,
      rows: rows,
      value: pairs.ours.median,
      unit: "µs",
      reference: pairs.reference.median,
      against: against,
      pairedRatio: pairs.ratio,
      limit: limit,
      target: target
    )
  }

  /// Returns the same figure next to a reference; a limit then applies to the ratio.
  func compared(
    to reference: Double,
    _ against: String,
    limit: Double? = nil
  ) -> Measurement {
    var copy = self
    (copy.reference, copy.against, copy.limit) = (reference, against, limit)
    return copy
  }
}

// MARK: - Samples

/// The figures of several runs.
struct Samples {
  private var numbers: [Double] = []

  /// Whether there are no figures.
  var isEmpty: Bool { numbers.isEmpty }
  /// The median, or zero if there are no figures.
  var median: Double { quantile(0.5) }

  /// Adds a figure.
  mutating func add(_ number: Double) { numbers.append(number) }

  /// Returns the smallest figure that is not exceeded by the given fraction of all figures.
  func quantile(_ fraction: Double) -> Double {
    guard !numbers.isEmpty else { return 0 }
    let index = min(numbers.count - 1, Int(fraction * Double(numbers.count)))
    return numbers.sorted()[index]
  }
}

/// The figures of a case and of its reference, measured in turns.
struct Pairs {
  /// The figures of the case.
  private(set) var ours = Samples()
  /// The figures of the reference.
  private(set) var reference = Samples()
  private var ratios = Samples()

  /// The median of the ratios of the pairs, or `nil` if no pair has one.
  var ratio: Double? { ratios.isEmpty ? nil : ratios.median }

  /// Adds a pair of figures that were measured one directly after the other.
  mutating func add(_ ours: Double, _ reference: Double) {
    self.ours.add(ours)
    self.reference.add(reference)
    if reference > 0 { ratios.add(ours / reference) }
  }
}

extension Duration {
  /// The duration in microseconds.
  var microseconds: Double {
    Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
  }
}

/// Returns the duration of a closure in microseconds.
func time(_ body: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  try body()
  return (ContinuousClock.now - start).microseconds
}

/// Returns the duration of a closure in microseconds.
func time(_ body: () async throws -> Void) async rethrows -> Double {
  let start = ContinuousClock.now
  try await body()
  return (ContinuousClock.now - start).microseconds
}
