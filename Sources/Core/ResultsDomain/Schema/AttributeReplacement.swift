/// What becomes of the values of an attribute that an entity had in earlier versions of a program.
///
/// The statements run once, when a store's file that still has the attribute is opened for writing. They are part of the transaction
/// that brings the file to the present entities: new tables, columns and their values are there before, and the attribute's column is
/// removed after, together with the indexes over it. A process that is killed meanwhile leaves the file as it was, and a process that
/// opens it at the same time waits and finds the work done.
///
/// ```swift
/// var options = SQLiteStoreOptions()
/// options.attributeReplacements = [
///   AttributeReplacement(of: "author", in: "Book", by: [
///     "INSERT INTO Author (name) SELECT DISTINCT author FROM Book WHERE author IS NOT NULL",
///     "UPDATE Book SET authorID = (SELECT id FROM Author WHERE name = author)",
///   ])
/// ]
/// ```
public struct AttributeReplacement: Hashable, Sendable {
  /// The name of the entity.
  public let entity: String
  /// The name of the attribute that the entity no longer has.
  public let attribute: String
  /// The SQL statements that move its values.
  public let statements: [String]

  /// Describes what becomes of an attribute's values.
  /// - Parameters:
  ///   - attribute: The attribute that the entity no longer has.
  ///   - entity: The entity's name.
  ///   - statements: SQL statements that move the values to present tables and columns. One that fails leaves the file as it was, and the
  ///     store is not opened.
  public init(of attribute: String, in entity: String, by statements: [String]) {
    self.entity = entity
    self.attribute = attribute
    self.statements = statements
  }
}
