/// One figure, beside its reference of the same run.
///
/// A limit is set on the ratio where there is a reference, else on the figure itself: never on both, so that a row says one thing.
struct Measurement: Hashable, Sendable {
  /// The number of the goal in `docs/performance.md`, or 0 for a case that has none.
  var goal = 0
  /// What was measured, in words.
  var name: String
  /// How many rows there were.
  var rows: Int
  /// The figure, or `nil` if it could not be measured.
  var value: Double?
  /// What the figure counts.
  var unit: String
  /// The same work done in another way, in the same unit.
  var reference: Double?
  /// What the reference is.
  var against = ""
  /// How large the ratio, or else the figure, may be.
  var limit: Double?
  /// Why there is no figure.
  var reason = ""

  /// The figure divided by its reference.
  var ratio: Double? {
    guard let value, let reference, reference > 0 else { return nil }
    return value / reference
  }

  /// Whether there is a figure, and a limit is kept; without a limit it is kept.
  var holds: Bool {
    guard let value else { return false }
    guard let limit else { return true }
    guard reference != nil else { return value <= limit }
    // A reference of nothing proves nothing.
    return ratio.map { $0 <= limit } ?? false
  }

  /// The name with the reference, or with the reason why there is no figure.
  var fullName: String {
    guard reason.isEmpty else { return "\(name) (not measured: \(reason))" }
    return against.isEmpty ? name : "\(name), against \(against)"
  }
}

extension Measurement {
  /// Whether it is there only for its limit, and has none at this size.
  var isIdle: Bool { limit == nil && name.hasSuffix(", at most") }

  /// A figure that cannot be had, and why; it never counts as kept.
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

// MARK: - Samples

/// Figures of several runs.
struct Samples {
  private var numbers: [Double] = []

  /// Whether there are none.
  var isEmpty: Bool { numbers.isEmpty }
  /// The middle one, or zero if there is none.
  var median: Double { quantile(0.5) }
  /// The smallest one, or zero if there is none.
  var least: Double { numbers.min() ?? 0 }

  /// Takes one more.
  mutating func add(_ number: Double) { numbers.append(number) }

  /// The smallest figure that such a part of all does not exceed.
  func quantile(_ part: Double) -> Double {
    guard !numbers.isEmpty else { return 0 }
    let place = min(numbers.count - 1, Int(part * Double(numbers.count)))
    return numbers.sorted()[place]
  }
}

extension Duration {
  /// The duration in microseconds.
  var microseconds: Double {
    Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
  }
}

/// The microseconds that a closure takes.
func time(_ body: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  try body()
  return (ContinuousClock.now - start).microseconds
}

/// The microseconds that a closure takes.
func time(_ body: () async throws -> Void) async rethrows -> Double {
  let start = ContinuousClock.now
  try await body()
  return (ContinuousClock.now - start).microseconds
}
