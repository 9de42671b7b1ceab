import ResultsDomain
import ResultsPresentation

extension MessageBench {
  /// Goal 15: the longest of all calls that return only when they are done, each the first one of a list.
  func longestCall() async throws -> [Measurement] {
    try store.checkForExternalChanges()
    var times: [String: Samples] = [:]
    for _ in 0..<runs {
      let controller = list(of: Message.self)
      try await controller.fetchExactly()
      try measureCalls(of: controller, &times)
    }
    let longest = times.max { $0.value.median < $1.value.median }
    guard let longest else { throw BenchmarkError.wrongResult("the calls of a list") }
    return [
      figure(15, "longest call: \(longest.key)", longest.value.median, atLargest(4000))
    ]
  }

  private func measureCalls(
    of controller: FetchedResultsController<Message>,
    _ times: inout [String: Samples]
  ) throws {
    let results = try controller.results
    let place = draws.draw(below: rows)
    guard let path = results.snapshot.path(ofFlatPosition: place),
      let id = results.objectID(at: path)
    else { throw BenchmarkError.wrongResult("a place") }
    func call(_ name: String, _ body: () throws -> Void) rethrows {
      times[name, default: Samples()].add(try time(body))
    }
    call("path(of:)") { _ = results.path(of: id) }
    try call("results()") { _ = try controller.results }
    call("objectID(at:)") { _ = results.objectID(at: path) }
    try call("object(at:)") { _ = try results.object(at: path) }
    call("sections") { _ = controller.sections.count }
    call("section(withID:)") { _ = results.section(withID: SectionID(.integer(7)))?.count }
    call("section(at:).title") { _ = results.section(at: path.section)?.title }
    call("path(ofFlatPosition:)") { _ = results.snapshot.path(ofFlatPosition: place) }
    call("rows") { _ = results.rows[place].objectID }
    try call("definition, pause()") {
      _ = controller.definition
      controller.pause()
      guard controller.isPaused else { throw BenchmarkError.wrongResult("a pause") }
    }
    call("cancel()") { controller.cancel() }
  }
}
