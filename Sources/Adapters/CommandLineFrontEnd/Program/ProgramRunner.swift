public import ArgumentParser
import Foundation
public import ResultsDomain
import Synchronization
import TerminalFrontEnd

/// Runs a program's root command: parses, runs, and ends with a documented status and a message that helps.
public enum ProgramRunner {
  /// Runs the root command with the process's arguments; it does not return.
  public static func run<Root: AsyncParsableCommand>(_ root: Root.Type) async -> Never {
    TerminalOutput.ignoreBrokenPipes()
    let name = root.configuration.commandName ?? "program"
    if let failure = unreadableArgument(CommandLine.argc, CommandLine.unsafeArgv) {
      exit(report(failure, name, false))
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    let status = await run(root, arguments)
    OpenStores.close()
    do {
      try TerminalOutput.standard.flush()
    } catch {
      let failure = CommandFailure(error) ?? CommandFailure(.inputOutput, error.description)
      exit(report(failure, name, false))
    }
    exit(status)
  }

  /// Refuses an argument that is not UTF-8: what is made of it would be another one, such as the path of another file.
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
        "argument \(index) is not UTF-8: “\(String(cString: argument))”.",
        remedy: "Give it in UTF-8; a file can be renamed."
      )
    }
    return nil
  }

  private static func run<Root: AsyncParsableCommand>(
    _ root: Root.Type,
    _ arguments: [String]
  ) async -> Int32 {
    let name = root.configuration.commandName ?? "program"
    if let failure = unknownVerb(in: arguments, of: root) { return report(failure, name, false) }
    if arguments == ["help", "where"] {
      try? TerminalOutput.standard.write(PredicateHelp.text(of: name))
      return ExitStatus.success.rawValue
    }
    let isVerbose = arguments.contains("--verbose")
    do {
      var command = try root.parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      return ExitStatus.success.rawValue
    } catch let status as ExitCode {
      return status.rawValue
    } catch let interruption as Interruption {
      interruption.endProcess()
    } catch {
      if let failure = CommandFailure(error) { return report(failure, name, isVerbose) }
      return explain(error, root)
    }
  }

  /// What the argument parser says of its own errors and of requests for help.
  private static func explain<Root: ParsableCommand>(_ error: any Error, _ root: Root.Type) -> Int32
  {
    // The parser repeats arguments as they were given, escape sequences and all.
    let text = SafeText.lines(root.fullMessage(for: error))
    let status = root.exitCode(for: error).rawValue
    let output = status == 0 ? TerminalOutput.standard : TerminalOutput.standardError
    try? output.write(text + "\n")
    return status
  }

  private static func report(_ failure: CommandFailure, _ name: String, _ isVerbose: Bool) -> Int32
  {
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

  /// A first argument that is not a verb, with the verb that was probably meant.
  static func unknownVerb<Root: ParsableCommand>(
    in arguments: [String],
    of root: Root.Type
  ) -> CommandFailure? {
    let verbs = root.configuration.subcommands.compactMap { $0.configuration.commandName }
    guard let first = arguments.first, !first.hasPrefix("-"), first != "help",
      !verbs.contains(first)
    else { return nil }
    let near = verbs.map { ($0, EditDistance.between($0, first)) }.min { $0.1 < $1.1 }
    let hint = near.flatMap { $0.1 <= 2 ? "Did you mean “\($0.0)”?" : nil }
    return CommandFailure(
      .usage,
      "Unknown command “\(first)”.",
      remedy: hint ?? "The commands are \(verbs.joined(separator: ", "))."
    )
  }
}

/// The stores that the program has opened, so that they are closed however it ends: one that is not closed leaves files beside its
/// own, and its place among the readers of its log.
public enum OpenStores {
  private static let stores = Mutex<[any Store]>([])

  /// Notes a store that is to be closed at the end, if it is not closed before.
  public static func closeAtEnd(_ store: any Store) { stores.withLock { $0.append(store) } }

  /// Closes all stores; closing one that is closed does nothing.
  public static func close() {
    let opened = stores.withLock { stores in
      defer { stores = [] }
      return stores
    }
    for store in opened { try? store.close() }
  }
}
