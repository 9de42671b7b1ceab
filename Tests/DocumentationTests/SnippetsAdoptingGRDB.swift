import Foundation
// snippet: grdb-imports, declaration
import FetchedResults
import GRDB
import GRDBRecords
import SQLitePersistence
// end

/// The records of an application.
private enum Music {
  // snippet: grdb-records, declaration
  struct Artist: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
  }

  struct Album: Codable, FetchableRecord, PersistableRecord {
    enum Format: String, Codable { case vinyl, disc }

    var id: UUID
    var title: String
    var artistId: Int64
    var format: Format
    var released: Date
    var deletedAt: Date?
  }
  // end

  /// A database with three albums.
  static func open(_ path: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: path)
    try pool.write { database in
      try database.create(table: "artist") { table in
        table.primaryKey("id", .integer)
        table.column("name", .text).notNull()
      }
      try database.create(table: "album") { table in
        table.primaryKey("id", .blob)
        table.column("title", .text).notNull()
        table.belongsTo("artist").notNull()
        table.column("format", .text).notNull()
        table.column("released", .datetime).notNull()
        table.column("deletedAt", .datetime)
      }
      let albums = [("Hejira", "Joni", 217), ("Blue", "Joni", 18), ("Aja", "Steely Dan", 263)]
      for (title, artist, month) in albums {
        let id: Int64 = artist == "Joni" ? 1 : 2
        try Artist(id: id, name: artist).save(database)
        let released = Date(timeIntervalSince1970: Double(month) * 2_629_746)
        try Album(
          id: UUID(),
          title: title,
          artistId: id,
          format: .vinyl,
          released: released
        ).insert(database)
      }
    }
    return pool
  }
}

private typealias Artist = Music.Artist
private typealias Album = Music.Album

@Sendable func adoptingGRDB() async throws {
  let folder = try TemporaryFolder()
  defer { folder.remove() }
  let pool = try Music.open(folder.path(of: "music.sqlite"))
  // snippet: grdb-list
  let store = try SQLiteStore(writer: pool, records: [Artist.self, Album.self])
  let albums = try FetchedResultsController(
    RecordRequest<Album>(
      where: "released >= '1971-01-01' AND deletedAt == nil",
      sortedBy: [.ascending("artist.name"), .descending("released")],
      sectionedBy: "artist.name"
    ),
    in: store
  )
  try await albums.performFetch()
  for section in try albums.results.sections {
    print(section.title, try section.objects().map(\.title))
  }
  // end
  albums.cancel()
  try store.close()
}

@Sendable func changesOfGRDB() async throws {
  let folder = try TemporaryFolder()
  defer { folder.remove() }
  let pool = try Music.open(folder.path(of: "music.sqlite"))
  let store = try SQLiteStore(writer: pool, records: [Artist.self, Album.self])
  let albums = try FetchedResultsController(
    RecordRequest<Album>(sortedBy: ["released"], sectionedBy: "artist.name"),
    in: store
  )
  try await albums.performFetch()
  // snippet: grdb-changes
  for await event in albums.changes {
    switch event {
    case .snapshot:  // what the list holds now comes first
      try await pool.write { try Artist(id: 1, name: "Zoe").update($0) }
    case .change(let change):
      for move in change.delta.rows.moves {
        print(try change.after.object(at: move.to.path).title, move.from.path, "to", move.to.path)
      }
      albums.cancel()  // ends the loop
    case .reset(let reason, _): print("draw the whole list again:", reason)
    case .failure(let error): print(error)
    }
  }
  // end
  try store.close()
}

@Sendable func errorsOfGRDB() async throws {
  let folder = try TemporaryFolder()
  defer { folder.remove() }
  let pool = try Music.open(folder.path(of: "music.sqlite"))
  let store = try SQLiteStore(writer: pool, records: [Artist.self, Album.self])
  // snippet: grdb-errors
  do {
    let request = RecordRequest<Album>(sortedBy: ["artist.nmae"])
    _ = try FetchedResultsController(request, in: store)
  } catch {
    print(error)
  }
  let artists = try FetchedResultsController(
    RecordRequest<Artist>(sortedBy: ["name"]),
    in: store
  )
  try await pool.write { try $0.execute(sql: "UPDATE artist SET name = x'ff' WHERE id = 2") }
  try await artists.performFetch()
  for row in try artists.results.rows {
    do {
      print(try row.object.name)
    } catch {
      print(error)
    }
  }
  // end
  artists.cancel()
  try store.close()
}
