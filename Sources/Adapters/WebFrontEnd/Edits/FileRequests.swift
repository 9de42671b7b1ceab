#if Web
import HTTPTypes
import Hummingbird
import ListBrowser
import NIOCore
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import Synchronization
import WireFormat

/// Writing a list to a file, and adding the rows of one.
struct FileRequests: Sendable {
  /// The site, the session and the client.
  let rows: RowRequests

  private var site: Site { rows.site }
  private var transfers: FileTransfers { site.parts.transfers }

  // MARK: - Writing

  /// Answers with a list in the form of a file.
  /// - Throws: `WebFailure`; the store's error before the first rows have been read. What fails later cuts the answer short.
  func export(
    _ choice: BrowserChoice,
    _ web: WebRequest,
    _ request: Request,
    on channel: any Channel
  ) async throws -> Response {
    guard let files = site.source.files else { throw WebFailure.notFound }
    let format = web["format"] ?? files.exportFormats.first ?? ""
    try FileRequests.check(format, among: files.exportFormats)
    try site.check(choice)
    let permit = try transfers.begin(.export)
    let spool = try FileSpool()
    let export = BrowserExport(
      choice,
      format: format,
      guardsFormulas: web.query["spreadsheetSafe"] != nil
    )
    let executor = try await site.openHub(of: BrowserChoice()).controller.store.executor
    spool.fill(on: executor) { output in try await files.export(export, output) }
    let first: ByteBuffer?
    do { first = try await spool.next() } catch let refusal as BrowserSource.Refusal {
      throw WebFailure(refusal, status: 409)
    }
    var headers = WebAnswer.headers(FileRequests.type(of: format))
    headers[.contentDisposition] = FileRequests.disposition(of: site.setup, format)
    let outputs = site.parts.outputs
    let body = ResponseBody { writer in
      defer { withExtendedLifetime(permit) {} }
      try await outputs.write(&writer, to: request, on: channel) { output in
        var next = first
        while let part = next {
          try await output.write(part)
          next = try await spool.next()
        }
      }
    }
    return Response(status: .ok, headers: headers, body: body)
  }

  private static func type(of format: String) -> String {
    switch format {
    case "csv": "text/csv; charset=utf-8"
    case "tsv": "text/tab-separated-values; charset=utf-8"
    default: "application/jsonl; charset=utf-8"
    }
  }

  /// The header by which a browser saves a list under the name of what it shows.
  private static func disposition(of setup: BrowserSetup, _ format: String) -> String {
    let name = "\(setup.subject ?? setup.nouns.many).\(format)"
    let plain = name.unicodeScalars.map { scalar in
      scalar.properties.isAlphabetic && scalar.isASCII
        || "0123456789.-_".unicodeScalars.contains(scalar)
        ? String(scalar) : "_"
    }
    return
      "attachment; filename=\"\(plain.joined())\"; filename*=UTF-8''\(ListAddress.encoded(name))"
  }

  // MARK: - Adding

  /// Adds the rows of the file that a request brings.
  /// - Throws: `WebFailure` with status 422 for a file that was refused; the store's error.
  func add(_ web: WebRequest, _ request: Request) async throws -> JSONValue {
    guard site.setup.canWrite else { throw RowRequests.readOnly }
    guard let files = rows.session.source(of: site).files, !files.importFormats.isEmpty else {
      throw WebFailure(403, "Nothing can be imported into this list.")
    }
    let format = web["format"]
    if let format { try FileRequests.check(format, among: files.importFormats) }
    let name = web["name"] ?? "the file"
    guard name.utf8.count <= 1024 else { throw WebFailure.badRequest("“name” is too long.") }
    let mapping = web["mapping"]
    if let mapping, !files.mappings().contains(where: { $0.hasSameBytes(as: mapping) }) {
      throw WebFailure.badRequest("No import is saved under that name.")
    }
    let bytes = try await transfers.bytes(of: request)
    let permit = try transfers.begin(.import)
    defer { withExtendedLifetime(permit) {} }
    let file = BrowserImport(
      bytes,
      name: name,
      format: format,
      mapping: mapping,
      isDryRun: web.query["dryRun"] != nil,
      skipsInvalid: web.query["skipBad"] != nil
    )
    let progress = ImportProgress(of: file, site)
    defer { progress.end() }
    let summary = try await rows.onStore(refusing: 422) { () throws -> BrowserImport.Summary in
      try files.add(file) { progress.note($0) }
    }
    return .members([
      "message": .string(summary.message),
      "notes": .array(summary.notes.map { .string(WindowLines.bounded($0)) }),
      "added": .integer(summary.added),
      "position": file.isDryRun ? .null : try await rows.reachedPosition,
    ])
  }

  private static func check(_ format: String, among formats: [String]) throws(WebFailure) {
    guard formats.contains(where: { $0.hasSameBytes(as: format) }) else {
      throw .badRequest(
        "“format” must be one of these: \(formats.joined(separator: ", "))."
      )
    }
  }
}

/// How far an import has come, for all pages of its site.
private final class ImportProgress: Sendable {
  private struct State {
    var done = 0
    var noted: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let site: Site
  private let task: String
  /// The number of records, as the number of lines makes it likely.
  private let total: Int?

  init(of file: BrowserImport, _ site: Site) {
    self.site = site
    task = file.isDryRun ? "check" : "import"
    total = file.format == "feed" ? nil : file.bytes.count { $0 == 0x0A }
  }

  /// Notes the number of records that have been read.
  func note(_ done: Int) {
    guard done.isMultiple(of: 256) else { return }
    let isDue = state.withLock { state in
      state.done = done
      let now = ContinuousClock.now
      guard state.noted.map({ now - $0 > .milliseconds(100) }) ?? true else { return false }
      state.noted = now
      return true
    }
    if isDue { send(done, isEnded: false) }
  }

  /// Notes that the import has ended; one that was short was never mentioned.
  func end() {
    let (done, wasNoted) = state.withLock { ($0.done, $0.noted != nil) }
    if wasNoted { send(done, isEnded: true) }
  }

  private func send(_ done: Int, isEnded: Bool) {
    let data = JSONValue.members([
      "task": .string(task), "done": .integer(done),
      "of": total.map { .integer(max($0, done)) } ?? .null, "ended": .boolean(isEnded),
    ])
    site.note(progress: data.text)
  }
}

/// The files that are written and read at present, each of which takes memory or disk, and time.
final class FileTransfers: Sendable {
  /// The permission for a transfer, which is given back when it goes out of use.
  final class Permit: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }

  /// What a transfer does at present.
  enum Kind: Hashable {
    /// A list is written and sent.
    case export
    /// A file is received.
    case upload
    /// A file is added to the store, which takes one at a time in any case.
    case `import`

    fileprivate var most: Int {
      switch self {
      case .export: 4
      case .upload: 2
      case .import: 1
      }
    }

    fileprivate var refusal: String {
      switch self {
      case .export: "Too many lists are being exported."
      case .upload: "Other files are being sent."
      case .import: "Another import runs."
      }
    }
  }

  private let counts = Mutex<[Kind: Int]>([:])
  /// The bytes of a file that is imported.
  let mostBytes: Int

  /// Creates the bounds.
  /// - Parameter mostBytes: The bytes of a file that is imported.
  init(mostBytes: Int) { self.mostBytes = mostBytes }

  /// Begins a transfer, which lasts as long as the permit.
  /// - Throws: `WebFailure` with status 503 if there are too many.
  func begin(_ kind: Kind) throws(WebFailure) -> Permit {
    let isAdmitted = counts.withLock { counts in
      guard counts[kind, default: 0] < kind.most else { return false }
      counts[kind, default: 0] += 1
      return true
    }
    guard isAdmitted else {
      var failure = WebFailure(503, kind.refusal, remedy: "Try again when it has ended.")
      failure.retryAfter = 5
      throw failure
    }
    return Permit { [weak self] in self?.counts.withLock { $0[kind, default: 1] -= 1 } }
  }

  /// Reads the body of a request.
  /// - Throws: `WebFailure` with status 413 for one that is too long.
  func bytes(of request: Request) async throws -> [UInt8] {
    let permit = try begin(.upload)
    defer { withExtendedLifetime(permit) {} }
    let length = request.headers[.contentLength].flatMap { Int($0) }
    let refusal = WebFailure(
      413,
      "The file has more than \(mostBytes) bytes.",
      remedy: "Import it in parts, or with the command line."
    )
    guard (0...mostBytes).contains(length ?? 0) else { throw refusal }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length ?? 0)
    for try await part in request.body {
      guard bytes.count + part.readableBytes <= mostBytes else { throw refusal }
      bytes += part.readableBytesView
    }
    return bytes
  }
}
#endif
