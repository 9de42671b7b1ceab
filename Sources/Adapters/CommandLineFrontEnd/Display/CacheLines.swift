import ResultsDomain
import ResultsPresentation

/// Says of each cache of a program's lists whether it is of use, and why not.
enum CacheLines {
  /// One line a cache, and one for the program's own list if it has none.
  static func lines<Program: ListProgram>(
    of program: Program.Type,
    at place: StorePlace,
    in store: any Store,
    for reader: ReaderSettings
  ) -> [String] {
    guard let caches = Program.caches(for: place) else { return [] }
    do {
      return try caches.reports(on: [Program.definition(for: reader)], in: store).map { report in
        let rows = report.rowCount.map { ", \($0) \($0 == 1 ? "row" : "rows")" } ?? ""
        return "cache      \(report.name): \(report.outcome)\(rows)"
      }
    } catch {
      return ["cache      \(error)"]
    }
  }
}
