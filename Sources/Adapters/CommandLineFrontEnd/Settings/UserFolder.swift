/// The folders of a user's own files, as the XDG specification names them.
enum UserFolder {
  case data, configuration, state

  /// The variable of the environment that names the folder.
  var variable: String {
    switch self {
    case .data: "XDG_DATA_HOME"
    case .configuration: "XDG_CONFIG_HOME"
    case .state: "XDG_STATE_HOME"
    }
  }

  /// The folder below the home folder where the variable is not set.
  private var usual: String {
    switch self {
    case .data: ".local/share"
    case .configuration: ".config"
    case .state: ".local/state"
    }
  }

  /// The folder as the help shows it.
  var shown: String { "~/\(usual)" }

  /// Returns a program's folder, or `nil` where the environment names none; a path that is not whole does not count.
  func path(of program: String, _ environment: [String: String]) -> String? {
    if let folder = environment[variable], folder.hasPrefix("/") { return "\(folder)/\(program)" }
    if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/\(usual)/\(program)" }
    return nil
  }
}
