import ResultsTesting
import Testing

@Suite struct `Seeded generator` {
  @Test func `the same seed gives the same numbers, as published`() {
    var generator = SeededGenerator(seed: 1_234_567)
    // Reference values of SplitMix64 for this seed (Vigna's splitmix64.c).
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.seed == 1_234_567)
  }
}
