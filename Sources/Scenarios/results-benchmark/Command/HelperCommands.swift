import ArgumentParser
import ResultsDomain
import ResultsPresentation
import SQLitePersistence

/// What one list takes in a process that does nothing else; the benchmark runs it and reads what it prints.
struct MemoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract: "Print what one list takes: bytes of keys, growth of the process, of that its own.",
    shouldDisplay: false
  )

  @Argument(help: "The database.")
  var path: String
  @Argument(help: "The list.")
  var list: MessageList

  func run() async throws {
    let options = SQLiteStoreOptions(pollInterval: nil)
    let store = try SQLiteStore(at: path, entities: [Message.entity], options: options)
    // What the store and the first reading take is not the list's.
    _ = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows((1...50).map { ObjectKey.integer($0) }, of: Message.entity).count
    }
    let before = ProcessFigures.memory
    let controller = FetchedResultsController(list.definition(of: Message.self), in: store)
    try await controller.fetchExactly()
    try controller.readFirst(50)
    let after = ProcessFigures.memory
    let bytes = try await controller.explain()?.keyBytes ?? 0
    let resident = (after?.resident ?? 0) - (before?.resident ?? 0)
    let own = (after?.own ?? 0) - (before?.own ?? 0)
    print(bytes, before == nil ? "-" : "\(Int(resident)) \(Int(own))")
    controller.cancel()
    try store.close()
  }
}

extension MessageList: ExpressibleByArgument {}

// MARK: - Forgetting files

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
