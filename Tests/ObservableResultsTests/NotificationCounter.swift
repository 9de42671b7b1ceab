import ObservableResults
import Observation
import Synchronization

/// Counts the notifications that a view of a model receives.
///
/// A view registers again when it draws, which is after the change. This one draws on demand, and once more for every notification.
@MainActor
final class NotificationCounter {
  private let model: ResultsModel<Song>
  private let notified = Atomic<Int>(0)

  init(of model: ResultsModel<Song>) {
    self.model = model
    draw()
  }

  /// The number of notifications so far.
  var count: Int { notified.load(ordering: .relaxed) }

  private func draw() {
    withObservationTracking {
      _ = model.sections.count
      _ = model.rows.count
      _ = model.phase
      _ = model.isPaused
    } onChange: { [weak self] in
      self?.notified.add(1, ordering: .relaxed)
      // Notifications are sent by the model, which belongs to the main actor.
      MainActor.assumeIsolated { self?.draw() }
    }
  }
}
