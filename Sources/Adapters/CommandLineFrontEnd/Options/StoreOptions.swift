package import ArgumentParser
import Foundation
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// The options that name a store and say how to open it for writing.
package struct StoreOptions: ParsableArguments {
  /// The store's file, or the URL of its database.
  @Option(
    name: .customLong("store"),
    help: """
      The store's file, the URL of a PostgreSQL database, or :memory: for a temporary store (default: the program's own \
      file in $XDG_DATA_HOME or ~/.local/share; 'doctor' shows it).
      """
  )
  package var path: String?

  /// The time to wait for another writer.
  @Option(
    parsing: .unconditional,
    help: """
      The time to wait while another process writes, such as 500ms or 5s; a number alone is seconds.
      """
  )
  package var busyTimeout: TimeSpan = TimeSpan(StoreOptions.usualBusyTimeout)

  /// The time to wait for another writer by default.
  static let usualBusyTimeout: Duration = .seconds(5)

  /// Whether failures print the underlying error.
  @Flag(help: "Print more about a failure.")
  package var verbose = false

  /// Whether the configuration file is ignored; `ProgramRunner` reads it before the options are parsed.
  @Flag(help: "Ignore the configuration file.")
  package var noConfig = false

  /// Creates the options with their defaults.
  package init() {}

  /// Returns the location of a program's store, for a verb that may create it.
  ///
  /// The folder of the default store is created.
  /// - Throws: `CommandFailure` if there is no data folder.
  package func location(of program: String) throws -> StoreLocation {
    try location(of: program, isReadOnly: false)
  }

  fileprivate func location(of program: String, isReadOnly: Bool) throws -> StoreLocation {
    let address = try address(of: program)
    if path == nil, !isReadOnly { try StoreOptions.createFolder(of: address.text) }
    return StoreLocation(address, isReadOnly: isReadOnly, busyTimeout: busyTimeout.duration)
  }

  /// Returns the location of a store that exists, before the options are parsed.
  /// - Parameters:
  ///   - path: The value of `--store`, if there is one.
  ///   - program: The program's name.
  /// - Returns: The location; `nil` for one that is not valid, or a file that does not exist.
  static func knownLocation(_ path: String?, of program: String) -> StoreLocation? {
    var options = StoreOptions()
    options.path = path
    guard let address = try? options.address(of: program) else { return nil }
    if case .file(let path) = address, !FileManager.default.fileExists(atPath: path) { return nil }
    return StoreLocation(address, isReadOnly: true, busyTimeout: usualBusyTimeout)
  }

  private func address(of program: String) throws(CommandFailure) -> StoreAddress {
    if let path { return try StoreAddress(path) }
    return .file(path: try StoreOptions.defaultPath(of: program))
  }

  /// Returns the location of a program's store, for a verb that does not create it.
  ///
  /// A file named by `--store` must exist: it is misspelt otherwise. The default store does not exist until the first
  /// object is added; a note says so, and an empty store in memory is used.
  /// - Throws: `CommandFailure` for a file that does not exist, is empty or cannot be reached.
  package func existingLocation<Program: ListProgram>(of program: Program.Type) throws
    -> StoreLocation
  {
    try existingLocation(of: program, isReadOnly: false)
  }

  fileprivate func existingLocation<Program: ListProgram>(
    of program: Program.Type,
    isReadOnly: Bool
  ) throws -> StoreLocation {
    // Whether a database exists, its server says.
    guard case .file(let path) = try address(of: Program.name) else {
      return try location(of: Program.name, isReadOnly: isReadOnly)
    }
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFREG || status.st_size > 0 else {
        throw CommandFailure(
          .badData,
          "The file \(path) is empty, so it is not a store.",
          remedy: "'\(Program.name) add' or '\(Program.name) import' makes a store of it."
        )
      }
      return try location(of: Program.name, isReadOnly: isReadOnly)
    }
    guard errno != EACCES else {
      throw CommandFailure(
        .missingInput,
        "The store \(path) cannot be reached: no permission to search its folder.",
        remedy: "Check the permissions of the folders in its path."
      )
    }
    let remedy = "'\(Program.name) add' or '\(Program.name) import' creates it."
    guard self.path == nil, !isReadOnly else {
      throw CommandFailure(
        .missingInput,
        "The store \(path) does not exist.",
        remedy: "Check its name; \(remedy)"
      )
    }
    let note = "\(Program.name): There are no \(Program.nouns.many) yet: \(path) does not exist."
    try TerminalOutput.standardError.write(SafeText.oneLine("\(note) \(remedy)") + "\n")
    return StoreLocation(.memory, isReadOnly: false, busyTimeout: busyTimeout.duration)
  }

  private static func defaultPath(of program: String) throws(CommandFailure) -> String {
    let environment = ProcessInfo.processInfo.environment
    guard let folder = UserFolder.data.path(of: program, environment) else {
      throw CommandFailure(
        .configuration,
        "There is no data folder, because neither XDG_DATA_HOME nor HOME is set.",
        remedy: "Set one of them, or name the store's file with --store."
      )
    }
    return "\(folder)/\(program).sqlite"
  }

  private static func createFolder(of path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(
        .cannotCreate,
        "The data folder \(folder) cannot be created: \(reason(notToCreate: folder)).",
        remedy: "Name the store's file with --store, or set XDG_DATA_HOME to a folder of yours."
      )
    }
  }

  /// The reason why a folder cannot be created, as far as its nearest existing ancestor shows it.
  private static func reason(notToCreate folder: String) -> String {
    var ancestor = URL(fileURLWithPath: folder)
    var isFolder: ObjCBool = false
    while !FileManager.default.fileExists(atPath: ancestor.path, isDirectory: &isFolder),
      ancestor.path != "/"
    {
      ancestor.deleteLastPathComponent()
    }
    guard isFolder.boolValue else { return "\(ancestor.path) is not a folder" }
    guard FileManager.default.isWritableFile(atPath: ancestor.path) else {
      return "no permission to create files in \(ancestor.path)"
    }
    return "the file system refuses it"
  }
}

/// The options that name a store for a verb that only reads it.
package struct ReadingStoreOptions: ParsableArguments {
  /// The options that all verbs have.
  @OptionGroup package var store: StoreOptions

  /// Whether the store must not be written, not even by SQLite itself.
  @Flag(help: "Open the store for reading only, as for a file that you may not write.")
  package var readOnly = false

  /// Creates the options with their defaults.
  package init() {}

  /// Returns the location of a program's store, which is created if it does not exist: for a verb that waits for changes.
  /// - Throws: `CommandFailure` if there is no data folder.
  package func location(of program: String) throws -> StoreLocation {
    try store.location(of: program, isReadOnly: readOnly)
  }

  /// Returns the location of a program's store, which must exist.
  /// - Throws: As `StoreOptions.existingLocation(of:)`.
  package func existingLocation<Program: ListProgram>(of program: Program.Type) throws
    -> StoreLocation
  {
    try store.existingLocation(of: program, isReadOnly: readOnly)
  }

  /// Returns the location of a program's store, which is opened without any maintenance.
  /// - Throws: As `StoreOptions.existingLocation(of:)`.
  package func locationToRead<Program: ListProgram>(of program: Program.Type) throws
    -> StoreLocation
  {
    var location = try existingLocation(of: program)
    location.onlyReads = true
    return location
  }
}

/// A duration as people write it: `500ms`, `2s`, `1.5s`, `1m`, or a number of seconds.
package struct TimeSpan: ExpressibleByArgument, Sendable, CustomStringConvertible {
  /// The duration.
  package let duration: Duration

  /// Creates a time span.
  package init(_ duration: Duration) { self.duration = duration }

  /// Parses a duration, or returns `nil` for any other text.
  package init?(argument: String) {
    let units: [(suffix: String, milliseconds: Double)] = [
      ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
      ("", 1000),
    ]
    for unit in units where argument.hasSuffix(unit.suffix) {
      let number = argument.dropLast(unit.suffix.count)
      // Plain digits only: Double would also accept 0x10, 1e3 and nan.
      guard number.utf8.first != UInt8(ascii: "."),
        number.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
        let value = Double(number), value * unit.milliseconds < 1e12
      else { continue }
      duration = .microseconds(Int64(value * unit.milliseconds * 1000))
      return
    }
    return nil
  }

  /// The duration in seconds.
  package var description: String { "\(duration)" }
  /// The text that help shows for a default.
  package var defaultValueDescription: String { "\(duration.components.seconds)s" }
}
