import FileFormats
package import ResultsDomain

/// A condition in the short form that people type into a filter: `sea year>1970 -winter`.
///
/// Terms are separated by blanks, and all of them must hold:
///
/// | term | rows |
/// |---|---|
/// | `word`, `"a phrase"` | with the text in a column that is shown, whatever its letter case and accents; or with that very number or day |
/// | `all:word` | the same in every attribute, shown or not |
/// | `name:value` | with the text in that attribute, or with that very value |
/// | `name=value`, `!=`, `<`, `<=`, `>`, `>=` | whose value compares so |
/// | `name:low..high` | whose value is between the two, inclusive |
/// | `date:last-week`, `date>=2h-ago` | whose date is in that time, by the words of `TimeWords` |
/// | `-term` | for which the term is not true |
///
/// A text that begins with `=` is a predicate in the full language. Names are attributes in any letter case, or paths such as `author.name`.
/// The name of a related object is a text attribute, such as `author`; of several, one has to match. An attribute whose name is `all` is
/// that attribute.
package struct QuickFilter: Sendable {
  /// The condition.
  package let predicate: FetchPredicate

  /// Parses a text.
  /// - Parameters:
  ///   - text: The text; an empty one selects all rows.
  ///   - program: The program whose list is filtered.
  ///   - columns: The names of the columns that the list shows, in which words are searched; computed ones are not.
  ///   - settings: The locale in which numbers and dates are typed.
  ///   - ignoresMarks: Whether a word finds a text whatever the accents of both. A server has no such comparison, and sends all texts
  ///     for it.
  /// - Throws: `QuickFilterError` for the first term that is not understood.
  /// - Complexity: O(*t* *a*) for *t* terms and *a* attributes.
  package init<Program: ListProgram>(
    _ text: String,
    of program: Program.Type,
    showing columns: [String] = Program.shownColumns,
    for settings: LocaleSettings,
    ignoresMarks: Bool = true
  ) throws(QuickFilterError) {
    let transients = Program.transients.map(\.name)
    if let rest = text.fullLanguage {
      do {
        predicate = try FetchPredicate(
          parsing: rest,
          entity: Program.entity,
          transients: transients,
          days: settings.days
        )
      } catch {
        throw QuickFilterError(
          column: error.column + text.count - rest.count,
          message: error.message,
          remedy: error.remedy ?? ""
        )
      }
      return
    }
    let reader = TermReader(
      fields: Program.fields,
      shown: columns,
      keyTitle: Program.keyTitle,
      transients: transients,
      ignoresMarks: ignoresMarks,
      settings
    )
    var parts: [FetchPredicate] = []
    for term in try Term.terms(in: text) { parts.append(try reader.predicate(of: term)) }
    predicate = parts.reduce(.all, &&)
  }
}

/// A term of a filter that is not understood: where it is, and what to do.
package struct QuickFilterError: Error, Hashable, Sendable {
  /// The column where it begins, in characters counted from 1; one past the text if something is missing at its end.
  package let column: Int
  /// What is wrong, in one sentence.
  package let message: String
  /// What to do, in one sentence, or an empty text.
  package let remedy: String
}

extension QuickFilterError: CustomStringConvertible {
  /// What is wrong and where, and what to do.
  package var description: String {
    "column \(column): \(message)" + (remedy.isEmpty ? "" : " \(remedy)")
  }
}

extension String {
  /// The predicate behind an equals sign at the start, or `nil` for a text in the short form.
  fileprivate var fullLanguage: String? {
    let text = unicodeScalars.drop { $0.properties.isWhitespace }
    return text.first == "=" ? String(text.dropFirst()) : nil
  }
}

// MARK: - Terms

/// One term as it is typed, split at its operator.
private struct Term {
  enum Operator: String, CaseIterable {
    case notEqual = "!="
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case has = ":"
    case equal = "="
    case less = "<"
    case greater = ">"
  }

  /// The column of the first character, from 1.
  var column: Int
  var isNegated = false
  /// The name and the operator, if the term has them outside of quotes.
  var name: (text: String, comparison: Operator)?
  /// The column of the value.
  var valueColumn: Int
  var value = ""
  /// Whether any part of the value is in quotes.
  var isQuoted = false

  /// Splits a text at blanks that are outside of quotes.
  static func terms(in text: String) throws(QuickFilterError) -> [Term] {
    var terms: [Term] = []
    let scalars = Array(text.unicodeScalars)
    let columns =
      text.enumerated().flatMap { column, character in
        repeatElement(column + 1, count: character.unicodeScalars.count)
      } + [text.count + 1]
    var index = 0
    while index < scalars.count {
      guard !isBlank(scalars[index]) else {
        index += 1
        continue
      }
      terms.append(try next(scalars, columns, &index))
    }
    return terms
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  /// Reads the next term: by scalars, since a mark behind a quote or an operator is one character with it.
  private static func next(
    _ scalars: [Unicode.Scalar],
    _ columns: [Int],
    _ index: inout Int
  ) throws(QuickFilterError) -> Term {
    var term = Term(column: columns[index], valueColumn: columns[index])
    if scalars[index] == "-", index + 1 < scalars.count, !isBlank(scalars[index + 1]) {
      term.isNegated = true
      index += 1
      term.valueColumn = columns[index]
    }
    while index < scalars.count, !isBlank(scalars[index]) {
      if scalars[index] == "\"" {
        let start = index + 1
        guard let end = scalars[start...].firstIndex(of: "\"") else {
          throw QuickFilterError(
            column: columns[index],
            message: "The quotation is not closed.",
            remedy: "Close it with \"."
          )
        }
        term.value.unicodeScalars += scalars[start..<end]
        term.isQuoted = true
        index = end + 1
      } else if term.name == nil, !term.isQuoted, !term.value.isEmpty,
        let comparison = comparison(at: index, in: scalars)
      {
        term.name = (term.value, comparison)
        term.value = ""
        index += comparison.rawValue.unicodeScalars.count
        term.valueColumn = columns[index]
      } else {
        term.value.unicodeScalars.append(scalars[index])
        index += 1
      }
    }
    return term
  }

  private static func comparison(at index: Int, in scalars: [Unicode.Scalar]) -> Operator? {
    Operator.allCases.first { scalars[index...].starts(with: $0.rawValue.unicodeScalars) }
  }

  /// The term as one word, where its name is none of the entity.
  var asWord: String { (name.map { $0.text + $0.comparison.rawValue } ?? "") + value }
}

// MARK: - Predicates of terms

/// Turns terms into predicates over one entity.
private struct TermReader {
  /// What a word is searched in.
  enum Subject {
    /// A value of a row, or of its related object.
    case value(FetchExpression, AttributeDescription)
    /// The names of related objects.
    case names(NamedRelationship)
  }

  let fields: ObjectFields
  let transients: [String]
  let ignoresMarks: Bool
  let values: ValueParser
  let times: TimeWords
  /// What the list shows.
  private var shown: [Subject] = []

  var entity: EntityDescription { fields.entity }

  init(
    fields: ObjectFields,
    shown columns: [String],
    keyTitle: String,
    transients: [String],
    ignoresMarks: Bool,
    _ settings: LocaleSettings
  ) {
    self.fields = fields
    self.transients = transients
    self.ignoresMarks = ignoresMarks
    values = ValueParser(settings)
    times = TimeWords(settings, days: .utc)
    shown = columns.compactMap { subject(ofColumn: $0, keyTitle) }
  }

  /// What a word is searched in where the list shows a column; `nil` for a column that no condition can name.
  private func subject(ofColumn name: String, _ keyTitle: String) -> Subject? {
    if let relationship = fields.named.first(where: { $0.name == name }) {
      return .names(relationship)
    }
    if let attribute = entity.attribute(named: name) {
      return value(.attribute(name), attribute)
    }
    if name == keyTitle { return keySubject }
    guard name.contains("."),
      let path = try? FetchExpression(path: name, in: entity, transients: transients)
    else { return nil }
    return value(path, RelatedName.attribute(path, of: entity))
  }

  /// The key of a row, unless it has several parts.
  private var keySubject: Subject? {
    switch entity.identity {
    case .text: value(.objectKey, AttributeDescription("SELF", .text))
    case .integer: value(.objectKey, AttributeDescription("SELF", .integer64))
    case .compound: nil
    }
  }

  private func value(_ expression: FetchExpression, _ attribute: AttributeDescription) -> Subject? {
    attribute.words != nil || isSearched(expression, attribute.type)
      ? .value(expression, attribute) : nil
  }

  /// Every attribute, the names of related objects, and a key that is a text.
  private var everything: [Subject] {
    let attributes = zip(entity.attributes, fields.form.attributes).compactMap {
      attribute,
      field in
      // The key of a related object is known to no user; its name is searched.
      attribute.name == field.name ? value(.attribute(attribute.name), attribute) : nil
    }
    let key: Subject? = if case .text = entity.identity { keySubject } else { nil }
    return attributes + fields.named.map { .names($0) } + (key.map { [$0] } ?? [])
  }

  func predicate(of term: Term) throws(QuickFilterError) -> FetchPredicate {
    let predicate = try asserted(term)
    guard term.isNegated else { return predicate }
    return predicate.isNotTrue
  }

  private func asserted(_ term: Term) throws(QuickFilterError) -> FetchPredicate {
    guard let name = term.name else { return word(term.value, in: shown) }
    if let several = relationship(name.text), several.isToMany {
      return try predicate(of: term, amongNamesOf: several, name.comparison)
    }
    guard let (expression, attribute) = try subject(name.text, of: term) else {
      if name.comparison == .has, name.text.lowercased() == "all" {
        guard !term.value.isEmpty || term.isQuoted else { throw missingValue(of: term) }
        return word(term.value, in: everything)
      }
      // An address or a time has such signs too.
      guard name.comparison == .has || !name.text.isName else { throw unknown(name.text, term) }
      return word(term.asWord, in: shown)
    }
    guard !term.value.isEmpty || term.isQuoted else { throw missingValue(of: term) }
    if name.comparison == .has, !term.isQuoted, let dots = term.value.range {
      let low = try value(dots.low, of: attribute, term)
      let high = try value(dots.high, of: attribute, term)
      guard attribute.type == .date else { return .between(expression, low, high) }
      return .between(expression, low.day?.first ?? low, high.day?.last ?? high)
    }
    if name.comparison == .has, let words = attribute.words {
      return one(of: words, containing: term.value, in: expression)
    }
    if let several = relationship(name.text).flatMap({ fields.alsoSearched[$0.name] })
      .flatMap(relationship), name.comparison == .has || name.comparison == .equal
    {
      let first = try predicate(of: term, expression, attribute, name.comparison)
      return try first || predicate(of: term, amongNamesOf: several, name.comparison)
    }
    return try predicate(of: term, expression, attribute, name.comparison)
  }

  /// The predicate of a term about one value.
  private func predicate(
    of term: Term,
    _ expression: FetchExpression,
    _ attribute: AttributeDescription,
    _ comparison: Term.Operator
  ) throws(QuickFilterError) -> FetchPredicate {
    if comparison == .has, attribute.type == .text { return contains(term.value, in: expression) }
    if attribute.type == .date, !term.isQuoted, let period = try period(of: term) {
      return period.condition(expression, comparison.comparison)
    }
    let value = try value(term.value, of: attribute, term)
    return compare(expression, comparison.comparison, value, attribute.type)
  }

  /// The predicate of a word: a text in any of some texts, or any of some other values.
  private func word(_ word: String, in subjects: [Subject]) -> FetchPredicate {
    let parts = subjects.compactMap { subject -> FetchPredicate? in
      switch subject {
      case .names(let relationship): return relationship.holds { contains(word, in: $0) }
      case .value(let expression, let attribute):
        if let words = attribute.words {
          return one(of: words, containing: word, in: expression)
        }
        if attribute.type == .text { return contains(word, in: expression) }
        guard let value = try? values.value(word, of: attribute) else { return nil }
        return compare(expression, .equal, value, attribute.type)
      }
    }
    return parts.reduce(.none, ||)
  }

  /// The predicate for one of some words that contains a text, whatever the letter case.
  private func one(
    of words: [String],
    containing sought: String,
    in expression: FetchExpression
  ) -> FetchPredicate {
    let folded = sought.lowercased()
    let matching = words.indices.filter { words[$0].lowercased().contains(folded) }
    return .membership(expression, matching.map { .integer(Int64($0)) })
  }

  /// The predicate for a text that contains another, whatever the letter case, and the marks where they are ignored.
  private func contains(_ sought: String, in expression: FetchExpression) -> FetchPredicate {
    let letters = TextTransform.baseLetters.applied(to: sought)
    // A mark alone has no letter, and would be in every text.
    guard ignoresMarks, !letters.isEmpty else {
      return .text(expression, .contains, sought, caseInsensitive: true)
    }
    return .text(.transformed(.baseLetters, expression), .contains, letters, caseInsensitive: true)
  }

  /// The relationship that a name stands for, in any letter case.
  private func relationship(_ name: String) -> NamedRelationship? {
    fields.named.first { $0.name.lowercased() == name.lowercased() }
  }

  /// The predicate of a term about the names of several related objects.
  private func predicate(
    of term: Term,
    amongNamesOf relationship: NamedRelationship,
    _ comparison: Term.Operator
  ) throws(QuickFilterError) -> FetchPredicate {
    guard !term.value.isEmpty || term.isQuoted else { throw missingValue(of: term) }
    return relationship.holds { name in
      comparison == .has
        ? contains(term.value, in: name)
        : .comparison(name, comparison.comparison, .literal(.text(term.value)))
    }
  }

  private func missingValue(of term: Term) -> QuickFilterError {
    let typed = term.name.map { $0.text + $0.comparison.rawValue } ?? ""
    return QuickFilterError(
      column: term.valueColumn,
      message: "\(typed) needs a value.",
      remedy: "Write it directly behind the sign."
    )
  }

  /// Whether a word without a name is searched in values of a type.
  private func isSearched(_ expression: FetchExpression, _ type: AttributeType) -> Bool {
    let probe: FetchPredicate
    switch type {
    case .boolean, .blob: return false
    case .text: probe = .text(expression, .contains, "a", caseInsensitive: true)
    case .integer16, .integer32, .integer64, .date, .decimal:
      probe = .comparison(expression, .equal, .literal(.integer(0)))
    case .real: probe = .comparison(expression, .equal, .literal(.real(0)))
    }
    return (try? probe.validate(in: entity)) != nil
  }

  /// The attribute or path of a name, or `nil` if there is none.
  private func subject(
    _ name: String,
    of term: Term
  ) throws(QuickFilterError) -> (FetchExpression, AttributeDescription)? {
    let folded = name.lowercased()
    let exact = entity.attribute(named: name)
    if let attribute = exact ?? entity.attributes.first(where: { $0.name.lowercased() == folded }) {
      return (.attribute(attribute.name), attribute)
    }
    if let one = relationship(name) {
      return (one.path, RelatedName.attribute(one.path, of: entity))
    }
    guard name.contains("."), !entity.relationships.isEmpty else { return nil }
    do {
      let path = try FetchExpression(path: name, in: entity, transients: transients)
      return (path, RelatedName.attribute(path, of: entity))
    } catch {
      throw QuickFilterError(
        column: term.column + (term.isNegated ? 1 : 0),
        message: error.message,
        remedy: error.remedy ?? ""
      )
    }
  }

  private func unknown(_ name: String, _ term: Term) -> QuickFilterError {
    let known = fields.form.attributes.map(\.name)
    let hint = NearestName.of(name, among: known).map { "Did you mean “\($0)”?" }
    return QuickFilterError(
      column: term.column + (term.isNegated ? 1 : 0),
      message: "“\(name)” is not an attribute of \(entity.name).",
      remedy: hint ?? "The names are \(known.joined(separator: ", "))."
    )
  }

  /// The time that a word means, such as `last-week`.
  private func period(of term: Term) throws(QuickFilterError) -> TimePeriod? {
    do {
      return try times.wordPeriod(of: term.value)
    } catch {
      throw QuickFilterError(column: term.valueColumn, message: error.message, remedy: error.remedy)
    }
  }

  private func value(
    _ text: String,
    of attribute: AttributeDescription,
    _ term: Term
  ) throws(QuickFilterError) -> Value {
    do {
      return try values.value(text, of: attribute)
    } catch {
      throw QuickFilterError(column: term.valueColumn, message: error.message, remedy: error.remedy)
    }
  }

  /// Compares with a value; a whole day stands for all its instants.
  private func compare(
    _ expression: FetchExpression,
    _ comparison: ComparisonOperator,
    _ value: Value,
    _ type: AttributeType
  ) -> FetchPredicate {
    guard type == .date, let day = value.day else {
      return .comparison(expression, comparison, .literal(value))
    }
    switch comparison {
    case .equal: return .between(expression, day.first, day.last)
    case .notEqual: return .not(.between(expression, day.first, day.last))
    case .less, .greaterOrEqual: return .comparison(expression, comparison, .literal(day.first))
    case .lessOrEqual, .greater: return .comparison(expression, comparison, .literal(day.last))
    }
  }
}

extension Term.Operator {
  fileprivate var comparison: ComparisonOperator {
    switch self {
    case .has, .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    }
  }
}

extension NamedRelationship {
  /// The predicate for the rows for whose related object, or for one of several, a condition on the name is true.
  fileprivate func holds(_ condition: (FetchExpression) -> FetchPredicate) -> FetchPredicate {
    isToMany ? .quantified(.any, [name], condition(.attribute(attribute))) : condition(path)
  }
}

extension FetchPredicate {
  /// The predicate for all rows for which this one is not true, also where it is unknown.
  fileprivate var isNotTrue: FetchPredicate {
    switch self {
    case .or(let parts): parts.map(\.isNotTrue).reduce(.all, &&)
    case .comparison(let left, _, _): .isNull(left) || .not(self)
    case .text(.transformed(_, let left), _, _, _): .isNull(left) || .not(self)
    case .text(let left, _, _, _), .between(let left, _, _): .isNull(left) || .not(self)
    case .relative(let left, _, _): .isNull(left) || .not(self)
    case .and(let parts): parts.map(\.isNotTrue).reduce(.none, ||)
    case .not(let inner): inner || subjectIsNull
    default: .not(self)
    }
  }

  /// Whether the expression inside of a negation is null.
  private var subjectIsNull: FetchPredicate {
    if case .not(.between(let expression, _, _)) = self { .isNull(expression) } else { .none }
  }
}

extension String {
  /// The two ends of `low..high`.
  fileprivate var range: (low: String, high: String)? {
    let parts = split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  /// Whether it could be a misspelt name: letters, digits and underscores that begin with a letter.
  fileprivate var isName: Bool {
    guard let first, first.isLetter else { return false }
    return allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}

extension Value {
  /// The first and the last instant of the day in UTC, if the value is a whole day.
  fileprivate var day: (first: Value, last: Value)? {
    let length: Int64 = 86_400_000_000
    guard let day = integer.flatMap({ Instant(microseconds: $0).wholeDay }) else { return nil }
    let (first, overflow) = day.multipliedReportingOverflow(by: length)
    let (last, carry) = first.addingReportingOverflow(length - 1)
    return overflow || carry ? nil : (.integer(first), .integer(last))
  }
}
