package import ResultsDomain

/// Why a database cannot be opened, before the store's name is added.
package struct OpenFailureError: Error {
  package let failure: OpenFailure

  package init(_ failure: OpenFailure) { self.failure = failure }

  /// A table that does not fit its entity.
  package static func mismatch(_ entity: EntityDescription, _ detail: String) -> OpenFailureError {
    OpenFailureError(.schemaMismatch(entity: entity.name, detail: detail))
  }

  /// A table that is missing, with the most similar name, or else with the first of all.
  package static func missingTable(
    of entity: EntityDescription,
    among names: [String]
  ) -> OpenFailureError {
    let nearest = NearestName.of(entity.name, among: names)
    return OpenFailureError(
      .missingTable(entity: entity.name, similar: nearest.map { [$0] } ?? Array(names.prefix(10)))
    )
  }
}
