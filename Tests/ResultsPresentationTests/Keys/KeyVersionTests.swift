import OrderStatistics
import ResultsDomain
import Testing

@testable import ResultsPresentation

/// R19: the transitions from the keys that a generation shows to those of a version that is read.
@Suite struct `The key versions of an indexed list` {
  private func version(_ sequence: UInt64) -> StoreVersion {
    StoreVersion(epoch: 1, sequence: sequence)
  }

  private func change(_ key: UInt8) throws -> KeyChange {
    try KeyChange(removed: KeyBatch(), inserted: KeyBatch([[key, 1]]))
  }

  @Test func `know only the store versions that were recorded`() throws {
    let first = KeyVersion(version(1))
    first.extend(to: version(5))
    // Between two store versions with the same keys there may have been one with others.
    for read in 1...4 as ClosedRange<UInt64> {
      #expect(first.change(upTo: version(read)).version == version(1))
    }
    let next = KeyVersion(version(7))
    first.end(with: try change(1), next: next)
    next.extend(to: version(9))
    for (read, known) in [(5, 5), (6, 5), (7, 7), (8, 7), (9, 9), (12, 9)] as [(UInt64, UInt64)] {
      let (change, last) = first.change(upTo: version(read))
      #expect(change.count == (read < 7 ? 0 : 1) && last == version(known))
    }
  }

  @Test func `store the first version and the last ones`() {
    let keys = KeyVersion(version(1))
    for number in 2...100 as ClosedRange<UInt64> { keys.extend(to: version(number)) }
    for read in 93...100 as ClosedRange<UInt64> {
      #expect(keys.change(upTo: version(read)).version == version(read))
    }
    #expect(keys.change(upTo: version(92)).version == version(1))
  }

  @Test func `release a long chain of transitions without a deep stack`() throws {
    let first = KeyVersion(version(0))
    var last = first
    let count = 300_000 as UInt64
    for number in 1...count {
      let next = KeyVersion(version(number))
      last.end(with: KeyChange(), next: next)
      last = next
    }
    last.end(with: try change(1), next: KeyVersion(version(count + 1)))
    #expect(first.transitionKeyCount == 1)
  }

  @Test func `leave only their transitions when nobody holds them`() throws {
    let first = KeyVersion(version(0))
    var last = first
    for number in 1...50 as ClosedRange<UInt64> {
      let next = KeyVersion(version(number))
      last.end(with: try change(UInt8(number)), next: next)
      last = next
    }
    #expect(first.transitionKeyCount == 50)
    let (change, reached) = first.change(upTo: version(50))
    #expect(change.count == 50 && reached == version(50))
    #expect(first.transitionKeyCount == 50)
  }
}
