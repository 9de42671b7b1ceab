import CCurlLoader

/// One fetch: what libcurl has passed of it so far.
final class Transfer {
  let id: Int64
  let host: String
  /// What the library calls the transfer; there is one after `init`.
  private(set) var handle: UnsafeMutableRawPointer?
  private var fields: UnsafeMutableRawPointer?
  private let limits: WebLimits
  private var body: [UInt8] = []
  private var isTooLarge = false
  /// The fields of the last answer, by their names in lower case.
  private var answer: [String: String] = [:]
  /// The statuses of all answers, those of redirects first.
  private var statuses: [Int] = []

  /// Prepares a fetch, or returns `nil` if the library refuses the address.
  init?(_ request: WebRequest, host: String, agent: String, limits: WebLimits) {
    (id, self.host, self.limits) = (request.id, host, limits)
    var fields: UnsafeMutableRawPointer?
    let context = Unmanaged.passUnretained(self).toOpaque()
    // One text, so that one pointer is enough.
    let made = request.fields.joined(separator: "\n").withCString { lines in
      request.address.withCString { address in
        agent.withCString { agent in
          var description = curl_loader_request(
            address: address,
            agent: agent,
            fields: lines,
            redirects: limits.redirects,
            connect_milliseconds: limits.connecting.milliseconds,
            total_milliseconds: limits.total.milliseconds,
            body: Transfer.takeBody,
            head: Transfer.takeHead,
            context: context
          )
          return curl_loader_transfer(&description, &fields)
        }
      }
    }
    guard let made else { return nil }
    (handle, self.fields) = (made, fields)
  }

  /// Lets a group drive the transfer.
  func join(_ group: UnsafeMutableRawPointer) -> Bool { curl_loader_add(group, handle) != 0 }

  /// Releases what the library holds of the transfer.
  func release(from group: UnsafeMutableRawPointer?) {
    if let group { curl_loader_remove(group, handle) }
    curl_loader_release(handle, fields)
  }

  /// The answer or the failure, once the transfer has ended with a result.
  func outcome(_ result: Int32) -> Result<WebAnswer, WebFailure> {
    if isTooLarge { return .failure(.tooLarge(limit: limits.maximumBytes)) }
    let words = curl_loader_message(result).map { String(cString: $0) } ?? ""
    if let failure = WebFailure(result: result, limits: limits, words: words) {
      return .failure(failure)
    }
    let retry = curl_loader_retry_after(handle)
    let redirects = statuses.filter { (300..<400).contains($0) && $0 != 304 }
    return .success(
      WebAnswer(
        status: curl_loader_status(handle),
        address: curl_loader_address(handle).map { String(cString: $0) } ?? "",
        hasMoved: !redirects.isEmpty && redirects.allSatisfy { $0 == 301 || $0 == 308 },
        body: body,
        tag: answer["etag"],
        modified: answer["last-modified"],
        retryAfter: retry > 0 ? retry : nil,
        maximumAge: answer["cache-control"].flatMap(Transfer.maximumAge)
      )
    )
  }

  /// The seconds of `max-age`, 0 for an answer that must not be kept.
  static func maximumAge(_ control: String) -> Int? {
    let parts = control.lowercased().split(separator: ",").map { part in
      String(part.filter { $0 != " " && $0 != "\"" })
    }
    if parts.contains("no-cache") || parts.contains("no-store") { return 0 }
    return parts.first { $0.hasPrefix("max-age=") }.flatMap { Int($0.dropFirst(8)) }
      .map { max(0, min($0, 1 << 30)) }
  }

  private func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= limits.maximumBytes else {
      isTooLarge = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  private func take(head bytes: UnsafeRawBufferPointer) {
    let line = String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      let words = line.split(separator: " ")
      statuses.append(words.count > 1 ? Int(words[1].prefix(3)) ?? 0 : 0)
      answer = [:]
      // The bodies of redirects are not part of the answer.
      body = []
      return
    }
    guard answer.count < 200, bytes.count < 8192, let colon = line.utf8.firstIndex(of: 0x3A) else {
      return
    }
    let value = line.utf8[line.utf8.index(after: colon)...].drop { $0 == 0x20 || $0 == 0x09 }
    let ends: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let end = value.lastIndex { !ends.contains($0) }.map { value.index(after: $0) }
    answer[line[..<colon].lowercased()] = String(line[value.startIndex..<(end ?? value.startIndex)])
  }

  private static let takeBody: curl_loader_sink = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let taken = transfer.take(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return taken ? size * count : 0
  }

  private static let takeHead: curl_loader_sink = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      .take(head: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
  }
}

extension Duration {
  /// The whole milliseconds, at least one.
  fileprivate var milliseconds: Int {
    max(1, Int(self / .milliseconds(1)))
  }
}
