import ResultsDomain
import Testing

@testable import ResultsPresentation

/// R19: the way from the keys that a generation shows to those of a version that is read.
@Suite struct `The eras of an indexed list` {
  private func version(_ sequence: UInt64) -> StoreVersion {
    StoreVersion(epoch: 1, sequence: sequence)
  }

  private func change(_ key: UInt8) throws -> KeyChange {
    try KeyChange(removed: [], inserted: [[key, 1]])
  }

  @Test func `tell a reader nothing of what was noted after it began to read`() throws {
    let era = KeyEra(version(1))
    era.note(version(5))
    #expect(era.change(until: version(3)).version == version(3))
    let next = KeyEra(version(7))
    era.end(with: try change(1), next: next)
    next.note(version(9))
    for read in 1...5 as ClosedRange<UInt64> {
      let (change, until) = era.change(until: version(read))
      #expect(change.isEmpty && until == version(read))
    }
    // Between the two nobody knows; the store's history tells the rest.
    #expect(era.change(until: version(6)).version == version(5))
    for read in 7...9 as ClosedRange<UInt64> {
      let (change, until) = era.change(until: version(read))
      #expect(change.count == 1 && until == version(read))
    }
    #expect(era.change(until: version(12)).version == version(9))
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
