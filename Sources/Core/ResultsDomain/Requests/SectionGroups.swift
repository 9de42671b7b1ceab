/// A rule that gathers the sections of a list into groups, one level above them: the days of a ledger into months, authors under their
/// initials (R11).
///
/// A group is a run of sections. Sections, rows and paths stay as they are without groups. A rule whose groups would come apart, because
/// other sections separate those of one group, is refused.
///
/// ```swift
/// try await books.update { $0.groups = .titles(by: PrefixGrouping(length: 1)) }
/// ```
public struct SectionGroups: Sendable {
  /// What decides the group of a section.
  public enum Source: Sendable {
    /// The section's id, by a grouping of such values.
    case ids(any SectionGrouping)
    /// The section's title, as a text, by a grouping of texts.
    case titles(any SectionGrouping)
    /// An expression that orders the list before its section key; its values are the ids of the groups.
    case expression(FetchExpression, SortDirection, nulls: NullPlacement?)
  }

  /// What decides the group of a section.
  public let source: Source
  /// Returns the title for a group's id; `nil` for the default: that of the grouping, or the text or the number itself, empty for null.
  public var title: (@Sendable (Value) -> String)?
  /// A text that identifies everything that `title` depends on.
  public var titleIdentity: String

  /// Creates a rule.
  public init(
    _ source: Source,
    titleIdentity: String = "",
    title: (@Sendable (Value) -> String)? = nil
  ) {
    (self.source, self.titleIdentity, self.title) = (source, titleIdentity, title)
  }

  /// Groups of section ids: the grouping gets the id of each section.
  ///
  /// Sections need to be in an order in which the ids of one group are adjacent, as those of a monotone grouping are in their own order.
  public static func ids(by grouping: any SectionGrouping) -> SectionGroups {
    SectionGroups(.ids(grouping))
  }

  /// Groups of section titles: the grouping gets the title of each section, as a text.
  ///
  /// It serves sections whose ids are not what people read: objects of a relationship, and texts in natural order.
  public static func titles(by grouping: any SectionGrouping) -> SectionGroups {
    SectionGroups(.titles(grouping))
  }

  /// Groups by the values of an attribute or of a path along to-one relationships, which then orders the list before the section key.
  ///
  /// The rows of one section need to agree in it, unless the section key splits sections.
  ///
  /// ```swift
  /// let byCountry = SectionGroups.expression(.related(["author"], .attribute("country")))
  /// ```
  public static func expression(
    _ expression: FetchExpression,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> SectionGroups {
    SectionGroups(.expression(expression, direction, nulls: nulls))
  }

  /// Groups by the values of an attribute, which then orders the list before the section key.
  public static func attribute(
    _ name: String,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> SectionGroups {
    .expression(.attribute(name), direction, nulls: nulls)
  }

  /// Groups by the values of a property, which then orders the list before the section key.
  ///
  /// ```swift
  /// let byPublisher = SectionGroups.attribute(\Book.publisher)
  /// ```
  public static func attribute<Root: Entity, Property: AttributeConvertible>(
    _ keyPath: any KeyPath<Root, Property> & Sendable,
    _ direction: SortDirection = .ascending,
    nulls: NullPlacement? = nil
  ) -> SectionGroups {
    .expression(Root.schema.expression(of: keyPath), direction, nulls: nulls)
  }
}

extension SectionGroups {
  /// The title of a group.
  package func title(of id: Value) -> String {
    if let title { return title(id) }
    switch source {
    case .ids(let grouping), .titles(let grouping): return grouping.title(of: id)
    case .expression: return id.plainTitle
    }
  }

  /// The grouping, if it follows the clock (R15).
  package var clockGrouping: (any ClockGrouping)? {
    switch source {
    case .ids(let grouping), .titles(let grouping): grouping as? any ClockGrouping
    case .expression: nil
    }
  }

  /// The groups as they are at a time.
  package func resolved(at now: Instant) -> SectionGroups {
    guard let grouping = clockGrouping?.resolved(at: now) else { return self }
    let resolved: Source = if case .ids = source { .ids(grouping) } else { .titles(grouping) }
    return SectionGroups(resolved, titleIdentity: titleIdentity, title: title)
  }

  /// The same groups of sections in the opposite order.
  package var reversed: SectionGroups {
    guard case .expression(let expression, let direction, let nulls) = source else { return self }
    return SectionGroups(
      .expression(expression, direction.reversed, nulls: nulls?.reversed),
      titleIdentity: titleIdentity,
      title: title
    )
  }

  /// Whether two rules give the same groups; a grouping says so by its identity.
  package func hasGroups(of other: SectionGroups) -> Bool {
    switch (source, other.source) {
    case (.ids(let grouping), .ids(let other)), (.titles(let grouping), .titles(let other)):
      grouping.groupingIdentity.hasSameBytes(as: other.groupingIdentity)
    case (
      .expression(let expression, let direction, let nulls),
      .expression(let otherExpression, let otherDirection, let otherNulls)
    ):
      expression == otherExpression && direction == otherDirection && nulls == otherNulls
    case (.ids, _), (.titles, _), (.expression, _): false
    }
  }

  /// Whether two rules give the same groups with the same titles; titles by a closure are the same only if they say so.
  package func hasGroupsAndTitles(of other: SectionGroups) -> Bool {
    guard hasGroups(of: other), titleIdentity.hasSameBytes(as: other.titleIdentity),
      (title == nil) == (other.title == nil), title == nil || !titleIdentity.isEmpty
    else { return false }
    switch (source, other.source) {
    case (.ids(let grouping), .ids(let other)), (.titles(let grouping), .titles(let other)):
      return grouping.titleIdentity.hasSameBytes(as: other.titleIdentity)
    default: return true
    }
  }
}

// MARK: - First characters

/// Gathers texts by their first characters: names under their initials, `2026-11-03` under `2026-11`.
///
/// Characters are Unicode scalars, and letter case counts, so the groups of texts in the order of their bytes never come apart. Numbers
/// count as the text of them, and null is a group of its own.
public struct PrefixGrouping: SectionGrouping {
  /// The number of characters.
  public let length: Int
  /// Whether letters are gathered with their capitals, and without their marks: `é` and `e` with `E`, as natural order has them.
  public var isFolded: Bool { order != nil }
  private let order: TextTransform?

  /// Gathers texts by their first characters.
  ///
  /// Texts in natural order need to be folded; texts in the order of their bytes must not be.
  /// - Parameters:
  ///   - length: The number of characters; at least 1.
  ///   - isFolded: Whether letters are gathered with their capitals, and without their marks.
  public init(length: Int, isFolded: Bool = false) {
    self.init(length: length, inOrderOf: isFolded ? .natural : nil)
  }

  /// Gathers texts by their first characters as an order of texts counts them: `"Øst"` in filing order by O.
  /// - Parameters:
  ///   - length: The number of characters; at least 1.
  ///   - order: The order that the texts have, or `nil` for that of their bytes.
  public init(length: Int, inOrderOf order: TextTransform?) {
    (self.length, self.order) = (max(1, length), order)
  }

  /// The first characters of a text.
  public func group(of value: Value) -> SectionGroup {
    let text = value.plainTitle
    if value.isNull { return SectionGroup(id: .null) }
    // A letter can have marks behind it, and none is a letter.
    let counted =
      switch order {
      case nil: text
      case .filing: TextTransform.filed(text).uppercased()
      case .natural, .baseLetters: TextTransform.baseLetters.applied(to: text).uppercased()
      }
    return SectionGroup(id: .text(PrefixGrouping.prefix(of: counted, length)))
  }

  /// The characters.
  public func title(of id: Value) -> String { id.plainTitle }
  /// The number of characters, and whether they are folded or filed.
  public var groupingIdentity: String {
    "prefix \(length)\(order == .filing ? " filed" : isFolded ? " folded" : "")"
  }
  /// The same for all.
  public var titleIdentity: String { "" }

  private static func prefix(of text: String, _ length: Int) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(length)))
  }
}

extension Value {
  /// The text that a section or group has for its title by default: the text or the number itself, empty for null.
  package var plainTitle: String {
    switch self {
    case .null: ""
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .illFormedText(let text): text.repaired
    case .blob(let bytes): AttributeType.blob.machineText(of: .blob(bytes))
    }
  }
}
