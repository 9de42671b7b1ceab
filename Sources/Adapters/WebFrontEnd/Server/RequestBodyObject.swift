#if Web
import Hummingbird
import NIOCore
import ResultsDomain
import ResultsPresentation
import WireFormat

/// The body of a request: an object of JSON.
struct RequestBodyObject: Sendable {
  let json: JSONValue

  /// Reads the body of a request.
  /// - Throws: `WebFailure` for a body that is no object, `NIOTooManyBytesError` for one that is too long.
  init(_ request: Request, atMost most: Int) async throws {
    let buffer = try await request.body.collect(upTo: most)
    try self.init(Array(buffer.readableBytesView))
  }

  init(_ bytes: [UInt8]) throws(WebFailure) {
    do {
      json = try JSONValue(parsing: bytes, maximumDepth: 16)
    } catch {
      throw .badRequest("The body is not valid. \(error)")
    }
    guard case .object = json else { throw .badRequest("The body must be an object.") }
  }

  func string(_ name: String) throws(WebFailure) -> String {
    guard let text = json[name]?.string else { throw .badRequest("“\(name)” must be a text.") }
    return text
  }

  func boolean(_ name: String) throws(WebFailure) -> Bool {
    guard case .boolean(let value) = json[name] else {
      throw .badRequest("“\(name)” must be true or false.")
    }
    return value
  }

  func strings(_ name: String, isRequired: Bool = true) throws(WebFailure) -> [String] {
    guard let value = json[name] else {
      guard !isRequired else { throw .badRequest("“\(name)” is missing.") }
      return []
    }
    guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
      throw .badRequest("“\(name)” must be an array of texts.")
    }
    return texts.compactMap(\.self)
  }

  func texts(_ name: String, isRequired: Bool = true) throws(WebFailure) -> [String: String] {
    guard let value = json[name] else {
      guard !isRequired else { throw .badRequest("“\(name)” is missing.") }
      return [:]
    }
    guard case .object(let members) = value else {
      throw .badRequest("“\(name)” must be an object.")
    }
    var texts: [String: String] = [:]
    for member in members {
      guard let text = member.value.string else {
        throw .badRequest("“\(member.name)” in “\(name)” must be a text.")
      }
      texts[member.name] = text
    }
    return texts
  }

  /// The window that a body asks for.
  func wish(of entity: EntityDescription) throws(WebFailure) -> ListClient.Wish {
    guard let count = json["count"]?.integer, (1...ListClient.mostRows).contains(count) else {
      throw .badRequest("“count” must be a whole number from 1 to \(ListClient.mostRows).")
    }
    if let name = json["id"]?.string {
      let above = json["above"]?.integer ?? 0
      guard (0...ListClient.mostRows).contains(above) else {
        throw .badRequest("“above” must be a whole number from 0 to \(ListClient.mostRows).")
      }
      return .row(try RowName.key(name, of: entity), above: above, count: count)
    }
    guard let from = json["from"]?.integer, (0...Int(Int32.max)).contains(from) else {
      throw .badRequest("“from” must be a position in the list.")
    }
    return .rows(from..<from + count)
  }
}
#endif
