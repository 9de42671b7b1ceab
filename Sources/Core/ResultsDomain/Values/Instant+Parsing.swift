extension Instant {
  /// Reads an ISO 8601 date and time with an offset, such as `2024-02-29T08:30:00.5+09:00`.
  ///
  /// A date alone is its midnight UTC. Seconds may be left out; `T` may be a space; the offset is `Z`, `±hh:mm`, `±hhmm`
  /// or `±hh`, and a time without one gives `nil`, because it names no instant. Digits beyond microseconds are
  /// dropped. Years have four to six digits and may be negative, by the proleptic Gregorian calendar.
  /// - Complexity: O(*n*) in the bytes.
  public init?(iso8601 text: String) {
    var reader = DigitReader(text)
    guard let days = reader.days() else { return nil }
    var seconds: Int64 = 0
    var fraction: Int64 = 0
    if !reader.isAtEnd {
      guard reader.skip("T") || reader.skip("t") || reader.skip(" "),
        let time = reader.time(),
        let offset = reader.offset(),
        reader.isAtEnd
      else { return nil }
      seconds = time.seconds - offset
      fraction = time.fraction
    }
    let (whole, overflow) = (days * 86_400 + seconds).multipliedReportingOverflow(by: 1_000_000)
    let (sum, carry) = whole.addingReportingOverflow(fraction)
    // The first representable second begins before the first representable microsecond.
    if overflow, let earliest = Instant.inFirstSecond(days * 86_400 + seconds, fraction) {
      self = earliest
      return
    }
    guard !overflow, !carry else { return nil }
    self.init(microseconds: sum)
  }

  private static func inFirstSecond(_ seconds: Int64, _ fraction: Int64) -> Instant? {
    let (whole, overflow) = (seconds + 1).multipliedReportingOverflow(by: 1_000_000)
    guard !overflow, seconds < 0 else { return nil }
    let (sum, carry) = whole.addingReportingOverflow(fraction - 1_000_000)
    return carry ? nil : Instant(microseconds: sum)
  }
}

private struct DigitReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { place == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func number(digits: ClosedRange<Int>) -> Int64? {
    var (value, count) = (Int64(0), 0)
    while count < digits.upperBound, place < bytes.count,
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place])
    {
      value = value * 10 + Int64(bytes[place] - UInt8(ascii: "0"))
      place += 1
      count += 1
    }
    return count >= digits.lowerBound ? value : nil
  }

  private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
    number(digits: 2...2).flatMap { range.contains($0) ? $0 : nil }
  }

  /// Days since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil).
  mutating func days() -> Int64? {
    let isNegative = skip("-")
    guard let digits = number(digits: 4...6), !(isNegative && digits == 0), skip("-"),
      let month = number(1...12), skip("-"), let day = number(1...31)
    else { return nil }
    let civilYear = isNegative ? -digits : digits
    let isLeap = civilYear % 4 == 0 && (civilYear % 100 != 0 || civilYear % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[Int(month) - 1] else { return nil }
    let year = month <= 2 ? civilYear - 1 : civilYear
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  mutating func time() -> (seconds: Int64, fraction: Int64)? {
    guard let hour = number(0...23), skip(":"), let minute = number(0...59) else { return nil }
    var second: Int64 = 0
    var fraction: Int64 = 0
    if skip(":") {
      guard let found = number(0...59) else { return nil }
      second = found
      if skip(".") || skip(",") {
        let start = place
        guard let digits = number(digits: 1...6) else { return nil }
        fraction = (place - start..<6).reduce(digits) { value, _ in value * 10 }
        while number(digits: 1...1) != nil {}
      }
    }
    return (hour * 3600 + minute * 60 + second, fraction)
  }

  /// Seconds east of Greenwich.
  mutating func offset() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let isWest = skip("-")
    guard isWest || skip("+"), let hours = number(0...23) else { return nil }
    var minutes: Int64 = 0
    if skip(":") || !isAtEnd {
      guard let found = number(0...59) else { return nil }
      minutes = found
    }
    let seconds = hours * 3600 + minutes * 60
    return isWest ? -seconds : seconds
  }
}
