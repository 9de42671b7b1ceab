import ResultsDomain
import ResultsTesting
import Testing

@Suite
struct ObjectIDTests {
  @Test(
    arguments: [
      ("Book", .integer(12), "results:Book/i12"),
      ("Item", .text("guid 1"), "results:Item/tguid%201"),
      ("Item", .text(""), "results:Item/t"), ("棚 1", .integer(-1), "results:%E6%A3%9A%201/i-1"),
      ("Seat", .compound(["A,/%", 1]), "results:Seat/ctA%2C%2F%25,i1"),
      ("S", .compound([.blob([0, 255]), .real(1.5)]), "results:S/cb00ff,r3ff8000000000000"),
      ("S", .compound([.null]), "results:S/cn"),
      ("Land", .compound([Value(textBytes: [0x4B, 0xF6])]), "results:Land/ctK%F6"),
      ("S", .text("か\u{3099}"), "results:S/t%E3%81%8B%E3%82%99"),
    ] as [(String, ObjectKey, String)]
  )
  func `an identity is formatted as a URI and parsed back R13`(
    entity: String,
    key: ObjectKey,
    uri: String
  ) {
    let id = ObjectID(entity: entity, key: key)
    #expect(id.uri == uri)
    #expect(ObjectID(uri: uri) == id)
  }

  @Test(arguments: [
    "", "results:", "results:Book", "results:/i1", "results:Book/", "results:Book/1",
    "results:Book/i",
    "results:Book/i9223372036854775808", "results:Book/i1,i2", "results:Book/r0", "results:Book/t%",
    "results:Book/t%zz",
    "results:Book/t%FF", "results:S/cb0", "results:S/cnx", "result:Book/i1", "results:S/cb+1",
    "results:Book/i+1",
    "results:Book/t%+1",
  ])
  func `text that is not the URI of an object is refused`(uri: String) {
    #expect(ObjectID(uri: uri) == nil)
  }

  @Test
  func `identities are equal by bytes R13`() {
    #expect(ObjectKey.text("が") != .text("か\u{3099}"))
    #expect(ObjectKey.compound(["が"]) != .compound(["か\u{3099}"]))
    #expect(
      ObjectID(entity: "が", key: .integer(1)) != ObjectID(entity: "か\u{3099}", key: .integer(1))
    )
    #expect(ObjectKey.integer(1) != .text("1"))
  }

  @Test
  func `integer, text and compound keys come from the schema R13`() {
    #expect(Book(id: 3).objectID == ObjectID(entity: "Book", key: .integer(3)))
    #expect(Book().objectID == nil)
    #expect(Word(spelling: "x").objectID == ObjectID(entity: "Word", key: .text("x")))
    #expect(
      Seat(row: "A", number: 2).objectID == ObjectID(entity: "Seat", key: .compound(["A", 2]))
    )
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a set contains each identity once`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let texts = generator.below(2) == 0
    let keys: [ObjectKey] = (0..<60).map { _ in
      let number = generator.below(40)
      return texts
        ? .text(["が", "か\u{3099}", "a"][number % 3] + String(number)) : .integer(Int64(number) - 20)
    }
    let set = IdentitySet(keys: keys)
    #expect(set.count == Set(keys).count, "seed \(seed)")
    #expect(Set(set.keys) == Set(keys), "seed \(seed)")
    #expect(keys.allSatisfy(set.contains))
    #expect(!set.contains(.integer(1000)))
    #expect(!set.contains(.text("か")))
    #expect(set == IdentitySet(keys: keys.shuffled(using: &generator)))
  }
}
