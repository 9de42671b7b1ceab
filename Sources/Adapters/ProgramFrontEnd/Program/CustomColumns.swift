package import ResultsDomain
package import ResultsPresentation
import Synchronization

/// A change of the columns that users add to a program's objects.
package enum CustomColumnChange: Sendable {
  /// A column is added; it is empty in all objects.
  case add(AttributeDescription)
  /// A column gets another name.
  case rename(String, to: String)
  /// A column is removed with its values.
  case remove(String)
}

/// The columns that users have added to a program's objects: attributes of its entity from the moment when its store is known.
///
/// A program runs one command over one store. Its entity is extended once before the command runs, and again when the command adds columns
/// itself, so that everything that is generic over the program treats these columns like its own. One lock guards the state; nothing is
/// called while it is held.
package enum CustomColumns {
  private struct State {
    /// The entity as the program declares it, and with the columns of the user.
    var declared: EntityDescription?
    var extended: EntityDescription?
    /// The fields of the extended entity, once they were asked for.
    var fields: ObjectFields?
  }

  private static let state = Mutex(State())

  /// The columns that tables of SQLite and of PostgreSQL have without naming them (sqlite.org/rowidtable.html; PostgreSQL, System Columns).
  fileprivate static let hidden = [
    "rowid", "oid", "_rowid_", "xmin", "xmax", "cmin", "cmax", "ctid", "tableoid",
  ]

  /// The largest number of columns that users may add.
  package static let limit = 100

  /// Sets the columns of the store.
  /// - Throws: `SchemaError` for a name that the entity has already.
  package static func use(
    _ attributes: [AttributeDescription],
    of declared: EntityDescription
  ) throws(SchemaError) {
    let extended = try declared.adding(custom: attributes)
    state.withLock { state in
      state = State(declared: declared, extended: extended)
    }
  }

  /// Returns an entity with the columns of the user, or the entity itself if it has none.
  package static func extending(_ declared: EntityDescription) -> EntityDescription {
    state.withLock { state in
      guard let known = state.declared, known === declared || known == declared else {
        return declared
      }
      return state.extended ?? declared
    }
  }

  /// Returns a definition whose rows have the columns of the user.
  package static func extending(_ definition: ResultsDefinition<Row>) -> ResultsDefinition<Row> {
    var definition = definition
    definition.request.entity = extending(definition.request.entity)
    return definition
  }

  /// Returns the fields of a program's objects with the columns of the user.
  package static func extending(_ declared: ObjectFields) -> ObjectFields {
    let extended = extending(declared.entity)
    guard extended !== declared.entity else { return declared }
    if let known = state.withLock({ $0.fields }), known.entity === extended { return known }
    let fields = declared.extended(to: extended)
    state.withLock { $0.fields = fields }
    return fields
  }
}

extension ListProgram {
  /// The columns that the user has added, in the order in which they were added.
  package static var customAttributes: [AttributeDescription] {
    entity.attributes.filter(\.isCustom)
  }

  /// The columns that are printed by default: those of the program, and those that the user has added.
  package static var shownColumns: [String] { columns + customAttributes.map(\.name) }

  /// The names of the columns that a live list can have.
  package static var columnNames: [String] {
    let key = showsKey && entity.keyAttributeIndexes.isEmpty ? [keyTitle] : []
    return key + fields.form.attributes.map(\.name) + namedValues.map(\.name)
      + transients.map(\.name) + [runningColumn?.name].compactMap(\.self)
  }

  /// Returns the failure for a name that no column of the user can have; `nil` for one that can be added.
  package static func refusal(ofColumnNamed name: String) -> CommandFailure? {
    func failure(_ message: String, _ remedy: String) -> CommandFailure {
      CommandFailure(.usage, message, remedy: remedy)
    }
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      ![.control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned]
        .contains(scalar.properties.generalCategory)
    }
    guard !name.isEmpty, name.utf8.count <= 63, isPlain else {
      return failure(
        "“\(name)” cannot be the name of a column.",
        "Give at most 63 bytes without line breaks and other control characters."
      )
    }
    if let sign = name.utf8.first(where: { ",=:.()\"`\\".utf8.contains($0) }) {
      let shown = String(decoding: [sign], as: UTF8.self)
      return failure(
        "“\(name)” cannot be the name of a column: options and conditions give “\(shown)” a meaning.",
        "Use letters, digits, spaces and underscores."
      )
    }
    let isLetter = name.unicodeScalars.first.map { scalar in
      scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value) || scalar == "_"
    }
    guard isLetter == true, name.utf8.last != 0x20 else {
      return failure(
        "“\(name)” cannot be the name of a column.",
        "Begin with a letter or a digit, and end without a space."
      )
    }
    let taken =
      entity.identity.columns + entity.attributes.map(\.name) + fields.form.attributes.map(\.name)
      + transients.map(\.name) + namedValues.map(\.name) + namedOrders.map(\.name) + sectionKeyNames
      + [runningColumn?.name].compactMap(\.self) + ["id", "none"] + CustomColumns.hidden
    // SQLite finds columns in any letter case.
    if let same = taken.first(where: { $0.folded.hasSameBytes(as: name.folded) }) {
      return failure(
        "There is a column “\(same)” already.",
        "Choose another name."
      )
    }
    guard customAttributes.count < CustomColumns.limit else {
      return failure(
        "There are \(CustomColumns.limit) columns of yours already.",
        "Remove one with '\(command) column remove'."
      )
    }
    return nil
  }
}
