package import ArgumentParser
import Foundation
import ProgramFrontEnd
import ResultsDomain
package import ResultsStoreKit
import Synchronization
import TerminalFrontEnd

/// The entry point of a program: parses, runs, and exits with a documented status and a message that helps.
package enum ProgramRunner {
  /// Runs the root command with the process's arguments; it does not return.
  /// - Parameters:
  ///   - root: The root command.
  ///   - takesFile: Whether the first argument is the name of a file where it is no command.
  package static func run<Root: AsyncParsableCommand>(
    _ root: Root.Type,
    takesFile: Bool = false
  ) async -> Never {
    TerminalOutput.ignoreBrokenPipes()
    let name = name(of: root)
    guard TerminalOutput.fillStandardDescriptors() else {
      let failure = CommandFailure(
        .inputOutput,
        "Standard output is closed.",
        remedy: "Nothing was done. To discard the output, redirect it to /dev/null."
      )
      exit(report(failure, name, isVerbose: false))
    }
    if let failure = unreadableArgument(CommandLine.argc, CommandLine.unsafeArgv) {
      exit(report(failure, name, isVerbose: false))
    }
    if let failure = DatabaseURL.refusal(ofArguments: CommandLine.arguments) {
      exit(report(failure, name, isVerbose: false))
    }
    var arguments = Array(CommandLine.arguments.dropFirst())
    if isHelp(arguments, of: root) {
      if arguments.count > 1 {
        let failure = CommandFailure(
          .usage,
          "'help' takes no further word.",
          remedy: "Leave out “\(arguments[1])”."
        )
        exit(report(failure, name, isVerbose: false))
      }
      arguments = ["--help"]
    }
    if takesFile, let failure = noFile(in: arguments, of: root) {
      exit(report(failure, name, isVerbose: false))
    }
    if TerminalOutput.standard.isTerminal, isatty(0) == 1 {
      arguments = withTerminalVerb(arguments, of: root, takesFile: takesFile)
    }
    let status = await run(root, arguments)
    OpenStores.close()
    do {
      try TerminalOutput.standard.flush()
    } catch {
      let failure = CommandFailure(error) ?? CommandFailure(.inputOutput, error.description)
      exit(report(failure, name, isVerbose: false))
    }
    exit(status)
  }

  private static func run<Root: AsyncParsableCommand>(
    _ root: Root.Type,
    _ arguments: [String]
  ) async -> Int32 {
    let name = name(of: root)
    do {
      if let document = try HelpDocument.text(for: arguments, of: root) {
        try TerminalOutput.standard.write(document)
        return ExitStatus.success.rawValue
      }
    } catch {
      let failure = CommandFailure(error) ?? CommandFailure(describing: error)
      return report(failure, name, isVerbose: false)
    }
    if let failure = unknownVerb(in: arguments, of: root) {
      return report(failure, name, isVerbose: false)
    }
    let isVerbose = arguments.contains("--verbose")
    do {
      let program = HelpDocument.program(of: root)
      CompletedNames.use(program)
      let saved = try SavedOptions.use(
        in: withTopicVerb(arguments),
        of: root,
        program: program?.name ?? name,
        environment: ProcessInfo.processInfo.environment
      )
      var command = try root.parseAsRoot(try withSettings(saved.arguments, of: root, program))
      do {
        if var asynchronous = command as? any AsyncParsableCommand {
          try await asynchronous.run()
        } else {
          try command.run()
        }
      } catch let status as ExitCode {
        // The verb has done a part.
        try saved.save(of: name)
        throw status
      }
      try saved.save(of: name)
      return ExitStatus.success.rawValue
    } catch let status as ExitCode {
      return status.rawValue
    } catch let interruption as Interruption {
      interruption.endProcess()
    } catch {
      if let failure = CommandFailure(error) { return report(failure, name, isVerbose: isVerbose) }
      return finish(error, root, name)
    }
  }

  private static func name<Root: ParsableCommand>(of root: Root.Type) -> String {
    root.configuration.commandName ?? "program"
  }

  // MARK: - Arguments

  /// Returns a failure for the first argument that is not UTF-8.
  ///
  /// Decoding it would give another argument, such as the path of another file.
  static func unreadableArgument(
    _ count: Int32,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> CommandFailure? {
    for index in 0..<Int(count) {
      guard let argument = arguments[index], String(validatingCString: argument) == nil else {
        continue
      }
      return CommandFailure(
        .usage,
        "Argument \(index) is not UTF-8: “\(String(cString: argument))”.",
        remedy: "Give it in UTF-8; a file can be renamed."
      )
    }
    return nil
  }

  /// Returns the arguments with the verb that is left out on a terminal: `browse`, where the program has it.
  ///
  /// A file is printed nevertheless if an option asks for it: one that `browse` does not take, or `--limit`.
  static func withTerminalVerb<Root: ParsableCommand>(
    _ arguments: [String],
    of root: Root.Type,
    takesFile: Bool
  ) -> [String] {
    let verbs = root.configuration.subcommands
    guard let browser = verbs.first(where: { $0.configuration.commandName == "browse" }) else {
      return arguments
    }
    guard let first = arguments.first else { return ["browse"] }
    guard takesFile, first != "help",
      !verbs.contains(where: { $0.configuration.commandName == first })
    else { return arguments }
    let options = (try? CommandDescription.of(browser).options) ?? []
    var words = arguments.prefix { $0 != "--" }[...]
    while let word = words.popFirst() {
      guard word.hasPrefix("-"), word != "-" else { continue }
      let name = word.dropFirst(2).prefix { $0 != "=" }
      guard word.hasPrefix("--"), name != "limit",
        let option = options.first(where: { $0.longName.map { $0 == name } ?? false })
      else { return arguments }
      // The value, which may begin with a minus.
      if !option.isFlag, !word.contains("=") { words = words.dropFirst() }
    }
    return ["browse"] + arguments
  }

  /// Returns the arguments with `help TOPIC` replaced by the hidden verb that prints topics.
  private static func withTopicVerb(_ arguments: [String]) -> [String] {
    guard arguments.count == 2, arguments[0] == "help", HelpTopic(rawValue: arguments[1]) != nil
    else { return arguments }
    return [HelpTopic.verbName, arguments[1]]
  }

  /// Returns the arguments with what the program's configuration file adds.
  private static func withSettings<Root: ParsableCommand>(
    _ arguments: [String],
    of root: Root.Type,
    _ program: (any ListProgram.Type)?
  ) throws -> [String] {
    guard let program, !program.isReadOnly else { return arguments }
    let environment = ProcessInfo.processInfo.environment
    useCustomColumns(of: program, root, arguments, environment)
    return try ConfigurationFile.arguments(
      addingTo: arguments,
      of: root,
      program,
      environment: environment
    )
  }

  /// Finds the columns that the user has added to the store of a command line, before anything refers to them.
  private static func useCustomColumns<Root: ParsableCommand, Program: ListProgram>(
    of program: Program.Type,
    _ root: Root.Type,
    _ arguments: [String],
    _ environment: [String: String]
  ) {
    let options = Array(arguments.prefix { $0 != "--" })
    guard !options.isEmpty, !options.contains(where: { ["--help", "-h"].contains($0) }) else {
      return
    }
    var path = ConfigurationFile.store(of: Program.self, options, environment: environment)
    for (index, option) in options.enumerated() {
      let (name, value) = option.splitAtEqualsSign
      guard name == "--store" else { continue }
      path = value ?? (index + 1 < options.count ? options[index + 1] : nil)
    }
    guard let location = StoreOptions.knownLocation(path, of: Program.name) else { return }
    // A server is asked only for a verb that opens the store.
    if case .database = location.address,
      (try? TypedCommand(arguments, of: root))??.known.contains(where: { $0.longName == "store" })
        != true
    {
      return
    }
    Program.useCustomColumns(of: location)
  }

  /// Returns a failure for a word that is not a verb, with the verb that was probably meant.
  static func unknownVerb<Root: ParsableCommand>(
    in arguments: [String],
    of root: Root.Type
  ) -> CommandFailure? {
    var command: any ParsableCommand.Type = root
    var words = arguments[...]
    let isHelp = words.first == "help"
    if isHelp { words = words.dropFirst() }
    if isHelp, words.count == 1, words.first.flatMap({ HelpTopic(rawValue: $0) }) != nil {
      return nil
    }
    while let word = words.popFirst(), !word.hasPrefix("-") {
      let verbs = command.configuration.subcommands
      guard !verbs.isEmpty else { return nil }
      if let verb = verbs.first(where: { $0.configuration.commandName == word }) {
        command = verb
        continue
      }
      // The word is an argument of the verb that may be left out.
      if !isHelp, command.configuration.defaultSubcommand != nil { return nil }
      let names = verbs.filter { $0.configuration.shouldDisplay }
        .compactMap { $0.configuration.commandName }
      let isRoot = ObjectIdentifier(command) == ObjectIdentifier(root)
      let documents = HelpDocument.allCases.map(\.rawValue)
      let topics = isHelp && isRoot ? HelpTopic.allCases.map(\.rawValue) + documents : []
      if topics.contains(word), let rest = words.first {
        return CommandFailure(
          .usage,
          "'help \(word)' takes no further word.",
          remedy: "Leave out “\(rest)”."
        )
      }
      let nearest = NearestName.of(word, among: names + topics)
      return CommandFailure(
        .usage,
        isHelp ? "There is no help on “\(word)”." : "Unknown command “\(word)”.",
        remedy: nearest.map { "Did you mean “\($0)”?" }
          ?? "The commands are \(names.joined(separator: ", "))."
      )
    }
    return nil
  }

  /// Whether arguments ask a program without verbs for its help, as they would ask another one.
  private static func isHelp<Root: ParsableCommand>(
    _ arguments: [String],
    of root: Root.Type
  ) -> Bool {
    arguments.first == "help" && root.configuration.subcommands.isEmpty
      && !FileManager.default.fileExists(atPath: "help")
  }

  /// Returns a failure for a first word that is neither a command nor a file, and does not look like a path.
  static func noFile<Root: ParsableCommand>(
    in arguments: [String],
    of root: Root.Type
  ) -> CommandFailure? {
    let verbs = root.configuration.subcommands.map { $0.configuration }
    guard let word = arguments.first, !word.hasPrefix("-"), !word.isEmpty,
      !word.contains("/"), !word.contains("."), !FileManager.default.fileExists(atPath: word),
      !verbs.contains(where: { $0.commandName == word }), verbs.isEmpty || word != "help"
    else { return nil }
    guard !verbs.isEmpty else {
      return CommandFailure(
        .missingInput,
        "There is no file “\(word)”.",
        remedy: "Give the path of a database; '\(name(of: root)) --help' says more."
      )
    }
    let names = verbs.filter { $0.shouldDisplay }.compactMap { $0.commandName }
    return CommandFailure(
      .missingInput,
      "“\(word)” is neither a command nor a file.",
      remedy: NearestName.of(word, among: names).map { "Did you mean “\($0)”?" }
        ?? "The commands are \(names.joined(separator: ", ")); '\(name(of: root)) FILE' opens a file."
    )
  }

  // MARK: - Messages

  /// Prints requested help, or an error of the argument parser.
  /// - Returns: The exit status.
  private static func finish<Root: ParsableCommand>(
    _ error: any Error,
    _ root: Root.Type,
    _ name: String
  ) -> Int32 {
    let text = root.fullMessage(for: error)
    let status = root.exitCode(for: error).rawValue
    guard status == 0 else {
      return report(parserFailure(root.message(for: error), text), name, isVerbose: false)
    }
    // The parser repeats arguments as they were given, escape sequences and all.
    try? TerminalOutput.standard.write(SafeText.lines(text) + "\n")
    return status
  }

  /// Rewrites an error of the argument parser in the programs' form.
  /// - Parameters:
  ///   - message: What happened; a list of choices follows it in lines of their own.
  ///   - text: The parser's complete text, with a description of the argument and a reference to a verb's help.
  /// - Returns: The failure to report.
  static func parserFailure(_ message: String, _ text: String) -> CommandFailure {
    let bullet = "  - "
    let lines = message.split(separator: "\n")
    let choices = lines.filter { $0.hasPrefix(bullet) }.map { $0.dropFirst(bullet.count) }
    var sentence = lines.filter { !$0.hasPrefix(bullet) }.joined(separator: " ")
    if !choices.isEmpty { sentence += " " + choices.joined(separator: ", ") }
    if let last = sentence.last, !".?!".contains(last) { sentence += "." }
    let prefix = "  See '"
    let reference = text.split(separator: "\n").last { $0.hasPrefix(prefix) }
      .flatMap { $0.dropFirst(prefix.count).split(separator: "'").first }
    let description =
      text.split(separator: "\n").first { $0.hasPrefix("Help:  ") }
      .flatMap { $0.components(separatedBy: "  ").last } ?? ""
    let isHelpful =
      sentence.hasPrefix("Missing")
      || sentence.contains("is invalid for")
        && choices.isEmpty && !sentence.contains("Please") && !sentence.contains("': ")
    let remedy = [isHelpful ? description : "", reference.map { "See '\($0)'." } ?? ""]
    return CommandFailure(
      .usage,
      sentence,
      remedy: remedy.filter { !$0.isEmpty }.joined(separator: " ")
    )
  }

  private static func report(
    _ failure: CommandFailure,
    _ name: String,
    isVerbose: Bool
  ) -> Int32 {
    guard failure.status != .brokenPipe else { return failure.status.rawValue }
    try? TerminalOutput.standard.flush()
    var text = SafeText.oneLine("\(name): \(failure.message)")
    if !failure.remedy.isEmpty { text += " " + SafeText.oneLine(failure.remedy) }
    if let picture = failure.picture {
      text += "\n" + indented(SafeText.lines(picture))
    }
    if isVerbose, let detail = failure.detail { text += "\n  " + SafeText.oneLine(detail) }
    try? TerminalOutput.standardError.write(text + "\n")
    return failure.status.rawValue
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
  }
}

/// The stores that the program has opened, to be closed however it ends.
///
/// A store that is not closed leaves files beside its own, and a lease on its change log. The list is guarded by one lock, which is not
/// held while a store is closed.
package enum OpenStores {
  private static let closures = Mutex<[@Sendable () -> Void]>([])

  /// Registers a store to be closed when the program ends.
  package static func closeAtEnd(_ store: any Store) { callAtEnd { try? store.close() } }

  /// Registers a closure to be called when the program ends.
  package static func callAtEnd(_ close: @escaping @Sendable () -> Void) {
    closures.withLock { $0.append(close) }
  }

  /// Closes all registered stores; closing a closed store does nothing.
  package static func close() {
    let opened = closures.withLock { closures in
      defer { closures = [] }
      return closures
    }
    for close in opened { close() }
  }
}

extension CommandFailure {
  /// Creates the failure for any error of a command, or `nil` for an error of the argument parser.
  init?(_ error: any Error) {
    switch error {
    case let error as TerminalOutputError:
      self.init(ExitStatus(rawValue: error.exitStatus) ?? .inputOutput, error.description)
    case StoreError.aborted(let inner):
      self = CommandFailure(inner) ?? CommandFailure(describing: inner)
    case is ExitCode, is ValidationError, is CleanExit: return nil
    default:
      if "\(type(of: error))".contains("CommandError") { return nil }
      self.init(describing: error)
    }
  }
}
