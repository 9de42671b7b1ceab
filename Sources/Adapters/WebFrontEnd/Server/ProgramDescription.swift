#if Web
import ListBrowser
import TerminalFrontEnd
import WireFormat

/// What a page has to know of a program before it shows a list.
enum ProgramDescription {
  /// The version of the protocol between the page and the server.
  static let version = 1

  /// Returns the description of a site's program.
  static func json(of site: Site) -> JSONValue {
    let setup = site.setup
    return .members([
      "version": .integer(version), "program": .string(setup.program),
      "title": .string(setup.file),
      "nouns": .array([.string(setup.nouns.one), .string(setup.nouns.many)]),
      "columns": .array(setup.columns.map(column)), "titleColumn": .integer(setup.titleColumn),
      "sorts": .array(setup.sortNames.filter { !setup.rareNames.contains($0) }.map { .string($0) }),
      "sections": .array(
        setup.sectionNames.filter { !setup.rareNames.contains($0) }.map { .string($0) }
      ),
      "commands": .array(setup.commands.map(command)),
      "fields": .array(
        setup.fields.map {
          .members(["name": .string($0.name), "isKey": .boolean($0.isKey)])
        }
      ),
      "imports": .array(setup.canWrite ? formats(site.source.files?.importFormats) : []),
      "mappings": .array(
        setup.canWrite ? (site.source.files?.mappings() ?? []).map { .string($0) } : []
      ),
      "mostImportBytes": .integer(site.parts.transfers.mostBytes),
      "exports": .array(formats(site.source.files?.exportFormats)),
      "canWrite": .boolean(setup.canWrite), "hasLinks": .boolean(setup.hasLinks),
      "opensRows": .boolean(setup.opensRows),
      "copyTime": setup.copyTime.map { .string($0) } ?? .null, "notice": .string(setup.notice),
    ])
  }

  private static func formats(_ names: [String]?) -> [JSONValue] {
    names?.map { .string($0) } ?? []
  }

  private static func column(_ column: BrowserSetup.Column) -> JSONValue {
    .members([
      "title": .string(column.title),
      "align": .string(column.alignment == .trailing ? "trailing" : "leading"),
    ])
  }

  private static func command(_ command: BrowserCommand) -> JSONValue {
    let scope =
      switch command.scope {
      case .rows: "rows"
      case .section: "section"
      case .list: "list"
      }
    return .members([
      "name": .string(command.name), "title": .string(command.title),
      "key": command.key.map { .string(String($0)) } ?? .null, "scope": .string(scope),
      "writes": .boolean(command.writes),
    ])
  }
}
#endif
