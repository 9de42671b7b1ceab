#if Web
import ListBrowser
import ResultsDomain

/// Which list a page shows, as its address says it: a filter, an order, sections, or a list that a command opened.
struct ListAddress: Hashable, Sendable {
  /// The choice that the address names.
  let choice: BrowserChoice

  /// Reads the members of a query; whether they name a list shows when it is defined.
  /// - Throws: `WebFailure` with status 400 for a number that no command gave, or a text that is too long.
  init(_ request: WebRequest) throws(WebFailure) {
    var choice = BrowserChoice()
    choice.filter = request["filter"] ?? ""
    choice.sort = request["sort"]
    choice.sectionBy = request["sections"]
    choice.commandList = try request.number("list", in: 0...1_000_000)
    for text in [choice.filter, choice.sort ?? "", choice.sectionBy ?? ""] {
      guard text.utf8.count <= ListAddress.mostBytes else {
        throw .badRequest("The list's address is longer than \(ListAddress.mostBytes) bytes.")
      }
    }
    self.choice = choice
  }

  private static let mostBytes = 8192

  /// The query that names the list of a choice.
  static func query(of choice: BrowserChoice) -> String {
    let members: [(String, String?)] = [
      ("filter", choice.filter.isEmpty ? nil : choice.filter), ("sort", choice.sort),
      ("sections", choice.sectionBy), ("list", choice.commandList.map { String($0) }),
    ]
    return members.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }
      .joined(separator: "&")
  }

  /// Returns a text with all bytes encoded that may mean something in an address.
  static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
      }
    }
  }
}

/// The identity of a row as the page knows it: a text that means nothing to the page.
enum RowName {
  /// Returns the name of a row.
  static func text(of key: ObjectKey) -> String {
    if case .integer(let number) = key { return String(number) }
    return Value.list(key.parts).text ?? ""
  }

  /// Returns the key that a name stands for.
  /// - Throws: `WebFailure` with status 400 for a text that names no row of the entity.
  static func key(_ text: String, of entity: EntityDescription) throws(WebFailure) -> ObjectKey {
    let parts = Int64(text).map { [Value.integer($0)] } ?? Value.text(text).elements
    guard text.utf8.count <= mostBytes, let parts,
      let key = ObjectKey(parts: parts, of: entity.identity)
    else { throw .badRequest("“id” names no row of this list.") }
    return key
  }

  private static let mostBytes = 65_536
}

extension Value {
  /// The text, if this is one.
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
#endif
