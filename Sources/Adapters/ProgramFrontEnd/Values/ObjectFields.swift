package import ResultsDomain
package import ResultsStoreKit

/// A relationship whose objects users know by name: they give and see the name, and never the key.
package struct NamedRelationship: Hashable, Sendable {
  /// The name of the field: the relationship's name, or that of a qualifier.
  package let name: String
  /// The relationship's name.
  package let relationship: String
  /// The text attribute by which the related objects are known, or which distinguishes namesakes.
  package let attribute: String
  /// Whether an object has any number of related objects.
  package let isToMany: Bool

  /// The name of the value in a row of a list that is printed: the path of one name, or the field's name for several.
  package var valueName: String { isToMany ? name : path.description }

  /// The value that a row of a list shows: a name, or several as one text, which a live list has as a list of values.
  package func shown(in row: Row) -> Value {
    guard isToMany, row.entity.index(of: name) == nil else { return row[valueName] }
    return JoinedNames.value(of: (row[path.description].elements ?? []).compactMap(\.text))
  }

  /// The path of the name; for a relationship to many objects it has many values.
  package var path: FetchExpression { .related([relationship], .attribute(attribute)) }

  /// Whether the field distinguishes namesakes among the related objects.
  package var isQualifier: Bool { !name.hasSameBytes(as: relationship) }
}

/// A field that follows from others until it gets a value of its own.
package struct DerivedField: Sendable {
  /// The name.
  package let name: String
  private let sources: [String]
  private let value: @Sendable ([Value]) -> Value

  /// Creates a derived field.
  /// - Parameters:
  ///   - name: The name of an optional attribute.
  ///   - sources: The names of the fields that it follows from.
  ///   - value: Returns its value for those of the other fields.
  package init(
    _ name: String,
    from sources: [String],
    _ value: @escaping @Sendable ([Value]) -> Value
  ) {
    (self.name, self.sources, self.value) = (name, sources, value)
  }

  /// What follows from the values of the fields of a form.
  fileprivate func value(of values: [Value], in form: EntityDescription) -> Value {
    value(sources.map { name in form.index(of: name).map { values[$0] } ?? .null })
  }
}

/// The fields of a program's objects: the attributes of its entity, in which names of related objects stand for foreign keys.
///
/// Files, arguments and `show` have fields. An object is found by its name, byte by byte, or created with it; the names of several objects
/// are one text (`JoinedNames`). A qualifier is a field too: a text attribute of the related object that distinguishes namesakes, such as the
/// currency of an account. Without it any object of the name is found. For an entity without named relationships the fields are its attributes.
package struct ObjectFields: Sendable {
  /// The entity as the store has it.
  package let entity: EntityDescription
  /// A description of the fields as if they were attributes of an entity.
  package let form: EntityDescription
  /// The relationships whose objects have names.
  package let named: [NamedRelationship]
  /// How rows belong together, if they do.
  package let linked: LinkedRows?
  /// The field that follows from others, if there is one; imports do not compare it.
  package let derived: DerivedField?
  /// The relationships to many objects whose names a filter searches too, by the relationship to one object that it names, such as
  /// `coauthors` for `author`.
  package let alsoSearched: [String: String]
  private let sources: [Source]
  private let names: [(relationship: String, attribute: String)]
  private let qualifiers: [String: String]

  /// What a field is in the store.
  private enum Source: Sendable {
    case attribute(Int)
    /// A related object, by the index of the foreign key.
    case one(Destination, foreignKey: Int)
    case many(Destination, Links)
    /// The qualifier of a related object, by the index of the foreign key.
    case qualifier(Destination, attribute: Int, foreignKey: Int)

    /// The entity of related objects, if there are any.
    var destination: Destination? {
      switch self {
      case .attribute: nil
      case .one(let destination, _), .many(let destination, _), .qualifier(let destination, _, _):
        destination
      }
    }
  }

  /// The entity of related objects, with the indexes of their name and of their qualifier.
  struct Destination: Sendable {
    let entity: EntityDescription
    let name: Int
    var qualifier: Int?
  }

  /// The entity that connects objects with any number of others.
  struct Links: Sendable {
    let entity: EntityDescription
    let columns: [String]
    /// The indexes of the objects' keys and of the others'.
    let from, to: [Int]

    func key(_ indexes: [Int], of entity: EntityDescription, in row: Row) -> ObjectKey? {
      ObjectKey(parts: indexes.map { row.values[$0] }, of: entity.identity)
    }
  }

  /// Describes the fields of an entity.
  ///
  /// A name that is no relationship to one object by an integer or text key, or to many through links, is a programming error and stops
  /// the program.
  /// - Parameters:
  ///   - entity: The entity.
  ///   - names: The text attributes by which related objects are known, by the relationship's name.
  ///   - qualifiers: The optional text attributes that distinguish namesakes, by the name of a relationship to one object.
  ///   - alsoSearched: The relationships to many objects whose names a filter searches too, by the relationship that it names.
  ///   - linked: How rows belong together, if they do.
  ///   - derived: The attribute that follows from others where it has no value of its own.
  package init(
    of entity: EntityDescription,
    naming names: [(relationship: String, attribute: String)] = [],
    qualifying qualifiers: [String: String] = [:],
    alsoSearching alsoSearched: [String: String] = [:],
    linking linked: LinkedRows? = nil,
    deriving derived: DerivedField? = nil
  ) {
    self.entity = entity
    (self.names, self.qualifiers) = (names, qualifiers)
    self.linked = linked
    self.derived = derived
    self.alsoSearched = alsoSearched
    var sources: [Source] = entity.attributes.indices.map { .attribute($0) }
    var attributes = entity.attributes
    var named: [NamedRelationship] = []
    for (name, attribute) in names {
      guard let relationship = entity.relationship(named: name),
        let index = relationship.destination.index(of: attribute)
      else { preconditionFailure("\(entity.name) has no relationship \(name) with \(attribute).") }
      let destination = Destination(
        entity: relationship.destination,
        name: index,
        qualifier: qualifiers[name].flatMap(relationship.destination.index(of:))
      )
      named.append(
        NamedRelationship(
          name: name,
          relationship: name,
          attribute: attribute,
          isToMany: !relationship.isToOne
        )
      )
      switch relationship.kind {
      case .toOne(let columns):
        guard let key = columns.first.flatMap(entity.index(of:)), columns.count == 1 else {
          preconditionFailure("The key of \(entity.name).\(name) is not one attribute.")
        }
        sources[key] = .one(destination, foreignKey: key)
        attributes[key] = AttributeDescription(
          name,
          .text,
          isOptional: entity.attributes[key].isOptional
        )
        guard let qualifier = qualifiers[name], let index = destination.qualifier else { break }
        sources.append(.qualifier(destination, attribute: index, foreignKey: key))
        attributes.append(AttributeDescription(qualifier, .text, isOptional: true))
        named.append(
          NamedRelationship(
            name: qualifier,
            relationship: name,
            attribute: qualifier,
            isToMany: false
          )
        )
      case .manyToMany(let link, let from, let to):
        let entity = link.entity
        let links = Links(
          entity: entity,
          columns: from,
          from: from.compactMap(entity.index(of:)),
          to: to.compactMap(entity.index(of:))
        )
        sources.append(.many(destination, links))
        attributes.append(AttributeDescription(name, .text, isOptional: true))
      case .toMany: preconditionFailure("\(entity.name).\(name) has no links to create.")
      }
    }
    self.sources = sources
    self.named = named
    do {
      form =
        try named.isEmpty
        ? entity
        : EntityDescription(name: entity.name, identity: entity.identity, attributes: attributes)
    } catch {
      preconditionFailure("The fields of \(entity.name) are not valid. \(error)")
    }
  }

  /// The relationship of a field's name, or `nil` if the field is an attribute.
  package func relationship(named name: String) -> NamedRelationship? {
    named.first { Value.text($0.name) == .text(name) }
  }
}

// MARK: - Reading

extension ObjectFields {
  /// Returns the fields of some rows; values that a list has fetched besides the attributes follow them.
  /// - Complexity: O(*k*) in the rows, and for each relationship one reading of the related objects.
  package func rows(_ rows: [Row], in snapshot: any StoreSnapshot) throws(StoreError) -> [Row] {
    guard !named.isEmpty, let first = rows.first else { return rows }
    var values = rows.map { row in
      sources.map { source -> Value in
        if case .attribute(let index) = source { row.values[index] } else { .null }
      }
    }
    for (field, source) in sources.enumerated() {
      guard let names = try names(source, of: rows, in: snapshot) else { continue }
      for (index, name) in names.enumerated() { values[index][field] = name }
    }
    let fetched = entity.attributes.count
    let form = form.adding(first.entity.attributes.dropFirst(fetched))
    return zip(rows, values).map { row, values in
      Row(entity: form, id: row.id, values: values + row.values.dropFirst(fetched))
    }
  }

  /// Returns some rows with the names of related objects behind their values, as the columns of a list need them.
  /// - Complexity: O(*k*) in the rows, and for each relationship one reading of the related objects.
  package func rows(
    _ rows: [Row],
    adding relationships: [NamedRelationship],
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [Row] {
    guard let first = rows.first else { return rows }
    var rows = rows
    let missing = relationships.filter { first.entity.index(of: $0.valueName) == nil }
    let entity = first.entity.adding(
      missing.map { AttributeDescription($0.valueName, .text, isOptional: true) }
    )
    var added: [[Value]] = []
    for relationship in missing {
      guard let field = form.index(of: relationship.name),
        let names = try names(sources[field], of: rows, in: snapshot)
      else { continue }
      added.append(names)
    }
    for index in rows.indices {
      let values = rows[index].values + added.map { $0[index] }
      rows[index] = Row(entity: entity, id: rows[index].id, values: values)
    }
    return rows
  }

  /// The names that some rows have in a field; `nil` for an attribute.
  private func names(
    _ source: Source,
    of rows: [Row],
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [Value]? {
    switch source {
    case .attribute: return nil
    case .one(let destination, let foreignKey), .qualifier(let destination, _, let foreignKey):
      let keys = rows.map {
        ObjectKey(parts: [$0.values[foreignKey]], of: destination.entity.identity)
      }
      var attribute = destination.name
      if case .qualifier(_, let index, _) = source { attribute = index }
      let names = try destination.values(attribute, of: Set(keys.compactMap(\.self)), in: snapshot)
      return keys.map { key in key.flatMap { names[$0] } ?? .null }
    case .many(let destination, let links):
      let connected = try connected(rows.map(\.id.key), links, destination, in: snapshot)
      let keys = Set(connected.values.joined().map(\.other))
      let names = try destination.names(of: keys, in: snapshot)
      return rows.map { row in
        let texts = (connected[row.id.key] ?? []).compactMap { names[$0.other]?.text }
        return JoinedNames.value(of: texts)
      }
    }
  }

  /// The links of some objects, by the object's key, each with the key of the other object.
  private func connected(
    _ keys: [ObjectKey],
    _ links: Links,
    _ destination: Destination,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [ObjectKey: [(link: Row, other: ObjectKey)]] {
    let found = try snapshot.referrers(
      to: keys,
      through: links.columns,
      of: links.entity,
      limit: nil
    )
    var connected: [ObjectKey: [(link: Row, other: ObjectKey)]] = [:]
    for case .some(let link) in try snapshot.rows(found ?? [], of: links.entity) {
      guard let key = links.key(links.from, of: entity, in: link),
        let other = links.key(links.to, of: destination.entity, in: link)
      else { continue }
      connected[key, default: []].append((link, other))
    }
    return connected
  }
}

extension ObjectFields.Destination {
  /// The names of some objects.
  fileprivate func names(
    of keys: Set<ObjectKey>,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [ObjectKey: Value] {
    try values(name, of: keys, in: snapshot)
  }

  /// The values of an attribute of some objects.
  fileprivate func values(
    _ attribute: Int,
    of keys: Set<ObjectKey>,
    in snapshot: any StoreSnapshot
  ) throws(StoreError) -> [ObjectKey: Value] {
    guard !keys.isEmpty else { return [:] }
    let keys = Array(keys)
    var values: [ObjectKey: Value] = [:]
    for (key, row) in zip(keys, try snapshot.rows(keys, of: entity)) {
      values[key] = row?.values[attribute]
    }
    return values
  }
}

extension EntityDescription {
  /// The attributes of the entity and others behind them, for rows that are only shown.
  package func adding(_ others: some Collection<AttributeDescription>) -> EntityDescription {
    guard !others.isEmpty else { return self }
    let all = try? EntityDescription(
      name: name,
      identity: identity,
      attributes: attributes + others
    )
    return all ?? self
  }
}

// MARK: - Another entity

extension ObjectFields {
  /// Returns the same fields with those of the attributes that users have added to the entity.
  package func extended(to entity: EntityDescription) -> ObjectFields {
    guard entity !== self.entity else { return self }
    return ObjectFields(
      of: entity,
      naming: names,
      qualifying: qualifiers,
      alsoSearching: alsoSearched,
      linking: linked,
      deriving: derived
    )
  }
}

// MARK: - Writing

extension ObjectFields {
  /// Returns values of the fields in which the names of several objects are sorted and written in one way.
  package func normalized(_ values: [Value]) -> [Value] {
    var values = values
    for (field, source) in sources.enumerated() {
      if case .many = source, let text = values[field].text {
        values[field] = JoinedNames.value(of: JoinedNames.names(in: text))
      }
    }
    return values
  }

  /// Returns the value of a field in which the names of several objects are sorted and written in one way.
  package func normalized(_ value: Value, ofField field: Int) -> Value {
    guard case .many = sources[field], let text = value.text else { return value }
    return JoinedNames.value(of: JoinedNames.names(in: text))
  }

  /// Inserts an object that was deleted; links of it that are still there stay if its names want them.
  /// - Throws: As `StoreTransaction.insert(_:key:into:)`.
  package func insertAgain(
    _ values: [Value],
    key: ObjectKey,
    into transaction: any StoreTransaction,
    finding objects: inout NamedObjects
  ) throws(StoreError) {
    var names: [Int: Value] = [:]
    for (field, source) in sources.enumerated() {
      if case .many = source { names[field] = values[field] }
    }
    var unlinked = values
    for field in names.keys { unlinked[field] = .null }
    let isCompound = if case .compound = entity.identity { true } else { false }
    let id = try insertWhole(
      unlinked,
      key: isCompound ? nil : key,
      into: transaction,
      finding: &objects
    )
    let stored = try transaction.rows([id.key], of: entity).compactMap(\.self)
    for (row, shown) in zip(stored, try rows(stored, in: transaction)) {
      try update(row, setting: names, from: shown, in: transaction, finding: &objects)
    }
  }

  /// Inserts a new object; related objects of names that nothing has are created, and a derived field without a value gets one.
  /// - Returns: The identity of the new object.
  /// - Throws: As `StoreTransaction.insert(_:key:into:)`.
  package func insert(
    _ values: [Value],
    key: ObjectKey?,
    into transaction: any StoreTransaction,
    finding objects: inout NamedObjects
  ) throws(StoreError) -> ObjectID {
    var values = values
    if let derived, let index = form.index(of: derived.name), values[index].isEmpty {
      values[index] = derived.value(of: values, in: form)
    }
    return try insertWhole(values, key: key, into: transaction, finding: &objects)
  }

  /// Inserts an object with these values.
  private func insertWhole(
    _ values: [Value],
    key: ObjectKey?,
    into transaction: any StoreTransaction,
    finding objects: inout NamedObjects
  ) throws(StoreError) -> ObjectID {
    guard !named.isEmpty else { return try transaction.insert(values, key: key, into: entity) }
    var stored = Array(repeating: Value.null, count: entity.attributes.count)
    for (source, value) in zip(sources, values) {
      switch source {
      case .attribute(let index): stored[index] = value
      case .one(let destination, let index):
        let qualifier = self.qualifier(ofForeignKey: index).map { values[$0] } ?? .null
        stored[index] = try objects.foreignKey(
          value,
          qualifier,
          of: destination,
          in: transaction
        )
      case .many, .qualifier: break
      }
    }
    let id = try transaction.insert(stored, key: key, into: entity)
    for case (.many(let destination, let links), .text(let text)) in zip(sources, values) {
      for name in JoinedNames.names(in: text) {
        let other = try objects.key(.text(name), .null, of: destination, in: transaction)
        try connect(id.key, other, links, in: transaction)
      }
    }
    return id
  }

  /// Sets fields of an object; related objects of names that nothing has are created, and a derived field that is not set follows.
  ///
  /// An unchanged name stays the same object, also if another one has that name. Of the names of several objects, those are linked and
  /// unlinked by which the new value differs from the old one, so that links which others have made stay.
  /// - Parameters:
  ///   - stored: The row that the store has.
  ///   - values: The new values by the fields' positions, also those that the fields have already.
  ///   - old: The fields of the row, as they were when the new values were chosen.
  ///   - transaction: The transaction.
  ///   - objects: The search for related objects.
  /// - Returns: The fields that were changed. A field without a name is one of them if the key of an object that is not there any more was
  ///   cleared.
  /// - Throws: As `StoreTransaction.update(_:to:of:ifUnchangedFrom:)`.
  @discardableResult
  package func update(
    _ stored: Row,
    setting values: [Int: Value],
    from old: Row,
    in transaction: any StoreTransaction,
    finding objects: inout NamedObjects
  ) throws(StoreError) -> AttributeSet {
    var changed: [Int] = []
    // Another row of the same number may have changed it in this transaction.
    let read = linked == nil ? nil : try transaction.rows([stored.id.key], of: entity).first
    let stored = (read ?? nil) ?? stored
    var row = stored.values
    for (field, value) in values.sorted(by: { $0.key < $1.key }) {
      switch sources[field] {
      case .attribute(let index): row[index] = value
      case .one(let destination, let index) where value != old.values[field]:
        let qualifier = self.qualifier(ofForeignKey: index).flatMap { values[$0] } ?? .null
        row[index] = try objects.foreignKey(
          value,
          qualifier,
          of: destination,
          in: transaction
        )
      case .one(_, let index): if value.isNull { row[index] = .null }
      case .qualifier(let destination, _, let index):
        // With another name, the field of the name finds the object.
        guard value != old.values[field], values[index].map({ $0 == old.values[index] }) ?? true
        else { continue }
        row[index] = try objects.foreignKey(
          old.values[index],
          value,
          of: destination,
          in: transaction,
          isExact: true
        )
        if row[index] != stored.values[index] { changed.append(field) }
        continue
      case .many(let destination, let links):
        let (new, known) = (names(value), names(old.values[field]))
        let isChanged = try connect(
          stored.id.key,
          adding: new.subtracting(known),
          removing: known.subtracting(new),
          destination,
          links,
          &objects,
          in: transaction
        )
        if isChanged { changed.append(field) }
        continue
      }
      if row[field] != stored.values[field] { changed.append(field) }
    }
    if let derived, let field = form.index(of: derived.name), values[field] == nil,
      case .attribute(let index) = sources[field]
    {
      let (old, new) = (
        derived.value(of: stored.values, in: entity), derived.value(of: row, in: entity)
      )
      // A value of one's own stays.
      if old != new, row[index].isEmpty || row[index] == old {
        row[index] = new
        if new != stored.values[index] { changed.append(field) }
      }
    }
    if row != stored.values {
      try transaction.update(stored.id, to: row, of: entity, ifUnchangedFrom: stored)
      try follow(stored, to: row, in: transaction)
    }
    return AttributeSet(indexes: changed)
  }

  /// Checks that no object has the name of a new one, which would have been found by it.
  /// - Throws: `StoreError.alreadyExists` with the new object's identity; the store's error.
  package func checkNames(
    of new: [Row],
    areNewIn snapshot: any StoreSnapshot
  ) throws(StoreError) {
    for source in sources {
      guard let destination = source.destination else { continue }
      for row in new where row.id.entity.hasSameBytes(as: destination.entity.name) {
        let name = row.values[destination.name]
        let qualifier = destination.qualifier.map { row.values[$0] } ?? .null
        guard try NamedObjects.find(name, qualifier, destination, in: snapshot) == nil else {
          throw .alreadyExists(row.id)
        }
      }
    }
  }

  /// The position of the field that distinguishes namesakes among the objects of a foreign key.
  private func qualifier(ofForeignKey key: Int) -> Int? {
    sources.firstIndex { source in
      if case .qualifier(_, _, key) = source { true } else { false }
    }
  }

  /// Gives values whose qualifiers are missing those of the objects that their names find, so that they can be compared with stored ones.
  func qualified(
    _ values: inout [Value],
    in transaction: any StoreTransaction,
    finding objects: inout NamedObjects
  ) throws(StoreError) {
    for (field, source) in sources.enumerated() {
      guard case .qualifier(let destination, _, let key) = source, values[field].isNull,
        !values[key].isNull
      else { continue }
      values[field] = try objects.qualifier(of: values[key], destination, in: transaction) ?? .null
    }
  }

  /// Gives rows whose related objects are new the qualifiers of those of the other rows.
  /// - Throws: The store's error.
  package func shareQualifiers(
    of rows: inout [[Value]],
    in transaction: any StoreTransaction,
    finding objects: inout NamedObjects
  ) throws(StoreError) {
    for (field, source) in sources.enumerated() {
      guard case .qualifier(let destination, _, let key) = source else { continue }
      var found: [Value?] = []
      for row in rows {
        let known = try objects.qualifier(of: row[key], destination, in: transaction)
        found.append(row[field].isNull ? known : row[field])
      }
      guard let shared = found.compactMap(\.self).first(where: { !$0.isNull }) else { continue }
      for index in rows.indices where found[index] == nil { rows[index][field] = shared }
    }
  }

  private func names(_ value: Value) -> Set<Value> {
    Set((value.text.map(JoinedNames.names) ?? []).map { .text($0) })
  }

  /// - Returns: Whether any link was made or removed.
  private func connect(
    _ key: ObjectKey,
    adding added: Set<Value>,
    removing removed: Set<Value>,
    _ destination: Destination,
    _ links: Links,
    _ objects: inout NamedObjects,
    in transaction: any StoreTransaction
  ) throws(StoreError) -> Bool {
    guard !added.isEmpty || !removed.isEmpty else { return false }
    let present = try connected([key], links, destination, in: transaction)[key] ?? []
    let names = try destination.names(of: Set(present.map(\.other)), in: transaction)
    var isChanged = false
    for (link, other) in present where names[other].map(removed.contains) ?? true {
      isChanged = try transaction.delete(link.id, of: links.entity) || isChanged
    }
    let missing = added.subtracting(names.values)
    for name in missing.compactMap(\.text).sorted(by: JoinedNames.precedes) {
      let other = try objects.key(.text(name), .null, of: destination, in: transaction)
      try connect(key, other, links, in: transaction)
      isChanged = true
    }
    return isChanged
  }

  private func connect(
    _ key: ObjectKey,
    _ other: ObjectKey,
    _ links: Links,
    in transaction: any StoreTransaction
  ) throws(StoreError) {
    var values = Array(repeating: Value.null, count: links.entity.attributes.count)
    for (index, part) in zip(links.from, key.parts) { values[index] = part }
    for (index, part) in zip(links.to, other.parts) { values[index] = part }
    try transaction.insert(values, key: nil, into: links.entity)
  }
}

extension Value {
  /// Whether a form shows it as nothing.
  fileprivate var isEmpty: Bool { isNull || self == .text("") }
}
