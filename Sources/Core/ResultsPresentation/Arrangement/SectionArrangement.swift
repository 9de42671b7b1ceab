import OrderStatistics
public import ResultsDomain
import ResultsStoreKit

/// How a list arranges the sections of its rows: which of them are fixed, and how many rows of each are shown.
///
/// The rows, their order and their sections come from the request and the section key. An arrangement changes none of that: it puts
/// sections into an order of one's own, keeps some of them while they are empty, and shows only the first rows of each. Changing it on a
/// live list is an ordinary delta; where only limits differ, nothing but the rows that come or go is read.
///
/// ```swift
/// let board = SectionArrangement(
///   fixed: [
///     .init("todo", title: "To do"), .init("doing", title: "Doing"), .init("done", title: "Done"),
///   ],
///   others: .hidden,
///   limits: SectionLimits(all: 3)
/// )
/// ```
public struct SectionArrangement: Hashable, Sendable {
  /// A section with a position of its own.
  public struct FixedSection: Hashable, Sendable {
    /// The section's id: the value that its rows share, as headers have it.
    public var id: Value
    /// The title to display, or `nil` for the one that the section key gives.
    public var title: String?
    /// Whether the section is shown while no row is in it (R09).
    public var isShownWhenEmpty: Bool

    /// Creates a fixed section.
    public init(_ id: Value, title: String? = nil, isShownWhenEmpty: Bool = true) {
      self.id = id
      self.title = title
      self.isShownWhenEmpty = isShownWhenEmpty
    }

    /// Creates a fixed section whose id is a text.
    public init(_ id: String, title: String? = nil, isShownWhenEmpty: Bool = true) {
      self.init(.text(id), title: title, isShownWhenEmpty: isShownWhenEmpty)
    }

    /// Returns whether two sections have the same id and, bytewise, the same title, and are both shown while they are empty or not.
    public static func == (left: FixedSection, right: FixedSection) -> Bool {
      left.id == right.id && left.title.map { .text($0) } == right.title.map { Value.text($0) }
        && left.isShownWhenEmpty == right.isShownWhenEmpty
    }

    /// Feeds the id into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// What becomes of the sections that are not fixed.
  public enum OtherSections: String, Hashable, Sendable, CaseIterable {
    /// They come before the fixed ones, in the order of the section key.
    case before
    /// They come after the fixed ones, in the order of the section key.
    case after
    /// Neither they nor their rows are in the list.
    case hidden
  }

  /// The fixed sections, in the order in which they are shown (R08).
  public var fixed: [FixedSection]
  /// What becomes of the other sections; without fixed sections they are all there is.
  public var others: OtherSections
  /// How many rows of each section are shown (R79).
  public var limits: SectionLimits

  /// Creates an arrangement.
  public init(
    fixed: [FixedSection] = [],
    others: OtherSections = .after,
    limits: SectionLimits = SectionLimits()
  ) {
    self.fixed = fixed
    self.others = others
    self.limits = limits
  }

  /// All sections that have rows, in the order of the section key, with all their rows.
  public static let none = SectionArrangement()
}

/// How many rows of each section a list shows (R79).
///
/// The others are in the list's section all the same: its header has their number and aggregates over all of them (R107). A section with
/// a limit of 0 is collapsed (R80): its header stays, and no row of it is read or named.
public struct SectionLimits: Hashable, Sendable {
  /// The number of rows to show of each section, or `nil` for all of them.
  public var all: Int?
  /// The limits of single sections, which replace `all` there; `nil` shows all rows of the section.
  public var overrides: [SectionID: Int?]

  /// Creates limits.
  public init(all: Int? = nil, overrides: [SectionID: Int?] = [:]) {
    self.all = all
    self.overrides = overrides
  }

  /// The limit of a section, or `nil` for none.
  ///
  /// Setting it overrides `all` for that section, also with `nil`.
  public subscript(id: SectionID) -> Int? {
    get { overrides[id] ?? all }
    set { overrides.updateValue(newValue, forKey: id) }
  }

  /// Whether every section shows all its rows.
  public var isEmpty: Bool { all == nil && overrides.values.allSatisfy { $0 == nil } }

  /// Collapses a section: no row of it is shown (R80).
  ///
  /// ```swift
  /// try await books.update { $0.arrangement.limits.collapse(SectionID(.text("Ace"))) }
  /// ```
  public mutating func collapse(_ id: SectionID) { self[id] = 0 }

  /// Removes the limit of a section alone, so that `all` applies to it again.
  public mutating func reset(_ id: SectionID) { overrides[id] = nil }
}

// MARK: - Compiled

/// An arrangement that was checked against a definition.
final class ArrangementPlan: Sendable {
  let arrangement: SectionArrangement
  /// The index of each fixed section, by id.
  let indexes: [Value: Int]
  /// The related objects that are the sections, or `nil` for other sections.
  let objects: ObjectSectionsPlan?

  var fixed: [SectionArrangement.FixedSection] { arrangement.fixed }
  var others: SectionArrangement.OtherSections { arrangement.others }
  var limits: SectionLimits { arrangement.limits }
  /// Whether sections are shown as the keys have them: in their order, and none without rows.
  var keepsSections: Bool { fixed.isEmpty && others != .hidden && objects == nil }

  /// The arrangement that changes nothing.
  static let none = ArrangementPlan()

  private init() { (arrangement, indexes, objects) = (.none, [:], nil) }

  /// Checks an arrangement.
  /// - Returns: `nil` for one that changes nothing.
  /// - Throws: `RequestError.negativeSectionLimit`; with fixed sections `.fixedSectionsWithoutKey`, `.duplicateFixedSection`,
  ///   `.mismatchedFixedSection` and `.fixedObjectSections`.
  init?(
    _ arrangement: SectionArrangement,
    _ rule: SectionRule,
    _ layout: KeyLayout,
    _ objects: ObjectSectionsPlan?
  ) throws(RequestError) {
    self.arrangement = arrangement
    self.objects = objects
    let limits = arrangement.limits
    if let all = limits.all, all < 0 { throw .negativeSectionLimit(all, section: nil) }
    for (id, limit) in limits.overrides {
      if let limit, limit < 0 { throw .negativeSectionLimit(limit, section: id.description) }
    }
    var indexes: [Value: Int] = [:]
    for (index, section) in arrangement.fixed.enumerated() {
      guard indexes.updateValue(index, forKey: section.id) == nil else {
        throw .duplicateFixedSection(section.id)
      }
    }
    self.indexes = indexes
    guard !arrangement.fixed.isEmpty || arrangement.others == .hidden else {
      if limits.isEmpty, objects == nil { return nil }
      return
    }
    guard objects == nil else { throw .fixedObjectSections }
    guard case .columns(count: 1, idColumn: 0) = rule else { throw .fixedSectionsWithoutKey }
    for section in arrangement.fixed {
      var writer = KeyWriter()
      guard writer.append(section.id, layout.order[0]) else {
        throw .mismatchedFixedSection(section.id)
      }
    }
  }
}
