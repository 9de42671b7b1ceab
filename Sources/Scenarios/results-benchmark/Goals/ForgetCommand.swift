import ArgumentParser

/// Makes the system forget what it keeps of files in memory, in a process of its own.
///
/// Closing a file ends all locks that a process has on it, so a process that has a database open must not do this itself.
struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Make the system forget files, so that they are read from the disk again.",
    shouldDisplay: false
  )

  @Argument(help: "The files.")
  var files: [String]

  func run() { _ = ProcessFigures.dropFromMemory(files) }
}
