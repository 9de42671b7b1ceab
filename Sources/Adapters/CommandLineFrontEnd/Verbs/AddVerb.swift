public import ArgumentParser
import ResultsDomain
import TerminalFrontEnd

/// `add ATTRIBUTE=VALUE…`: adds one object.
public struct AddVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "add",
      abstract: "Add \(Program.anyOne).",
      usage: "\(Program.name) add ATTRIBUTE=VALUE… [options]"
    )
  }

  @Argument(
    help: """
      Values as ATTRIBUTE=VALUE; NULL or an absent attribute has no value. Attributes: \(Program.attributeNames).
      """
  )
  var values: [String] = []

  @OptionGroup var store: StoreOptions
  @OptionGroup var reader: ReaderOptions

  /// Makes the verb.
  public init() {}

  /// Adds.
  public func run() async throws {
    let entity = Program.entity
    let assignments = try Assignments(values, of: entity, for: try reader.settings())
    var row = Array(repeating: Value.null, count: entity.attributes.count)
    assignments.apply(to: &row)
    let opened = try Program.openStore(try store.place(of: Program.name))
    let id = try opened.commit(origin: .unnamed) { transaction in
      try transaction.insert(row, key: assignments.key, into: entity)
    }.result
    try opened.close()
    try TerminalOutput.standard.write("added \(SafeText.oneLine("\(id)"))\n")
  }
}
