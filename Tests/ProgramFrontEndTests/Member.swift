import Foundation
import ResultsDomain

@testable import ProgramFrontEnd

/// The exit status of a program; the testing library has a type of the same name.
typealias Status = ProgramFrontEnd.ExitStatus

/// An entity with an attribute of each common type.
enum Member {
  static let entity = makeEntity()

  private static func makeEntity() -> EntityDescription {
    do {
      return try EntityDescription(
        name: "Member",
        attributes: [
          AttributeDescription("name", .text),
          AttributeDescription("age", .integer16, isOptional: true),
          AttributeDescription("fee", .decimal(scale: 2), isOptional: true),
          AttributeDescription("since", .date, isOptional: true),
          AttributeDescription("isActive", .boolean, isOptional: true),
          AttributeDescription("email", .text, isOptional: true),
        ]
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

extension LocaleSettings {
  /// Settings for a locale, in UTC.
  static func of(_ locale: String?) -> LocaleSettings {
    let calendar = LocaleSettings.machine.calendar
    let locale = locale.map { Locale(identifier: $0) }
    return LocaleSettings(locale: locale, amountLocale: locale, calendar: calendar)
  }
}
