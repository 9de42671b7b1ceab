/// When a controller tells what was committed (R65).
///
/// The library has no timing of its own: a span of time is the consumer's, and is measured by the clock of `ResultsOptions`.
public enum ResultsDelivery: Hashable, Sendable {
  /// At once, each commit with a change of its own.
  ///
  /// A commit of a few rows by this store object is followed by the call that makes it, if no other thread is leading lists on just then:
  /// when the call returns, `FetchedResultsController.state` shows it. All other commits are followed by a task.
  case immediate
  /// At most once in each span: what is committed until it has passed since the first commit arrives as one change.
  ///
  /// Lists of one store with the same span and clock are led to the same commit together.
  case every(Duration)
  /// Only when `FetchedResultsController.refresh()` asks, as one change.
  ///
  /// The store is not listened to, so that nothing is registered in it for a list that is fetched once; that the store was closed is told by the
  /// next refresh.
  case onDemand
}
