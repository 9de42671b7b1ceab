/// A day of the proleptic Gregorian calendar that exists.
struct CivilDate: Hashable, Sendable {
  let year: Int
  let month: Int
  let day: Int

  /// The day, or `nil` if there is none such.
  init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= CivilDate.days(in: month, of: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Days since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms",
  /// days_from_civil).
  var daysSince1970: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}
