import CCurlLoader
import Foundation

/// Fetches addresses of http and https with libcurl, which is opened when it is first needed.
///
/// ```swift
/// try WebFetcher.checkLibrary()
/// let fetcher = WebFetcher(agent: "reader/1.0")
/// for await response in fetcher.responses(to: [WebRequest(id: 1, address: "https://a.example")]) {
///   print(response.id, response.result)
/// }
/// ```
package struct WebFetcher: Sendable {
  private let agent: String
  private let limits: WebLimits

  /// Creates a fetcher.
  /// - Parameters:
  ///   - agent: How the program presents itself to servers.
  ///   - limits: The limits of each fetch, and of all that run at once.
  package init(agent: String, limits: WebLimits = WebLimits()) {
    (self.agent, self.limits) = (agent, limits)
  }

  /// Opens the library.
  /// - Throws: `WebFailure.noLibrary` or `.oldLibrary`.
  package static func checkLibrary() throws(WebFailure) {
    switch curl_loader_open() {
    case 0: return
    case 2: throw .oldLibrary(version: curl_loader_version().map { String(cString: $0) } ?? "")
    default: throw .noLibrary
    }
  }

  /// Fetches addresses, as many at once as the limits allow, and returns each response when it has come.
  ///
  /// One thread serves all requests. It ends with the stream: when the task that waits for a response is cancelled, and when the
  /// stream is released. It also waits while as many responses as may run at once have not been taken, so that their bodies
  /// never fill the memory.
  package func responses(to requests: [WebRequest]) -> AsyncStream<WebResponse> {
    responses(to: requests) { $0 }
  }

  /// Fetches addresses like `responses(to:)`, and returns what a closure makes of each response.
  package func responses<Element>(
    to requests: [WebRequest],
    _ transform: @escaping @Sendable (WebResponse) -> Element
  ) -> AsyncStream<Element> {
    let queue = ResponseQueue()
    let reader = Reader(queue)
    let (agent, limits) = (agent, limits)
    Thread.detachNewThread {
      do throws(WebFailure) {
        try WebFetcher.checkLibrary()
        var loop = try TransferLoop(requests, agent: agent, limits: limits, queue: queue)
        loop.run()
      } catch {
        for request in requests {
          queue.add(WebResponse(id: request.id, result: .failure(error)))
        }
      }
      queue.finish()
    }
    return AsyncStream {
      await reader.queue.next().map(transform)
    } onCancel: {
      reader.queue.cancel()
    }
  }

  /// What a stream holds: with it, the fetches end.
  private final class Reader: Sendable {
    let queue: ResponseQueue

    init(_ queue: ResponseQueue) { self.queue = queue }

    deinit { queue.cancel() }
  }
}
