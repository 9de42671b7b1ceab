@testable import SQLitePersistence
import ResultsDomain
import ResultsTesting
import Testing

/// How the log packs the changes of a commit.
@Suite struct `Packed changes` {
  private struct Entry: Equatable {
    let key: ObjectKey
    let before: [Value]?
  }

  private func read(
    _ parts: [[UInt8]],
    _ entity: Int,
    _ identity: EntityIdentity
  ) throws(PayloadReader.Malformed) -> [Entry] {
    var entries: [Entry] = []
    for part in parts {
      var reader = try PayloadReader(part)
      try reader.read(entity: entity, identity: identity) { key, before in
        entries.append(Entry(key: key, before: before))
      }
    }
    return entries
  }

  private func value(_ generator: inout SeededGenerator) -> Value {
    switch generator.number(in: 0...6) {
    case 0: .null
    case 1: .integer(.min)
    case 2: .integer(Int64(generator.number(in: -300...300)))
    case 3: .real(Double(generator.number(in: -5...5)) / 3)
    case 4: .text(String(repeating: "ä\0", count: generator.number(in: 0...90)))
    case 5: .blob(Array(repeating: 0xFF, count: generator.number(in: 0...200)))
    default: .integer(.max)
    }
  }

  @Test(arguments: 0..<20)
  func `are read back unchanged`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let identities: [EntityIdentity] = [.integer(), .text(), .compound(["a", "b"])]
    var expected: [[Entry]] = [[], [], []]
    var writer = PayloadWriter()
    var next: Int64 = 0
    for _ in 0..<200 {
      let entity = generator.number(in: 0...2)
      let key: ObjectKey =
        switch entity {
        case 0: .integer(next)
        case 1: .text("t\(generator.number(in: 0...9))")
        default: .compound([value(&generator), .text("")])
        }
      next = generator.number(in: 0...3) > 0 ? next &+ 1 : Int64(generator.number(in: -900...900))
      let before = generator.number(in: 0...1) == 0 ? nil : (0..<4).map { _ in value(&generator) }
      writer.append(key, before: before, of: entity + 40)
      expected[entity].append(Entry(key: key, before: before))
    }
    let parts = writer.finish()
    for (entity, identity) in identities.enumerated() {
      #expect(try read(parts, entity + 40, identity) == expected[entity], "seed \(seed)")
    }
  }

  @Test func `are split into parts when they are long`() throws {
    var writer = PayloadWriter()
    let image = [Value.blob(Array(repeating: 1, count: 100_000))]
    for key in 0..<100 { writer.append(.integer(Int64(key)), before: image, of: 1) }
    let parts = writer.finish()
    #expect(parts.count > 1 && parts.allSatisfy { $0.count < 5 << 20 })
    #expect(try read(parts, 1, .integer()).count == 100)
  }

  @Test func `take a few bytes for consecutive insertions`() throws {
    var writer = PayloadWriter()
    for key in 1...1_000_000 { writer.append(.integer(Int64(key)), before: nil, of: 1) }
    #expect(writer.finish().map(\.count) == [9])
  }

  @Test func `are refused when a bit is flipped`() throws {
    var writer = PayloadWriter()
    writer.append(.integer(7), before: ["text", 5, .null, 0.5], of: 1)
    writer.append(.integer(900), before: nil, of: 1)
    let part = try #require(writer.finish().first)
    for index in part.indices {
      for bit in 0..<8 {
        var wrong = part
        wrong[index] ^= 1 << UInt8(bit)
        #expect(throws: PayloadReader.Malformed.self) { try read([wrong], 1, .integer()) }
      }
      #expect(throws: PayloadReader.Malformed.self) {
        try read([Array(part[..<index])], 1, .integer())
      }
    }
  }
}
