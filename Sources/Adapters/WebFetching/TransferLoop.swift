import CCurlLoader

/// The loop of the thread that fetches: it begins transfers within the limits, drives them, and passes their responses on.
struct TransferLoop {
  private var waiting: ArraySlice<WebRequest>
  private var running: [UnsafeMutableRawPointer: Transfer] = [:]
  private var hosts: [String: Int] = [:]
  private let agent: String
  private let limits: WebLimits
  private let queue: ResponseQueue
  private let group: UnsafeMutableRawPointer

  /// - Throws: `WebFailure.other` if there is no memory.
  init(_ requests: [WebRequest], agent: String, limits: WebLimits, queue: ResponseQueue)
    throws(WebFailure)
  {
    guard let group = curl_loader_group() else { throw .other("no memory to fetch anything") }
    (waiting, self.agent, self.limits, self.queue) = (requests[...], agent, limits, queue)
    self.group = group
  }

  /// Fetches until every request has its response, or nobody waits for them.
  mutating func run() {
    queue.attach(group)
    while !queue.isCancelled {
      begin()
      if running.isEmpty, waiting.isEmpty { break }
      curl_loader_perform(group)
      if !takeEnded() { curl_loader_wait(group, 1000) }
    }
    for transfer in running.values { transfer.release(from: group) }
    running = [:]
    queue.attach(nil)
    curl_loader_group_release(group)
  }

  /// Begins as many transfers as the limits allow, in the order of the requests as far as their hosts are free.
  private mutating func begin() {
    var blocked: [WebRequest] = []
    while running.count + queue.count < limits.simultaneous, let request = waiting.popFirst() {
      let host = WebFetcher.host(of: request.address)
      guard hosts[host, default: 0] < limits.perHost else {
        blocked.append(request)
        continue
      }
      guard WebFetcher.isFetchable(request.address),
        let transfer = Transfer(request, host: host, agent: agent, limits: limits),
        let handle = transfer.handle
      else {
        queue.add(WebResponse(id: request.id, result: .failure(.invalidAddress)))
        continue
      }
      guard transfer.join(group) else {
        transfer.release(from: nil)
        let failure = WebFailure.other("no memory to fetch anything")
        queue.add(WebResponse(id: request.id, result: .failure(failure)))
        continue
      }
      hosts[host, default: 0] += 1
      running[handle] = transfer
    }
    if !blocked.isEmpty { waiting = (blocked + waiting)[...] }
  }

  /// Passes the responses of ended transfers on.
  /// - Returns: Whether there was one.
  private mutating func takeEnded() -> Bool {
    var result: Int32 = 0
    var hasEnded = false
    while let handle = curl_loader_next(group, &result) {
      guard let transfer = running.removeValue(forKey: handle) else { continue }
      hasEnded = true
      hosts[transfer.host] = hosts[transfer.host].flatMap { $0 > 1 ? $0 - 1 : nil }
      let response = WebResponse(id: transfer.id, result: transfer.outcome(result))
      transfer.release(from: group)
      queue.add(response)
    }
    return hasEnded
  }
}

extension WebFetcher {
  /// Whether an address is one that may be fetched: of http or https, and without a byte that could end it.
  static func isFetchable(_ address: String) -> Bool {
    let start = address.prefix(8).lowercased()
    return ["http://", "https://"].contains(where: start.hasPrefix)
      && address.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  /// The host of an address, in lower case, with its port.
  static func host(of address: String) -> String {
    let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2 else { return "" }
    let authority = parts[2].prefix { $0 != "?" && $0 != "#" }
    return authority.split(separator: "@").last.map { $0.lowercased() } ?? ""
  }
}
