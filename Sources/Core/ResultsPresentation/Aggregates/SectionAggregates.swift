public import ResultsDomain

/// What the declared aggregates of a section, or of a whole list, came to: by name, in the order of declaration.
public struct SectionAggregates: Sendable {
  /// One aggregate and what it came to.
  public typealias Element = (name: String, value: AggregateValue)

  private let elements: [Element]

  /// The aggregates of a list that declares none.
  public static let none = SectionAggregates([])

  /// Aggregates by name.
  public init(_ elements: [Element]) { self.elements = elements }

  /// What the aggregate of a name came to, or `nil` if none has that name.
  /// - Complexity: O(*k*) in the aggregates.
  public subscript(name: String) -> AggregateValue? {
    elements.first { $0.name.hasSameBytes(as: name) }?.value
  }
}

extension SectionAggregates: RandomAccessCollection {
  /// The first place.
  public var startIndex: Int { 0 }
  /// Behind the last place.
  public var endIndex: Int { elements.count }
  /// The aggregate at a place.
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

/// An aggregate that is kept for every section of a list, under a name (R78).
///
/// It is over the rows that the section shows: with a limit or an offset over those in the window, like the section's count.
public struct SectionAggregate: Hashable, Sendable {
  /// What it is called, in headers and on the wire.
  public let name: String
  /// What is worked out.
  public let aggregate: FetchAggregate

  /// An aggregate under a name.
  public init(_ name: String, _ aggregate: FetchAggregate) {
    self.name = name
    self.aggregate = aggregate
  }

  /// Whether two have the same aggregate and, bytewise, the same name.
  public static func == (left: SectionAggregate, right: SectionAggregate) -> Bool {
    left.name.hasSameBytes(as: right.name) && left.aggregate == right.aggregate
  }

  /// Feeds the aggregate into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(aggregate) }
}

extension ResultsSection {
  /// What the declared aggregates came to over the section's rows (R78); no row is read.
  public var aggregates: SectionAggregates { header.aggregates }
}

extension FetchedResults {
  /// What the declared aggregates came to over all rows of the list; no row is read.
  /// - Complexity: O(*s*) in the sections.
  public var aggregates: SectionAggregates { snapshot.aggregates?.total ?? .none }
}
