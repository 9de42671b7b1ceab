import Foundation
import GRDB
import InMemoryPersistence
import ProgramFrontEnd
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import ResultsTesting
import SQLitePersistence
import Testing

@testable import CommandLineFrontEnd
@testable import ListBrowser

/// R271, R272, R273: the forms of a program stand on drafts of its store.
@Suite struct BrowsedFormTests {
  enum Kind: CaseIterable { case memory, file }

  /// A store with three songs, the first of Can and sad, and the forms of its program.
  private struct World {
    let store: any Store
    let lists: BrowsedLists<Songs>
    let forms: BrowserForms
    let controller: FetchedResultsController<ResultsDomain.Row>
    private let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("BrowsedFormTests-\(UUID().uuidString).sqlite").path

    init(_ kind: Kind) async throws {
      let link = try #require(Song.moods.link)
      let entities = [Song.entity, Band.entity, Mood.entity, link]
      store =
        switch kind {
        case .memory: try InMemoryStore(entities: entities)
        case .file:
          try SQLiteStore(
            at: path,
            entities: entities,
            options: SQLiteStoreOptions(pollInterval: nil)
          )
        }
      lists = BrowsedLists<Songs>(
        options: ListChoice(),
        columns: [],
        settings: .machine,
        store: store,
        location: StoreLocation(.memory, isReadOnly: false, busyTimeout: .zero)
      )
      forms = try #require(lists.source.forms)
      _ = try store.commit(origin: .unnamed) { transaction in
        var objects = NamedObjects()
        for values in [["a", "Can", "sad"], ["b", "Low", .null], ["c", "Neu", .null]] as [[Value]] {
          _ = try Songs.fields.insert(values, key: nil, into: transaction, finding: &objects)
        }
      }
      controller = FetchedResultsController(try lists.definition(of: BrowserChoice()), in: store)
      try await controller.performFetch()
    }

    /// A form on the song with a key.
    func form(_ keys: Int64...) throws -> (form: OpenForm, content: FormContent) {
      let form = forms.open(.rows(keys.map { ObjectID(entity: "Song", key: .integer($0)) }))
      return (form, try form.begin())
    }

    /// Commits as others do: a file by another connection.
    func others(_ sql: String, _ body: (any StoreTransaction) throws -> Void) throws {
      guard store is SQLiteStore else { return try store.write(body) }
      let queue = try DatabaseQueue(path: path)
      try queue.inDatabase { try $0.execute(sql: sql) }
      try queue.close()
      try store.checkForExternalChanges()
    }

    func rename(_ key: Int64, to title: String) throws {
      try others("UPDATE Song SET title = '\(title)' WHERE id = \(key)") { transaction in
        let id = ObjectID(entity: "Song", key: .integer(key))
        guard case .some(let row)? = try transaction.rows([id.key], of: Song.entity).first else {
          return
        }
        try transaction.update(id, to: [.text(title), row.values[1]], of: Song.entity)
      }
    }

    func delete(_ key: Int64) throws {
      try others(
        "DELETE FROM SongMood WHERE songID = \(key); DELETE FROM Song WHERE id = \(key)"
      ) {
        _ = try $0.delete(ObjectID(entity: "Song", key: .integer(key)), of: Song.entity)
      }
    }

    /// The fields of all songs.
    var songs: [[Value]] {
      get throws {
        try store.read { (snapshot) throws(StoreError) in
          let request = FetchRequest<ObjectID>(
            entity: Song.entity,
            sortedBy: [FetchSortDescriptor(.objectKey)]
          )
          let keys = try snapshot.keys(of: request)
          let rows = try snapshot.rows(keys, of: Song.entity).compactMap(\.self)
          return try Songs.fields.rows(rows, in: snapshot).map(\.values)
        }
      }
    }

    func names(_ entity: EntityDescription) throws -> [Value] {
      try store.fetch(
        FetchRequest<ResultsDomain.Row>(
          entity: entity,
          sortedBy: [FetchSortDescriptor(.objectKey)]
        )
      ).map { $0.values[0] }
    }

    /// Where a submission lands, in the list of the program.
    func landing(_ submission: FormSubmission, _ form: OpenForm) throws -> FormLanding {
      try FormLanding(
        of: form.draft(submission, BrowserChoice()).edited.get(),
        in: controller.results
      )
    }
  }

  private func submission(
    _ content: FormContent,
    _ texts: [Int: String],
    _ policy: FormSubmission.Policy = .refuse
  ) -> FormSubmission {
    let ids = content.rows.map(\.stored.id)
    return FormSubmission(.rows(ids), begun: content.rows, texts: texts, policy: policy)
  }

  @Test(arguments: Kind.allCases)
  func `R271: what others commit is in the content, and a field in conflict has both values`(
    kind: Kind
  ) async throws {
    let world = try await World(kind)
    let (form, content) = try world.form(1)
    #expect(content.texts == ["a", "Can", "sad"])
    var wish = submission(content, [1: "New"])
    try world.rename(1, to: "A")
    var followed = try form.draft(wish, BrowserChoice()).content
    #expect(followed.texts == ["A", "Can", "sad"] && followed.conflicts.isEmpty)
    wish = submission(followed, [0: "AA", 1: "New"])
    try world.rename(1, to: "AAA")
    followed = try form.draft(wish, BrowserChoice()).content
    #expect(followed.conflicts == [0: "AAA"] && followed.texts[0] == "A")
    guard case .conflict(.changed(let fields, let stored)) = try form.save(wish) else {
      Issue.record("there is no conflict")
      return
    }
    #expect(
      fields == [
        .init(0, begun: "A", stored: "AAA", wished: "AA", isChanged: true),
        .init(1, begun: "Can", stored: "Can", wished: "New", isChanged: false),
      ]
    )
    #expect(try world.names(Band.entity) == ["Can", "Low", "Neu"])
    wish.begun = [stored]
    guard case .saved("changed title, band of Song 1: u undoes.", nil) = try form.save(wish) else {
      Issue.record("it is not saved")
      return
    }
    #expect(try world.songs[0] == ["AA", "New", "sad"])
    // One step takes all of it back.
    _ = try world.lists.source.perform(.undo)
  }

  @Test(arguments: Kind.allCases)
  func `R271: the form lands where its draft's row would stand, by a band that is new`(
    kind: Kind
  ) async throws {
    let world = try await World(kind)
    let (form, content) = try world.form(1)
    #expect(
      try world.landing(submission(content, [1: "Move"]), form)
        == .newSection("Move", between: "Low", and: "Neu")
    )
    guard
      case .between(let before, let after, "Low") = try world.landing(
        submission(content, [1: "Low"]),
        form
      )
    else {
      Issue.record("it lands elsewhere")
      return
    }
    #expect(before == nil && after?.values[0] == "b")
    // Nothing of it is in the store.
    #expect(try world.names(Band.entity) == ["Can", "Low", "Neu"])
    let new = FormSubmission(.new, begun: [], texts: [0: "z", 1: "Zz", 2: "new"])
    let adding = world.forms.open(.new)
    #expect(try world.landing(new, adding) == .newSection("Zz", between: "Neu", and: nil))
    guard case .saved(_, let added?) = try adding.save(new) else {
      Issue.record("it is not added")
      return
    }
    try await world.controller.refresh()
    let list = try world.controller.results
    #expect(list.path(of: added) == RowPath(section: 3, row: 0))
    #expect(try world.songs.last == ["z", "Zz", "new"])
  }

  @Test(arguments: Kind.allCases)
  func `R271: names of several objects are merged one by one`(kind: Kind) async throws {
    let world = try await World(kind)
    let (form, content) = try world.form(1)
    try world.others(
      "INSERT INTO Mood (id, word) VALUES (7, 'slow'); INSERT INTO SongMood (songID, moodID) VALUES (1, 7)"
    ) { transaction in
      try transaction.insert(["slow"], key: .integer(7), into: Mood.entity)
      try transaction.insert([1, 7], key: nil, into: #require(Song.moods.link))
    }
    let wish = submission(content, [2: "loud; sad"])
    #expect(try form.draft(wish, BrowserChoice()).content.conflicts.isEmpty)
    guard case .saved = try form.save(wish) else {
      Issue.record("it is not saved")
      return
    }
    let songs = try world.songs
    #expect(songs[0] == ["a", "Can", "loud; sad; slow"])
  }

  @Test(arguments: Kind.allCases)
  func `R272: a deleted row keeps what was typed, and is added again with its key and names`(
    kind: Kind
  ) async throws {
    let world = try await World(kind)
    let (form, content) = try world.form(1)
    try world.delete(1)
    var wish = submission(content, [1: "New"])
    let draft = try form.draft(wish, BrowserChoice())
    #expect(draft.content.isDeleted && draft.content.rows == content.rows)
    guard case .conflict(.deleted) = try form.save(wish) else {
      Issue.record("it is not said to be deleted")
      return
    }
    wish.policy = .addDeleted
    guard case .saved("added Song 1 again: u undoes.", nil) = try form.save(wish) else {
      Issue.record("it is not added")
      return
    }
    #expect(try world.songs[0] == ["a", "New", "sad"])
    #expect(throws: BrowserSource.Refusal.self) { try world.form(99) }
  }

  @Test(arguments: Kind.allCases, [FormSubmission.Policy.skip, .refuse])
  func `R273: several rows conflict as a whole, or those are skipped that others changed`(
    kind: Kind,
    policy: FormSubmission.Policy
  ) async throws {
    let world = try await World(kind)
    let (form, content) = try world.form(1, 2, 3)
    #expect(content.texts == [nil, nil, nil])
    let wish = submission(content, [0: "x", 1: "New"], policy)
    try world.rename(2, to: "B")
    try world.delete(3)
    switch try form.save(wish) {
    case .saved(let message, _):
      #expect(policy == .skip && message == "changed title, band of 1 song: u undoes.")
      #expect(try world.songs == [["x", "New", "sad"], ["B", "Low", .null]])
    case .conflict(.several(2, let stored)):
      #expect(policy == .refuse && stored.map(\.shown.values[0]) == ["a", "B"])
      var again = wish
      again.begun = stored
      guard case .saved("changed title, band of 2 songs: u undoes.", _) = try form.save(again)
      else {
        Issue.record("it is not saved")
        return
      }
      #expect(try world.songs == [["x", "New", "sad"], ["x", "New", .null]])
      #expect(try world.names(Band.entity) == ["Can", "Low", "Neu", "New"])
    case let other: Issue.record("\(other)")
    }
  }

  @Test(arguments: Kind.allCases)
  func `R271: what is not valid stays out of the draft, and the reason is said`(
    kind: Kind
  ) async throws {
    let world = try await World(kind)
    let (form, content) = try world.form(1)
    #expect(try reason(submission(content, [0: "A"]), form) == nil)
    func reason(_ submission: FormSubmission, _ form: OpenForm) throws -> String? {
      guard case .failure(let refusal) = try form.draft(submission, BrowserChoice()).edited else {
        return nil
      }
      return refusal.reason
    }
    let adding = world.forms.open(.new)
    let new = FormSubmission(.new, begun: [], texts: [1: "Can"])
    #expect(try reason(new, adding) == "title has no value yet")
    guard case .invalid([0: "needs a value."]) = try adding.save(new) else {
      Issue.record("it is valid")
      return
    }
    // What the store has already is no change.
    let same = submission(content, [0: "A"])
    try world.rename(1, to: "A")
    guard case .saved("Nothing was changed: the store has these values.", nil) = try form.save(same)
    else {
      Issue.record("it is a change")
      return
    }
  }
}

// MARK: - A program with related names

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

/// A program over songs by band, without a store.
private enum Songs: ListProgram {
  static let name = "songs"
  static let abstract = "Songs."
  static let nouns = (one: "song", many: "songs")
  static let columns = ["title"]
  static let examples = Roster.examples
  static let entity = Song.entity
  static let fields = ObjectFields(
    of: Song.entity,
    naming: [(relationship: "band", attribute: "name"), (relationship: "moods", attribute: "word")]
  )

  static func definition(for settings: LocaleSettings) -> ResultsDefinition<ResultsDomain.Row> {
    ResultsDefinition(
      FetchRequest(entity: entity, sortedBy: [.ascending("title")]),
      sectionedBy: .expression(.related(["band"], .attribute("name")))
    )
  }

  static func openStore(_ location: StoreLocation) throws -> any Store {
    throw StoreError.closed(path: location.address.text)
  }

  static func diagnose(_ store: any Store) throws -> [String] { [] }

  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {}
}
