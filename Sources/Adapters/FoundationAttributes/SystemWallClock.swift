public import Foundation
public import ResultsDomain

/// The clock of the system.
public final class SystemWallClock: WallClock {
  /// The clock.
  public static let shared = SystemWallClock()

  /// The longest time after which it is seen that the clock was set.
  private static let slice = Duration.seconds(60)

  private init() {}

  /// The present time.
  public var now: Instant {
    Instant(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded(.down)))
  }

  /// Suspends the task until a time, or until the clock is set back; at the latest after a minute it notices that the clock was set forward.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until time: Instant) async throws {
    var last = now
    while last < time {
      let (rest, overflow) = time.microseconds.subtractingReportingOverflow(last.microseconds)
      let remaining = overflow ? SystemWallClock.slice : .microseconds(rest)
      try await Task.sleep(for: min(remaining, SystemWallClock.slice), clock: .continuous)
      let present = now
      guard present >= last else { return }
      last = present
    }
  }
}

extension WallClock where Self == SystemWallClock {
  /// The clock of the system.
  public static var system: SystemWallClock { .shared }
}

/// The days of a calendar's time zone, for dates that follow the clock, as `today()` in a condition does (R15).
public struct CalendarDays: DayCalendar {
  private let days: LocalDays

  /// The days of a calendar's time zone.
  public init(_ calendar: Calendar = .current) { days = LocalDays(timeZone: calendar.timeZone) }

  /// Returns the first instant of a day, counted from that of an instant.
  public func start(ofDay offset: Int64, from instant: Instant) -> Instant {
    days.start(ofDay: offset, from: instant)
  }

  /// The time zone.
  public var identity: String { days.timeZone.identifier }
}
