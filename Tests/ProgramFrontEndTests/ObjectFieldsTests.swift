import InMemoryPersistence
import ResultsDomain
import ResultsStoreKit
import ResultsTesting
import Testing

@testable import ProgramFrontEnd

/// Fields in which names of related objects stand for their keys.
@Suite struct ObjectFieldsTests {
  private struct Song: Entity {
    var id: Int64?
    var title = ""
    var bandID: Int64?

    static let band = ToOne<Song, Band>("band", \.bandID, onDelete: .nullify)
    static let moods = ToMany<Song, Mood>("moods", through: Link("SongMood", "songID", "moodID"))
    static let schema = EntitySchema<Song>("Song", identity: \.id) {
      Attribute(\.title, "title")
      Attribute(\.bandID, "bandID")
      Relationship(band)
      Relationship(moods)
    }
  }

  private struct Band: Entity {
    var id: Int64?
    var name = ""
    static let schema = EntitySchema<Band>("Band", identity: \.id) { Attribute(\.name, "name") }
  }

  private struct Mood: Entity {
    var id: Int64?
    var word = ""
    static let schema = EntitySchema<Mood>("Mood", identity: \.id) { Attribute(\.word, "word") }
  }

  private let fields = ObjectFields(
    of: Song.entity,
    naming: [(relationship: "band", attribute: "name"), (relationship: "moods", attribute: "word")]
  )
  private let store: InMemoryStore

  init() throws {
    let link = try #require(Song.moods.link)
    store = try InMemoryStore(entities: [Song.entity, Band.entity, Mood.entity, link])
  }

  private func add(_ values: [Value]) throws -> ObjectKey {
    try store.commit(origin: .unnamed) { transaction in
      var objects = NamedObjects()
      return try fields.insert(
        fields.normalized(values),
        key: nil,
        into: transaction,
        finding: &objects
      ).key
    }.result
  }

  private func rows(_ keys: [ObjectKey]) throws -> [[Value]] {
    try store.read { (snapshot) throws(StoreError) in
      let rows = try snapshot.rows(keys, of: Song.entity).compactMap(\.self)
      return try fields.rows(rows, in: snapshot).map(\.values)
    }
  }

  private func count(_ entity: EntityDescription) throws -> Int {
    try store.read { (snapshot) throws(StoreError) in try snapshot.count(of: entity, where: .all) }
  }

  @Test func `the form names related objects, and the others stay`() {
    #expect(fields.form.attributes.map(\.name) == ["title", "band", "moods"])
    #expect(fields.form.attributes.map(\.isOptional) == [false, true, true])
    let plain = ObjectFields(of: Song.entity)
    #expect(plain.form === Song.entity && plain.named.isEmpty)
  }

  @Test func `objects are found by name, or created once`() throws {
    let keys = try [
      add(["a", "Can", "sad; calm;sad"]), add(["b", "Can", .null]), add(["c", .null, "calm"]),
      add(["d", "can", ""]),
    ]
    #expect(
      try rows(keys) == [
        ["a", "Can", "calm; sad"], ["b", "Can", .null], ["c", .null, "calm"], ["d", "can", .null],
      ]
    )
    #expect(try count(Band.entity) == 2)
    #expect(try count(Mood.entity) == 2)
  }

  @Test func `an update changes what differs, and keeps an object whose name another one has`()
    throws
  {
    try store.write { transaction in
      for _ in 0..<2 { try transaction.insert(Band(id: nil, name: "Low")) }
      try transaction.insert(Song(id: nil, title: "x", bandID: 2))
    }
    func update(_ values: [Value]) throws -> Value {
      try store.commit(origin: .unnamed) { transaction in
        guard
          case .some(.some(let stored)) = try transaction.rows([.integer(1)], of: Song.entity).first,
          let old = try fields.rows([stored], in: transaction).first
        else { return .null }
        try fields.update(stored, from: old, to: values, in: transaction)
        return try transaction.rows([.integer(1)], of: Song.entity)[0]?["bandID"] ?? .null
      }.result
    }
    #expect(try update(["y", "Low", "slow"]) == 2)
    #expect(try rows([.integer(1)]) == [["y", "Low", "slow"]])
    #expect(try update(["y", "Neu", "fast; slow"]) == 3)
    #expect(try update(["y", "Low", "fast"]) == 1)
    #expect(try rows([.integer(1)]) == [["y", "Low", "fast"]])
    #expect(try count(Mood.entity) == 2)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `any list of names comes back from its text`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let parts = ["a", "é", ";", "\\", " ", "-", "\u{301}", "\t", "; ", "\\-", ""]
    let names = (0..<Int.random(in: 0...5, using: &random)).map { _ in
      (0..<Int.random(in: 0...4, using: &random))
        .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    }
    var expected: [String] = []
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where expected.last.map({ !$0.utf8.elementsEqual(name.utf8) }) ?? true {
      expected.append(name)
    }
    let back = JoinedNames.names(in: JoinedNames.text(of: names))
    #expect(back.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "seed \(seed)")
  }

  // MARK: - Edits of fields

  private func edit(_ keys: [ObjectKey], _ values: [Int: Value]) throws -> RowEdit {
    let rows = try store.read { (snapshot) throws(StoreError) in
      let rows = try snapshot.rows(keys, of: Song.entity).compactMap(\.self)
      return try fields.rows(rows, in: snapshot)
    }
    var edit = RowEdit(of: rows, fields: fields)
    for (field, value) in values { edit.set(value, ofAttribute: field) }
    return edit
  }

  @Test func `an edit writes names, which create and connect objects, and other fields stay`()
    throws
  {
    let first = try add(["a", "Beatles", "calm; sad"])
    let second = try add(["b", .null, "sad"])
    let edit = try edit([first, second], [1: "Kinks", 2: "sad; calm"])
    #expect(edit.value(ofAttribute: 0) == nil && edit.changedNames == ["band", "moods"])
    #expect(try store.write { try edit.save(in: $0) } == 2)
    #expect(
      try rows([first, second]) == [["a", "Kinks", "calm; sad"], ["b", "Kinks", "calm; sad"]]
    )
    #expect(try count(Band.entity) == 2)
    // Names in another order are the same value.
    let same = try self.edit([first], [2: " sad;calm "])
    #expect(same.changedNames.isEmpty)
  }

  @Test func `an edit conflicts in names too, and adds a deleted row with its names again`() throws
  {
    let key = try add(["a", "Beatles", "calm"])
    let edit = try edit([key], [1: "Kinks", 0: "A"])
    let other = try self.edit([key], [1: "Who"])
    _ = try store.write { try other.save(in: $0) }
    let conflicts = try store.read { (snapshot) throws(StoreError) in
      try edit.conflicts(in: snapshot)
    }
    #expect(
      conflicts.first?.fields == [
        .init(attribute: 1, begun: "Beatles", stored: "Who", wished: "Kinks")
      ]
    )
    // Fields that only others changed are left to them.
    let title = try self.edit([key], [0: "A"])
    _ = try store.write { try self.edit([key], [2: "sad"]).save(in: $0) }
    #expect(try store.write { try title.save(in: $0) } == 1)
    #expect(try rows([key]) == [["A", "Who", "sad"]])
    let last = try self.edit([key], [0: "Z"])
    _ = try store.write { try $0.delete(ObjectID(entity: "Song", key: key), of: Song.entity) }
    #expect(try store.write { try last.addDeleted(in: $0) } == 1)
    #expect(try rows([key]) == [["Z", "Who", "sad"]])
  }

  @Test func `a draft is the row that would be stored, and names what does not exist yet`() throws {
    let key = try add(["a", "Beatles", .null])
    _ = try add(["b", "Kinks", .null])
    let stored = try #require(
      try store.read { (snapshot) throws(StoreError) in
        try snapshot.rows([key], of: Song.entity).first
      } ?? nil
    )
    func draft(_ values: [Int: Value]) throws -> (row: Row, missing: [String]) {
      try store.read { (snapshot) throws(StoreError) in
        try fields.draft(values, of: stored, in: snapshot)
      }
    }
    #expect(try draft([0: "A", 1: "Kinks"]).row.values == ["A", 2])
    #expect(try draft([1: .null]).row.values == ["a", .null])
    let new = try draft([1: "Who", 2: "sad"])
    #expect(new.row.values == ["a", .null] && new.missing == ["band", "moods"])
    #expect(try count(Band.entity) == 2)
  }
}
