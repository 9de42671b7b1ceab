import ResultsDomain
import Synchronization

/// The versions of a store in which the rows of a generation are known to be the same: its own, and the latest that its list has reached.
///
/// A row that is read in the latest one needs no history, although commits have changed other rows. Nothing is known of the versions in
/// between: a value may have changed and changed back. All states of a generation share it.
///
/// The mutex guards the latest version; the owner of the list changes it, and any thread reads it. Nothing is called while it is held.
final class ContentSpan: Sendable {
  private let first: StoreVersion
  private let last: Mutex<StoreVersion>

  init(_ version: StoreVersion) {
    first = version
    last = Mutex(version)
  }

  /// Records a later version with the same rows.
  func extend(to version: StoreVersion) { last.withLock { $0 = version } }

  /// The latest known version that is not later than another; the generation's own if there is none.
  func latest(upTo version: StoreVersion) -> StoreVersion {
    let last = last.withLock { $0 }
    return last.epoch == version.epoch && last.sequence <= version.sequence ? last : first
  }
}
