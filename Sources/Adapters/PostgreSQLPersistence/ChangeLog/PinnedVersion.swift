#if PostgreSQL
import ResultsDomain

/// A version that a connection's open transaction sees.
struct PinnedVersion: Sendable {
  let version: StoreVersion
}
#endif
