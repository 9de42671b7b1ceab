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
        var objects = NamedObjects()
        let fresh = Dictionary(uniqueKeysWithValues: zip(0..., values))
        try fields.update(stored, setting: fresh, from: old, in: transaction, finding: &objects)
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

  private func stored(_ key: ObjectKey) throws -> (stored: Row, shown: Row) {
    let found = try store.read { (snapshot) throws(StoreError) in
      let rows = try snapshot.rows([key], of: Song.entity).compactMap(\.self)
      return zip(rows, try fields.rows(rows, in: snapshot)).map { ($0, $1) }
    }
    return try #require(found.first)
  }

  private func set(_ values: [Int: Value], of key: ObjectKey, from old: Row) throws -> [String] {
    let row = try stored(key).stored
    return try store.write { transaction in
      var objects = NamedObjects()
      return try fields.update(
        row,
        setting: values,
        from: old,
        in: transaction,
        finding: &objects
      ).names(in: fields.form)
    }
  }

  @Test func `names that are set create and connect objects, and other fields stay`() throws {
    let key = try add(["a", "Beatles", "calm; sad"])
    let old = try stored(key).shown
    #expect(try set([1: "Kinks", 2: "sad; loud"], of: key, from: old) == ["band", "moods"])
    #expect(try rows([key]) == [["a", "Kinks", "loud; sad"]])
    #expect(try count(Band.entity) == 2)
    let new = try stored(key).shown
    // Names in another order are the same value.
    #expect(try set([0: "a", 2: " sad;loud "], of: key, from: new) == [])
  }

  @Test func `R271: links that others made or removed since stay as they are`() throws {
    let key = try add(["a", .null, "calm; sad"])
    let old = try stored(key).shown
    _ = try set([2: "sad; slow"], of: key, from: old)
    #expect(try set([2: "calm; loud"], of: key, from: old) == ["moods"])
    #expect(try rows([key]) == [["a", .null, "loud; slow"]])
  }

  @Test func `a deleted object is inserted again with its key and its names`() throws {
    let key = try add(["a", "Who", "sad"])
    let old = try stored(key).shown
    try store.write { transaction in
      _ = try transaction.delete(ObjectID(entity: "Song", key: key), of: Song.entity)
      var objects = NamedObjects()
      let values: [Value] = ["Z", old.values[1], old.values[2]]
      try fields.insertAgain(values, key: key, into: transaction, finding: &objects)
    }
    #expect(try rows([key]) == [["Z", "Who", "sad"]])
  }

  @Test func `R271: an object that others have named meanwhile is no new one`() throws {
    _ = try add(["b", "Kinks", .null])
    func check(_ name: Value) throws {
      let id = ObjectID(entity: "Band", key: .integer(-1))
      try store.read { (snapshot) throws(StoreError) in
        let new = Row(entity: Band.entity, id: id, values: [name])
        try fields.checkNames(of: [new], areNewIn: snapshot)
      }
    }
    try check("kinks")
    let error = #expect(throws: StoreError.self) { try check("Kinks") }
    guard case .alreadyExists(ObjectID(entity: "Band", key: .integer(-1)))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  // MARK: - Namesakes

  private struct Club: Entity {
    var id: Int64?
    var name = ""
    var town: String?
    static let schema = EntitySchema<Club>("Club", identity: \.id) {
      Attribute(\.name, "name")
      Attribute(\.town, "town")
    }
  }

  private struct Player: Entity {
    var id: Int64?
    var name = ""
    var clubID: Int64?
    static let club = ToOne<Player, Club>("club", \.clubID, onDelete: .nullify)
    static let schema = EntitySchema<Player>("Player", identity: \.id) {
      Attribute(\.name, "name")
      Attribute(\.clubID, "clubID")
      Relationship(club)
    }
  }

  @Test(arguments: [false, true])
  func `R289: a qualifier distinguishes namesakes; a name alone finds any`(_ readsAll: Bool)
    throws
  {
    let fields = ObjectFields(
      of: Player.entity,
      naming: [(relationship: "club", attribute: "name")],
      qualifying: ["club": "town"]
    )
    #expect(fields.form.attributes.map(\.name) == ["name", "club", "town"])
    let store = try InMemoryStore(entities: [Player.entity, Club.entity])
    func add(_ values: [Value]...) throws -> [Value] {
      try store.commit(origin: .unnamed) { transaction in
        var objects = NamedObjects(readsAll: readsAll)
        let keys = try values.map {
          try fields.insert($0, key: nil, into: transaction, finding: &objects).key
        }
        return try transaction.rows(keys, of: Player.entity).compactMap { $0?.values[1] }
      }.result
    }
    // What a name finds does not depend on the objects before it in the same file.
    #expect(
      try add(["a", "FC", "Kiel"], ["b", "FC", .null], ["c", "FC", "Ulm"], ["d", .null, "Ulm"])
        == [1, 2, 3, 4]
    )
    #expect(
      try add(["e", "FC", .null], ["f", "FC", "Ulm"], ["g", .null, .null]) == [2, 3, .null]
    )
    #expect(try add(["h", "SV", "Jena"]) == [5])
    #expect(try add(["i", "SV", .null]) == [5])
    let row = try store.read { (snapshot) throws(StoreError) in
      try fields.rows(
        snapshot.rows([.integer(3)], of: Player.entity).compactMap(\.self),
        in: snapshot
      )
    }
    #expect(row.first?.values == ["c", "FC", "Ulm"])
  }
}
