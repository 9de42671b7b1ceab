import CommandLineFrontEnd
import FileFormats
import NewsFeed
import ProgramFrontEnd
import ResultsDomain
import WebFetching

/// The port through which feeds are fetched, over the web.
struct WebFeeds: FeedFetching {
  private let fetcher = WebFetcher(
    agent: "news-feed/\(ProgramVersion.current) (swift-fetched-results)"
  )

  /// Opens the library that fetches.
  /// - Throws: `CommandFailure` with what to install.
  init(for verb: String, remedy: String = "") throws(CommandFailure) {
    do throws(WebFailure) {
      try WebFetcher.checkLibrary()
    } catch {
      var message = "\(verb) needs libcurl 7.85 or later: apt-get install libcurl4."
      if case .oldLibrary(let version) = error {
        message += " The one that is installed is \(version)."
      }
      throw CommandFailure(.configuration, message, remedy: remedy)
    }
  }

  func fetch(_ requests: [FeedRequest]) -> AsyncStream<FeedResponse> {
    let addresses = requests.map {
      WebRequest(id: $0.id, address: $0.address, tag: $0.tag, modified: $0.modified)
    }
    return fetcher.responses(to: addresses, WebFeeds.response)
  }

  private static func response(_ response: WebResponse) -> FeedResponse {
    switch response.result {
    case .failure(let failure): return FeedResponse(id: response.id, .failed(failure.description))
    case .success(let answer):
      var result = FeedResponse(id: response.id, feedAnswer(answer))
      (result.address, result.hasMoved) = (answer.address, answer.hasMoved)
      (result.tag, result.modified) = (answer.tag, answer.modified)
      (result.retryAfter, result.maximumAge) = (answer.retryAfter, answer.maximumAge)
      return result
    }
  }

  private static func feedAnswer(_ answer: WebAnswer) -> FeedAnswer {
    switch answer.status {
    case 200..<300: .content(answer.body)
    case 304: .unchanged
    case 410: .gone
    default: .failed("\(answer.status) \(names[answer.status] ?? "")".trimmingSpaces)
    }
  }

  private static let names = [
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 406: "Not Acceptable", 408: "Request Timeout", 418: "I'm a Teapot",
    429: "Too Many Requests", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
    501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]
}

extension String {
  fileprivate var trimmingSpaces: String { hasSuffix(" ") ? String(dropLast()) : self }
}

/// The port through which the content of feeds is read: RSS and Atom.
struct FeedFiles: FeedReading {
  func document(_ content: [UInt8], from address: String) throws(FeedDefect) -> FeedDocument {
    var reader = FeedReader(bytes: content, source: "", address: address)
    var items: [Item] = []
    while true {
      do throws(RecordError) {
        guard let record = try reader.next() else { break }
        let object = try FeedProgram.object(from: record, for: .machine)
        if let item = FeedProgram.item(of: object)?.item { items.append(item) }
      } catch {
        // One item that cannot be stored takes no other with it.
        guard error.isRecoverable else { throw FeedDefect(FeedFiles.sentence(of: error)) }
      }
    }
    return FeedDocument(
      title: reader.heading.title,
      site: reader.heading.site,
      minutesToLive: reader.heading.minutesToLive,
      items: items
    )
  }

  private static func sentence(of error: RecordError) -> String {
    let message = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
    return error.line.map { "line \($0): \(message)" } ?? message
  }
}
