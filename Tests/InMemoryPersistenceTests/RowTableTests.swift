import ResultsDomain
import ResultsTesting
import Testing

@testable import InMemoryPersistence

@Suite struct `Row table` {
  private let entity: EntityDescription

  init() throws {
    entity = try EntityDescription(
      name: "Item",
      attributes: [AttributeDescription("number", .integer64)]
    )
  }

  private func row(_ key: Int64, _ number: Int64) -> Row {
    let id = ObjectID(entity: "Item", key: .integer(key))
    return Row(entity: entity, id: id, values: [.integer(number)])
  }

  private func rows(_ table: RowTable) throws -> [Row] {
    var rows: [Row] = []
    try table.forEach { row in
      rows.append(row)
      return true
    }
    return rows
  }

  @Test(arguments: 0..<8)
  func `it is a sorted dictionary whose copies do not change`(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var table = RowTable()
    var expected: [Int64: Row] = [:]
    var copies: [(RowTable, [Row])] = []
    // Growing first and shrinking later makes chunks split and merge.
    for step in 0..<12_000 {
      let key = Int64(generator.number(in: 0...2500))
      if generator.happens(percent: step < 4000 ? 85 : 5) {
        table.set(row(key, Int64(step)))
        expected[key] = row(key, Int64(step))
      } else {
        table.remove(.integer(key))
        expected[key] = nil
      }
      if step % 3000 == 0 { copies.append((table, try rows(table))) }
    }
    let sorted = expected.sorted { $0.key < $1.key }.map(\.value)
    #expect(try rows(table) == sorted)
    #expect(table.count == sorted.count)
    #expect(table.last == sorted.last)
    for key: Int64 in 0...2500 { #expect(table[.integer(key)] == expected[key]) }
    for (old, content) in copies { #expect(try rows(old) == content) }
    #expect(table.chunks.allSatisfy { !$0.isEmpty && $0.count <= RowTable.chunkLimit })
    #expect(table.chunks.count <= 2 + table.count / (RowTable.chunkLimit / 8))
  }

  @Test func `rows inserted in order fill their chunks`() throws {
    var table = RowTable()
    for key: Int64 in 1...10_000 { table.set(row(key, 0)) }
    #expect(table.count == 10_000)
    #expect(table.chunks.count == (10_000 + RowTable.chunkLimit - 1) / RowTable.chunkLimit)
  }

  @Test func `a table is empty after all rows are removed`() throws {
    var table = RowTable()
    for key: Int64 in 1...1000 { table.set(row(key, 0)) }
    for key: Int64 in (1...1000).reversed() { table.remove(.integer(key)) }
    #expect(table.chunks.isEmpty)
    #expect(table.last == nil)
    table.set(row(5, 5))
    #expect(try rows(table) == [row(5, 5)])
  }
}
