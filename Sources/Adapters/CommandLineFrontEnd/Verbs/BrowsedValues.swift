import Foundation
import ListBrowser
import ProgramFrontEnd
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// What the browser asks about single rows and values. All of it reads the store, or at least parses, outside of the input loop.
extension BrowsedLists {
  /// The names of the related objects of a row that has several, such as a book's tags.
  @Sendable func relatedNames(of id: ObjectID) throws -> [BrowserDetail] {
    let named = Program.fields.named.filter(\.isToMany)
    let rows = try store.read { (snapshot) throws(StoreError) -> [Row] in
      let found = try snapshot.rows([id.key], of: Program.entity).compactMap(\.self)
      return try Program.fields.rows(found, in: snapshot)
    }
    guard let row = rows.first else { return [] }
    return named.map { BrowserDetail($0.name, row[$0.name].text ?? "") }
  }

  /// Returns which of some rows a filter text selects.
  func matches(
    of text: String,
    _ choice: BrowserChoice,
    _ ids: [ObjectID]
  ) throws -> Set<ObjectID> {
    var list = choice
    list.filter = ""
    let filter = try predicate(
      of: text,
      showing: try columns(of: list),
      in: try definition(of: list)
    )
    let request = FetchRequest<ObjectID>(
      entity: Program.entity,
      where: .identity(IdentitySet(ids)) && filter.resolvedNow(in: Program.entity),
      sortedBy: [FetchSortDescriptor(.objectKey)]
    )
    return Set(try store.fetch(request))
  }

  /// Returns the identities of all rows of a list.
  func ids(of choice: BrowserChoice) throws -> [ObjectID] {
    let definition = try definition(of: choice)
    var request = FetchRequest<ObjectID>(
      entity: Program.entity,
      where: definition.request.predicate.resolvedNow(in: Program.entity),
      sortedBy: definition.request.sortDescriptors
    )
    request.fetchLimit = definition.request.fetchLimit
    request.fetchOffset = definition.request.fetchOffset
    return try store.fetch(request)
  }

  /// Returns a row that stands where a typed value stands: one of the attribute that the sections, or else the rows, are in order of.
  ///
  /// A year or a month stands for its first instant, and in a descending list for its last.
  func row(at text: String, in choice: BrowserChoice) throws -> Row {
    let definition = try definition(of: choice)
    let first = definition.request.sortDescriptors.first
    let rowAttribute = first.flatMap { attributeName(of: $0.expression) }
    guard let name = orderedName(of: definition), let index = Program.entity.index(of: name)
    else {
      throw BrowserSource.Refusal("This list is not in the order of an attribute: s chooses one.")
    }
    let attribute = Program.entity.attributes[index]
    let isDescending = first?.direction == .descending && rowAttribute == name
    var values = Array(repeating: Value.null, count: Program.entity.attributes.count)
    if attribute.type == .date, let period = period(text) {
      values[index] = (isDescending ? period.last : period.first).attributeValue
    } else {
      values[index] = try ValueParser(settings).value(text, of: attribute)
    }
    let key: ObjectKey =
      switch Program.entity.identity {
      case .integer: .integer(.min)
      case .text, .compound: .text("")
      }
    return Row(
      entity: Program.entity,
      id: ObjectID(entity: Program.entity.name, key: key),
      values: values
    )
  }

  /// The attribute that the sections, or else the rows, are in order of.
  private func orderedName(of definition: ResultsDefinition<Row>) -> String? {
    if let key = definition.sectionKey { return attributeName(of: key) }
    return definition.request.sortDescriptors.first.flatMap { attributeName(of: $0.expression) }
  }

  /// Whether a typed number is a year: it has four digits, and the rows of a list are in an order of dates or years.
  @Sendable func isYear(_ text: String, _ choice: BrowserChoice) -> Bool {
    guard text.utf8.count == 4, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let definition = try? definition(of: choice), let name = orderedName(of: definition),
      let attribute = Program.entity.attribute(named: name)
    else { return false }
    switch attribute.type {
    case .date: return true
    case .integer16, .integer32, .integer64: return name.lowercased().hasSuffix("year")
    case .boolean, .real, .text, .blob, .decimal: return false
    }
  }

  /// The attribute that decides the order of sections, or `nil` if it is none of the rows' own.
  private func attributeName(of key: SectionKey) -> String? {
    switch key.source {
    case .expression(let expression, _, _, _): attributeName(of: expression)
    case .transient(let source, _): source
    case .relationship: nil
    }
  }

  /// The attribute or path whose values the titles of sections are made of.
  func sectionSource(_ key: SectionKey) -> String? {
    if let name = attributeName(of: key) { return name }
    guard case .expression(let expression, _, _, _) = key.source else { return nil }
    return expression.description
  }

  /// The attribute from which an expression computes its value.
  private func attributeName(of expression: FetchExpression) -> String? {
    switch expression {
    case .attribute(let name): name
    case .prefix(let inner, _), .lowercased(let inner), .uppercased(let inner),
      .bucket(let inner, _), .ifNull(let inner, .literal), .transformed(_, let inner):
      attributeName(of: inner)
    case .objectKey, .literal, .length, .ifNull, .related, .relatedAggregate: nil
    }
  }

  /// The first and the last instant of a year such as `2026`, a month such as `2026-03`, or a day, in the calendar of the list.
  private func period(_ text: String) -> (first: Instant, last: Instant)? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...3).contains(parts.count), parts.allSatisfy({ $0 != nil }), text.count >= 4 else {
      return nil
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = settings.timeZone
    let numbers = parts.compactMap(\.self)
    let units: [Calendar.Component] = [.year, .month, .day]
    let components = DateComponents(
      year: numbers[0],
      month: numbers.count > 1 ? numbers[1] : 1,
      day: numbers.count > 2 ? numbers[2] : 1
    )
    guard components.isValidDate(in: calendar), let date = calendar.date(from: components),
      let interval = calendar.dateInterval(of: units[numbers.count - 1], for: date)
    else { return nil }
    let (start, end) = (
      Int64((interval.start.timeIntervalSince1970 * 1_000_000).rounded()),
      Int64((interval.end.timeIntervalSince1970 * 1_000_000).rounded())
    )
    return (Instant(microseconds: start), Instant(microseconds: end - 1))
  }
}
