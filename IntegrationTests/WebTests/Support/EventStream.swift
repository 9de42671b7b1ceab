#if Web
import Foundation
import WireFormat

/// An event of a stream.
struct ServerEvent: Hashable {
  var id: String?
  var name = "message"
  var data = ""

  /// The data as JSON, or `null`.
  var json: JSONValue { (try? JSONValue(parsing: data)) ?? .null }
}

/// Reads events out of bytes, however these are split.
struct EventParser {
  private var line: [UInt8] = []
  private var event = ServerEvent()
  private var hasFields = false

  /// Takes some bytes.
  /// - Returns: The events that are complete by them.
  mutating func take(_ bytes: some Sequence<UInt8>) throws(WebTestFailure) -> [ServerEvent] {
    var events: [ServerEvent] = []
    for byte in bytes {
      guard byte == 0x0A else {
        line.append(byte)
        continue
      }
      defer { line = [] }
      if line.isEmpty {
        if hasFields { events.append(event) }
        (event, hasFields) = (ServerEvent(), false)
      } else {
        try takeField()
      }
    }
    return events
  }

  private mutating func takeField() throws(WebTestFailure) {
    let text = String(decoding: line, as: UTF8.self)
    guard let colon = text.range(of: ": ") else { throw WebTestFailure("no field: \(text)") }
    let value = String(text[colon.upperBound...])
    hasFields = true
    switch text[..<colon.lowerBound] {
    case "id": event.id = value
    case "event": event.name = value
    case "data": event.data += value
    default: throw WebTestFailure("an unknown field: \(text)")
    }
  }
}

/// A stream of events that a server sends for as long as the object lives.
final class EventStream {
  /// The head of the answer.
  let head: RawAnswer
  private let connection: RawConnection
  private var parser = EventParser()
  private var events: [ServerEvent] = []

  /// Opens a stream, for a test that does not read with as many bytes as the system is to keep meanwhile.
  init(_ request: WebRequest, from port: Int, receiveBuffer: Int32? = nil) throws {
    connection = try RawConnection(to: port, within: 300, receiveBuffer: receiveBuffer)
    try connection.send(request.bytes(to: port))
    head = try connection.head()
    guard head.status == 200 else {
      throw WebTestFailure("\(request.target): status \(head.status)")
    }
  }

  /// The next event, or `nil` when the stream has ended.
  func next(by deadline: Deadline = Deadline()) throws -> ServerEvent? {
    while events.isEmpty {
      guard let bytes = try connection.chunk(by: deadline) else { return nil }
      events = try parser.take(bytes)
    }
    return events.removeFirst()
  }

  /// The next event with a name; others are passed over.
  func next(_ name: String, by deadline: Deadline = Deadline()) throws -> ServerEvent {
    while let event = try next(by: deadline) {
      if event.name == name { return event }
    }
    throw WebTestFailure("the stream ended before an event “\(name)”")
  }

  /// Waits until the other end has closed the stream without any more events.
  func waitForEnd() throws {
    guard try next() == nil else { throw WebTestFailure("an event after the last one") }
  }
}
#endif
