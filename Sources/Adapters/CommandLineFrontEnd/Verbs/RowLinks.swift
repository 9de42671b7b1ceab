package import ListBrowser
package import ResultsDomain
package import ResultsStoreKit

/// The other lists to which the rows of a browsed list belong.
package struct RowLinks: Sendable {
  /// Whether each row names one other list, which `Enter` opens in place of the row's values.
  let opensRows: Bool
  /// Returns the lists that belong to a row of a store.
  let find: @Sendable (ObjectID, any Store) throws -> [BrowserLink]
  /// Opens the list of a link of a row.
  let visit: @Sendable (BrowserLink, ObjectID, any Store) throws -> BrowserVisit

  /// Creates the links of a list; the closures block, and throw errors that are said to the user.
  /// - Parameters:
  ///   - opensRows: Whether each row names one other list, which `Enter` opens in place of the row's values.
  ///   - find: Returns the lists that belong to a row of a store.
  ///   - visit: Opens the list of a link of a row.
  package init(
    opensRows: Bool = false,
    find: @escaping @Sendable (ObjectID, any Store) throws -> [BrowserLink],
    visit: @escaping @Sendable (BrowserLink, ObjectID, any Store) throws -> BrowserVisit
  ) {
    (self.opensRows, self.find, self.visit) = (opensRows, find, visit)
  }
}
