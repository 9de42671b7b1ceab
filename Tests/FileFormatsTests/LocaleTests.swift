import Foundation
import ResultsDomain
import ResultsTesting
import Testing

@testable import FileFormats

@Suite("StrictNumber")
struct StrictNumberTests {
  @Test(
    arguments: [
      (nil, "1234.5", 2, "1234.50"), (nil, "-3480", 0, "-3480"), (nil, "+5", 0, "5"),
      (nil, "1,234", 2, nil),
      (nil, "1.5", 0, nil), (nil, "１２", 0, "12"), (nil, "007", 0, nil), (nil, "", 0, nil),
      (nil, ".5", 1, nil),
      ("en_US", "1.234,5", 4, nil), ("ja_JP", "3,48", 2, nil), ("en_US", "1234.", 2, nil),
      ("ja_JP", "3,480", 0, "3480"),
      ("en_IN", "12,34,567", 0, "1234567"), ("en_US", "12,34,567", 0, nil),
      ("de_DE", "1.234,50", 2, "1234.50"),
      ("de_DE", "1.234", 2, "1234.00"), ("de_DE", "1234,5", 2, "1234.50"),
      ("de_DE", "1.23", 2, nil), ("de_DE", "1,234.5", 2, nil),
      ("en_US", "1,234.56", 2, "1234.56"), ("en_US", "1,234.567", 2, nil),
      ("ja_JP", "１，２３４", 0, "1234"),
      ("ja_JP", "¥1,234", 0, nil), ("de_DE", "¥1,234", 0, nil), ("fr_FR", "1 234,5", 1, "1234.5"),
      ("fr_FR", "1\u{202F}234,5", 1, "1234.5"), ("de_CH", "1'234.50", 2, "1234.50"),
      ("en_US", "-1,234", 0, "-1234"),
      ("en_US", "\u{2212}5", 0, "-5"), ("sv_SE", "-5", 0, "-5"), ("en_US", "--5", 0, nil),
      ("en_US", "5-", 0, nil),
      ("en_US", "1e3", 0, nil), ("en_US", "12x", 0, nil), ("en_US", "0x10", 0, nil),
      ("en_US", "1905年", 0, nil),
      ("en_US", "9223372036854775807", 0, "9223372036854775807"),
      ("en_US", "9223372036854775808", 0, nil),
      ("en_US", "9007199254740993.5", 1, "9007199254740993.5"),
      ("en_US", "9,223,372,036,854,775,807", 2, nil),
      ("en_US", "007", 0, nil), ("en_US", "0.50", 2, "0.50"), ("en_US", ".5", 1, nil),
      ("en_US", "1 234", 0, nil),
      ("ar_EG", "١٬٢٣٤٫٥", 1, "1234.5"), ("en_US", " 5 ", 0, "5"), ("en_US", "", 0, nil),
      ("en_US", "-", 0, nil),
      ("en_US", ",5", 0, nil), ("en_US", "NaN", 0, nil), ("en_US", "1,23,456", 0, nil),
      ("en_US", "0", 2, "0.00"),
    ] as [(String?, String, Int, String?)]
  )
  func `a number is parsed only in the form in which it would be formatted`(
    locale: String?,
    text: String,
    scale: Int,
    expected: String?
  ) {
    let number = try? StrictNumber(locale: locale).decimal(of: text, scale: scale)
    #expect(number?.description == expected)
    if let number { #expect(number.scale == scale) }
  }

  @Test(arguments: [
    nil, "en_US", "de_DE", "ja_JP", "fr_FR", "en_IN", "de_CH", "ar_EG", "es_ES", "hi_IN", "fa_IR",
  ])
  func `a formatted number is parsed again`(locale: String?) throws {
    let strict = StrictNumber(locale: locale)
    var generator = SeededGenerator(seed: 17)
    for _ in 0..<200 {
      let units =
        Int64.random(in: .min ... .max, using: &generator)
        >> Int64.random(in: 0...62, using: &generator)
      let number = ExactDecimal(units: units, scale: Int.random(in: 0...4, using: &generator))
      let text = strict.text(of: number)
      #expect(try strict.decimal(of: text, scale: number.scale) == number, "\(text)")
    }
  }

  @Test(arguments: 0...18)
  func `a number can be refused at every scale`(scale: Int) {
    #expect(throws: LocaleTextError.self) {
      try StrictNumber(locale: "ja_JP").decimal(of: "x", scale: scale)
    }
  }

  @Test(arguments: ["99999999999999999999", "-92233720368547758.99"], [nil, "en_US", "de_DE"])
  func `a number that is too large is called so`(_ text: String, _ locale: String?) {
    let error = #expect(throws: LocaleTextError.self) {
      try StrictNumber(locale: locale).decimal(of: text, scale: 2)
    }
    #expect(error?.description == "“\(text)” is too large. Write a smaller number.")
  }

  @Test func `the error shows the expected form`() {
    let error = #expect(throws: LocaleTextError.self) {
      try StrictNumber(locale: "de_DE").decimal(of: "1,234.5", scale: 2)
    }
    #expect(
      error?.description
        == "“1,234.5” is not a number in this locale. Write numbers as in “9.876,05”."
    )
    let fine = #expect(throws: LocaleTextError.self) {
      try StrictNumber(locale: "ja_JP").decimal(of: "3.5", scale: 0)
    }
    #expect(
      fine?.description
        == "“3.5” has 1 decimal place. Write a number without decimals, as in “9,876”."
    )
  }

  @Test(
    arguments: [
      ("ja_JP", "1.234", 0, "If thousands are meant, write “1234”; otherwise a number"),
      (nil, "-1.234", 2, "If thousands are meant, write “-1234”; otherwise at most 2 decimal"),
      ("de_DE", "1,234", 2, "If thousands are meant, write “1234”; otherwise at most 2 decimal"),
      ("en_US", "1.2345", 2, "Write at most 2 decimal places, as in “9,876.05”."),
      ("en_US", "1.23", 1, "Write at most 1 decimal place, as in “9,876.5”."),
    ] as [(String?, String, Int, String)]
  )
  func `the remedy names both meanings of a separator that may group thousands`(
    locale: String?,
    text: String,
    scale: Int,
    remedy: String
  ) throws {
    let strict = StrictNumber(locale: locale)
    let error = #expect(throws: LocaleTextError.self) {
      try strict.decimal(of: text, scale: scale)
    }
    #expect(error?.remedy.hasPrefix(remedy) == true, "\(String(describing: error))")
    // The proposed form is accepted.
    let quoted = error?.remedy.split { "“”".contains($0) }
    let proposals = zip(0..., quoted ?? []).filter { !$0.0.isMultiple(of: 2) }.map(\.1)
    for proposal in proposals { _ = try strict.decimal(of: String(proposal), scale: scale) }
  }
}

@Suite("StrictDate")
struct StrictDateTests {
  @Test(
    arguments: [
      ("2026-11-03", nil, "2026-11-03"), ("2011-12-30", nil, "2011-12-30"),
      ("2026-11-03T09:00:00+09:00", nil, "2026-11-03T00:00:00Z"),
      ("2026-11-03T12:00:00Z", nil, "2026-11-03T12:00:00Z"),
      ("2026-11-03T09:00", nil, nil),
      ("2026-02-29", nil, nil), ("2024-02-29", nil, "2024-02-29"),
      ("2026-11-3", nil, "2026-11-03"), ("2026/11/3", nil, "2026-11-03"),
      ("2026.11.03", nil, "2026-11-03"), ("2026/11-03", nil, nil), ("2026/2/30", nil, nil),
      ("26/11/3", nil, nil), ("3/11/2026", nil, nil),
      ("2026/11/3", "ja_JP", "2026-11-03"), ("2026/11/03", "ja_JP", "2026-11-03"),
      ("２０２６／１１／３", "ja_JP", "2026-11-03"), ("2026年11月3日", "ja_JP", "2026-11-03"),
      ("11/3/2026", "en_US", "2026-11-03"), ("3.11.2026", "de_DE", "2026-11-03"),
      ("03.11.2026", "de_DE", "2026-11-03"), ("3/11/2026", "fr_FR", "2026-11-03"),
      ("13/11/2026", "en_US", nil), ("2026/11/3", "en_US", "2026-11-03"),
      ("11/3/26", "en_US", nil), ("2026/2/30", "ja_JP", nil), ("3.11.2026x", "de_DE", nil),
      ("", "ja_JP", nil), ("2026-11-03", "ja_JP", "2026-11-03"),
      ("2026/11/3", "ja_JP@calendar=japanese", "2026-11-03"),
      ("today", "en_US", nil), ("20261103", "ja_JP", nil), ("2026/11/3 9:00", "ja_JP", nil),
    ] as [(String, String?, String?)]
  )
  func `a date without a time is a whole day, and days that do not exist are refused`(
    text: String,
    locale: String?,
    expected: String?
  ) {
    let instant = try? StrictDate(locale: locale).instant(of: text)
    #expect(instant?.plainText == expected)
  }

  @Test func `a time without a time zone is refused with the forms of one`() {
    let error = #expect(throws: LocaleTextError.self) {
      try StrictDate(locale: nil).instant(of: "2026-11-03T09:00")
    }
    #expect(
      error?.description == "“2026-11-03T09:00” has a time without a time zone. "
        + "Add Z for UTC, or an offset such as +09:00; or leave the time out."
    )
  }

  @Test func `the error shows the expected forms`() {
    let error = #expect(throws: LocaleTextError.self) {
      try StrictDate(locale: "de_DE").instant(of: "2026/2/30")
    }
    #expect(
      error?.description
        == "“2026/2/30” is not a date that exists. "
        + "Write it as “2026-11-03” or “2026-11-03T09:00Z” or “3.11.2026”."
    )
  }

  @Test(arguments: [
    "ja_JP", "en_US", "en_GB", "de_DE", "fr_FR", "en_IN", "sv_SE", "ko_KR", "zh_TW", "ar_EG",
    "hu_HU", "th_TH",
  ])
  func `a date in the numeric form of a locale is parsed again`(locale: String) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let style = Date.FormatStyle(
      date: .numeric,
      time: .omitted,
      locale: Locale(identifier: locale),
      calendar: calendar,
      timeZone: .gmt
    )
    let strict = StrictDate(locale: locale)
    for day in stride(from: 0, to: 40_000, by: 997) {
      let noon = Int64(day) * 86_400 + 43_200
      let text = style.format(Date(timeIntervalSince1970: Double(noon)))
      #expect(try strict.instant(of: text).wholeDay == Int64(day), "\(text)")
    }
  }
}

@Suite("EnvironmentLocale")
struct EnvironmentLocaleTests {
  @Test(
    arguments: [
      (nil, [:], nil, nil), (nil, ["LANG": "ja_JP.UTF-8"], "ja_JP", "ja_JP"),
      (nil, ["LANG": "C"], nil, nil),
      (nil, ["LANG": "C.UTF-8"], nil, nil), (nil, ["LANG": "POSIX"], nil, nil),
      (nil, ["LANG": ""], nil, nil),
      (nil, ["LANG": "ja_JP.UTF-8", "LC_TIME": "de_DE.UTF-8"], "de_DE", "ja_JP"),
      (nil, ["LANG": "ja_JP.UTF-8", "LC_MONETARY": "en_US"], "ja_JP", "en_US"),
      (nil, ["LC_ALL": "C", "LANG": "ja_JP", "LC_TIME": "de_DE"], nil, nil),
      (nil, ["LC_ALL": "", "LANG": "ja_JP"], "ja_JP", "ja_JP"),
      (nil, ["LC_ALL": "de_DE.ISO-8859-15@euro"], "de_DE", "de_DE"),
      ("fr_FR", ["LC_ALL": "ja_JP"], "fr_FR", "fr_FR"),
      ("C", ["LANG": "ja_JP"], nil, nil),
      ("ja_JP@calendar=japanese", [:], "ja_JP@calendar=japanese", "ja_JP@calendar=japanese"),
      ("", ["LANG": "ja_JP"], "ja_JP", "ja_JP"),
      (nil, ["LC_TIME": "C", "LANG": "ja_JP.UTF-8"], nil, "ja_JP"),
    ] as [(String?, [String: String], String?, String?)]
  )
  func `an option comes first, then the environment in POSIX order`(
    option: String?,
    environment: [String: String],
    dates: String?,
    amounts: String?
  ) {
    let locale = EnvironmentLocale(option: option, environment: environment)
    #expect(locale.dates == dates)
    #expect(locale.amounts == amounts)
  }

  @Test(arguments: [
    ("ja_JP", true), ("en-GB", true), ("ja_JP@calendar=japanese", true), ("japan", false),
    ("", false),
  ])
  func `an unknown language is detected`(identifier: String, isKnown: Bool) {
    #expect(EnvironmentLocale.isKnown(identifier) == isKnown)
  }
}
