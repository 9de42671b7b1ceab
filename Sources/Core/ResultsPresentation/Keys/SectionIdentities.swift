import OrderStatistics
import ResultsDomain
import Synchronization

/// Ids of sections by the bytes that their keys begin with, where the bytes alone do not tell the id.
///
/// The bytes decide the id once and for all, so generations share what is known.
final class SectionIdentities: Sendable {
  private let known = Mutex<[[UInt8]: Value]>([:])

  /// The id of the section that begins with some bytes, if one of its keys was seen.
  subscript(lower: [UInt8]) -> Value? { known.withLock { $0[lower] } }

  /// Notes the id of the section that a key belongs to.
  func note(_ key: [UInt8], from lower: [UInt8], _ rule: SectionRule, _ layout: KeyLayout) {
    guard case .grouping = rule else { return }
    known.withLock { known in
      guard known[lower] == nil else { return }
      known[lower] = key.withUnsafeBytes { rule.id(of: $0, layout) }
    }
  }
}
