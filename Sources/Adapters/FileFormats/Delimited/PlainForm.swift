import Foundation
import ResultsDomain

/// The form of a value that programs read: no locale, no grouping.
enum PlainForm {
  static func text(of value: Value) -> String {
    switch value {
    case .null: ""
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text
    case .blob(let bytes): Data(bytes).base64EncodedString()
    }
  }
}
