#if PostgreSQL
import ResultsDomain
import ResultsStoreKit

/// A version of the log that later processes can find: the life, the tables, and the mark.
struct LogBookmark: Hashable, Sendable {
  /// The number of the form.
  private static let form: UInt64 = 1

  let life: [UInt64]
  /// For each table the digest of the entity's name, and the table's mark.
  let tables: [UInt64]
  let mark: Mark

  /// The bookmark of what a transaction sees.
  init(_ reading: LogReading, _ entities: [EntityDescription]) {
    life = reading.life.numbers
    mark = reading.mark
    tables = zip(entities, reading.layout.marks).flatMap { entity, mark in
      var digest = RowDigest()
      digest.add(.text(entity.name))
      return [digest.value, UInt64(bitPattern: mark)]
    }
  }

  /// A number that another life hardly has.
  var lifeDigest: UInt64 {
    var digest = RowDigest()
    for number in life { digest.add(Int64(bitPattern: number)) }
    return digest.value
  }

  /// The bytes of a bookmark.
  var bytes: [UInt8] {
    let numbers = [LogBookmark.form] + life + [UInt64(tables.count)] + tables + mark.numbers
    return numbers.flatMap { BinaryForm.bytes(of: Int64(bitPattern: $0)) }
  }

  /// Reads the bytes, or returns `nil` for others.
  init?(bytes: [UInt8]) {
    guard bytes.count.isMultiple(of: 8) else { return nil }
    let numbers = stride(from: 0, to: bytes.count, by: 8).map { start in
      UInt64(bitPattern: BinaryForm.integer(bytes[start..<start + 8]))
    }
    let head = 1 + ServerLife.numberCount
    guard numbers.count > head, numbers[0] == LogBookmark.form,
      let count = Int(exactly: numbers[head]), count <= numbers.count - head - 1
    else { return nil }
    life = Array(numbers[1..<head])
    tables = Array(numbers[head + 1..<head + 1 + count])
    guard let mark = Mark(numbers: numbers[(head + 1 + count)...]) else { return nil }
    self.mark = mark
  }

  /// Whether everything that this bookmark says of tables holds for another one's.
  func agrees(with present: LogBookmark) -> Bool {
    guard life == present.life else { return false }
    var known: [UInt64: UInt64] = [:]
    for index in stride(from: 0, to: tables.count - 1, by: 2) {
      known[tables[index]] = tables[index + 1]
    }
    return stride(from: 0, to: present.tables.count - 1, by: 2).allSatisfy { index in
      known[present.tables[index]] == present.tables[index + 1]
    }
  }
}
#endif
