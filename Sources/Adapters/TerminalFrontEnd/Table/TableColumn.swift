/// One column of a table: its heading and how its cells stand.
public struct TableColumn: Hashable, Sendable {
  /// The heading.
  public var title: String
  /// Where cells stand; numbers stand at the end.
  public var alignment: TextAlignment
  /// The columns of the terminal it keeps while others can still shrink.
  public var minimumWidth: Int

  /// A column with a heading.
  public init(_ title: String, alignment: TextAlignment = .leading, minimumWidth: Int = 6) {
    self.title = title
    self.alignment = alignment
    self.minimumWidth = minimumWidth
  }
}
