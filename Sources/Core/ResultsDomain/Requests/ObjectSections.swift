/// Sections that are the objects of a to-one relationship, such as the authors of books (R106).
///
/// A section's id is the key of its object, so objects of the same name have sections of their own. The sections are a live list of the
/// related entity: in its order, with its titles, and without the objects that its condition does not select. The rows of those are not in
/// the list either. Rows that name no object, because their foreign key is null or its object does not exist, stand together.
///
/// ```swift
/// let byAuthor = EntitySectionKey<Book>.relationship(
///   \.author,
///   sortedBy: [.ascending(\.name)],
///   titled: \.name,
///   without: .last("No author")
/// )
/// ```
///
/// A change of an object's title is one update of its section, or one move if the order changes with it; the rows are not read for it.
public struct ObjectSections: Sendable {
  /// What becomes of objects without rows.
  public enum EmptySections: String, Hashable, Sendable, CaseIterable {
    /// They have no section.
    case hidden
    /// They have a section without rows.
    case shown
  }

  /// What becomes of rows that name no object.
  public enum RowsWithoutObject: Sendable {
    /// They stand in one section before all others, with a title.
    case first(String)
    /// They stand in one section after all others, with a title.
    case last(String)
    /// They are not in the list.
    case hidden
  }

  /// The names of the to-one relationships from the rows to the objects; mostly one.
  public var path: [String]
  /// The condition for objects to have a section; rows of the others are not in the list.
  public var predicate: FetchPredicate
  /// The order of the objects; behind its terms come the title and then the key.
  public var sortDescriptors: [FetchSortDescriptor]
  /// The value of an object that is the title of its section.
  public var title: FetchExpression
  /// What becomes of objects without rows.
  public var empty: EmptySections
  /// What becomes of rows that name no object.
  ///
  /// In their section those with a null key come first, then the others by their keys.
  public var without: RowsWithoutObject
  /// Whether the list is in the opposite order, as are then the rows without an object.
  package var isReversed = false

  /// Creates sections by the objects of a to-one relationship, or of a path of several.
  public init(
    _ path: [String],
    where predicate: FetchPredicate = .all,
    sortedBy sortDescriptors: [FetchSortDescriptor] = [],
    titled title: FetchExpression,
    empty: EmptySections = .hidden,
    without: RowsWithoutObject = .last("")
  ) {
    self.path = path
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.title = title
    self.empty = empty
    self.without = without
  }
}

extension ObjectSections.RowsWithoutObject: Hashable {
  /// Whether two choices are the same, with bytewise the same title.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.first(let title), .first(let other)), (.last(let title), .last(let other)):
      title.hasSameBytes(as: other)
    case (.hidden, .hidden): true
    case (.first, _), (.last, _), (.hidden, _): false
    }
  }

  /// Hashes the title.
  public func hash(into hasher: inout Hasher) { hasher.combine(title.map { Value.text($0) }) }

  /// The title of the section of those rows, or `nil` if they are hidden.
  package var title: String? {
    switch self {
    case .first(let title), .last(let title): title
    case .hidden: nil
    }
  }
}

extension ObjectSections: Hashable {
  /// Whether two rules are the same, with names and titles compared by their bytes.
  public static func == (left: ObjectSections, right: ObjectSections) -> Bool {
    left.path.haveSameBytes(as: right.path) && left.predicate == right.predicate
      && left.sortDescriptors == right.sortDescriptors && left.title == right.title
      && left.empty == right.empty && left.without == right.without
      && left.isReversed == right.isReversed
  }

  /// Hashes the path.
  public func hash(into hasher: inout Hasher) { hasher.combine(path.map { Value.text($0) }) }
}

extension ObjectSections {
  /// The terms of the objects' order, in which the title decides before the key.
  package var order: [FetchSortDescriptor] {
    var terms = sortDescriptors
    let key = terms.firstIndex { $0.expression == .objectKey }
    let isDescending = key.map { terms[$0].direction == .descending } ?? false
    let title = FetchSortDescriptor(title, isDescending ? .descending : .ascending)
    terms.insert(title, at: key ?? terms.count)
    return terms
  }

  /// The same sections in the opposite order.
  package var reversed: ObjectSections {
    var reversed = self
    var terms = sortDescriptors
    // The key in ascending order ends every order, and need not be said.
    if terms.last == FetchSortDescriptor(.objectKey, .descending) {
      terms.removeLast()
    } else if !terms.contains(where: { $0.expression == .objectKey }) {
      terms.append(FetchSortDescriptor(.objectKey))
    }
    reversed.sortDescriptors = terms.map(\.reversed)
    switch without {
    case .first(let title): reversed.without = .last(title)
    case .last(let title): reversed.without = .first(title)
    case .hidden: break
    }
    reversed.isReversed.toggle()
    return reversed
  }
}

// MARK: - Section keys

extension SectionKey {
  /// Sections that are the objects of a to-one relationship, in an order of theirs (R106).
  ///
  /// ```swift
  /// let byAuthor = SectionKey.relationship(
  ///   "author",
  ///   sortedBy: [.ascending("name")],
  ///   titled: .attribute("name"),
  ///   without: .last("No author")
  /// )
  /// ```
  public static func relationship(
    _ names: String...,
    where predicate: FetchPredicate = .all,
    sortedBy sortDescriptors: [FetchSortDescriptor] = [],
    titled title: FetchExpression,
    empty: ObjectSections.EmptySections = .hidden,
    without: ObjectSections.RowsWithoutObject = .last("")
  ) -> SectionKey {
    SectionKey(
      .relationship(
        ObjectSections(
          names,
          where: predicate,
          sortedBy: sortDescriptors,
          titled: title,
          empty: empty,
          without: without
        )
      )
    )
  }
}

extension EntitySectionKey {
  /// Sections that are the objects of a to-one relationship, in an order of theirs (R106).
  ///
  /// ```swift
  /// let byAuthor = EntitySectionKey<Book>.relationship(
  ///   \.author,
  ///   sortedBy: [.ascending(\.name)],
  ///   titled: \.name,
  ///   empty: .shown,
  ///   without: .last("No author")
  /// )
  /// ```
  public static func relationship<Target: Entity, Title: AttributeConvertible>(
    _ path: KeyPath<Root.Type, ToOne<Root, Target>>,
    where predicate: EntityPredicate<Target> = .all,
    sortedBy sortDescriptors: [EntitySortDescriptor<Target>] = [],
    titled title: any KeyPath<Target, Title> & Sendable,
    empty: ObjectSections.EmptySections = .hidden,
    without: ObjectSections.RowsWithoutObject = .last("")
  ) -> Self {
    Self(
      SectionKey(
        .relationship(
          ObjectSections(
            Root.self[keyPath: path].steps,
            where: predicate.predicate,
            sortedBy: sortDescriptors.map(\.descriptor),
            titled: Target.schema.expression(of: title),
            empty: empty,
            without: without
          )
        )
      )
    )
  }
}
