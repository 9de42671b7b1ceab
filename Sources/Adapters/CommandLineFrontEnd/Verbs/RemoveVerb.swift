public import ArgumentParser
import ResultsDomain
import TerminalFrontEnd

/// `remove ID…`: removes objects, all or none.
public struct RemoveVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "remove", abstract: "Remove \(Program.nouns.many).")
  }

  @Argument(help: "The ids, \(Program.idHelp).")
  var ids: [String]

  @OptionGroup var store: StoreOptions

  /// Makes the verb.
  public init() {}

  /// Removes.
  public func run() async throws {
    let entity = Program.entity
    let keys = try ids.map { try ObjectKey(typed: $0, of: entity) }
    let opened = try Program.openStore(try store.existingPlace(of: Program.self))
    try opened.commit(origin: .unnamed) { transaction in
      for key in keys {
        let id = ObjectID(entity: entity.name, key: key)
        guard try transaction.delete(id, of: entity) else {
          throw CommandFailure(
            .nothingMatched,
            "There is no \(id).",
            remedy: keys.count == 1 ? "Nothing was removed." : "None of them was removed."
          )
        }
      }
    }
    try opened.close()
    let noun = keys.count == 1 ? Program.nouns.one : Program.nouns.many
    try TerminalOutput.standard.write("removed \(keys.count) \(noun)\n")
  }
}
