package import ArgumentParser
package import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import TerminalFrontEnd

/// `show ID`: prints an object with all attributes, and the version that an edit can be based on.
package struct ShowVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "show",
      abstract: "Show \(Program.oneObject) with all attributes.",
      discussion: Program.discussion(
        "The last line is the version, which 'edit --based-on' takes.",
        examples: "show \(Program.examples.id)"
      )
    )
  }

  @Argument(help: "The id, \(Program.idHelp).")
  var id: String

  @OptionGroup var store: ReadingStoreOptions
  @OptionGroup var locale: LocaleOptions

  /// Creates the verb.
  package init() {}

  /// Prints the object.
  package func run() async throws {
    let settings = try locale.settings()
    let key = try ObjectKey(typed: id, of: Program.entity)
    let opened = try Program.openStore(try store.locationToRead(of: Program.self))
    let fields = Program.fields
    let rows = try opened.read { (snapshot) throws(StoreError) in
      let rows = try snapshot.rows([key], of: Program.entity).compactMap(\.self)
      return try fields.rows(rows, in: snapshot)
    }
    try opened.close()
    guard let row = rows.first else {
      throw StoreError.notFound(ObjectID(entity: Program.entity.name, key: key))
    }
    let formatter = ValueFormatter(for: settings)
    let columns: [ListColumn] =
      [.key(Program.keyTitle)] + fields.form.attributes.enumerated().map { .attribute($0, $1) }
      + Program.transients.map { .transient($0) }
    let width =
      (columns.map(\.title) + ["version"]).map { DisplayWidth().columns(of: $0) }.max() ?? 0
    for column in columns {
      let name = DisplayWidth().fit(column.title, columns: width)
      let text = SafeText.oneLine(column.text(row, formatter))
      try TerminalOutput.standard.write(text.isEmpty ? "\(column.title)\n" : "\(name)  \(text)\n")
    }
    let name = DisplayWidth().fit("version", columns: width)
    try TerminalOutput.standard.write("\(name)  \(RowVersion(of: row))\n")
  }
}

/// `add ATTRIBUTE=VALUE…`: adds an object.
package struct AddVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "add",
      abstract: "Add \(Program.oneObject).",
      usage: "\(Program.command) add ATTRIBUTE=VALUE… [options]",
      discussion: Program.discussion(
        "It prints the new id. '\(Program.name) help attributes' explains the values.",
        examples: "add \(Program.examples.assignments)"
      )
    )
  }

  @Argument(
    help: """
      Values as ATTRIBUTE=VALUE. Attributes: \(Program.attributeNames).
      """,
    completion: AssignmentCompletion<Program>.kind
  )
  var values: [String] = []

  @OptionGroup var store: StoreOptions
  @OptionGroup var locale: LocaleOptions

  /// Creates the verb.
  package init() {}

  /// Adds the object.
  package func run() async throws {
    let fields = Program.fields
    let assignments = try Assignments(values, of: fields.form, for: try locale.settings())
    try assignments.check(for: Program.self)
    var row = Array(repeating: Value.null, count: fields.form.attributes.count)
    assignments.apply(to: &row)
    row = fields.normalized(row)
    try refuseMissing(in: row, key: assignments.key)
    let opened = try Program.openStore(try store.location(of: Program.name))
    let title = "added \(Program.oneObject): \(values.joined(separator: " "))"
    let id = try Program.command(title, in: opened).commit(origin: .unnamed) {
      [row] transaction in
      var objects = NamedObjects()
      return try fields.insert(row, key: assignments.key, into: transaction, finding: &objects)
    }.result
    try opened.close()
    try TerminalOutput.standard.write("added \(SafeText.oneLine("\(id)"))\n")
  }
}

extension AddVerb {
  /// Names all required values that are missing, before a store is opened or created.
  private func refuseMissing(in row: [Value], key: ObjectKey?) throws(CommandFailure) {
    let entity = Program.fields.form
    var names: [String] = []
    if case .text(let name) = entity.identity, key == nil { names.append(name) }
    for (attribute, value) in zip(entity.attributes, row)
    where value.isNull && !attribute.isOptional {
      names.append(attribute.name)
    }
    guard let last = names.last else { return }
    let others = names.dropLast().joined(separator: ", ")
    let noun = Program.oneObject
    throw CommandFailure(
      .usage,
      others.isEmpty
        ? "\(noun) needs a value for \(last).".capitalizedFirst
        : "\(noun) needs values for \(others) and \(last).".capitalizedFirst,
      remedy: "For example: \(Program.command) add \(Program.examples.assignments)"
    )
  }
}

extension String {
  /// The text with its first letter in upper case.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// `edit ID ATTRIBUTE=VALUE…`: changes an object.
package struct EditVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "edit",
      abstract: "Change \(Program.oneObject).",
      usage: "\(Program.command) edit ID ATTRIBUTE=VALUE… [options]",
      discussion: Program.discussion(
        """
        The other attributes stay as they are. With --based-on, the edit is refused if the \(Program.nouns.one) has \
        changed since 'show' printed that version.
        """,
        examples: "edit \(Program.examples.id) \(Program.examples.change)",
        "edit \(Program.examples.id) \(Program.examples.change) --based-on 3a24af9646cec247"
      )
    )
  }

  @Argument(help: "The id, \(Program.idHelp).")
  var id: String
  @Argument(
    help: """
      Values as ATTRIBUTE=VALUE; ATTRIBUTE=NULL clears the value. Attributes: \(Program.attributeNames).
      """,
    completion: AssignmentCompletion<Program>.kind
  )
  var values: [String]
  @Option(
    help: "Refuse the edit unless the stored values are those of this version, as 'show' prints it."
  )
  var basedOn: RowVersion?
  @Flag(help: "Write even if the stored values have changed: the last write wins.")
  var overwrite = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var locale: LocaleOptions

  /// Creates the verb.
  package init() {}

  /// Changes the object.
  package func run() async throws {
    let entity = Program.entity
    let settings = try locale.settings()
    let fields = Program.fields
    let assignments = try Assignments(values, of: fields.form, for: settings)
    try assignments.check(for: Program.self)
    guard assignments.key == nil else {
      throw CommandFailure(
        .usage,
        "The id of \(Program.oneObject) cannot be changed.",
        remedy: "Add another \(Program.nouns.one) and remove this one."
      )
    }
    let id = ObjectID(entity: entity.name, key: try ObjectKey(typed: id, of: entity))
    let opened = try Program.openStore(try store.existingLocation(of: Program.self))
    let names = assignments.names(in: fields.form).joined(separator: ", ")
    let command = Program.command("changed \(names) of \(id)", in: opened)
    let changed = try command.commit(origin: .unnamed) { transaction -> [String] in
      guard case .some(.some(let stored)) = try transaction.rows([id.key], of: entity).first,
        let row = try fields.rows([stored], in: transaction).first
      else { throw StoreError.notFound(id) }
      var values = row.values
      assignments.apply(to: &values)
      values = fields.normalized(values)
      let edited = Row(entity: fields.form, id: id, values: values)
      if let basedOn, !overwrite, basedOn != RowVersion(of: row) {
        throw conflict(basedOn, stored: row, wanted: edited, settings)
      }
      var objects = NamedObjects()
      return try fields.update(
        stored,
        setting: assignments.assigned,
        from: row,
        in: transaction,
        finding: &objects
      ).names(in: fields.form)
    }.result
    try opened.close()
    let what =
      changed.isEmpty ? "nothing changed in" : "changed \(changed.joined(separator: ", ")) of"
    try TerminalOutput.standard.write("\(what) \(SafeText.oneLine("\(id)"))\n")
  }

  /// Returns the refusal, with the stored values beside those to be written.
  private func conflict(
    _ version: RowVersion,
    stored: Row,
    wanted: Row,
    _ settings: LocaleSettings
  ) -> CommandFailure {
    let formatter = ValueFormatter(for: settings)
    let attributes = Array(Program.fields.form.attributes.enumerated())
    let width = attributes.map { DisplayWidth().columns(of: $0.element.name) }.max() ?? 0
    func text(_ value: Value, _ type: AttributeType) -> String {
      value.isNull ? "NULL" : SafeText.oneLine(formatter.text(value, of: type))
    }
    let lines = attributes.map { index, attribute in
      let name = DisplayWidth().fit(attribute.name, columns: width)
      let (now, new) = (stored.values[index], wanted.values[index])
      let change = now == new ? "" : " (edit: \(text(new, attribute.type)))"
      return "\(name)  \(text(now, attribute.type))\(change)"
    }
    return CommandFailure(
      .temporary,
      "\(stored.id) has changed since version \(version), which the edit is based on."
        + " Nothing was written. The stored values are below.",
      remedy: "Repeat the edit with --based-on \(RowVersion(of: stored)), or add --overwrite.",
      picture: lines.joined(separator: "\n")
    )
  }
}

/// `remove ID…`: removes objects, all or none.
package struct RemoveVerb<Program: ListProgram>: AsyncParsableCommand {
  /// The name and help of the verb.
  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "remove",
      abstract: "Remove \(Program.nouns.many), all of those named or none.",
      discussion: Program.discussion(examples: "remove \(Program.examples.id)")
    )
  }

  @Argument(help: "One or more ids, each \(Program.idHelp).")
  var ids: [String]

  @OptionGroup var store: StoreOptions

  /// Creates the verb.
  package init() {}

  /// Removes the objects.
  package func run() async throws {
    let entity = Program.entity
    var seen: Set<ObjectKey> = []
    // An id that is named twice is removed once.
    let keys = try ids.map { try ObjectKey(typed: $0, of: entity) }.filter {
      seen.insert($0).inserted
    }
    let opened = try Program.openStore(try store.existingLocation(of: Program.self))
    let noun = keys.count == 1 ? Program.nouns.one : Program.nouns.many
    let command = Program.command("removed \(keys.count) \(noun)", in: opened)
    let fields = Program.fields
    let count = try command.commit(origin: .unnamed) { transaction in
      let ids = keys.map { ObjectID(entity: entity.name, key: $0) }
      let (count, missing) = try fields.delete(ids, in: transaction)
      if let missing {
        throw CommandFailure(
          .nothingMatched,
          "There is no \(missing).",
          remedy: keys.count == 1 ? "Nothing was removed." : "None of them was removed."
        )
      }
      return count
    }.result
    try opened.close()
    let removed = count == 1 ? Program.nouns.one : Program.nouns.many
    try TerminalOutput.standard.write("removed \(count) \(removed)\n")
  }
}

extension RowVersion: ExpressibleByArgument {
  /// Parses a version as `show` prints it, or returns `nil` for any other text.
  package init?(argument: String) { self.init(argument) }
}
