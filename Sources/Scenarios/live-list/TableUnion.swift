import ArgumentParser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit

/// The option for a list of several tables.
struct OtherTables: ParsableArguments {
  @Option(
    name: .customLong("with"),
    help: ArgumentHelp(
      "Another table whose rows are in the same list; can be repeated.",
      discussion:
        "Columns of one name and type are one column; the column “table” says whose row it is.",
      valueName: "table"
    )
  )
  var names: [String] = []

  /// Checks that there is a table with which the others are listed.
  /// - Throws: `ValidationError` if there is none.
  func check(besides table: String?) throws {
    guard table == nil, let name = names.first else { return }
    throw ValidationError(
      "--with \(name) needs another table before it: name the first one after the file."
    )
  }
}

/// Several tables of a database as one list: their rows with the columns of all of them.
struct TableUnion {
  let union: UnionDescription
  /// What the list leaves out: sentences without a full stop.
  let notes: [String]

  /// Makes the union of some tables.
  /// - Parameters:
  ///   - tables: The tables, at least two.
  ///   - database: Their database, which knows when two names are one.
  /// - Throws: `CommandFailure` for a table that is named twice or has no key.
  init(_ tables: [any DescribedTable], in database: any DescribedDatabase) throws {
    var entities: [(name: String, entity: EntityDescription)] = []
    for table in tables {
      guard !entities.contains(where: { database.isSameName($0.name, table.name) }) else {
        throw CommandFailure(
          .usage,
          "\(table.name) is named twice.",
          remedy: "Name each table once."
        )
      }
      do {
        entities.append((table.name, try table.entity.get()))
      } catch {
        throw CommandFailure(
          .badData,
          "\(table.name) cannot be listed with other tables: \(error).",
          remedy: table.unidentifiedEntity == nil ? "Leave it out." : "List it alone."
        )
      }
    }
    var notes: [String] = []
    var columns: [(name: String, table: String, attribute: AttributeDescription)] = []
    var branches: [UnionBranch] = []
    for (table, entity) in entities {
      var shared: [UnionAttribute] = []
      for attribute in entity.attributes {
        let known = columns.first { database.isSameName($0.name, attribute.name) }
        if let known, !known.attribute.isOfKind(attribute) {
          notes.append(
            "\(attribute.name) of \(table) is left out, since in \(known.table) that is a column of another type"
          )
          continue
        }
        if known == nil { columns.append((attribute.name, table, attribute)) }
        let name = known?.name ?? attribute.name
        guard !shared.contains(where: { $0.name.hasSameBytes(as: name) }) else { continue }
        shared.append(UnionAttribute(name, .attribute(attribute.name)))
      }
      branches.append(UnionBranch(table, entity: entity, attributes: shared))
    }
    let names = columns.map(\.name)
    union = try UnionDescription(
      entities.map(\.name).joined(separator: "+"),
      branches: branches,
      kindAttribute: TableUnion.name("table", besides: names, in: database),
      keyAttribute: TableUnion.name("key", besides: names, in: database)
    )
    self.notes = notes
  }

  /// A name that no column has, alone or with a number behind it as the further parts of a key have.
  private static func name(
    _ name: String,
    besides names: [String],
    in database: any DescribedDatabase
  ) -> String {
    var free = name
    while names.contains(where: { other in
      let end = other.utf8.lastIndex { !(0x30...0x39).contains($0) }
      let stem = end.map { String(other[...$0]) } ?? other
      return database.isSameName(other, free) || database.isSameName(stem, free)
    }) {
      free += "_"
    }
    return free
  }
}

extension AttributeDescription {
  /// Whether values of two columns can be one column of a list.
  fileprivate func isOfKind(_ other: AttributeDescription) -> Bool {
    type == other.type && form == other.form && storage == other.storage
  }
}
