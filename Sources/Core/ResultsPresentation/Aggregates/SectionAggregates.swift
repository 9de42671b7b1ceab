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
