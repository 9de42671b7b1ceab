import OrderStatistics
import ResultsDomain
import Testing

@testable import ResultsPresentation

/// R19: the way from the keys that a generation shows to those of a version that is read.
@Suite struct `The eras of an indexed list` {
  private func version(_ sequence: UInt64) -> StoreVersion {
    StoreVersion(epoch: 1, sequence: sequence)
  }

  private func change(_ key: UInt8) throws -> KeyChange {
    try KeyChange(removed: KeyBatch(), inserted: KeyBatch([[key, 1]]))
  }

  @Test func `tell a reader only of versions that were seen`() throws {
    let era = KeyEra(version(1))
    era.note(version(5))
    // Between two versions with the same keys there may have been one with others.
    for read in 1...4 as ClosedRange<UInt64> {
      #expect(era.change(until: version(read)).version == version(1))
    }
    let next = KeyEra(version(7))
    era.end(with: try change(1), next: next)
    next.note(version(9))
    for (read, known) in [(5, 5), (6, 5), (7, 7), (8, 7), (9, 9), (12, 9)] as [(UInt64, UInt64)] {
      let (change, until) = era.change(until: version(read))
      #expect(change.count == (read < 7 ? 0 : 1) && until == version(known))
    }
  }

  @Test func `remember the first version and the last ones`() {
    let era = KeyEra(version(1))
    for number in 2...100 as ClosedRange<UInt64> { era.note(version(number)) }
    for read in 93...100 as ClosedRange<UInt64> {
      #expect(era.change(until: version(read)).version == version(read))
    }
    #expect(era.change(until: version(92)).version == version(1))
  }

  @Test func `keep a long way as one step, and let go of it without a deep stack`() throws {
    let first = KeyEra(version(0))
    var last = first
    let count = 300_000 as UInt64
    for number in 1...count {
      let next = KeyEra(version(number))
      last.end(with: KeyChange(), next: next)
      last = next
    }
    last.end(with: try change(1), next: KeyEra(version(count + 1)))
    #expect(first.keyCountOfWay == 1)
  }

  @Test func `of eras that nobody holds only their changes are left`() throws {
    let first = KeyEra(version(0))
    var last = first
    for number in 1...50 as ClosedRange<UInt64> {
      let next = KeyEra(version(number))
      last.end(with: try change(UInt8(number)), next: next)
      last = next
    }
    #expect(first.keyCountOfWay == 50)
    let (way, until) = first.change(until: version(50))
    #expect(way.count == 50 && until == version(50))
    #expect(first.keyCountOfWay == 50)
  }
}
