import Foundation

/// The locales that a user has chosen by an option or by the environment.
///
/// Foundation on Linux ignores the environment. This type reads it as POSIX defines it: an option comes first, then
/// `LC_ALL`, then the category, then `LANG`. `C` and `POSIX` select plain machine forms, here `nil`.
///
/// ```swift
/// EnvironmentLocale(option: nil, environment: ["LANG": "ja_JP.UTF-8"]).dates  // "ja_JP"
/// ```
package struct EnvironmentLocale: Hashable, Sendable {
  /// The identifier of the locale for dates, or `nil` for ISO 8601.
  package let dates: String?
  /// The identifier of the locale for amounts and numbers, or `nil` for plain digits.
  package let amounts: String?

  /// The locales for an environment.
  /// - Parameters:
  ///   - option: The value of the option, or `nil`; it may have keywords, as in
  ///     `ja_JP@calendar=japanese`.
  ///   - environment: The environment's variables; empty ones count as missing.
  package init(option: String?, environment: [String: String]) {
    func identifier(_ category: String) -> String? {
      if let option, !option.isEmpty { return EnvironmentLocale.identifier(option) }
      let names = ["LC_ALL", category, "LANG"]
      let value = names.compactMap { environment[$0] }.first { !$0.isEmpty }
      return value.flatMap(EnvironmentLocale.identifier)
    }
    dates = identifier("LC_TIME")
    amounts = identifier("LC_MONETARY")
  }

  /// Whether the language of an identifier is known; an unknown one has no forms.
  package static func isKnown(_ identifier: String) -> Bool {
    let language = Locale(identifier: identifier).language.languageCode?.identifier
    return language.map { Locale.LanguageCode($0).isISOLanguage } ?? false
  }

  /// The identifier in a value such as `de_DE.UTF-8@euro`; keywords such as `@calendar=japanese` are part of it.
  private static func identifier(_ value: String) -> String? {
    let parts = value.split(separator: "@", maxSplits: 1)
    let keywords = parts.count > 1 && parts[1].contains("=") ? "@" + parts[1] : ""
    let name = parts.first?.prefix { $0 != "." } ?? ""
    guard !name.isEmpty, name != "C", name != "POSIX" else { return nil }
    return name + keywords
  }

  /// Whether a value of `TZ` names a time zone that this system has: by its name, or by the path of a file.
  ///
  /// An empty value is UTC, and a colon at the beginning means nothing.
  package static func isTimeZone(_ value: String) -> Bool {
    let name = value.hasPrefix(":") ? String(value.dropFirst()) : value
    if name.hasPrefix("/") { return FileManager.default.fileExists(atPath: name) }
    return name.isEmpty || TimeZone(identifier: name) != nil
  }
}
