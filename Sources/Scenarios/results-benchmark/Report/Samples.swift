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
