import ArgumentParser
import FileFormats
import ProgramFrontEnd

/// An option that a configuration file can set.
enum Setting: String, CaseIterable, Sendable {
  case store
  case busyTimeout = "busy-timeout"
  case locale
  case calendar
  case timeZone = "time-zone"
  case color
  case columns
  case sort
  case sectionBy = "section-by"
  case ascii
  case ambiguousWidth = "ambiguous-width"
  case showCursor = "show-cursor"
  case linear
  case marks
  case noState = "no-state"

  /// A line about the setting, for the help.
  var summary: String {
    switch self {
    case .store: "the store: a URL, a whole path, or one that begins with ~/"
    case .busyTimeout: "the time to wait for another writer, such as 500ms or 5s"
    case .locale: "a locale such as ja_JP, or C for plain forms"
    case .calendar: "a calendar such as gregorian or japanese"
    case .timeZone: "a time zone such as Asia/Tokyo"
    case .color: "auto, always or never"
    case .columns: "the columns, separated by commas"
    case .sort: "the sort order, as --sort takes it"
    case .sectionBy: "the section key, as --section-by takes it"
    case .ascii: "yes draws browse with ASCII signs only"
    case .ambiguousWidth: "the columns of ambiguous characters: 1 or 2"
    case .showCursor: "yes keeps the terminal's cursor visible in browse"
    case .marks: "how long browse marks changes: milliseconds, or keep"
    case .linear: "yes reads the list of browse out in lines"
    case .noState: "yes lets browse remember nothing"
    }
  }

  /// Whether the setting is a flag, whose value is yes or no.
  var isFlag: Bool {
    switch self {
    case .ascii, .showCursor, .linear, .noState: true
    default: false
    }
  }

  /// Whether the setting counts for every verb; the others only choose what people see.
  var countsEverywhere: Bool { self == .store || self == .busyTimeout }

  /// Whether the value names columns of the program's list.
  var namesColumns: Bool { self == .columns || self == .sort || self == .sectionBy }

  /// The variables of the environment that take precedence.
  var variables: [String] {
    switch self {
    case .locale: ["LC_ALL", "LC_TIME"]
    case .timeZone: ["TZ"]
    case .color: ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"]
    default: []
    }
  }

  /// The option as it is typed.
  var option: String { "--\(rawValue)" }

  /// Returns the argument that a value stands for, or `nil` for a flag that is not set.
  /// - Throws: `CommandFailure` or a parser's error for a value that is not valid.
  func argument<Program: ListProgram>(
    for value: String,
    home: String?,
    of program: Program.Type
  ) throws -> String? {
    if isFlag {
      switch value.lowercased() {
      case "yes", "true", "on": return option
      case "no", "false", "off": return nil
      default: throw Setting.failure("“\(value)” is neither yes nor no.", "Write yes or no.")
      }
    }
    guard !value.isEmpty else {
      throw Setting.failure(
        "There is no value.",
        "Write one behind the equals sign, or remove the line."
      )
    }
    let whole = "\(option)=\(value)"
    switch self {
    case .store: return "\(option)=\(try Setting.path(value, home: home))"
    case .busyTimeout:
      guard TimeSpan(argument: value) != nil else {
        throw Setting.failure("“\(value)” is no time.", "Write a time such as 500ms or 5s.")
      }
    case .color:
      guard ColorOption(rawValue: value) != nil else {
        throw Setting.failure("“\(value)” is no choice.", "Write auto, always or never.")
      }
    case .ambiguousWidth:
      guard value == "1" || value == "2" else {
        throw Setting.failure("“\(value)” is no width.", "Write 1 or 2.")
      }
    case .marks:
      guard value == "keep" || Int(value).map((0...3_600_000).contains) == true else {
        throw Setting.failure("“\(value)” is no time.", "Write milliseconds such as 1500, or keep.")
      }
    case .locale, .calendar, .timeZone:
      _ = try LocaleOptions.parse([whole]).settings(for: OutputFormat.csv)
    case .columns: _ = try RowOptions.parse([whole]).columns(of: Program.self)
    case .sort, .sectionBy:
      _ = try ListOptions.parse([whole]).definition(of: Program.self, for: .machine)
    case .ascii, .showCursor, .linear, .noState: break
    }
    return whole
  }

  private static func path(_ value: String, home: String?) throws(CommandFailure) -> String {
    switch try StoreAddress(value) {
    case .memory, .database: return value
    case .file: break
    }
    if value.hasPrefix("/") { return value }
    guard value.hasPrefix("~/"), let home, home.hasPrefix("/") else {
      throw failure(
        "“\(value)” depends on the folder in which the program runs.",
        "Write a whole path, or one that begins with ~/."
      )
    }
    return home + value.dropFirst()
  }

  private static func failure(_ message: String, _ remedy: String) -> CommandFailure {
    CommandFailure(.configuration, message, remedy: remedy)
  }
}
