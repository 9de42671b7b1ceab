/// When a watch looks at its database.
///
/// A commit is told by the file system when it is written, and can be read a moment later, with a store into shared memory that
/// no system tells of. So every change is followed by looks that come ever later, and all of them by one a poll interval. The beginning of
/// a watch is such a change: a commit may be half made when its events begin to be reported.
struct WatchSchedule {
  /// What a watch does until it looks again.
  enum Step: Hashable {
    case wait(Duration)
    /// Many changes came at once: let them gather.
    case gather(Duration)
  }

  /// The pauses between the looks that follow a change.
  static let delays: [Duration] = [50, 200, 1000, 3000, 10_000, 30_000, 100_000, 300_000].map {
    .microseconds($0)
  }
  /// How many changes in a row are each looked at at once; a commit is a few.
  static let burst = 8

  /// How long many changes are left to gather.
  static let gathering = Duration.milliseconds(1)

  private let interval: Duration
  private var place = 0
  private var changesInARow = 0

  /// A schedule that looks at least once an interval.
  init(interval: Duration) { self.interval = interval }

  /// Whether no look is due for a change.
  var isAtRest: Bool { changesInARow == 0 && place == Self.delays.count }

  /// What to do now.
  var step: Step {
    if changesInARow > Self.burst { return .gather(Self.gathering) }
    return .wait(place < Self.delays.count ? min(Self.delays[place], interval) : interval)
  }

  /// A change was told.
  mutating func change() {
    place = 0
    changesInARow += 1
  }

  /// The time of the step has passed.
  mutating func timePassed() {
    defer { changesInARow = 0 }
    // After a gathering the looks that follow a change are still to come.
    if changesInARow <= Self.burst, place < Self.delays.count { place += 1 }
  }
}
