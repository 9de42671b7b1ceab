public import ArgumentParser
import ResultsDomain
import TerminalFrontEnd

/// `remove ID…`: removes objects, all or none.
public struct RemoveVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "remove", abstract: "Remove \(Program.nouns.many).")
  }

  @Argument(help: "Keys, as list shows them in the column id.")
  var ids: [String]

  @OptionGroup var store: StoreOptions

  /// Makes the verb.
  public init() {}

  /// Removes.
  public func run() async throws {
    let entity = Program.entity
    let keys = try ids.map { try ObjectKey(typed: $0, of: entity) }
    let opened = try Program.openStore(try store.place(of: Program.name))
    try opened.commit(origin: .unnamed) { transaction in
      for key in keys {
        let id = ObjectID(entity: entity.name, key: key)
        guard try transaction.delete(id, of: entity) else { throw StoreError.notFound(id) }
      }
    }
    try opened.close()
    let noun = keys.count == 1 ? Program.nouns.one : Program.nouns.many
    try TerminalOutput.standard.write("removed \(keys.count) \(noun)\n")
  }
}
