import ArgumentParser
import CommandLineFrontEnd
import ProgramFrontEnd
import ResultsDomain
import SQLitePersistence
import TerminalFrontEnd

/// The options that say how a database is opened.
struct FileOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: "The time to wait while another process writes, such as 500ms or 5s."
  )
  var busyTimeout: TimeSpan = TimeSpan(.seconds(5))
  @Flag(help: "Print more about a failure.")
  var verbose = false

  /// Reads the tables of a database.
  /// - Parameters:
  ///   - file: The database's file.
  ///   - table: The table that is needed, with those that it is connected with; `nil` for all.
  ///   - timeLimit: How long rows may be read.
  /// - Returns: The description.
  /// - Throws: The store's error.
  func database(
    _ file: String,
    table: String? = nil,
    within timeLimit: Duration? = nil
  ) throws -> DatabaseDescription {
    try DatabaseDescription(
      at: file,
      describing: table.map { [$0] },
      busyTimeout: busyTimeout.duration,
      timeLimit: min(timeLimit ?? FileOptions.timeLimit, FileOptions.timeLimit)
    )
  }

  private static let timeLimit: Duration = .seconds(10)

  /// Discovers a table and makes it the program's.
  /// - Parameters:
  ///   - name: The table's name.
  ///   - file: The database's file.
  ///   - isFollowed: Whether the list must know a row again, and not only be read once.
  ///   - addsLog: Whether the database gets a change log.
  ///   - timeLimit: How long rows may be read to find out what the table holds.
  /// - Returns: The options by which the shared verbs open it.
  /// - Throws: `CommandFailure` for a table that does not exist or cannot be listed, and the store's error.
  func open(
    _ name: String,
    in file: String,
    following isFollowed: Bool = false,
    addingLog addsLog: Bool = false,
    within timeLimit: Duration? = nil
  ) throws -> ReadingStoreOptions {
    let (table, notes) = try discover(
      name,
      in: file,
      following: isFollowed,
      addingLog: addsLog,
      within: timeLimit
    )
    for text in notes { try note(text) }
    DiscoveredTable.shared.set(table)
    return reading(file, addingLog: addsLog)
  }

  /// Discovers a table.
  /// - Returns: The table, and what its list leaves out or shows in another way than its application.
  /// - Throws: As `open(_:in:following:addingLog:within:)`.
  func discover(
    _ name: String,
    in file: String,
    following isFollowed: Bool = false,
    addingLog addsLog: Bool = false,
    within timeLimit: Duration? = nil
  ) throws -> (DiscoveredTable.Table, notes: [String]) {
    let database = try database(file, table: name, within: timeLimit)
    let table = try database.existingTable(named: name)
    guard !addsLog || table.kind == .table else {
      throw CommandFailure(
        .usage,
        "\(table.name) is a \(table.kind == .view ? "view" : "virtual table"), which has no change log.",
        remedy: "Leave out --log: its changes are found by comparison."
      )
    }
    let entity = try table.listedEntity(isFollowed: isFollowed)
    let found = DiscoveredTable.Table(database: database, description: table, entity: entity)
    return (found, table.notes)
  }

  /// The options by which the shared verbs open a file.
  func reading(_ file: String, addingLog addsLog: Bool = false) -> ReadingStoreOptions {
    var options = StoreOptions()
    options.path = file
    options.busyTimeout = busyTimeout
    options.verbose = verbose
    var reading = ReadingStoreOptions()
    reading.store = options
    reading.readOnly = !addsLog
    return reading
  }
}

extension FileOptions {
  /// Prints a note to standard error.
  func note(_ text: String) throws {
    try TerminalOutput.standardError.write(SafeText.oneLine("\(TableProgram.name): \(text)") + "\n")
  }
}

extension DatabaseDescription {
  /// Returns the table or view of a name.
  /// - Throws: `CommandFailure` with the names that may have been meant.
  func existingTable(named name: String) throws(CommandFailure) -> TableDescription {
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

extension TableDescription {
  /// Returns the entity.
  /// - Parameter isFollowed: Whether the list must know a row again, and not only be read once.
  /// - Returns: The entity, or the one without an identity if that is enough.
  /// - Throws: `CommandFailure` for a table that cannot be listed or followed.
  func listedEntity(isFollowed: Bool = false) throws(CommandFailure) -> EntityDescription {
    switch entity {
    case .success(let entity): return entity
    case .failure(let refusal):
      guard let unidentifiedEntity else {
        throw CommandFailure(.badData, "\(name) cannot be listed: \(refusal).")
      }
      guard isFollowed else { return unidentifiedEntity }
      throw CommandFailure(
        .badData,
        "\(name) cannot be watched: \(refusal).",
        remedy: "'list' and 'export' read it once."
      )
    }
  }
}
