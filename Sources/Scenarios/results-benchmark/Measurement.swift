/// One figure, beside its reference of the same run.
struct Measurement {
  /// What a limit is set on.
  enum Limit {
    /// The figure itself, at most so much.
    case value(Double)
    /// The figure divided by its reference, at most so much.
    case ratio(Double)
  }

  let goal: Int
  let name: String
  let rows: Int
  let value: Double
  let unit: String
  var reference: Double?
  /// What the reference is.
  var against = ""
  var limit: Limit?

  /// The figure divided by its reference.
  var ratio: Double? {
    guard let reference, reference > 0 else { return nil }
    return value / reference
  }

  /// Whether the limit is kept; a figure without a limit or a reference keeps it.
  var holds: Bool {
    switch limit {
    case .value(let most): value <= most
    case .ratio(let most): ratio.map { $0 <= most } ?? true
    case nil: true
    }
  }
}

/// Figures of several runs.
struct Samples {
  private var numbers: [Double] = []

  mutating func add(_ number: Double) { numbers.append(number) }

  /// The middle one, or zero if there is none.
  var median: Double { quantile(0.5) }

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
