import Synchronization

/// Collects what a snippet prints, for comparison with the output that its document shows.
final class Page: Sendable {
  @TaskLocal static var current: Page?
  private let written = Mutex<[String]>([])

  /// The lines so far.
  var lines: [String] { written.withLock { $0 } }

  func add(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    written.withLock { $0 += lines }
  }
}

/// Stands in for the standard library's `print` in this module, so that snippets read as a reader would write them.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  Page.current?.add(items.map { "\($0)" }.joined(separator: separator))
}
