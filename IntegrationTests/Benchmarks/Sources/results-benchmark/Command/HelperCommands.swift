import ArgumentParser
import FetchedResults
import Foundation
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import SQLitePersistence

/// Measures the memory of one list in a process of its own; the benchmark runs it and reads its output.
struct MemoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract:
      "Print the memory of one list: bytes of keys, growth of the process, growth without file pages.",
    shouldDisplay: false
  )

  @Argument(help: "The database.")
  var path: String
  @Argument(help: "The list.")
  var list: MessageList

  func run() async throws {
    let options = SQLiteStoreOptions(pollInterval: nil)
    let store = try SQLiteStore(at: path, entities: [Message.entity], options: options)
    // The memory of the store and of the first read does not belong to the list.
    _ = try store.read { (snapshot) throws(StoreError) in
      try snapshot.rows((1...50).map { ObjectKey.integer($0) }, of: Message.entity).count
    }
    let before = ProcessFigures.memory
    let controller = FetchedResultsController(list.definition(of: Message.self), in: store)
    try await controller.performFetch()
    try controller.readFirst(50)
    let after = ProcessFigures.memory
    let bytes = try await controller.explain()?.keyBytes ?? 0
    let resident = (after?.resident ?? 0) - (before?.resident ?? 0)
    let privateMemory = (after?.privateBytes ?? 0) - (before?.privateBytes ?? 0)
    print(bytes, before == nil ? "-" : "\(Int(resident)) \(Int(privateMemory))")
    controller.cancel()
    try store.close()
  }
}

extension MessageList: ExpressibleByArgument {}

// MARK: - Rows in C

/// Prints the books of a store in order through the C functions of SQLite: the reference of a program that lists them.
struct PrintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "print",
    abstract: "Print the books of a store in C, one line each.",
    shouldDisplay: false
  )

  @Argument(help: "The database.")
  var path: String

  func run() throws {
    let database = try PlainDatabase(path: path)
    defer { database.close() }
    var buffer: [UInt8] = []
    try database.each(
      """
      SELECT publisher, title, Author.name, year FROM Book LEFT JOIN Author ON Author.id = authorID
      ORDER BY publisher, title
      """
    ) {
      PlainDatabase.append(4, of: $0, to: &buffer)
      guard buffer.count >= 4096 else { return }
      FileHandle.standardOutput.write(Data(buffer))
      buffer.removeAll(keepingCapacity: true)
    }
    FileHandle.standardOutput.write(Data(buffer))
  }
}

// MARK: - The page cache

/// Drops files from the page cache of the system, in a process of its own.
///
/// Closing a file releases all locks of the process on it, so a process with an open database must not do this itself.
struct DropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Drop files from the page cache, so that they are read from the disk again.",
    shouldDisplay: false
  )

  @Argument(help: "The files.")
  var files: [String]

  func run() { _ = ProcessFigures.dropFromPageCache(files) }
}
