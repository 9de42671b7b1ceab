import ResultsDomain
import ResultsTesting
import Testing

/// R78: a sum of reals is the double nearest to the exact sum, whatever the order, and forgets what is taken out.
@Suite("A sum of reals is exact")
struct ExactRealSumTests {
  @Test(
    arguments: [
      ([], 0),
      ([0.1, 0.2, -0.3], 0x1p-55),
      ([1e308, 1e308, -1e308, -1e308, 1], 1),
      ([1e16, 1, -1e16], 1),
      ([.greatestFiniteMagnitude, .greatestFiniteMagnitude], .infinity),
      ([-.greatestFiniteMagnitude, -0x1p971], -.infinity),
      ([.greatestFiniteMagnitude, 0x1p969], .greatestFiniteMagnitude),
      ([.leastNonzeroMagnitude, .leastNonzeroMagnitude], 0x1p-1073),
      ([-.leastNonzeroMagnitude], -.leastNonzeroMagnitude),
      ([0x1p52, 0.5], 0x1p52),
      ([0x1p52, 0.5, .leastNonzeroMagnitude], 0x1p52 + 1),
      ([0x1p52 + 1, 0.5], 0x1p52 + 2),
      ([.infinity, -1e308], .infinity),
      ([-.infinity, 7], -.infinity),
    ] as [([Double], Double)]
  )
  func `the value is the nearest double, ties to even`(numbers: [Double], expected: Double) {
    for numbers in [numbers, numbers.reversed()] {
      var sum = ExactRealSum()
      for number in numbers { sum.add(number) }
      #expect(sum.value == expected)
    }
  }

  @Test func `both infinities have no sum until one of them is taken out`() {
    var sum = ExactRealSum()
    for number in [Double.infinity, -Double.infinity, 2] { sum.add(number) }
    #expect(sum.value == nil)
    sum.remove(.infinity)
    #expect(sum.value == -.infinity)
    sum.remove(-.infinity)
    #expect(sum.value == 2)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `it agrees with whole numbers of 128 bits`(seed: UInt64) {
    var generator = ResultsTesting.SeededGenerator(seed: seed)
    var (sum, exact) = (ExactRealSum(), Int128(0))
    var kept: [Int64] = []
    for _ in 0..<generator.number(in: 1...60) {
      let bits = generator.number(in: 1...53)
      let number = Int64(truncatingIfNeeded: generator.next() >> UInt64(64 - bits))
      kept.append(generator.happens(percent: 50) ? number : -number)
    }
    for number in kept {
      sum.add(Double(number) / 1024)
      exact += Int128(number)
    }
    for number in kept where generator.happens(percent: 40) {
      sum.remove(Double(number) / 1024)
      exact -= Int128(number)
    }
    #expect(sum.value == Double(exact) / 1024, "seed \(seed)")
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `order, removal and merging make no difference`(seed: UInt64) {
    var generator = ResultsTesting.SeededGenerator(seed: seed)
    let numbers = (0..<40).map { _ -> Double in
      let real = Double(bitPattern: generator.next())
      return real.isNaN ? 1 : real
    }
    let half = numbers.count / 2
    var (forward, left, right) = (ExactRealSum(), ExactRealSum(), ExactRealSum())
    for number in numbers { forward.add(number) }
    for number in numbers[..<half].reversed() { left.add(number) }
    for number in numbers[half...].reversed() { right.add(number) }
    left.merge(right)
    #expect(left == forward, "seed \(seed)")
    #expect(left.value == forward.value, "seed \(seed)")
    for number in numbers[half...] { forward.remove(number) }
    for number in numbers[half...] { left.remove(number) }
    var lower = ExactRealSum()
    for number in numbers[..<half] { lower.add(number) }
    #expect(forward == lower, "seed \(seed)")
    #expect(left.value == lower.value, "seed \(seed)")
    lower.add(1e-300)
    #expect(forward != lower, "seed \(seed)")
  }
}
