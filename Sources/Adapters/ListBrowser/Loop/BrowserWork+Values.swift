import ResultsDomain
import ResultsPresentation

/// What the browser asks its program: further details, places of values, and rows that match a text.
extension BrowserWork {
  /// Reads what the detail pane shows of a row besides its values.
  func readDetails(of id: ObjectID) {
    Task(executorPreference: executor(ofPane: 0)) { [send, source] in
      send(.details(id, await BrowserWork.details(of: id, source)))
    }
  }

  @concurrent private static func details(
    of id: ObjectID,
    _ source: BrowserSource
  ) async -> [BrowserDetail] {
    (try? source.details(id)) ?? []
  }

  /// Finds where a typed value would stand.
  func seek(_ text: String, _ choice: BrowserChoice, in list: ResultsList<Row>, _ pane: Int) {
    Task(executorPreference: executor(ofPane: pane)) { [send, source] in
      send(await BrowserWork.seek(of: text, choice, in: list, pane, source))
    }
  }

  @concurrent private static func seek(
    of text: String,
    _ choice: BrowserChoice,
    in list: ResultsList<Row>,
    _ pane: Int,
    _ source: BrowserSource
  ) async -> BrowserEvent {
    do {
      let row = try source.row(choice, text)
      return .landed(pane: pane, row, try list.landingPath(of: row), in: list)
    } catch {
      return .performed(BrowserOutcome((error as? BrowserSource.Refusal)?.reason ?? "\(error)"))
    }
  }

  /// Finds the next row that matches a text, page by page; a newer search ends it.
  func match(
    _ text: String,
    _ choice: BrowserChoice,
    in list: ResultsList<Row>,
    _ pane: Int,
    from start: Int,
    _ backward: Bool
  ) {
    let task = Task(executorPreference: executor(ofPane: pane)) { [send, source] in
      let event = await BrowserWork.match(text, choice, in: list, from: start, backward, source)
      if !Task.isCancelled { send(event) }
    }
    replaceMatching(by: task)
  }

  /// Pages grow, so that a near match is found at once and a far one by few queries.
  @concurrent private static func match(
    _ text: String,
    _ choice: BrowserChoice,
    in list: ResultsList<Row>,
    from start: Int,
    _ backward: Bool,
    _ source: BrowserSource
  ) async -> BrowserEvent {
    var (next, length) = (start, 128)
    do {
      while next >= 0, next < list.count, !Task.isCancelled {
        let page = backward ? max(next - length + 1, 0)..<next + 1 : next..<next + length
        let ids = try list.objectIDs(at: page)
        let found = try source.matches(choice, text, ids)
        let match = backward ? ids.last(where: found.contains) : ids.first(where: found.contains)
        if let match { return .matched(match) }
        next = backward ? page.lowerBound - 1 : page.upperBound
        length = min(length * 2, 8192)
      }
      return .matched(nil)
    } catch {
      return .matched(nil, reason: (error as? BrowserSource.Refusal)?.reason ?? "\(error)")
    }
  }
}
