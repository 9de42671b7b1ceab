#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import ResultsPresentation

// `IndexPath` belongs to Foundation, which the core does not import; its bridge is here, with the umbrella. `UIKit` and `AppKit` read
// the two indexes of such a path as its section and its row or item.

extension IndexPath {
  /// Creates the index path of a row: the index of its section, then the index of the row in it.
  public init(_ path: RowPath) { self = [path.section, path.row] }

  /// Creates the index path of a row before a change, as the deletes, reloads and old paths of moves of a `TableViewBatch` need it.
  public init(_ path: OldPath) { self.init(path.path) }

  /// Creates the index path of a row after a change, as the inserts and new paths of moves of a `TableViewBatch` need it.
  public init(_ path: NewPath) { self.init(path.path) }
}

extension RowPath {
  /// Creates the path of an index path, or returns `nil` if that does not have exactly two indexes.
  public init?(_ indexPath: IndexPath) {
    guard indexPath.count == 2 else { return nil }
    self.init(section: indexPath[0], row: indexPath[1])
  }
}
