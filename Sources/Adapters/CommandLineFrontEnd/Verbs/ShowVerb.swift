public import ArgumentParser
public import ResultsDomain
import TerminalFrontEnd

/// `show ID`: prints one object in full, with the version that an edit can be based on.
public struct ShowVerb<Program: ListProgram>: AsyncParsableCommand {
  /// How the verb is called.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "show", abstract: "Show one \(Program.nouns.one) in full.")
  }

  @Argument(help: "The id, \(Program.idHelp).")
  var id: String

  @OptionGroup var store: StoreOptions
  @OptionGroup var reader: ReaderOptions

  /// Makes the verb.
  public init() {}

  /// Shows.
  public func run() async throws {
    let settings = try reader.settings()
    let key = try ObjectKey(typed: id, of: Program.entity)
    let opened = try Program.openStore(try store.placeToRead(of: Program.self))
    let rows = try opened.read { (snapshot) throws(StoreError) in
      try snapshot.rows([key], of: Program.entity)
    }
    try opened.close()
    guard case .some(.some(let row)) = rows.first else {
      throw StoreError.notFound(ObjectID(entity: Program.entity.name, key: key))
    }
    let printer = ValuePrinter(for: settings)
    let columns: [ListColumn] =
      [.key] + Program.entity.attributes.enumerated().map { .attribute($0, $1) }
      + Program.transients.map { .transient($0) }
    let width =
      (columns.map(\.title) + ["version"]).map { DisplayWidth().columns(of: $0) }.max() ?? 0
    for column in columns {
      let name = DisplayWidth().fit(column.title, columns: width)
      let text = SafeText.oneLine(column.text(row, printer))
      try TerminalOutput.standard.write("\(name)  \(text)\n")
    }
    let name = DisplayWidth().fit("version", columns: width)
    try TerminalOutput.standard.write("\(name)  \(RowVersion(of: row))\n")
  }
}

extension ObjectKey {
  /// The key that a person typed: a number, a text, the parts of a compound key with commas, or an object's URI.
  /// - Throws: `CommandFailure` for what cannot be a key of the entity.
  public init(typed text: String, of entity: EntityDescription) throws {
    if let id = ObjectID(uri: text), Value.text(id.entity) == .text(entity.name) {
      self = id.key
      return
    }
    let texts: [String] =
      if case .compound = entity.identity {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      } else {
        [text]
      }
    let parts = zip(entity.keyTypes, texts).compactMap { $0.value(parsing: $1) }
    guard parts.count == texts.count, let key = ObjectKey(parts: parts, of: entity.identity) else {
      throw CommandFailure(
        .usage,
        "“\(text)” is not a key of \(entity.name).",
        remedy: "Give one as list shows it with --columns id."
      )
    }
    self = key
  }
}
