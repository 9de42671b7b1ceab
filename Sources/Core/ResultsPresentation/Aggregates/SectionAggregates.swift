public import ResultsDomain

/// The results of the declared aggregates of a section or of a whole list, by name, in the order of declaration.
public struct SectionAggregates: Sendable {
  /// The name of one aggregate and its result.
  public typealias Element = (name: String, value: AggregateValue)

  private let elements: [Element]

  /// The aggregates of a list that declares none.
  public static let none = SectionAggregates([])

  /// Creates results by name.
  public init(_ elements: [Element]) { self.elements = elements }

  /// The result of the aggregate with a name, or `nil` if none has that name.
  /// - Complexity: O(*k*) in the aggregates.
  public subscript(name: String) -> AggregateValue? {
    elements.first { $0.name.hasSameBytes(as: name) }?.value
  }
}

extension SectionAggregates: RandomAccessCollection {
  /// The first index, 0.
  public var startIndex: Int { 0 }
  /// The number of aggregates.
  public var endIndex: Int { elements.count }
  /// The aggregate at an index.
  public subscript(index: Int) -> Element { elements[index] }
}

extension SectionAggregates: Hashable {
  /// Whether both have the same names, bytewise, with the same values.
  public static func == (left: SectionAggregates, right: SectionAggregates) -> Bool {
    left.elementsEqual(right) { $0.name.hasSameBytes(as: $1.name) && $0.value == $1.value }
  }

  /// Feeds the values into a hasher.
  public func hash(into hasher: inout Hasher) {
    for element in elements { hasher.combine(element.value) }
  }
}

extension SectionAggregates: CustomStringConvertible {
  /// Names and values as a machine reads them, such as `sum 12.50, largest 9.00`.
  public var description: String {
    elements.map { "\($0.name) \($0.value.description.isEmpty ? "none" : $0.value.description)" }
      .joined(separator: ", ")
  }
}

/// A named aggregate that a list maintains for every section (R78).
///
/// It covers the rows that the section shows: with a limit or an offset those in the window, like the section's count.
public struct SectionAggregate: Hashable, Sendable {
  /// The name, in headers and on the wire.
  public let name: String
  /// The aggregate.
  public let aggregate: FetchAggregate

  /// Creates an aggregate with a name.
  public init(_ name: String, _ aggregate: FetchAggregate) {
    self.name = name
    self.aggregate = aggregate
  }

  /// Creates an aggregate with a name, over the rows of a section for which a condition is true (R284).
  ///
  /// ```swift
  /// let recent = SectionAggregate("recent", .count("title"), of: Book.self, where: \.year >= 2000)
  /// ```
  /// - Parameters:
  ///   - name: The name, in headers and on the wire.
  ///   - aggregate: The aggregate.
  ///   - kind: The list's objects.
  ///   - predicate: The condition. It may name related objects, but not follow the clock.
  public init<Root: Entity>(
    _ name: String,
    _ aggregate: FetchAggregate,
    of kind: Root.Type,
    where predicate: EntityPredicate<Root>
  ) {
    self.init(name, aggregate.matching(predicate.predicate))
  }

  /// Whether two have the same aggregate and, bytewise, the same name.
  public static func == (left: SectionAggregate, right: SectionAggregate) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.aggregate == right.aggregate
  }

  /// Feeds the aggregate into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(aggregate) }
}

extension ResultsSection {
  /// The declared aggregates over the section's rows (R78); no row is read.
  public var aggregates: SectionAggregates { header.aggregates }
}

extension ResultsList {
  /// The declared aggregates over all rows of the list; no row is read.
  /// - Complexity: O(*s*) in the sections.
  public var aggregates: SectionAggregates { snapshot.aggregates?.total ?? .none }
}
