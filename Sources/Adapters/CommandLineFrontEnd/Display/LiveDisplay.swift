public import ResultsDomain
public import ResultsPresentation
import TerminalFrontEnd

/// Shows a controller's list and then every change of it, such that each change leads on from what was shown before.
public struct LiveDisplay<Program: ListProgram> {
  private let controller: FetchedResultsController<Row>
  private var display: ListDisplay<Program>
  private var events: ResultsChanges<Row>.AsyncIterator
  /// Whether the whole list is still to be shown, since it could not be read when it had to be, and for which reason.
  private var isBehind = false
  private var reason: ResultsResetReason?

  /// Shows the list of a controller that has fetched.
  /// - Throws: `ResultsError`, `TerminalOutputError`.
  public init(_ controller: FetchedResultsController<Row>, on display: ListDisplay<Program>) throws
  {
    self.controller = controller
    var display = display
    events = try LiveDisplay.reading(controller) { try display.show($0) }
    self.display = display
  }

  /// The generation of what is shown.
  public var generation: Int { display.generation }

  /// Waits for the next event and shows it.
  /// - Returns: Whether it was a change, or `nil` if the controller has ended.
  /// - Throws: `ResultsError` for a row that cannot be read, `TerminalOutputError`.
  public mutating func showNext() async throws -> Bool? {
    guard let event = await events.next() else { return nil }
    switch event {
    case .failure(let failure): try display.report(failure)
    case .reset(let reason, _): try showWhole(because: reason)
    case .snapshot: try showWhole(because: reason)
    case .change where isBehind: try showWhole(because: reason)
    case .change(let change):
      try display.apply(change)
      return true
    }
    return false
  }

  /// Shows the list anew; if the store cannot be read now, that is reported, and the next event makes up for it.
  private mutating func showWhole(because reason: ResultsResetReason?) throws {
    var display = display
    var hasBegun = false
    do {
      events = try LiveDisplay.reading(controller) { reading in
        hasBegun = true
        if let reason {
          try display.reset(reading, because: reason)
        } else {
          try display.show(reading)
        }
      }
      (self.display, isBehind, self.reason) = (display, false, nil)
    } catch ResultsError.store(let failure) where display.generation == self.display.generation {
      (isBehind, self.reason) = (true, reason)
      // A failure before anything was read is an event of its own.
      if hasBegun { try display.report(failure) }
    } catch ResultsError.ended {
      // The events end as well.
    }
  }

  /// Shows what is read in one version; the reader of the output is not waited for meanwhile.
  /// - Returns: The events after it.
  private static func reading(
    _ controller: FetchedResultsController<Row>,
    _ show: (ResultsReading<Row>) throws -> Void
  ) throws -> ResultsChanges<Row>.AsyncIterator {
    try TerminalOutput.standard.withoutWaiting {
      try controller.withOneVersion { reading in
        let events = reading.subscribe()
        try show(reading)
        return events
      }
    }
  }
}
