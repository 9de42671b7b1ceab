public import ArgumentParser
import Foundation
import ResultsDomain

/// Which store, and how it is opened.
public struct StoreOptions: ParsableArguments {
  /// The store's file.
  @Option(
    name: .customLong("store"),
    help: "The store's file, or :memory:. By default a file in your data folder."
  )
  public var path: String?

  /// Whether nothing may be written.
  @Flag(help: "Open the store for reading only.")
  public var readOnly = false

  /// How long to wait for another writer.
  @Option(help: "How long to wait while another process writes, such as 500ms or 5s.")
  public var busyTimeout: TimeSpan = TimeSpan(.seconds(5))

  /// Whether failures say what the store's adapter said.
  @Flag(help: "Say more about a failure.")
  public var verbose = false

  /// Makes the options with their defaults.
  public init() {}

  /// Where the store of a program is; the data folder is made if it is the default.
  /// - Parameters:
  ///   - program: The program's name.
  ///   - onlyReads: Whether nothing is to be written that reading does not need.
  /// - Returns: The place, which may not be there yet.
  /// - Throws: `CommandFailure` for an empty path, or if there is no data folder to use.
  public func place(of program: String, onlyReads: Bool = false) throws -> StorePlace {
    guard path?.isEmpty != true else {
      throw CommandFailure(
        .usage,
        "--store was given an empty path.",
        remedy: "Name a file, or leave --store out for the default."
      )
    }
    var place = StorePlace(
      path: try path ?? StoreOptions.defaultPath(of: program),
      isReadOnly: readOnly,
      busyTimeout: busyTimeout.duration
    )
    place.onlyReads = onlyReads
    return place
  }

  private static func defaultPath(of program: String) throws -> String {
    let environment = ProcessInfo.processInfo.environment
    let folder: String
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      folder = "\(data)/\(program)"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      folder = "\(home)/.local/share/\(program)"
    } else {
      throw CommandFailure(
        .configuration,
        "there is no data folder, because neither XDG_DATA_HOME nor HOME is set.",
        remedy: "Set one of them, or name the store's file with --store."
      )
    }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(
        .cannotCreate,
        "the data folder \(folder) cannot be made (\(error.localizedDescription)).",
        remedy: "Name the store's file with --store."
      )
    }
    return "\(folder)/\(program).sqlite"
  }
}
