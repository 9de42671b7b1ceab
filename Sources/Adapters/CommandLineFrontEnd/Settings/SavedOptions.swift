package import ArgumentParser
import Foundation
package import ProgramFrontEnd
import ResultsDomain
import TerminalFrontEnd

/// Options that a user has saved under a name: those of a list, or of an import.
///
/// A name is a file in the program's configuration folder, so that it can be edited, copied and removed like any other. What `--list` and
/// `--with` name is added to the command line before it is parsed; options of the command line take precedence.
struct SavedOptions: Equatable {
  /// The words of the verb that saved them, such as `list` or `import`.
  var verb: [String]
  /// The options, in the order of the command line.
  var options: [TypedCommand.Option]

  /// The options that belong to one run and are not saved.
  private static let unsaved: Set<String> = [
    "store", "busy-timeout", "verbose", "no-config", "format", "color", "save", "list", "with",
    "dry-run", "explain", "fail-if-empty", "help",
  ]

  /// The command line as words, for a person to read.
  var text: String {
    options.map { option in
      guard let value = option.value else { return "--\(option.name)" }
      return "--\(option.name) \(SavedOptions.quoted(value))"
    }.joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-_.,:/=+@%".utf8.contains(byte)
    }
    guard !isPlain || word.isEmpty else { return word }
    return "'" + ShellWords.quoted(word, within: .single) + "'"
  }

  // MARK: - The command line

  /// What a command line has to do with saved options.
  struct Use {
    /// The arguments with the saved options that they name.
    var arguments: [String]
    /// The name under which the options are saved when the verb has ended.
    fileprivate var name: String?
    fileprivate var saved: SavedOptions?
    fileprivate var folder: SavedOptionsFolder?

    /// Saves the options if that is asked for.
    /// - Throws: `CommandFailure`.
    func save(of program: String) throws {
      guard let name, let saved, let folder else { return }
      try folder.write(saved, name)
      let option = saved.verb.last == "import" ? "--with" : "--list"
      try TerminalOutput.standardError.write(
        SafeText.oneLine("\(program): saved; use it with \(option) \(name)") + "\n"
      )
    }
  }

  /// Adds the options that a command line names.
  /// - Parameters:
  ///   - arguments: The arguments, beginning with the verb.
  ///   - root: The root command.
  ///   - program: The program's name.
  ///   - environment: The variables of the environment.
  /// - Returns: The arguments, and what is to be saved.
  /// - Throws: `CommandFailure` for a name that is not saved or cannot be read.
  static func use<Root: ParsableCommand>(
    in arguments: [String],
    of root: Root.Type,
    program: String,
    environment: [String: String]
  ) throws -> Use {
    let words = ["--list", "--with", "--save"]
    let options = arguments.prefix { $0 != "--" }
    guard
      options.contains(where: { option in
        words.contains(option.splitAtEqualsSign.name)
      }),
      let command = try TypedCommand(arguments, of: root)
    else { return Use(arguments: arguments) }
    let typed = command.options(in: arguments)
    func value(_ name: String) -> String? {
      guard command.known.contains(where: { $0.longName == name && !$0.isRepeating }) else {
        return nil
      }
      return typed.last { $0.name == name }?.value
    }
    var use = Use(arguments: arguments)
    let (list, save) = (value("list") ?? value("with"), value("save"))
    guard list != nil || save != nil else { return use }
    let folder = try SavedOptionsFolder(of: program, environment)
    if let list {
      let saved = try folder.read(list)
      guard saved.verb.dropLast() == command.verb.dropLast(),
        (saved.verb.last == "import") == (command.verb.last == "import")
      else {
        throw CommandFailure(
          .usage,
          "“\(list)” was saved by '\(program) \(saved.verb.joined(separator: " "))'.",
          remedy: "Name one of this command; '\(program) saved' shows them."
        )
      }
      let names = Set(command.known.compactMap(\.longName))
      let given = Set(typed.map(\.name))
      let added = saved.words(knownTo: names.subtracting(given))
      let depth = command.depth
      use.arguments = arguments.prefix(depth) + added + arguments.dropFirst(depth)
    }
    if let save {
      try SavedOptionsFolder.check(save)
      (use.name, use.folder) = (save, folder)
      use.saved = SavedOptions(
        verb: command.verb,
        options: command.options(in: use.arguments).filter { !unsaved.contains($0.name) }
      )
    }
    return use
  }

  /// Returns those of the options that have some names, as words of a command line.
  func words(knownTo names: Set<String>) -> [String] {
    options.filter { names.contains($0.name) }
      .map { option in option.value.map { "--\(option.name)=\($0)" } ?? "--\(option.name)" }
  }

  // MARK: - The file

  /// Creates the options of a verb.
  init(verb: [String], options: [TypedCommand.Option]) {
    (self.verb, self.options) = (verb, options)
  }

  /// Reads a file.
  /// - Throws: `CommandFailure` with the path and the line.
  init(at path: String) throws(CommandFailure) {
    func failure(_ line: Int, _ message: String) -> CommandFailure {
      CommandFailure(
        .configuration,
        "\(path):\(line): \(message)",
        remedy: "Mend the line, or save the options again."
      )
    }
    (verb, options) = ([], [])
    for (number, line) in try UserFile.lines(of: path, or: "save the options again") {
      let (name, given) = line.splitAtEqualsSign
      let option = name.trimmingCharacters(in: .whitespaces)
      guard var value = given?.trimmingCharacters(in: .whitespaces) else {
        options.append(TypedCommand.Option(name: option))
        continue
      }
      if value.utf8.first == UInt8(ascii: "\"") {
        guard let plain = try? JSONDecoder().decode(String.self, from: Data(value.utf8)) else {
          throw failure(number, "the value in quotes is not a JSON string.")
        }
        value = plain
      }
      if option == "verb" {
        verb = value.split(separator: " ").map(String.init)
      } else {
        options.append(TypedCommand.Option(name: option, value: value))
      }
    }
    guard !verb.isEmpty else { throw failure(1, "no line says of which verb the options are.") }
  }

  /// The text of a file.
  var fileText: String {
    var lines = ["verb = \(verb.joined(separator: " "))"]
    for option in options {
      guard let value = option.value else {
        lines.append(option.name)
        continue
      }
      let isPlain =
        value.utf8.first != UInt8(ascii: "\"")
        && value.hasSameBytes(as: value.trimmingCharacters(in: .whitespaces))
        && !value.utf8.contains { $0 == 0x0A || $0 == 0x0D }
      let json = (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) }
      lines.append("\(option.name) = \(isPlain ? value : json ?? value)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// The folder of a program's saved options.
struct SavedOptionsFolder {
  /// The path.
  let path: String
  private let program: String

  /// Finds the folder of a program.
  /// - Throws: `CommandFailure` where the environment names none.
  init(of program: String, _ environment: [String: String]) throws(CommandFailure) {
    guard let folder = UserFolder.configuration.path(of: program, environment) else {
      throw CommandFailure(
        .configuration,
        "There is no folder for what you save.",
        remedy: "Set HOME, or XDG_CONFIG_HOME to a whole path."
      )
    }
    path = "\(folder)/saved"
    self.program = program
  }

  /// Refuses what cannot be the name of a file in the folder.
  static func check(_ name: String) throws(CommandFailure) {
    let isFine =
      !name.isEmpty && name.utf8.count <= 100 && !name.hasPrefix(".") && !name.hasPrefix("-")
      && name.unicodeScalars.allSatisfy { scalar in
        scalar != "/" && !scalar.properties.isWhitespace
          && ![.control, .format, .privateUse, .unassigned].contains(
            scalar.properties.generalCategory
          )
      }
    guard isFine else {
      throw CommandFailure(
        .usage,
        "“\(name)” cannot be a name.",
        remedy: "Give at most 100 bytes without spaces and slashes, not beginning with . or -."
      )
    }
  }

  /// The names, in the order of their bytes.
  var names: [String] {
    let found = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return found.filter { (try? SavedOptionsFolder.check($0)) != nil }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Reads what is saved under a name.
  /// - Throws: `CommandFailure` if there is nothing, or it cannot be read.
  func read(_ name: String) throws(CommandFailure) -> SavedOptions {
    try SavedOptionsFolder.check(name)
    let file = "\(path)/\(name)"
    guard FileManager.default.fileExists(atPath: file) else {
      let nearest = NearestName.of(name, among: names)
      throw CommandFailure(
        .usage,
        "Nothing is saved as “\(name)”.",
        remedy: nearest.map { "Did you mean “\($0)”?" } ?? "'\(program) saved' shows the names."
      )
    }
    return try SavedOptions(at: file)
  }

  /// Writes options; the file is replaced as a whole.
  /// - Throws: `CommandFailure` if that fails.
  func write(_ saved: SavedOptions, _ name: String) throws(CommandFailure) {
    do {
      try FileManager.default.createDirectory(
        at: URL(fileURLWithPath: path),
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      try Data(saved.fileText.utf8)
        .write(to: URL(fileURLWithPath: "\(path)/\(name)"), options: .atomic)
    } catch {
      throw CommandFailure(
        .cannotCreate,
        "\(path)/\(name) cannot be written.",
        remedy: "Check the folder's permissions and the space on its disk."
      )
    }
  }

  /// Removes what is saved under a name.
  /// - Throws: `CommandFailure` if there is nothing, or it cannot be removed.
  func remove(_ name: String) throws(CommandFailure) {
    _ = try read(name)
    do {
      try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    } catch {
      throw CommandFailure(
        .cannotCreate,
        "\(path)/\(name) cannot be removed.",
        remedy: "Check the folder's permissions."
      )
    }
  }
}

/// `saved`: prints the lists and imports that are saved under names.
package struct SavedVerb<Program: ListProgram>: ParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "saved",
      abstract: "Show or remove the lists and imports that were saved under a name.",
      discussion: """
        'list --save NAME' saves the options of a list, \(Program.isReadOnly ? "" : "and 'import --save NAME' those of an import; ")\
        --list NAME\(Program.isReadOnly ? "" : " and --with NAME") use them. Options of the command line take precedence. Each name is a \
        file in \(UserFolder.configuration.shown)/\(Program.name)/saved.

        Examples:
          \(Program.name) saved
        """
    )
  }

  @Option(help: "Remove what was saved under this name.", completion: CompletedNames.saved)
  var remove: String?

  /// Creates the verb.
  package init() {}

  /// Prints or removes what is saved.
  package func run() throws {
    let folder = try SavedOptionsFolder(of: Program.name, ProcessInfo.processInfo.environment)
    if let remove {
      try folder.remove(remove)
      try TerminalOutput.standard.write(SafeText.oneLine("removed \(remove)") + "\n")
      return
    }
    for name in folder.names {
      let line: String
      do {
        let saved = try folder.read(name)
        line = "\(name)\t\(saved.verb.joined(separator: " "))\t\(saved.text)"
      } catch {
        line = "\(name)\tcannot be read\t\(error.message)"
      }
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      try TerminalOutput.standard.write(
        cells.map { SafeText.oneLine(String($0)) }.joined(separator: "\t") + "\n"
      )
    }
  }
}

/// A list that is saved under a name, for the menu of a full-screen list.
struct SavedList: Sendable {
  /// The name.
  var name: String
  /// The rows, their order and their sections; or why what is saved is no list of this program.
  var choice: Result<ListChoice, any Error>

  /// The options that define a list, among those that are saved with it.
  private struct Options<Program: ListProgram>: ParsableCommand {
    @OptionGroup var list: ListOptions
    @OptionGroup var times: TimeOptions<Program>
  }

  /// Reads the saved lists of a program, in the order of their names; none where the environment names no folder for them.
  static func all<Program: ListProgram>(
    of program: Program.Type,
    for settings: LocaleSettings
  ) -> [SavedList] {
    let environment = ProcessInfo.processInfo.environment
    guard let folder = try? SavedOptionsFolder(of: Program.name, environment) else { return [] }
    let group = Program.command.split(separator: " ").dropFirst().map(String.init)
    var known: Set<String>?
    return folder.names.compactMap { name in
      let read = Result { try folder.read(name) }
      if let verb = try? read.get().verb, verb.last == "import" || verb.dropLast() != group[...] {
        return nil
      }
      let choice = Result {
        let saved = try read.get()
        let names =
          try known
          ?? Set(CommandDescription.of(Options<Program>.self).options.compactMap(\.longName))
        known = names
        let parsed = try Options<Program>.parse(saved.words(knownTo: names))
        return try parsed.list.choice(of: Program.self, for: settings, within: parsed.times)
      }
      return SavedList(name: name, choice: choice)
    }
  }
}

/// The imports of a program that are saved under names, for front ends other than the command line.
///
/// What only a verb of the program can do, such as choosing the feed of all items, is none of them.
enum SavedImport<Program: ListProgram> {
  private static var folder: SavedOptionsFolder {
    get throws(CommandFailure) {
      try SavedOptionsFolder(of: Program.name, ProcessInfo.processInfo.environment)
    }
  }

  /// The names, in the order of their bytes; none where the environment names no folder for them.
  static var names: [String] {
    guard let found = try? folder else { return [] }
    return found.names.filter { (try? options(of: $0)) != nil }
  }

  /// Reads the options that are saved under a name.
  /// - Throws: `CommandFailure` if there is nothing, or something else.
  static func options(of name: String) throws -> ImportOptions {
    let saved = try folder.read(name)
    let verb = Program.command.split(separator: " ").dropFirst().map(String.init) + ["import"]
    let known = try CommandDescription.of(ImportVerb<Program>.self).options.compactMap(\.longName)
    guard saved.verb == verb, Set(saved.options.map(\.name)).isSubset(of: known) else {
      throw CommandFailure(
        .usage,
        "“\(name)” is no import that can be used here.",
        remedy: "'\(Program.name) saved' shows what is saved."
      )
    }
    return try ImportVerb<Program>.parse(["-"] + saved.words(knownTo: Set(known))).options
  }
}

/// The option that saves the options of a list.
package struct SavedListOptions: ParsableArguments {
  /// The name to save under.
  @Option(help: ArgumentHelp("Save the options of this list.", valueName: "name"))
  package var save: String?

  /// Creates the option.
  package init() {}
}

/// The options that save and use those of an import.
package struct SavedImportOptions: ParsableArguments {
  /// The name to save under.
  @Option(help: ArgumentHelp("Save the options of this import.", valueName: "name"))
  package var save: String?
  /// The name of saved options to use.
  @Option(
    help: ArgumentHelp("Use the saved options of an import.", valueName: "name"),
    completion: CompletedNames.saved
  )
  package var with: String?

  /// Creates the options.
  package init() {}
}
