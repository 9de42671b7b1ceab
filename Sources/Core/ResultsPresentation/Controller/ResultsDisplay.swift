public import ResultsDomain
import ResultsStoreKit

/// The port of a front end: it shows a list, and then its changes.
///
/// Use cases and programs are connected to the port, never to a concrete front end. A display that applies every change to what it
/// shows shows exactly what the controller holds (R90).
public protocol ResultsDisplay<Object> {
  /// The kind of result.
  associatedtype Object: FetchedObject

  /// Shows a whole list in place of what is shown.
  mutating func show(_ results: ResultsList<Object>) throws

  /// Shows a change from `change.before`, which is shown, to `change.after`.
  mutating func apply(_ change: ResultsChange<Object>) throws

  /// Shows a whole list in place of what is shown, and may say why there is no change to apply.
  mutating func reset(_ results: ResultsList<Object>, because reason: ResultsResetReason) throws

  /// Reports that the last attempt failed; what is shown stays.
  mutating func report(_ failure: StoreError) throws
}

extension ResultsDisplay {
  /// Shows the list like any other.
  public mutating func reset(
    _ results: ResultsList<Object>,
    because reason: ResultsResetReason
  ) throws {
    try show(results)
  }

  /// Shows one event of a controller.
  /// - Throws: The display's error.
  public mutating func take(_ event: ResultsEvent<Object>) throws {
    switch event {
    case .snapshot(let results): try show(results)
    case .change(let change): try apply(change)
    case .reset(let reason, let results): try reset(results, because: reason)
    case .failure(let failure): try report(failure)
    }
  }
}
