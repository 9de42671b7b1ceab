package import ResultsDomain
package import ResultsPresentation
package import ResultsStoreKit

/// The part of a program that its verbs and options do not share with other programs.
///
/// The conforming type is the program: its requirements are static, so that every verb can be generic over it. A program
/// names its entity and opens its store; this module knows no store and no use case.
package protocol ListProgram: Sendable {
  /// The command's name, such as `book-catalog`.
  static var name: String { get }
  /// The words that begin a command line with its verbs: its name, and behind it the verb that groups them, if one does.
  static var command: String { get }
  /// A sentence that says what the program is for.
  static var abstract: String { get }
  /// The singular and plural nouns for objects, such as `book` and `books`.
  static var nouns: (one: String, many: String) { get }
  /// The entity that is listed and changed.
  static var entity: EntityDescription { get }
  /// What is listed, for a heading, if it is another thing in each run; `nil` where the program's name says it.
  static var subject: String? { get }
  /// The time of day at which what is listed was copied, where it is a copy that does not change; `nil` for a live list.
  static var copyTime: String? { get }
  /// The fields of its objects, which name related objects.
  static var fields: ObjectFields { get }
  /// The attributes computed from a row, which can be columns.
  static var transients: [TransientAttribute] { get }
  /// The date by which the list is ordered, for `--since` and `--until`; `nil` for another list.
  static var timeAttribute: String? { get }
  /// The values of related objects that have names of their own.
  static var namedValues: [NamedValue] { get }
  /// The orders that have names of their own.
  static var namedOrders: [NamedValue] { get }
  /// The columns that are printed by default.
  static var columns: [String] { get }
  /// The same in the order in which people read them, for tables and screens.
  static var arrangedColumns: [String] { get }
  /// The heading of the objects' keys.
  static var keyTitle: String { get }
  /// Whether the keys are values of the objects; otherwise they only number the rows of one list, and no output has them.
  static var showsKey: Bool { get }
  /// Whether no verb of the program changes objects.
  static var isReadOnly: Bool { get }
  /// Returns what is wrong with a value that was typed, although the entity allows it, as a sentence; `nil` for a good one.
  static func refusal(of value: Value, for field: String) -> String?
  /// The arguments that the examples in the help use.
  static var examples: ProgramExamples { get }
  /// Returns the definition of the list that is printed by default.
  static func definition(for settings: LocaleSettings) -> ResultsDefinition<Row>
  /// Returns a list that is printed once with some columns, without the attributes that it does not need; it is then that of `entity` too.
  static func narrowed(_ definition: ResultsDefinition<Row>, to columns: [ListColumn])
    throws(RequestError) -> ResultsDefinition<Row>
  /// The names of the section keys besides attributes, such as `decade`.
  static var sectionKeyNames: [String] { get }
  /// Returns the section key with one of the names in `sectionKeyNames`, or `nil` for any other name.
  static func sectionKey(named name: String, for settings: LocaleSettings) -> SectionKey?
  /// The names that a list can be sorted by, in the order in which a menu offers them.
  static var sortNames: [String] { get }
  /// The names that a list can be divided by, in the order in which a menu offers them.
  static var sectionNames: [String] { get }
  /// Returns what there is to show of a row besides its columns.
  static func detail(of row: Row, for settings: LocaleSettings) -> [DetailLine]
  /// The aggregates that a full-screen list shows in the headers of its sections.
  static var headerAggregates: [SectionAggregate] { get }
  /// Returns those aggregates for some rows of a store, where they depend on what it has.
  static func headerAggregates(in store: any Store, where predicate: FetchPredicate) throws
    -> [SectionAggregate]
  /// A column of values that run along the list, which a full-screen list shows; `nil` for none.
  static var runningColumn: RunningColumn? { get }
  /// Whether a full-screen list shows a row dimmed, because the user is done with it.
  static func isDimmed(_ row: Row) -> Bool
  /// The commands that the program adds to a list.
  static var commands: [ListCommand] { get }
  /// The order that users give to rows, if there is one; imports do not compare its ranks.
  static var rankedOrder: RankedOrderDescription? { get }
  /// Opens the store.
  static func openStore(_ location: StoreLocation) throws -> any Store
  /// Extends the entity by the columns that the user has added to a store that exists; without them, nothing is read of it.
  static func useCustomColumns(of location: StoreLocation)
  /// Opens the store, which may be new, and changes the columns that the user has added.
  static func openStore(_ location: StoreLocation, changing columns: [CustomColumnChange]) throws
    -> any Store
  /// Returns the storage of the store's list caches, or `nil` for none.
  static func caches(for location: StoreLocation) -> (any SectionCacheStorage)?
  /// Returns lines about a store's condition, for `doctor`.
  static func diagnose(_ store: any Store) throws -> [String]
  /// Returns the statements that opening a database on a server would run, for its administrator; `nil` for another store.
  static func statements(for location: StoreLocation) throws -> [String]?
  /// Rebuilds a store's internal data, such as its change log.
  /// - Returns: Lines that say what was done.
  static func repair(_ store: any Store) throws -> [String]
  /// Creates the index that lets a list be read without sorting.
  /// - Returns: Lines that say what was done.
  static func createIndex(serving definition: OrderDefinition, in store: any Store) throws
    -> [String]
  /// Makes an object from a record of a file.
  static func object(from record: Record, for settings: LocaleSettings) throws(RecordError)
    -> ImportedObject
  /// Whether RSS and Atom feeds can be imported.
  static var importsFeeds: Bool { get }
  /// Whether library records can be imported (MARC 21).
  static var importsMARC: Bool { get }
  /// The attribute that identifies an imported object, where it has a value.
  static var identifier: String? { get }
  /// Returns the value by which an identifier is compared, for one that can be written in several ways.
  static func identity(of identifier: Value) -> Value
  /// The fields that a file of columns may leave out, because stored objects give them.
  static var importDefaults: [ImportDefault] { get }
  /// Imports an object into a transaction, for a program that does not recognise known objects by comparing values.
  /// - Returns: The outcome, or `nil` to compare and add the object like any other.
  static func take(_ object: ImportedObject, into transaction: any StoreTransaction)
    throws(StoreError) -> ImportOutcome?
  /// Plays the scenario of the program step by step.
  static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws
}

// MARK: - Defaults

extension ListProgram {
  /// No scenario.
  package static func playStory(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {}

  /// The name.
  package static var command: String { name }

  /// There are none.
  package static func useCustomColumns(of location: StoreLocation) {}

  /// Refuses.
  package static func openStore(
    _ location: StoreLocation,
    changing columns: [CustomColumnChange]
  ) throws -> any Store {
    throw CommandFailure(
      .usage,
      "\(command) takes no columns of your own.",
      remedy: "Leave them out."
    )
  }

  /// Every value that the entity allows.
  package static func refusal(of value: Value, for field: String) -> String? { nil }

  /// The list is not ordered by a date.
  package static var timeAttribute: String? { nil }

  /// No values with names of their own.
  package static var namedValues: [NamedValue] { [] }

  /// No orders with names of their own.
  package static var namedOrders: [NamedValue] { [] }

  /// The list is live.
  package static var copyTime: String? { nil }

  /// The program's name says what is listed.
  package static var subject: String? { nil }

  /// The attributes of the entity.
  package static var fields: ObjectFields { ObjectFields(of: entity) }

  /// No computed attributes.
  package static var transients: [TransientAttribute] { [] }

  /// Keys are called `id`.
  package static var keyTitle: String { "id" }

  /// The columns as the program names them.
  package static var arrangedColumns: [String] { shownColumns }

  /// Keys are values.
  package static var showsKey: Bool { true }

  /// Objects can be changed.
  package static var isReadOnly: Bool { false }

  /// Whole rows are read.
  package static func narrowed(
    _ definition: ResultsDefinition<Row>,
    to columns: [ListColumn]
  ) throws(RequestError) -> ResultsDefinition<Row> {
    definition
  }

  /// No section keys besides attributes.
  package static var sectionKeyNames: [String] { [] }

  /// No section keys besides attributes.
  package static func sectionKey(named name: String, for settings: LocaleSettings) -> SectionKey? {
    nil
  }

  /// The fields that have an order, and the keys: the name of a related object stands for its key, which comes last.
  package static var sortNames: [String] {
    namedOrders.map(\.name) + orderedNames + namedValues.map(\.name) + ["id"]
      + foreignKeyNames.sorted()
  }

  /// The section keys besides attributes, and then the fields that have an order.
  package static var sectionNames: [String] {
    sectionKeyNames + orderedNames + foreignKeyNames.sorted()
  }

  /// The fields that have an order, in the order of the attributes.
  private static var orderedNames: [String] {
    let fields = fields
    return zip(entity.attributes, fields.form.attributes).filter { attribute, _ in
      attribute.isOrderable(in: entity)
    }.map { $1.name }
  }

  /// The attributes that are keys of related objects which users know by their names.
  package static var foreignKeyNames: Set<String> {
    let fields = fields
    return Set(
      zip(entity.attributes, fields.form.attributes).filter { $0.name != $1.name }.map { $0.0.name }
    )
  }

  /// The key, all attributes and all computed attributes.
  package static func detail(of row: Row, for settings: LocaleSettings) -> [DetailLine] {
    let formatter = ValueFormatter(for: settings)
    let columns =
      [ListColumn.key(keyTitle)] + entity.attributes.enumerated().map { .attribute($0, $1) }
      + transients.map { .transient($0) }
    return columns.map { column in
      let attribute: Int? = if case .attribute(let index, _) = column { index } else { nil }
      return DetailLine(column.title, column.text(row, formatter), attribute: attribute)
    }
  }

  /// No aggregates.
  package static var headerAggregates: [SectionAggregate] { [] }

  /// The same in every store.
  package static func headerAggregates(
    in store: any Store,
    where predicate: FetchPredicate
  ) throws -> [SectionAggregate] {
    headerAggregates
  }

  /// No running values.
  package static var runningColumn: RunningColumn? { nil }

  /// No row is dimmed.
  package static func isDimmed(_ row: Row) -> Bool { false }

  /// No commands.
  package static var commands: [ListCommand] { [] }

  /// Users give rows no order.
  package static var rankedOrder: RankedOrderDescription? { nil }

  /// No caches.
  package static func caches(for location: StoreLocation) -> (any SectionCacheStorage)? { nil }

  /// No database on a server.
  package static func statements(for location: StoreLocation) throws -> [String]? { nil }

  /// No internal data to rebuild.
  package static func repair(_ store: any Store) throws -> [String] { [] }

  /// No indexes to create.
  package static func createIndex(serving definition: OrderDefinition, in store: any Store) throws
    -> [String]
  { [] }

  /// Feeds are refused.
  package static var importsFeeds: Bool { false }

  /// Library records are refused.
  package static var importsMARC: Bool { false }

  /// An identifier is written in one way.
  package static func identity(of identifier: Value) -> Value { identifier }

  /// Objects are identified by all their values.
  package static var identifier: String? { nil }

  /// Files have all fields.
  package static var importDefaults: [ImportDefault] { [] }

  /// Objects are compared by key, by identifier or by all their values.
  package static func take(_ object: ImportedObject, into transaction: any StoreTransaction)
    throws(StoreError) -> ImportOutcome?
  { nil }

  /// A column belongs to the field of its name; letter case is ignored.
  package static func object(
    from record: Record,
    for settings: LocaleSettings
  ) throws(RecordError) -> ImportedObject {
    try ImportedObject(
      record,
      of: fields.form,
      aliases: [:],
      identifiedBy: identifier,
      for: settings
    )
  }
}

extension ListProgram {
  /// Returns a definition with the sums of a store's list in place of those of any store.
  /// - Throws: The store's error.
  package static func summed(
    _ definition: ResultsDefinition<Row>,
    in store: any Store
  ) throws -> ResultsDefinition<Row> {
    guard !definition.aggregates.isEmpty, definition.aggregates == headerAggregates else {
      return definition
    }
    var definition = definition
    definition.aggregates = try headerAggregates(in: store, where: definition.request.predicate)
    return definition
  }
}

/// A value of related objects that a program shows under a name of its own, such as the number of unread items of a feed.
package struct NamedValue: Sendable {
  /// The name, as `--columns` and `--sort` take it.
  package let name: String
  /// The value.
  package let expression: FetchExpression

  /// Creates a named value.
  package init(_ name: String, _ expression: FetchExpression) {
    (self.name, self.expression) = (name, expression)
  }
}

/// One line of what there is to show of a row.
package struct DetailLine: Hashable, Sendable {
  /// The name, such as that of an attribute.
  package let name: String
  /// The text; it may contain any characters.
  package let text: String
  /// The index of the attribute that the line shows, or `nil` if it shows something else.
  package let attribute: Int?

  /// Creates a line.
  package init(_ name: String, _ text: String, attribute: Int? = nil) {
    self.name = name
    self.text = text
    self.attribute = attribute
  }
}

extension AttributeDescription {
  /// Whether a list can be sorted by the attribute.
  fileprivate func isOrderable(in entity: EntityDescription) -> Bool {
    let order = try? OrderDefinition(
      entity: entity,
      predicate: .all,
      sortDescriptors: [.ascending(name)]
    )
    return order != nil && type != .blob
  }
}

/// The arguments that a program's help uses in its examples, quoted as for a shell.
package struct ProgramExamples: Sendable {
  /// A condition for `--where`, without quotes around it.
  package var condition: String
  /// A value of `--sort`.
  package var sort: String
  /// The values of a new object.
  package var assignments: String
  /// A change of an object.
  package var change: String
  /// An object's id.
  package var id: String
  /// The name of a file to import.
  package var file: String
  /// Two values of the attribute that conditions compare as a number, the smaller first.
  package var numbers: [String]
  /// What follows a verb before its options, with a space before it, for a program whose verbs take arguments.
  package var operands = ""

  /// Creates the arguments of the examples.
  package init(
    condition: String,
    sort: String,
    assignments: String,
    change: String,
    id: String = "7",
    file: String,
    numbers: [String] = ["10", "20"]
  ) {
    self.condition = condition
    self.sort = sort
    self.assignments = assignments
    self.change = change
    self.id = id
    self.file = file
    self.numbers = numbers
  }
}
