/// The position of a row in a list: the index of its section and the index of the row in it, both from 0.
public struct RowPath: Hashable, Comparable, Sendable {
  /// The index of the section in the list.
  public let section: Int
  /// The index of the row in its section.
  public let row: Int

  /// Creates a path.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// Returns whether the first path comes before the second in list order.
  public static func < (left: RowPath, right: RowPath) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}

extension RowPath: CustomStringConvertible {
  /// The path as the wire form writes it: `[2,12]`.
  public var description: String { "[\(section),\(row)]" }
}

/// A path in the generation before a change (C1, R34).
public struct OldPath: Hashable, Comparable, Sendable {
  /// The path.
  public let path: RowPath

  /// Creates a path in the generation before.
  public init(_ path: RowPath) { self.path = path }

  /// Creates a path in the generation before.
  public init(section: Int, row: Int) { path = RowPath(section: section, row: row) }

  /// The index of the section in the generation before.
  public var section: Int { path.section }
  /// The index of the row in that section.
  public var row: Int { path.row }

  /// Returns whether the first path comes before the second in list order.
  public static func < (left: OldPath, right: OldPath) -> Bool { left.path < right.path }
}

/// A path in the generation after a change (C1, R34).
public struct NewPath: Hashable, Comparable, Sendable {
  /// The path.
  public let path: RowPath

  /// Creates a path in the generation after.
  public init(_ path: RowPath) { self.path = path }

  /// Creates a path in the generation after.
  public init(section: Int, row: Int) { path = RowPath(section: section, row: row) }

  /// The index of the section in the generation after.
  public var section: Int { path.section }
  /// The index of the row in that section.
  public var row: Int { path.row }

  /// Returns whether the first path comes before the second in list order.
  public static func < (left: NewPath, right: NewPath) -> Bool { left.path < right.path }
}
