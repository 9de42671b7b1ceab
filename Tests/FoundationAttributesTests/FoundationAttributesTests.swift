import Foundation
import FoundationAttributes
import ResultsDomain
import Testing

/// Properties of Foundation's types, in the forms of other applications.
@Suite struct FoundationAttributesTests {
  private struct Note: Entity {
    var id: Int64?
    var added = Date(timeIntervalSince1970: 0)
    var edited: Date?
    var key = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    var price: Decimal?
    var image = Data()
    var tags = JSONAttribute<[String]>([])

    static let schema = EntitySchema<Note>("Note", identity: \.id) {
      Attribute(\.added, "added", as: .dateText(digits: 3))
      Attribute(\.edited, "edited", as: .epochSeconds)
      Attribute(\.key, "key", as: .uuidBlob)
      Attribute(\.price, "price", as: .decimalText)
      Attribute(\.image, "image")
      Attribute(\.tags, "tags", as: .json)
    }
  }

  @Test func `R102: an object is written in the forms and read from them`() throws {
    var note = Note()
    note.added = Date(timeIntervalSince1970: 1_704_110_400.123)
    note.edited = Date(timeIntervalSince1970: 1_704_110_400)
    note.price = Decimal(string: "12.50")
    note.image = Data([0, 255])
    note.tags.content = ["a", "b/c"]
    let values = note.attributeValues
    #expect(
      values == [
        "2024-01-01 12:00:00.123", .integer(1_704_110_400), .blob((0..<16).map { UInt8($0) }),
        "12.5", .blob([0, 255]), #"["a","b/c"]"#,
      ]
    )
    let id = ObjectID(entity: "Note", key: .integer(1))
    let read = try Note(row: Row(entity: Note.entity, id: id, values: values))
    #expect(abs(read.added.timeIntervalSince(note.added)) < 0.000_001)
    #expect(read.edited == note.edited && read.key == note.key && read.price == note.price)
    #expect(read.image == note.image && read.tags == note.tags)
    #expect(read.attributeValues == values)
    let wrongs: [(Int, Value)] = [(0, "soon"), (2, .blob([1])), (3, "1,5"), (5, "[")]
    for (index, wrong) in wrongs {
      var broken = values
      broken[index] = wrong
      #expect(throws: RowError.self) {
        try Note(row: Row(entity: Note.entity, id: id, values: broken))
      }
    }
  }

  @Test func `R102: a condition over a date compares what is stored`() {
    let predicate: EntityPredicate<Note> = \.added >= Date(timeIntervalSince1970: 1_704_067_200)
    #expect(
      predicate.predicate
        == .comparison(.attribute("added"), .greaterOrEqual, .literal("2024-01-01 00:00:00.000"))
    )
  }
}
