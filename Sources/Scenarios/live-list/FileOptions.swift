import ArgumentParser
import CommandLineFrontEnd
import Foundation
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import SQLitePersistence
import Synchronization
import TerminalFrontEnd

/// The options that say how a database is opened.
struct FileOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "The time to wait while another process writes, such as 500ms or 5s."
  )
  var busyTimeout: TimeSpan = TimeSpan(.seconds(5))
  @Flag(help: "Read a copy of the file, which another program may keep locked.")
  var copy = false
  @Flag(help: "Print more about a failure.")
  var verbose = false

  /// Reads tables of a database.
  /// - Parameters:
  ///   - file: The database's file or URL.
  ///   - tables: The tables that are needed, with those that they are connected with; `nil` for all.
  ///   - timeLimit: How long rows may be read.
  /// - Returns: The description.
  /// - Throws: The store's error, which for a locked file names another way.
  func database(
    _ file: String,
    describing tables: [String]? = nil,
    within timeLimit: Duration? = nil
  ) throws -> any DescribedDatabase {
    let path = try source(file)
    do {
      return try DiscoveredStores.describe(
        path,
        naming: tables,
        for: TableProgram.name,
        busyTimeout: busyTimeout.duration,
        timeLimit: min(timeLimit ?? FileOptions.timeLimit, FileOptions.timeLimit)
      )
    } catch StoreError.busy(let path, let waited, let holder)
      where !copy && DatabaseURL(file) == nil
    {
      let failure = CommandFailure(
        describing: StoreError.busy(path: path, waited: waited, holder: holder)
      )
      throw CommandFailure(
        failure.status,
        failure.message,
        remedy: "\(failure.remedy) --copy reads a copy, which needs no lock.",
        detail: failure.detail
      )
    }
  }

  /// Returns the only table or view of a database, or `nil` if there are several.
  /// - Throws: As `database(_:describing:within:)`; `CommandFailure` if there is none.
  func onlyTable(of file: String) throws -> String? {
    let database = try database(file, describing: [])
    guard let name = database.tableNames.first else {
      throw CommandFailure(.missingInput, "\(file) has no tables.", remedy: "Name another file.")
    }
    return database.tableNames.count == 1 ? name : nil
  }

  private static let timeLimit: Duration = .seconds(10)

  /// The path to read: that of the file, or of its copy, which is made once and removed when the program ends.
  /// - Throws: The store's error.
  func source(_ file: String) throws -> String {
    guard copy else { return file }
    guard DatabaseURL(file) == nil else {
      throw CommandFailure(
        .usage,
        "--copy copies files, and a server needs none.",
        remedy: "Leave it out."
      )
    }
    let (path, isNew) = try FileCopies.path(of: file, within: busyTimeout.duration)
    if isNew {
      try note("reading a copy of \(file), made at \(FileCopies.time ?? ""); it does not change")
    }
    return path
  }

  /// Discovers a table and makes it the program's.
  /// - Parameters:
  ///   - name: The table's name.
  ///   - others: Tables whose rows are in the same list.
  ///   - file: The database's file or URL.
  ///   - isFollowed: Whether the list must know a row again, and not only be read once.
  ///   - addsLog: Whether the database gets a change log.
  ///   - timeLimit: How long rows may be read to find out what the table holds.
  /// - Returns: The options by which the shared verbs open it.
  /// - Throws: `CommandFailure` for a table that does not exist or cannot be listed, and the store's error.
  func open(
    _ name: String,
    with others: OtherTables,
    in file: String,
    following isFollowed: Bool = false,
    addingLog addsLog: Bool = false,
    within timeLimit: Duration? = nil
  ) throws -> ReadingStoreOptions {
    let (table, notes) = try discover(
      name,
      with: others.names,
      in: file,
      following: isFollowed,
      addingLog: addsLog,
      within: timeLimit
    )
    for text in notes { try note(text) }
    DiscoveredTable.shared.set(table)
    return try reading(file, addingLog: addsLog)
  }

  /// Discovers a table, or several as one list.
  /// - Returns: The table, and what its list leaves out or shows in another way than its application.
  /// - Throws: As `open(_:with:in:following:addingLog:within:)`.
  func discover(
    _ name: String,
    with others: [String] = [],
    in file: String,
    following isFollowed: Bool = false,
    addingLog addsLog: Bool = false,
    within timeLimit: Duration? = nil
  ) throws -> (DiscoveredTable.Table, notes: [String]) {
    let database = try database(file, describing: [name] + others, within: timeLimit)
    let table = try database.existingTable(named: name)
    try table.checkLog(isAsked: addsLog)
    guard !others.isEmpty else {
      let entity = try table.listedEntity(isFollowed: isFollowed)
      let found = DiscoveredTable.Table(database: database, description: table, entity: entity)
      return (found, table.notes)
    }
    var tables: [any DescribedTable] = [table]
    for other in others {
      let table = try database.existingTable(named: other)
      try table.checkLog(isAsked: addsLog)
      tables.append(table)
    }
    let several = try TableUnion(tables, in: database)
    let found = DiscoveredTable.Table(
      database: database,
      description: table,
      entity: several.union.entity,
      union: several.union
    )
    return (found, tables.flatMap(\.notes) + several.notes)
  }

  /// The options by which the shared verbs open a file.
  func reading(_ file: String, addingLog addsLog: Bool = false) throws -> ReadingStoreOptions {
    var options = StoreOptions()
    options.path = try source(file)
    options.busyTimeout = busyTimeout
    options.verbose = verbose
    var reading = ReadingStoreOptions()
    reading.store = options
    reading.readOnly = !addsLog
    return reading
  }
}

/// The copy of a file that this process reads, if it was asked for one.
///
/// Its lock is held while the file is copied, so that this is done once; no other lock is taken under it.
enum FileCopies {
  private static let made = Mutex<(file: String, copy: DatabaseCopy, time: String)?>(nil)

  /// The time of day at which the copy was made, by the system's zone; `nil` if there is none.
  static var time: String? { made.withLock { $0?.time } }

  /// Returns the path of a file's copy.
  /// - Returns: The path, and whether the copy was made now.
  /// - Throws: The store's error.
  static func path(of file: String, within patience: Duration) throws -> (path: String, isNew: Bool)
  {
    try made.withLock { made in
      if let made, made.file == file { return (made.copy.path, false) }
      let copy = try DatabaseCopy(of: file, within: patience)
      // A program can end in many ways, and most of them run these functions.
      if made == nil { atexit { FileCopies.remove() } }
      let style = Date.ISO8601FormatStyle(timeZone: .current)
        .time(includingFractionalSeconds: false)
      made = (file, copy, Date.now.formatted(style))
      return (copy.path, true)
    }
  }

  private static func remove() {
    made.withLock { made in
      made?.copy.remove()
      made = nil
    }
  }
}

extension FileOptions {
  /// Prints a note to standard error.
  func note(_ text: String) throws {
    try TerminalOutput.standardError.write(SafeText.oneLine("\(TableProgram.name): \(text)") + "\n")
  }
}

extension DescribedDatabase {
  /// Returns the table or view of a name.
  /// - Throws: `CommandFailure` with the names that may have been meant.
  func existingTable(named name: String) throws(CommandFailure) -> Table {
    if let table = table(named: name) { return table }
    let near = names(near: name)
    let remedy =
      switch near.count {
      case 0: "It has no tables."
      case 1: "Did you mean “\(near[0])”?"
      default:
        "It has \(near.prefix(20).joined(separator: ", "))"
          + (near.count > 20 ? " and \(near.count - 20) more." : ".")
      }
    throw CommandFailure(.missingInput, "\(path) has no table “\(name)”.", remedy: remedy)
  }
}

extension DescribedTable {
  /// Checks that a change log can be added, if it is asked for.
  /// - Throws: `CommandFailure` if it cannot.
  fileprivate func checkLog(isAsked: Bool) throws(CommandFailure) {
    guard isAsked, !canHaveChangeLog else { return }
    let reason =
      kindText == "table"
      ? "has columns that are shown as text, which a change log cannot record"
      : "is a \(kindText == "virtual" ? "virtual table" : kindText), which has no change log"
    throw CommandFailure(
      .usage,
      "\(name) \(reason).",
      remedy: "Leave out --log: its changes are found by comparison."
    )
  }

  /// Returns the entity.
  /// - Parameter isFollowed: Whether the list must know a row again, and not only be read once.
  /// - Returns: The entity, or the one without an identity if that is enough.
  /// - Throws: `CommandFailure` for a table that cannot be listed or followed.
  func listedEntity(isFollowed: Bool = false) throws(CommandFailure) -> EntityDescription {
    switch entity {
    case .success(let entity): return entity
    case .failure(let refusal):
      guard let unidentifiedEntity else {
        throw CommandFailure(
          .badData,
          "\(name) cannot be listed: \(refusal).",
          remedy: refusal.remedy
        )
      }
      guard isFollowed else { return unidentifiedEntity }
      throw CommandFailure(
        .badData,
        "\(name) cannot be watched: \(refusal).",
        remedy: "'list' and 'export' read it once." + (refusal.remedy.isEmpty ? "" : " ")
          + refusal.remedy
      )
    }
  }
}
