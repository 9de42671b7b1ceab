extension FetchedResultsController {
  /// The rows that changes name one by one, counted over all sections of what the list shows; `nil`, as at first, for all.
  ///
  /// A view that shows fifty rows of ten million declares those, and some around them. From the next commit on its changes name what
  /// touches them, with exact paths, and count what happened above and below (`ResultsDelta.unobserved`). Sections and their
  /// counts stay exact for the whole list, in every change and in `state`.
  ///
  /// The observed rows follow the content: rows that come or leave above them shift them, so that a view can keep what it shows in place. A reset
  /// leaves them where they are. They are one for all subscribers of the controller. What a subscriber was too slow to take, or was
  /// away for, cannot be composed of such changes: it is told as a snapshot, and `catchUp(from:)` as a reset. Nor can a consumer that
  /// holds the whole list lead it on by them (`DeltaError.partial`).
  ///
  /// Over an index, the store is not asked for the place of a row that is not observed, if the list has no limit, offset or aggregates.
  public var observedRows: Range<Int>? {
    get { list.observedRows }
    set {
      // No list is so long, and places beyond it can still be added to.
      list.observedRows = newValue?.clamped(to: 0..<Int.max / 4)
    }
  }
}
