/// How an attribute's values are written in a database that another application made.
///
/// A value stays as it is stored, and order and equality are those of the stored bytes. The form says which logical value it
/// stands for: the one that is shown, and that a constant of a condition is converted from. A stored value that does not
/// have the form exactly has no logical value and is shown as it is.
public enum StoredForm: Hashable, Sendable {
  /// A date as `yyyy-MM-dd HH:mm:ss` in UTC with a fixed number of digits of a fraction: 3 in GRDB, 6 in SQLAlchemy.
  case dateText(digits: Int)
  /// A date as `yyyy-MM-dd HH:mm:ss` in UTC, followed by a point and six digits of a fraction unless it is zero, as Rails and Django store
  /// it.
  case dateTextOmittingZeroFraction
  /// A date without a time as `yyyy-MM-dd`, a whole day (`Instant.wholeDay`).
  case dayText
  /// A date as `yyyy-MM-ddTHH:mm:ssZ` with a fixed number of digits of a fraction.
  case iso8601(digits: Int)
  /// A date as seconds since 1970-01-01 UTC, an integer or a real.
  ///
  /// A real holds microseconds exactly up to 2^33 seconds before and after the epoch, and milliseconds beyond; other dates have no
  /// stored value.
  case epochSeconds
  /// A date as milliseconds since 1970-01-01 UTC, an integer or a real.
  case epochMilliseconds
  /// A date as seconds since 2001-01-01 UTC, as Core Data stores it; as exact as `epochSeconds`.
  case referenceSeconds
  /// A date as microseconds since 1601-01-01 UTC, as Chromium stores it; 0 is no date.
  case fileTimeMicroseconds
  /// A UUID as text with dashes.
  case uuidText(isUppercase: Bool)
  /// A UUID as 32 small hexadecimal digits, as Django stores it.
  case uuidHex
  /// A UUID as 16 bytes.
  case uuidBlob
  /// An exact decimal as text, which does not sort by its bytes.
  case decimalText
  /// JSON as text, whose bytes say nothing about order or equality.
  case json
  /// One of some words as its number among them, from 0, so that they sort in their order, such as the levels of a log.
  ///
  /// A new word comes last: the numbers of those that are stored stay.
  case words([String])
}

extension StoredForm {
  /// The type of the logical values: dates, or texts.
  public var type: AttributeType {
    switch self {
    case .dateText, .dateTextOmittingZeroFraction, .dayText, .iso8601, .epochSeconds,
      .epochMilliseconds, .referenceSeconds, .fileTimeMicroseconds:
      .date
    case .uuidText, .uuidHex, .uuidBlob, .decimalText, .json, .words: .text
    }
  }

  /// The storage class of the values that it writes.
  public var storage: StorageClass {
    switch self {
    case .dateText, .dateTextOmittingZeroFraction, .dayText, .iso8601, .uuidText, .uuidHex,
      .decimalText, .json:
      .text
    case .epochSeconds, .epochMilliseconds, .fileTimeMicroseconds, .words: .integer
    case .referenceSeconds: .real
    case .uuidBlob: .blob
    }
  }

  /// What to do instead of ordering by the form, or `nil` if its bytes sort like the logical values.
  public var orderRemedy: String? {
    switch self {
    case .decimalText:
      "Its texts do not sort as numbers. Add a calculated column with the number, such as CAST(x AS REAL)."
    case .json: "JSON has no order. Add a calculated column with the part to sort by."
    default: nil
    }
  }

  /// What to do instead of comparing values of the form with `==` or `IN`, or `nil` if each value has one text.
  public var equalityRemedy: String? {
    switch self {
    case .decimalText:
      "One number has several texts, such as 1.5 and 1.50. Compare a calculated column with the number, such as CAST(x AS REAL), or the text with LIKE."
    case .json:
      "One value has several texts. Compare a calculated column with a part of it, such as json_extract(x, '$.name'), or the text with CONTAINS."
    default: nil
    }
  }

  /// Returns the logical value that a stored value stands for, or `nil` if it does not have the form exactly.
  ///
  /// Dates are integers of microseconds since 1970, UUIDs are texts with capital letters and dashes.
  /// - Complexity: O(*n*) in the bytes.
  public func logical(_ stored: Value) -> Value? {
    guard let logical = decoded(stored) else { return nil }
    // What would be written differently does not have the form, and would not be found by its logical value.
    guard let written = self.stored(logical), Value.compare(written, stored) == .same else {
      return nil
    }
    return logical
  }

  /// Returns the value that is stored for a logical value, or `nil` if the form has none.
  /// - Complexity: O(*n*) in the bytes.
  public func stored(_ logical: Value) -> Value? {
    switch (self, logical) {
    case (_, .null): .null
    case (.dateText(let digits), .integer(let date)):
      StoredForm.text(Instant(microseconds: date), separator: " ", digits: digits, end: "")
    case (.dateTextOmittingZeroFraction, .integer(let date)):
      StoredForm.text(
        Instant(microseconds: date),
        separator: " ",
        digits: date % 1_000_000 == 0 ? 0 : 6,
        end: ""
      )
    case (.dayText, .integer(let date)): StoredForm.day(Instant(microseconds: date))
    case (.iso8601(let digits), .integer(let date)):
      StoredForm.text(Instant(microseconds: date), separator: "T", digits: digits, end: "Z")
    case (.epochSeconds, .integer), (.epochMilliseconds, .integer), (.referenceSeconds, .integer):
      // A double may only be near the date.
      nearestCount(to: logical).flatMap { decoded($0) == logical ? $0 : nil }
    case (.fileTimeMicroseconds, .integer(let date)):
      StoredForm.sum(date, 11_644_473_600_000_000).map { .integer($0) }
    case (.uuidText(let isUppercase), .text(let text)):
      UUIDText.bytes(of: text).map { .text(UUIDText.text(of: $0, isUppercase: isUppercase)) }
    case (.uuidHex, .text(let text)):
      UUIDText.bytes(of: text).map { .text(UUIDText.digits(of: $0)) }
    case (.uuidBlob, .text(let text)): UUIDText.bytes(of: text).map { .blob($0) }
    case (.decimalText, .text(let text)): StoredForm.isDecimal(text) ? logical : nil
    case (.json, .text): logical
    case (.words(let words), .text(let text)):
      words.firstIndex { $0.hasSameBytes(as: text) }.map { .integer(Int64($0)) }
    default: nil
    }
  }

  /// Returns the greatest stored value that stands for no later date, or `nil` if the form has none.
  ///
  /// Comparing stored values with it is comparing their dates with `date`, microseconds since 1970, even if the form cannot hold that
  /// date.
  func stored(notAfter date: Int64) -> Value? {
    if let exact = stored(.integer(date)) { return exact }
    switch self {
    case .dayText:
      // The last whole day whose instant is not later.
      let perDay: Int64 = 86_400_000_000
      let rest = ((date % perDay) + perDay) % perDay
      guard let midnight = StoredForm.sum(date, -rest),
        let day = Instant(wholeDay: midnight / perDay),
        let before = Instant(wholeDay: midnight / perDay - 1)
      else { return nil }
      return stored(.integer(day.microseconds <= date ? day.microseconds : before.microseconds))
    case .dateText(let digits), .iso8601(let digits):
      guard (0...6).contains(digits) else { return nil }
      let unit = (digits..<6).reduce(Int64(1)) { unit, _ in unit * 10 }
      let rest = date % unit
      return StoredForm.sum(date, -(rest < 0 ? rest + unit : rest)).flatMap { stored(.integer($0)) }
    case .epochSeconds, .epochMilliseconds, .referenceSeconds:
      guard let nearest = nearestCount(to: .integer(date)), case .real(let count) = nearest,
        case .integer(let found) = decoded(nearest)
      else { return nil }
      return found <= date ? nearest : .real(count.nextDown)
    default: return nil
    }
  }

  /// Returns the latest date whose stored value is not after a stored one, in microseconds since 1970; `nil` for a text that does not have
  /// the form exactly, and for other values that are no dates.
  ///
  /// It never decreases as stored values grow, so that dates between two bounds are stored between the bounds' values.
  package func date(notAfter stored: Value) -> Int64? {
    guard type == .date, case .integer(let date)? = decoded(stored) else { return nil }
    guard let written = self.stored(notAfter: date) else { return nil }
    switch Value.compare(written, stored) {
    case .same: return date
    case .ascending: return storage == .text ? nil : date
    case .descending: return storage == .text ? nil : StoredForm.sum(date, -1)
    }
  }

  /// The count of seconds or milliseconds that is nearest to a date.
  private func nearestCount(to logical: Value) -> Value? {
    guard case .integer(let date) = logical else { return nil }
    switch self {
    case .epochSeconds: return StoredForm.count(date, unit: 1_000_000)
    case .epochMilliseconds: return StoredForm.count(date, unit: 1000)
    case .referenceSeconds:
      guard let since = StoredForm.sum(date, -978_307_200_000_000) else { return nil }
      let count = StoredForm.count(since, unit: 1_000_000)
      if case .integer(let seconds) = count { return .real(Double(seconds)) }
      return count
    default: return nil
    }
  }

  private func decoded(_ stored: Value) -> Value? {
    switch (self, stored) {
    case (.dateText, .text(let text)), (.dateTextOmittingZeroFraction, .text(let text)):
      return text.utf8.count > 10 ? StoredForm.date(text + "Z") : nil
    case (.dayText, .text(let text)):
      guard text.utf8.count == 10, let day = Instant(plainText: text) else { return nil }
      return .integer(day.microseconds)
    case (.iso8601, .text(let text)): return StoredForm.date(text)
    case (.epochSeconds, _): return StoredForm.date(stored, unit: 1_000_000, since: 0)
    case (.epochMilliseconds, _): return StoredForm.date(stored, unit: 1000, since: 0)
    case (.referenceSeconds, _):
      return StoredForm.date(stored, unit: 1_000_000, since: 978_307_200_000_000)
    case (.fileTimeMicroseconds, .integer(let count)) where count != 0:
      return StoredForm.sum(count, -11_644_473_600_000_000).map { .integer($0) }
    case (.uuidText, .text(let text)), (.uuidHex, .text(let text)):
      return UUIDText.bytes(of: text).map { .text(UUIDText.text(of: $0, isUppercase: true)) }
    case (.uuidBlob, .blob(let bytes)) where bytes.count == 16:
      return .text(UUIDText.text(of: bytes, isUppercase: true))
    case (.decimalText, .text), (.json, .text): return stored
    case (.words(let words), .integer(let number)):
      return Int(exactly: number).flatMap { words.indices.contains($0) ? .text(words[$0]) : nil }
    default: return nil
    }
  }

  /// Whether a text is a sign, digits and a fraction, of any length.
  private static func isDecimal(_ text: String) -> Bool {
    let unsigned = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    let parts = unsigned.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (1...2).contains(parts.count)
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { (0x30...0x39).contains($0) }
      }
  }

  // MARK: - Dates

  private static func date(_ text: String) -> Value? {
    Instant(iso8601: text).map { .integer($0.microseconds) }
  }

  /// The date of a count of a unit of microseconds since an epoch, to the nearest microsecond.
  ///
  /// Where doubles are more than a microsecond apart, it is the whole millisecond that is written as the same double, if there is one.
  private static func date(_ stored: Value, unit: Int64, since epoch: Int64) -> Value? {
    switch stored {
    case .integer(let count):
      let (product, overflow) = count.multipliedReportingOverflow(by: unit)
      return overflow ? nil : sum(product, epoch).map { .integer($0) }
    case .real(let real):
      guard real.magnitude < 0x1p62 else { return nil }
      // The whole part and the fraction are exact. `rounded()` would need the C library, which is not linked without Foundation.
      let whole = Int64(real)
      let rest = (real - Double(whole)) * Double(unit)
      let (product, overflow) = whole.multipliedReportingOverflow(by: unit)
      guard !overflow, let date = sum(product, Int64(rest + (rest < 0 ? -0.5 : 0.5))) else {
        return nil
      }
      if real.ulp * Double(unit) > 1, let shifted = sum(date, date < 0 ? -500 : 500) {
        let milliseconds = shifted / 1000 * 1000
        if case .real(real) = count(milliseconds, unit: unit) {
          return sum(milliseconds, epoch).map { .integer($0) }
        }
      }
      return sum(date, epoch).map { .integer($0) }
    case .null, .text, .blob, .illFormedText: return nil
    }
  }

  /// The count of a unit that is nearest to some microseconds: an integer if it is whole, else a real.
  private static func count(_ microseconds: Int64, unit: Int64) -> Value {
    let (count, rest) = microseconds.quotientAndRemainder(dividingBy: unit)
    guard rest != 0 else { return .integer(count) }
    // Below 2^53 the division rounds once. Above, the sum does: its last digit is much larger than the fraction's error.
    return .real(
      microseconds.magnitude < 1 << 53
        ? Double(microseconds) / Double(unit) : Double(count) + Double(rest) / Double(unit)
    )
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64? {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? nil : sum
  }

  /// A whole day without its time; `nil` for any other date, and for a year that needs a sign.
  private static func day(_ date: Instant) -> Value? {
    guard date.wholeDay != nil, date.plainText.utf8.count == 10 else { return nil }
    return .text(date.plainText)
  }

  /// A date with a fixed number of digits of a fraction; `nil` if that would lose a part of it, or for a year that needs a sign.
  private static func text(
    _ date: Instant,
    separator: String,
    digits: Int,
    end: String
  ) -> Value? {
    // `iso8601` ends with `Z` and has a fraction of 1 to 6 digits, if it is not 0.
    let text = date.iso8601
    guard text.utf8.count >= 20, text.utf8.first != UInt8(ascii: "-"), (0...6).contains(digits)
    else { return nil }
    let day = text.prefix { $0 != "T" }
    let time = text.dropFirst(day.count + 1).dropLast()
    let whole = time.prefix(8)
    let fraction = time.dropFirst(9)
    guard day.utf8.count == 10, fraction.count <= digits else { return nil }
    let padding = String(repeating: "0", count: digits - fraction.count)
    return .text("\(day)\(separator)\(whole)\(digits > 0 ? "." + fraction + padding : "")\(end)")
  }
}

/// The text of a UUID (RFC 9562, 4).
private enum UUIDText {
  /// The bytes of 32 hexadecimal digits, with or without dashes at their positions; `nil` for any other text.
  static func bytes(of text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count == 32 || characters.count == 36 else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for (index, character) in characters.enumerated() {
      if characters.count == 36, [8, 13, 18, 23].contains(index) {
        guard character == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch character {
      case 0x30...0x39: digit = character - 0x30
      case 0x41...0x46: digit = character - 0x37
      case 0x61...0x66: digit = character - 0x57
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }

  /// The 32 small digits of some bytes.
  static func digits(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }

  /// The digits of some bytes with dashes.
  static func text(of bytes: [UInt8], isUppercase: Bool) -> String {
    var text = ""
    for (index, digit) in digits(of: bytes).enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return isUppercase ? text.uppercased() : text
  }
}

// MARK: - Attributes

extension AttributeDescription {
  /// The words that are the values, by their numbers, or `nil` for other values.
  package var words: [String]? { if case .words(let words)? = form { words } else { nil } }

  /// Returns the type and the logical value by which a stored value is shown: those of the form if the value has it, else of its
  /// own storage class if it does not belong to the attribute's type.
  /// - Complexity: O(*n*) in the bytes.
  public func shown(_ stored: Value) -> (type: AttributeType, value: Value) {
    if let form {
      if let logical = form.logical(stored) { return (form.type, logical) }
    } else if !holdsAnyValue && !showsIntegers || stored.storage == type.storage
      || type == .real && !showsIntegers
    {
      return (type, stored)
    }
    switch stored {
    case .integer: return (.integer64, stored)
    case .real: return (.real, stored)
    case .null, .text, .illFormedText: return (.text, stored)
    case .blob: return (.blob, stored)
    }
  }

  /// Returns the locale-independent text of a stored value, by its form if it has one.
  /// - Complexity: O(*n*) in the bytes.
  public func machineText(of stored: Value) -> String {
    let (type, value) = shown(stored)
    return type.machineText(of: value)
  }

  /// Returns the stored value of a locale-independent text, or `nil` if the text is not a value of this attribute.
  /// - Complexity: O(*n*) in the bytes.
  public func value(parsing text: String) -> Value? {
    guard let form else { return type.value(parsing: text) }
    if form.type == .date {
      // A date without a time is its midnight, or a whole day where the form has no times.
      let instants = [Instant(iso8601: text), Instant(plainText: text)]
      return instants.lazy.compactMap { $0.flatMap { form.stored(.integer($0.microseconds)) } }
        .first
    }
    return form.stored(.text(text))
  }
}

extension FetchPredicate {
  /// The predicate with constants as they are stored, where they are compared with attributes that have a form.
  ///
  /// A date that the form cannot hold lies between two that it can, and the comparison is made with the earlier one. Any other
  /// constant for which the form has no stored value stays as it is. Conditions on related objects have their own entity, and are
  /// not converted.
  func storing(in entity: EntityDescription) -> FetchPredicate {
    switch self {
    case .comparison(let left, let comparison, .literal(let value)):
      left.form(in: entity)?.predicate(left, comparison, value) ?? self
    case .comparison(.literal(let value), let comparison, let right):
      right.form(in: entity)?.predicate(value, comparison, right) ?? self
    case .between(let expression, let low, let high):
      expression.form(in: entity)?.predicate(expression, from: low, through: high) ?? self
    case .membership(let expression, let values):
      if let form = expression.form(in: entity) {
        .membership(expression, values.compactMap { form.stored($0) ?? form.unconverted($0) })
      } else {
        self
      }
    case .not(let inner): .not(inner.storing(in: entity))
    case .and(let parts): .and(parts.map { $0.storing(in: entity) })
    case .or(let parts): .or(parts.map { $0.storing(in: entity) })
    default: self
    }
  }

  /// The predicate with the logical values of constants, where they are compared with attributes that have a form.
  func showing(in entity: EntityDescription) -> FetchPredicate {
    func shown(_ value: Value, _ expression: FetchExpression) -> Value {
      expression.form(in: entity)?.logical(value) ?? value
    }
    return switch self {
    case .comparison(let left, let comparison, .literal(let value)):
      .comparison(left.showing(in: entity), comparison, .literal(shown(value, left)))
    case .comparison(.literal(let value), let comparison, let right):
      .comparison(.literal(shown(value, right)), comparison, right.showing(in: entity))
    case .between(let expression, let low, let high):
      .between(expression.showing(in: entity), shown(low, expression), shown(high, expression))
    case .membership(let expression, let values):
      .membership(expression.showing(in: entity), values.map { shown($0, expression) })
    case .not(let inner): .not(inner.showing(in: entity))
    case .and(let parts): .and(parts.map { $0.showing(in: entity) })
    case .or(let parts): .or(parts.map { $0.showing(in: entity) })
    case .quantified(let quantifier, let steps, let inner):
      .quantified(quantifier, steps, inner.showing(along: steps, in: entity))
    default: self
    }
  }

  fileprivate func showing(along steps: [String], in entity: EntityDescription) -> FetchPredicate {
    entity.destination(along: steps).map { showing(in: $0) } ?? self
  }
}

extension StoredForm {
  /// A comparison with a logical value, as one with stored values; `nil` if nothing is to be converted.
  fileprivate func predicate(
    _ expression: FetchExpression,
    _ comparison: ComparisonOperator,
    _ value: Value
  ) -> FetchPredicate? {
    if let stored = stored(value) { return .comparison(expression, comparison, .literal(stored)) }
    guard let earlier = earlier(value) else { return nil }
    let after = FetchPredicate.comparison(expression, .greater, .literal(earlier))
    let through = FetchPredicate.comparison(expression, .lessOrEqual, .literal(earlier))
    // No value is equal, and null is still neither equal nor unequal.
    return switch comparison {
    case .less, .lessOrEqual: through
    case .greater, .greaterOrEqual: after
    case .equal: .and([through, after])
    case .notEqual: .or([through, after])
    }
  }

  fileprivate func predicate(
    _ value: Value,
    _ comparison: ComparisonOperator,
    _ expression: FetchExpression
  ) -> FetchPredicate? {
    if let stored = stored(value) { return .comparison(.literal(stored), comparison, expression) }
    return predicate(expression, comparison.mirrored, value)
  }

  fileprivate func predicate(
    _ expression: FetchExpression,
    from low: Value,
    through high: Value
  ) -> FetchPredicate? {
    let end = stored(high) ?? earlier(high) ?? high
    if let start = stored(low) { return .between(expression, start, end) }
    guard let before = earlier(low) else { return .between(expression, low, end) }
    return .and([
      .comparison(expression, .greater, .literal(before)),
      .comparison(expression, .lessOrEqual, .literal(end)),
    ])
  }

  /// The greatest stored value before a date that the form cannot hold; `nil` for any other value.
  private func earlier(_ value: Value) -> Value? {
    guard type == .date, case .integer(let date) = value else { return nil }
    return stored(notAfter: date)
  }

  /// A member of a list that cannot be converted; `nil` for a date, which no stored value equals.
  fileprivate func unconverted(_ value: Value) -> Value? { earlier(value) == nil ? value : nil }
}

extension FetchExpression {
  /// The form of the attribute that the expression is, with another value for null or not, or `nil`.
  package func form(in entity: EntityDescription) -> StoredForm? {
    switch self {
    case .attribute(let name): entity.attribute(named: name)?.form
    case .ifNull(let inner, _): inner.form(in: entity)
    case .related(let steps, let inner):
      entity.destination(along: steps).flatMap { inner.form(in: $0) }
    default: nil
    }
  }

  /// Whether whole numbers among its values are integers, and shown as such.
  package func showsIntegers(in entity: EntityDescription) -> Bool {
    switch self {
    case .attribute(let name): entity.attribute(named: name)?.showsIntegers ?? false
    case .ifNull: operands.contains { $0.showsIntegers(in: entity) }
    case .related(let steps, let inner):
      entity.destination(along: steps).map { inner.showsIntegers(in: $0) } ?? false
    default: false
    }
  }

  /// The expression with its constant for null as it is stored, if it replaces a value that has a form.
  ///
  /// A date without a time is its midnight in UTC. A constant for which the form has no stored value stays as it is.
  func storing(in entity: EntityDescription) -> FetchExpression {
    guard case .ifNull(let inner, .literal(let value)) = self, let form = inner.form(in: entity)
    else { return self }
    var logical = value
    if form.type == .date, case .integer(let date) = value,
      let day = Instant(microseconds: date).wholeDay
    {
      logical = .integer(day * 86_400_000_000)
    }
    return .ifNull(inner, form.stored(logical) ?? value)
  }

  /// The expression with the logical values of constants that replace null, and in the condition of related objects.
  fileprivate func showing(in entity: EntityDescription) -> FetchExpression {
    guard case .relatedAggregate(let steps, let function, let inner, let predicate) = self else {
      return showingConstants(in: entity)
    }
    return .relatedAggregate(
      steps,
      function,
      inner,
      where: predicate.showing(along: steps, in: entity)
    )
  }

  /// The expression with the logical values of constants that replace null.
  private func showingConstants(in entity: EntityDescription) -> FetchExpression {
    switch self {
    case .ifNull(let inner, .literal(let value)):
      return .ifNull(
        inner.showingConstants(in: entity),
        inner.form(in: entity)?.logical(value) ?? value
      )
    case .ifNull(let inner, let other):
      return .ifNull(inner.showingConstants(in: entity), other.showingConstants(in: entity))
    case .related(let steps, let inner):
      guard let destination = entity.destination(along: steps) else { return self }
      return .related(steps, inner.showingConstants(in: destination))
    case .prefix(let inner, let length):
      return .prefix(inner.showingConstants(in: entity), length: length)
    case .lowercased(let inner): return .lowercased(inner.showingConstants(in: entity))
    case .uppercased(let inner): return .uppercased(inner.showingConstants(in: entity))
    case .length(let inner): return .length(inner.showingConstants(in: entity))
    case .bucket(let inner, let width):
      return .bucket(inner.showingConstants(in: entity), width: width)
    case .transformed(let transform, let inner):
      return .transformed(transform, inner.showingConstants(in: entity))
    case .attribute, .objectKey, .literal, .relatedAggregate: return self
    }
  }
}
