public import ResultsDomain

extension ResultsChange {
  /// Whether the change holds nothing but commits that this store object made under a name (R68).
  ///
  /// A view that has shown its own write already, such as a row that was dragged, names the write and passes over its echo:
  ///
  /// ```swift
  /// try await store.write(origin: CommitOrigin("drag")) { … }
  /// if change.isEcho(of: CommitOrigin("drag")) { … }
  /// ```
  ///
  /// It is `false` as soon as another writer, another name, or a change of the definition has been composed with it.
  public func isEcho(of origin: CommitOrigin) -> Bool {
    delta.cause == .own && !delta.hasOtherCauses && delta.repair == nil && delta.origins == [origin]
  }
}
