public import ArgumentParser
import ResultsDomain
import TerminalFrontEnd

/// `edit ID ATTRIBUTE=VALUE…`: changes one object.
public struct EditVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "edit",
      abstract: "Change \(Program.anyOne).",
      usage: "\(Program.name) edit ID ATTRIBUTE=VALUE… [options]",
      discussion: """
        The other attributes stay as they are. With --based-on, an edit of \(Program.anyOne) that somebody else has changed \
        since you looked at it is refused:
          \(Program.name) show 7
          \(Program.name) edit 7 \(Program.columns.first ?? "name")=… --based-on VERSION
        """
    )
  }

  @Argument(help: "The id, \(Program.idHelp).")
  var id: String
  @Argument(
    help: """
      Values as ATTRIBUTE=VALUE; ATTRIBUTE=NULL clears the value. Attributes: \(Program.attributeNames).
      """
  )
  var values: [String]
  @Option(
    help: "Refuse unless the stored values are still those of this version, which show prints."
  )
  var basedOn: RowVersion?
  @Flag(help: "Write whatever is stored now: the last write wins.")
  var overwrite = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var reader: ReaderOptions

  /// Makes the verb.
  public init() {}

  /// Changes.
  public func run() async throws {
    let entity = Program.entity
    let settings = try reader.settings()
    let assignments = try Assignments(values, of: entity, for: settings)
    guard assignments.key == nil else {
      throw CommandFailure(
        .usage,
        "the key of \(Program.anyOne) cannot be changed.",
        remedy: "Add another \(Program.nouns.one) and remove this one."
      )
    }
    let id = ObjectID(entity: entity.name, key: try ObjectKey(typed: id, of: entity))
    let opened = try Program.openStore(try store.existingPlace(of: Program.self))
    let changed = try opened.commit(origin: .unnamed) { transaction -> [String] in
      guard case .some(.some(let row)) = try transaction.rows([id.key], of: entity).first else {
        throw StoreError.notFound(id)
      }
      var values = row.values
      assignments.apply(to: &values)
      let edited = Row(entity: entity, id: id, values: values)
      if let basedOn, !overwrite, basedOn != RowVersion(of: row) {
        throw conflict(basedOn, stored: row, wanted: edited, settings)
      }
      try transaction.update(id, to: values, of: entity, ifUnchangedFrom: row)
      return edited.changes(from: row).names(in: entity)
    }.result
    try opened.close()
    let what =
      changed.isEmpty ? "nothing changed in" : "changed \(changed.joined(separator: ", ")) of"
    try TerminalOutput.standard.write("\(what) \(SafeText.oneLine("\(id)"))\n")
  }

  /// The refusal: what is stored now, attribute by attribute, beside what was to be written.
  private func conflict(
    _ version: RowVersion,
    stored: Row,
    wanted: Row,
    _ settings: ReaderSettings
  ) -> CommandFailure {
    let printer = ValuePrinter(for: settings)
    let attributes = Array(Program.entity.attributes.enumerated())
    let width = attributes.map { DisplayWidth().columns(of: $0.element.name) }.max() ?? 0
    func text(_ value: Value, _ type: AttributeType) -> String {
      value.isNull ? "NULL" : SafeText.oneLine(printer.text(value, of: type))
    }
    let lines = attributes.map { index, attribute in
      let name = DisplayWidth().fit(attribute.name, columns: width)
      let (now, new) = (stored.values[index], wanted.values[index])
      let change = now == new ? "" : ", not \(text(new, attribute.type)) as you would write"
      return "\(name)  \(text(now, attribute.type))\(change)"
    }
    return CommandFailure(
      .temporary,
      "\(stored.id) is no longer the version \(version) that the edit is based on;"
        + " somebody else has changed it. Nothing was written; below is what is stored now.",
      remedy: "Look again with show \(id) and edit version \(RowVersion(of: stored)),"
        + " or write over it with --overwrite.",
      picture: lines.joined(separator: "\n")
    )
  }
}
