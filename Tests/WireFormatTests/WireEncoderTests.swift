import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import ResultsTesting
import Testing
import WireFormat

@Suite("Lines of the wire form")
struct WireEncoderTests {
  @Test func `R46: each kind of value has its form`() throws {
    let fixture = try WireFixture()
    let row = fixture.row(
      3,
      [
        "帰還 \"x\"\\\n\u{1}\u{85}", 7, 0.1, .integer(-348_005), .integer(1_793_700_600_500_000), 1,
        .blob([0, 255, 16]),
      ]
    )
    #expect(
      fixture.encoder.row(row)
        == #"{"id":3,"title":"帰還 \"x\"\\\n\u0001\u0085","count":7,"ratio":0.1,"#
        + #""amount":"-3480.05","date":"2026-11-03T10:10:00.5Z","done":true,"#
        + #""picture":{"base64":"AP8Q"}}"#
    )
  }

  @Test func `R46: a whole day is written as its date`() throws {
    let entity = try EntityDescription(
      name: "E",
      attributes: [AttributeDescription("day", .date)]
    )
    let day = try #require(Instant(plainText: "2026-11-03"))
    let row = Row(
      entity: entity,
      id: ObjectID(entity: "E", key: .integer(1)),
      values: [.integer(day.microseconds)]
    )
    #expect(WireEncoder(entity: entity).row(row) == #"{"id":1,"day":"2026-11-03"}"#)
  }

  @Test(
    arguments: zip(
      [
        Value.null, 1e300, .real(.leastNonzeroMagnitude), -0.0, .real(.infinity), .real(-.infinity),
        3.0,
      ],
      ["null", "1e+300", "5e-324", "-0.0", "\"inf\"", "\"-inf\"", "3.0"]
    )
  )
  func `R46, R197: reals keep all their digits, and infinity is a text`(value: Value, text: String)
    throws
  {
    let entity = try EntityDescription(
      name: "E",
      attributes: [AttributeDescription("x", .real, isOptional: true)]
    )
    let row = Row(entity: entity, id: ObjectID(entity: "E", key: .text("k")), values: [value])
    #expect(WireEncoder(entity: entity).row(row) == "{\"id\":\"k\",\"x\":\(text)}")
  }

  @Test func `R189: a text that is not UTF-8 is written as it is shown, and with its bytes`() throws
  {
    let entity = try EntityDescription(
      name: "E",
      identity: .text(column: "k"),
      attributes: [AttributeDescription("x", .text)]
    )
    let text = Value(textBytes: [0x4B, 0xF6, 0x6C, 0x6E])
    let id = ObjectID(entity: "E", key: .compound([text]))
    let written = "{\"text\":\"K\u{FFFD}ln\",\"base64\":\"S/Zsbg==\"}"
    #expect(
      WireEncoder(entity: entity).row(Row(entity: entity, id: id, values: [text]))
        == "{\"id\":\(written),\"x\":\(written)}"
    )
  }

  @Test func `a compound key is an array, and chosen attributes keep their order`() throws {
    let entity = try EntityDescription(
      name: "Seat",
      identity: .compound(["day", "seat"]),
      attributes: [AttributeDescription("seat", .text), AttributeDescription("day", .date)]
    )
    let id = ObjectID(entity: "Seat", key: .compound([0, "A1"]))
    let row = Row(entity: entity, id: id, values: ["A1", 0])
    let encoder = WireEncoder(entity: entity, attributes: ["day", "none", "seat"])
    #expect(
      encoder.row(row)
        == #"{"id":["1970-01-01T00:00:00Z","A1"],"day":"1970-01-01T00:00:00Z","seat":"A1"}"#
    )
  }

  @Test func `R46: an attribute with the name of the key's member has a name of its own`() throws {
    let entity = try EntityDescription(
      name: "Item",
      identity: .integer(column: "rowid"),
      attributes: ["id", "id_", "Id"].map { AttributeDescription($0, .text) }
    )
    let encoder = WireEncoder(entity: entity)
    let values: [Value] = [.text("a"), .text("b"), .text("c")]
    let row = Row(entity: entity, id: ObjectID(entity: "Item", key: .integer(7)), values: values)
    #expect(encoder.row(row) == #"{"id":7,"id__":"a","id_":"b","Id":"c"}"#)
    let path = (OldPath(section: 0, row: 0), NewPath(section: 0, row: 0))
    let update = RowChanges.Survivor(
      id: row.id,
      from: path.0,
      to: path.1,
      new: row,
      changed: AttributeSet(indexes: [0, 2])
    )
    let delta = ResultsDelta(
      from: 1,
      to: 2,
      cause: .own,
      rows: RowChanges(updates: [update]),
      oldSectionCount: 1,
      newSectionCount: 1
    )
    #expect(encoder.delta(delta).contains(#""changed":["id__","Id"],"row":{"id":7,"id__":"a""#))
  }

  @Test func `R06: section ids keep their kind, and later runs their number`() throws {
    let fixture = try WireFixture()
    let ids = [
      SectionID(.null), SectionID(""), SectionID(0), SectionID("0"), SectionID(.blob([1])),
      SectionID("a", occurrence: 2),
    ]
    let sections = ids.map {
      WireSection(header: SectionHeader(id: $0, title: ""), rows: [])
    }
    let line = fixture.encoder.snapshot(at: .unknown(1), sections: sections)
    let found = try JSONValue(parsing: line)["sections"]?.array?.compactMap { $0["id"]?.text }
    #expect(
      found == [
        "null", "\"\"", "0", "\"0\"", "{\"base64\":\"AQ==\"}", "{\"value\":\"a\",\"occurrence\":2}",
      ]
    )
  }

  @Test func `R46: a snapshot, a reset and an error are each one line`() throws {
    let entity = try EntityDescription(
      name: "Book",
      attributes: [AttributeDescription("publisher", .text), AttributeDescription("title", .text)]
    )
    let row = Row(
      entity: entity,
      id: ObjectID(entity: "Book", key: .integer(3)),
      values: ["岩波書店", "帰還"]
    )
    let header = SectionHeader(id: SectionID("岩波書店"), title: "岩波書店")
    let encoder = WireEncoder(entity: entity)
    let sections = [WireSection(header: header, rows: [row])]
    let body =
      #""generation":17,"rows":1,"sections":[{"id":"岩波書店","title":"岩波書店","#
      + #""rows":[{"id":3,"publisher":"岩波書店","title":"帰還"}]}]}"#
    #expect(
      encoder.snapshot(at: .unknown(17), sections: sections)
        == #"{"v":1,"t":"snapshot","# + body
    )
    #expect(
      encoder.reset(reason: "gap", at: .unknown(17), sections: sections)
        == #"{"v":1,"t":"reset","reason":"gap","# + body
    )
    #expect(
      encoder.error("no\tdisk", generation: 19)
        == #"{"v":1,"t":"error","generation":19,"error":"no\tdisk"}"#
    )
  }

  @Test func `C10: an unsectioned empty list has one section without an id`() throws {
    let fixture = try WireFixture()
    let header = SectionHeader(id: SectionID(.null), title: "")
    #expect(
      fixture.encoder.snapshot(
        at: .unknown(1),
        sections: [WireSection(header: header, rows: [])]
      )
        == #"{"v":1,"t":"snapshot","generation":1,"rows":0,"#
        + #""sections":[{"id":null,"title":"","rows":[]}]}"#
    )
  }

  @Test func `R36: a delta is written in canonical order, byte for byte`() throws {
    let entity = try EntityDescription(
      name: "Item",
      attributes: [AttributeDescription("kind", .text)]
    )
    let rows = { (id: ObjectID) -> (old: Row?, new: Row?) in
      let row = Row(entity: entity, id: id, values: [.text("k")])
      return id.key == .text("u") ? (nil, nil) : (row, row)
    }
    var old = drawn("A:abcu B:d C:e")
    old.sections[2].header = SectionHeader(id: SectionID(.null), title: "")
    let new = drawn("B:xd A:cufa D:")
    var delta = ReferenceDelta.computed(from: old, to: new, generation: 17, rows: rows) { id in
      let isMoved = id.key == .text("a")
      let changed = id.key == .text("u") ? nil : AttributeSet(indexes: isMoved ? [0] : [])
      return .init(changed: changed, keyChanged: isMoved)
    }
    delta.cause = .external
    #expect(
      WireEncoder(entity: entity).delta(delta)
        == #"{"v":1,"t":"delta","from":17,"to":18,"cause":"external","sections":["#
        + #"{"op":"delete","from":2,"id":null},{"op":"move","from":1,"to":0,"id":"B","title":"B"},"#
        + #"{"op":"insert","to":2,"id":"D","title":"D"}],"rows":["#
        + #"{"op":"delete","id":"e","from":[2,0]},{"op":"delete","id":"b","from":[0,1]},"#
        + #"{"op":"move","id":"a","from":[0,0],"to":[1,3],"changed":["kind"],"#
        + #""row":{"id":"a","kind":"k"}},"#
        + #"{"op":"insert","id":"x","to":[0,0],"row":{"id":"x","kind":"k"}},"#
        + #"{"op":"insert","id":"f","to":[1,2],"row":{"id":"f","kind":"k"}},"#
        + #"{"op":"update","id":"u","from":[0,3],"to":[1,1],"changed":null,"row":{"id":"u"}}]}"#
    )
  }
}
