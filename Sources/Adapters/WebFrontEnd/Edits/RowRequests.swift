#if Web
import ListBrowser
import ResultsDomain
import ResultsPresentation
import ResultsStoreKit
import WireFormat

/// What a page asks of single rows, and what it asks to change, for one site and one session.
///
/// All of it may wait for the store, so it runs on the store's executor. A change is written by what the terminal's list writes by, and is
/// taken back by the same steps; each session has its own.
struct RowRequests: Sendable {
  let site: Site
  let session: Session
  /// The client whose list the answer's position belongs to, or `nil`.
  let client: ListClient?

  private var source: BrowserSource { session.source(of: site) }
  private var entity: EntityDescription {
    get async throws { try await base.controller.definition.request.entity }
  }
  private var base: ListHub {
    get async throws {
      if let client { return client.hub }
      return try await site.openHub(of: BrowserChoice())
    }
  }

  // MARK: - Reading

  /// Returns all values of a row: the lines of its detail, and the texts of a form that changes it.
  ///
  /// A row that the list does not have any more has the lines of the form.
  func row(_ name: String) async throws -> JSONValue {
    let id = try await id(name)
    let (setup, source) = (site.setup, source)
    let list = try await base.controller.results
    return try await onStore { () throws -> JSONValue in
      let content = try RowRequests.content(of: .rows([id]), source)
      let texts = content.texts
      let listed = list.path(of: id).flatMap { try? list.object(at: $0) }
      var details = listed.map { row in setup.details.map { ($0.title, $0.text(row)) } }
      if listed != nil, setup.hasMoreDetails {
        details = details.map { lines in
          lines + ((try? source.details(id))?.map { ($0.title, $0.text) } ?? [])
        }
      }
      let lines = details ?? zip(setup.fields, texts).map { ($0.name, $1 ?? "") }
      return .members([
        "id": .string(name), "title": .string(setup.title(of: listed ?? content.rows[0].shown)),
        "details": .array(
          lines.map {
            .array([.string($0.0), .string(WindowLines.bounded($0.1, atMost: 262_144))])
          }
        ),
        "texts": .array(texts.map { $0.map { .string($0) } ?? .null }),
      ])
    }
  }

  /// Reads rows and the texts of their form, where the program has forms.
  private static func content(
    of subject: FormSubject,
    _ source: BrowserSource
  ) throws -> FormContent {
    guard let forms = source.forms else { throw WebFailure.notFound }
    do {
      let content = try forms.begin(subject)
      guard !content.rows.isEmpty else { throw WebFailure.notFound }
      return content
    } catch let refusal as BrowserSource.Refusal where refusal.isGone {
      throw WebFailure(404, refusal.reason)
    }
  }

  /// Returns what a form for several rows begins with: how many there are, and the texts that all of them have.
  func form(_ subject: FormSubject) async throws -> JSONValue {
    let source = source
    let content = try await onStore { try RowRequests.content(of: subject, source) }
    return .members([
      "count": .integer(content.rows.count),
      "texts": .array(content.texts.map { $0.map { .string($0) } ?? .null }),
    ])
  }

  /// Returns the rows that a request names: some, or all of its client's list.
  func subject(_ body: RequestBodyObject) async throws -> FormSubject {
    if case .boolean(true) = body.json["all"] {
      guard let client else { throw WebFailure.clientGone }
      return .all(client.hub.choice)
    }
    let ids = try await ids(try body.strings("ids"))
    guard !ids.isEmpty else { throw WebFailure.badRequest("“ids” names no row.") }
    return .rows(ids)
  }

  /// Returns the lists that belong to a row.
  func links(_ name: String) async throws -> JSONValue {
    let id = try await id(name)
    let source = source
    return try await onStore { () throws -> JSONValue in
      let links = try source.links(id).map { link in
        JSONValue.members([
          "name": .string(link.name), "title": .string(link.title), "note": .string(link.note),
        ])
      }
      return .members(["links": .array(links)])
    }
  }

  /// Opens the list of a link of a row.
  func visit(_ name: String, link linkName: String) async throws -> BrowserVisit {
    let id = try await id(name)
    let source = source
    return try await onStore { () throws -> BrowserVisit in
      guard let link = try source.links(id).first(where: { $0.name.hasSameBytes(as: linkName) })
      else { throw WebFailure.badRequest("The row has no such link.") }
      return try source.visit(id, link)
    }
  }

  /// Returns titles and lengths of sections of the list.
  func sections(_ web: WebRequest) async throws -> JSONValue {
    guard let client else { throw WebFailure.clientGone }
    let list = try client.hub.controller.results
    let total = list.snapshot.sectionCount
    let from = min(try web.number("from", in: 0...Int.max) ?? 0, total)
    let count = try web.number("count", in: 0...1000) ?? 200
    return try await onStore { () throws -> JSONValue in
      let sections = (from..<min(from + count, total)).map { index -> JSONValue in
        let title = list.snapshot.header(ofSection: index)?.title ?? ""
        return .array([
          .integer(index), .string(WindowLines.bounded(title)),
          .integer(list.snapshot.rowCount(inSection: index) ?? 0),
        ])
      }
      return .members([
        "position": .string("\(list.position)"), "sections": .array(sections),
        "total": .integer(total),
      ])
    }
  }

  /// Returns where a typed value of the list's first term stands.
  func flatPosition(of text: String) async throws -> JSONValue {
    guard let client else { throw WebFailure.clientGone }
    let (source, hub) = (source, client.hub)
    return try await onStore { () throws -> JSONValue in
      let row = try source.row(hub.choice, text)
      let list = try hub.controller.results
      let position = try list.landingPath(of: row).flatMap { path -> Int? in
        // A value beyond the last row of a section stands at that row.
        let count = list.snapshot.rowCount(inSection: path.section) ?? 0
        let row = min(path.row, max(count - 1, 0))
        return list.snapshot.flatPosition(of: RowPath(section: path.section, row: row))
      }
      return .members(["flatPosition": .integer(position ?? max(list.count - 1, 0))])
    }
  }

  // MARK: - Changing

  /// Adds a row with the texts of a form.
  func add(_ set: [String: String]) async throws -> (status: Int, JSONValue) {
    try await save(FormSubmission(.new, begun: [], texts: try fields(set)), [:])
  }

  /// Changes fields of rows, unless others have changed them since.
  /// - Parameters:
  ///   - subject: The rows.
  ///   - set: The texts to store, by the fields' names.
  ///   - was: The texts that the person saw in those fields; of several rows, those that all of them had.
  /// - Returns: The status and the body of the answer.
  /// - Throws: `WebFailure`; the store's error.
  func edit(
    _ subject: FormSubject,
    set: [String: String],
    was: [String: String]
  ) async throws -> (status: Int, JSONValue) {
    let (wished, seen) = (try fields(set), try fields(was))
    let source = source
    let content: FormContent
    do {
      content = try await onStore { try RowRequests.content(of: subject, source) }
    } catch let failure as WebFailure where failure.status == 404 {
      return (409, conflict(failure.message, ["deleted": .boolean(true)]))
    }
    var texts: [Int: String] = [:]
    var others: [JSONValue.Member] = []
    for (field, text) in wished.sorted(by: { $0.key < $1.key }) {
      // The rows may have several texts in the field.
      let stored = content.texts.indices.contains(field) ? content.texts[field] : ""
      if let stored, stored.hasSameBytes(as: text) { continue }
      texts[field] = text
      guard let was = seen[field], stored?.hasSameBytes(as: was) != true else { continue }
      others.append(
        JSONValue.Member(
          name: site.setup.fields[field].name,
          value: .members([
            "was": .string(was), "set": .string(text),
            "stored": stored.map { .string($0) } ?? .null,
          ])
        )
      )
    }
    let what = content.rows.count == 1 ? site.setup.nouns.one : site.setup.nouns.many
    guard others.isEmpty else {
      let these = content.rows.count == 1 ? "this \(what)" : "these \(what)"
      return (409, conflict("Others have changed \(these).", ["fields": .object(others)]))
    }
    guard !texts.isEmpty else {
      return (200, try await answer("Nothing was changed: the store has these values.", id: nil))
    }
    return try await save(FormSubmission(subject, begun: content.rows, texts: texts), seen)
  }

  private func save(
    _ submission: FormSubmission,
    _ was: [Int: String]
  ) async throws -> (status: Int, JSONValue) {
    guard let forms = source.forms, site.setup.canWrite else { throw RowRequests.readOnly }
    switch try await onStore({ () throws -> FormOutcome in try forms.save(submission) }) {
    case .saved(let message, let added):
      return (added == nil ? 200 : 201, try await answer(message, id: added))
    case .invalid(let problems):
      let fields = problems.sorted { $0.key < $1.key }.map { field, problem in
        JSONValue.Member(name: name(of: field), value: .string(problem))
      }
      let failure = WebFailure(
        422,
        "Some values cannot be stored.",
        details: [JSONValue.Member(name: "fields", value: .object(fields))]
      )
      return (422, failure.json)
    case .conflict(.changed(let fields, stored: _)):
      let members = fields.filter(\.isChanged).map { field in
        JSONValue.Member(
          name: name(of: field.field),
          value: .members([
            "was": .string(was[field.field] ?? field.begun), "set": .string(field.wished),
            "stored": .string(field.stored),
          ])
        )
      }
      return (
        409,
        conflict("Others have changed this \(site.setup.nouns.one).", ["fields": .object(members)])
      )
    case .conflict(.several(let count, _)):
      return (
        409,
        conflict("Others have changed \(count) of the \(site.setup.nouns.many) meanwhile.", [:])
      )
    case .conflict(.deleted):
      return (
        409, conflict("The \(site.setup.nouns.one) was deleted.", ["deleted": .boolean(true)])
      )
    case .failed(let reason): throw WebFailure(409, reason)
    }
  }

  /// Performs a request of the list, such as deleting rows, a command, or undoing.
  func perform(_ request: BrowserRequest) async throws -> JSONValue {
    guard site.setup.canWrite || !request.writes(site.setup) else { throw RowRequests.readOnly }
    let source = source
    let outcome = try await onStore { () throws -> BrowserOutcome in try source.perform(request) }
    var message = outcome.message
    if outcome.foundNothing, request.isStep {
      // Another process behind the same address may have the steps, and so had the one that was here before.
      message += " Only the process that made a change takes it back."
    }
    return try await answer(message, id: nil, effect: try await effect(outcome.effect))
  }

  /// Returns the call of a command.
  func call(_ name: String, ids names: [String], section: Int?) async throws -> BrowserRequest {
    guard site.setup.commands.contains(where: { $0.name.hasSameBytes(as: name) }) else {
      throw WebFailure.badRequest("There is no command “\(name)”.")
    }
    let hub = try await base
    let list = try hub.controller.results
    let call = BrowserCall(
      name: name,
      ids: try await ids(names),
      section: section.flatMap { list.snapshot.header(ofSection: $0)?.id },
      choice: hub.choice,
      matchingCount: list.matchingCount
    )
    guard site.setup.isOffered(call) else {
      throw WebFailure(409, "There is nothing here that this command acts on.")
    }
    return .command(call)
  }

  /// Returns the rows of names.
  func ids(_ names: [String]) async throws -> [ObjectID] {
    guard names.count <= RowRequests.mostRows else {
      throw WebFailure(413, "More than \(RowRequests.mostRows) rows were named at once.")
    }
    let entity = try await entity
    return try names.map { ObjectID(entity: entity.name, key: try RowName.key($0, of: entity)) }
  }

  private func effect(_ effect: BrowserOutcome.Effect) async throws -> JSONValue {
    switch effect {
    case .none, .links, .visit, .later: return .null
    case .lines(let title, let lines):
      return .members([
        "kind": .string("lines"), "title": .string(title),
        "lines": .array(lines.prefix(10_000).map { .string(WindowLines.bounded($0)) }),
      ])
    case .detail(let id):
      return .members(["kind": .string("row"), "id": .string(RowName.text(of: id.key))])
    case .list(let choice):
      return .members(["kind": .string("list"), "query": .string(ListAddress.query(of: choice))])
    case .jump(let row):
      guard let client else { return .null }
      let list = try client.hub.controller.results
      let position = try await onStore { () throws -> Int? in
        try list.landingPath(of: row).flatMap { list.snapshot.flatPosition(of: $0) }
      }
      return .members([
        "kind": .string("jump"), "flatPosition": .integer(position ?? max(list.count - 1, 0)),
      ])
    case .address(let address):
      return .members(["kind": .string("address"), "url": .string(address)])
    }
  }

  // MARK: - Parts

  /// The rows that one request may name.
  private static let mostRows = 65_536

  static let readOnly = WebFailure(403, "The list is read-only.")

  private func id(_ name: String) async throws -> ObjectID {
    let entity = try await entity
    return ObjectID(entity: entity.name, key: try RowName.key(name, of: entity))
  }

  private func name(of field: Int) -> String {
    site.setup.fields.indices.contains(field) ? site.setup.fields[field].name : "id"
  }

  /// Returns texts by the positions of their fields.
  private func fields(_ texts: [String: String]) throws(WebFailure) -> [Int: String] {
    var result: [Int: String] = [:]
    for (name, text) in texts {
      guard let field = site.setup.fields.firstIndex(where: { $0.name.hasSameBytes(as: name) })
      else { throw .badRequest("There is no field “\(name)”.") }
      result[field] = text
    }
    return result
  }

  private func conflict(_ message: String, _ members: KeyValuePairs<String, JSONValue>) -> JSONValue
  {
    WebFailure(
      409,
      message,
      details: members.map { JSONValue.Member(name: $0.key, value: $0.value) }
    )
    .json
  }

  /// The answer to what has been done, with the position of the list that has it.
  private func answer(
    _ message: String,
    id: ObjectID?,
    effect: JSONValue = .null
  ) async throws -> JSONValue {
    .members([
      "message": .string(message), "id": id.map { .string(RowName.text(of: $0.key)) },
      "position": try await reachedPosition, "effect": effect,
    ])
  }

  /// The position of the client's list that has all that is committed, or `null` without a client.
  var reachedPosition: JSONValue {
    get async throws {
      guard let client else { return .null }
      try await client.hub.controller.refresh()
      defer { client.hub.wake() }
      return .string("\(try client.hub.controller.results.position)")
    }
  }

  /// Runs what may wait for the store on its executor, and puts what it throws into the form of failures.
  /// - Parameters:
  ///   - status: The status of a refusal.
  ///   - body: What may wait.
  /// - Returns: What the closure returns.
  /// - Throws: `WebFailure`, and what else the closure throws.
  func onStore<Result: Sendable>(
    refusing status: Int = 409,
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let store = try await base.controller.store
    do {
      return try await withTaskExecutorPreference(store.executor) {
        try await RowRequests.run(body)
      }
    } catch let refusal as BrowserSource.Refusal {
      throw WebFailure(refusal, status: status)
    } catch let error as StoreError {
      throw WebFailure(error)
    } catch ResultsError.store(let error) {
      throw WebFailure(error)
    }
  }

  @concurrent private static func run<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    try body()
  }
}

extension BrowserRequest {
  /// Whether the request takes a change back, or makes one again.
  fileprivate var isStep: Bool {
    switch self {
    case .undo, .redo: true
    default: false
    }
  }

  /// Whether the request changes the store.
  fileprivate func writes(_ setup: BrowserSetup) -> Bool {
    guard case .command(let call) = self else { return true }
    return setup.commands.first { $0.name.hasSameBytes(as: call.name) }?.writes ?? true
  }
}

extension WebFailure {
  /// The failure of what a program refuses; what may succeed later has status 503.
  init(_ refusal: BrowserSource.Refusal, status: Int) {
    self.init(refusal.isBusy ? 503 : status, refusal.reason)
    if refusal.isBusy { retryAfter = 1 }
  }

  /// The failure of a store in the form of an answer.
  init(_ error: StoreError) {
    let status =
      switch error {
      case .busy, .unreachable, .writeConflict, .cannotOpen, .closed, .commitOutcomeUnknown: 503
      case .readOnly: 403
      case .notFound: 404
      case .alreadyExists, .conflict, .referenced: 409
      case .invalid, .unexpectedValue, .request: 422
      case .unknownEntity, .aborted, .historyLost, .diskFull, .inputOutput, .damaged, .unexpected:
        500
      }
    self.init(status, "\(error)")
    if status == 503 { retryAfter = 1 }
  }
}
#endif
