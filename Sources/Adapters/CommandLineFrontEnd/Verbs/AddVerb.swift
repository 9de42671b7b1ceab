public import ArgumentParser
import ResultsDomain
import TerminalFrontEnd

/// `add ATTRIBUTE=VALUE…`: adds one object.
public struct AddVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "add",
      abstract: "Add a \(Program.nouns.one).",
      usage: "\(Program.name) add ATTRIBUTE=VALUE… [options]"
    )
  }

  @Argument(help: "Values as ATTRIBUTE=VALUE; NULL or an absent attribute has no value.")
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

/// `edit ID ATTRIBUTE=VALUE…`: changes one object.
public struct EditVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "edit",
      abstract: "Change a \(Program.nouns.one).",
      usage: "\(Program.name) edit ID ATTRIBUTE=VALUE… [options]"
    )
  }

  @Argument(help: "The key, as list shows it in the column id.")
  var id: String
  @Argument(help: "Values as ATTRIBUTE=VALUE; ATTRIBUTE=NULL takes the value away.")
  var values: [String]

  @OptionGroup var store: StoreOptions
  @OptionGroup var reader: ReaderOptions

  /// Makes the verb.
  public init() {}

  /// Changes.
  public func run() async throws {
    let entity = Program.entity
    let assignments = try Assignments(values, of: entity, for: try reader.settings())
    guard assignments.key == nil else {
      throw CommandFailure(
        .usage,
        "the key of a \(Program.nouns.one) cannot be changed.",
        remedy: "Add another \(Program.nouns.one) and remove this one."
      )
    }
    let id = ObjectID(entity: entity.name, key: try ObjectKey(typed: id, of: entity))
    let opened = try Program.openStore(try store.place(of: Program.name))
    let changed = try opened.commit(origin: .unnamed) { transaction -> [String] in
      guard case .some(.some(let row)) = try transaction.rows([id.key], of: entity).first else {
        throw StoreError.notFound(id)
      }
      var values = row.values
      assignments.apply(to: &values)
      try transaction.update(id, to: values, of: entity, ifUnchangedFrom: row)
      return Row(entity: entity, id: id, values: values).changes(from: row).names(in: entity)
    }.result
    try opened.close()
    let what =
      changed.isEmpty ? "nothing changed in" : "changed \(changed.joined(separator: ", ")) of"
    try TerminalOutput.standard.write("\(what) \(SafeText.oneLine("\(id)"))\n")
  }
}
