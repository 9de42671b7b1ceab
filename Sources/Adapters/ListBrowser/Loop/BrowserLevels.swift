import ResultsPresentation

/// What happens to one of the lists that are open one over the other.
enum LevelEvent: Sendable {
  /// Something that its model takes.
  case browser(BrowserEvent)
  /// It cannot be fetched at all.
  case failed(any Error)
}

/// The lists that are open one over the other; the uppermost is shown.
///
/// Those below are followed too, so that they are up to date when they are shown again.
struct BrowserLevels<Shown: Sendable>: Sendable {
  private struct Level: Sendable {
    let number: Int
    var shown: Shown
    let work: BrowserWork
    let opening: Task<Void, Never>
    let close: @Sendable () -> Void
  }

  private var base: Level
  private var visits: [Level] = []
  private var newest = 0
  /// What still ends lists that have been left.
  private var ending: [Task<Void, Never>] = []
  private let send: @Sendable (Int, LevelEvent) -> Void

  /// Opens the first list.
  /// - Parameters:
  ///   - shown: What shows it.
  ///   - source: Where it comes from.
  ///   - send: Takes the events of a list, by its number.
  init(_ shown: Shown, source: BrowserSource, send: @escaping @Sendable (Int, LevelEvent) -> Void) {
    self.send = send
    base = BrowserLevels.level(0, shown, source, close: {}, send)
  }

  private static func level(
    _ number: Int,
    _ shown: Shown,
    _ source: BrowserSource,
    close: @escaping @Sendable () -> Void,
    _ send: @escaping @Sendable (Int, LevelEvent) -> Void
  ) -> Level {
    let work = BrowserWork(source) { send(number, .browser($0)) }
    let opening = Task {
      do { try await work.openBase() } catch { send(number, .failed(error)) }
    }
    return Level(number: number, shown: shown, work: work, opening: opening, close: close)
  }

  /// What is shown of the uppermost list.
  var top: Shown {
    get { visits.last?.shown ?? base.shown }
    set {
      if visits.isEmpty { base.shown = newValue } else { visits[visits.count - 1].shown = newValue }
    }
  }
  /// The number of the uppermost list.
  var topNumber: Int { visits.last?.number ?? base.number }
  /// What is done for the uppermost list.
  var topWork: BrowserWork { visits.last?.work ?? base.work }
  /// Whether a list is open below the uppermost one.
  var hasBelow: Bool { !visits.isEmpty }
  /// The numbers of all lists, the lowest first.
  var numbers: [Int] { [base.number] + visits.map(\.number) }
  /// What is shown of all lists, the lowest first.
  var all: [Shown] { [base.shown] + visits.map(\.shown) }

  /// What is done for a list; `nil` for one that has been left.
  func work(of number: Int) -> BrowserWork? {
    number == base.number ? base.work : visits.first { $0.number == number }?.work
  }

  /// Changes what is shown of a list.
  /// - Returns: What the closure returns; `nil` for a list that has been left.
  mutating func change<Result>(_ number: Int, _ body: (inout Shown) -> Result) -> Result? {
    if number == base.number { return body(&base.shown) }
    guard let index = visits.firstIndex(where: { $0.number == number }) else { return nil }
    return body(&visits[index].shown)
  }

  /// Opens a list over the others.
  mutating func push(_ shown: Shown, _ visit: BrowserVisit) {
    newest += 1
    visits.append(
      BrowserLevels.level(newest, shown, visit.source, close: visit.close, send)
    )
  }

  /// Leaves the uppermost list, unless it is the first.
  /// - Returns: What was shown of it.
  @discardableResult
  mutating func pop() -> Shown? {
    guard let left = visits.popLast() else { return nil }
    ending.append(
      Task {
        left.opening.cancel()
        await left.work.end()
        left.close()
      }
    )
    return left.shown
  }

  /// Leaves all lists, and waits until all are closed.
  mutating func end() async {
    while pop() != nil {}
    base.opening.cancel()
    await base.work.end()
    for task in ending { await task.value }
  }
}
