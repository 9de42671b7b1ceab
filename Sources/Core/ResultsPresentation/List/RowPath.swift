/// Where a row stands in a list: its section and its place in it, both from 0.
public struct RowPath: Hashable, Comparable, Sendable {
  /// The section's place in the list.
  public let section: Int
  /// The row's place in its section.
  public let row: Int

  /// A place in a list.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// Whether the first place comes before the second.
  public static func < (left: RowPath, right: RowPath) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}

extension RowPath: CustomStringConvertible {
  /// The path as the wire form writes it: `[2,12]`.
  public var description: String { "[\(section),\(row)]" }
}

/// A place in the generation before a change (C1, R34).
public struct OldPath: Hashable, Comparable, Sendable {
  /// The place.
  public let path: RowPath

  /// A place in the generation before.
  public init(_ path: RowPath) { self.path = path }

  /// A place in the generation before.
  public init(section: Int, row: Int) { path = RowPath(section: section, row: row) }

  /// The section's place in the generation before.
  public var section: Int { path.section }
  /// The row's place in that section.
  public var row: Int { path.row }

  /// Whether the first place comes before the second.
  public static func < (left: OldPath, right: OldPath) -> Bool { left.path < right.path }
}

/// A place in the generation after a change (C1, R34).
public struct NewPath: Hashable, Comparable, Sendable {
  /// The place.
  public let path: RowPath

  /// A place in the generation after.
  public init(_ path: RowPath) { self.path = path }

  /// A place in the generation after.
  public init(section: Int, row: Int) { path = RowPath(section: section, row: row) }

  /// The section's place in the generation after.
  public var section: Int { path.section }
  /// The row's place in that section.
  public var row: Int { path.row }

  /// Whether the first place comes before the second.
  public static func < (left: NewPath, right: NewPath) -> Bool { left.path < right.path }
}
