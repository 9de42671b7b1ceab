import Foundation

/// Writes the growth curves into a folder.
enum CurveFiles {
  /// Finds out whether a folder can be written, and makes it if it is not there.
  static func check(_ folder: String) throws {
    try BenchmarkFolder.makeWritable(URL(fileURLWithPath: folder, isDirectory: true))
  }

  /// Writes one file a curve.
  /// - Returns: The names of the files.
  /// - Throws: `BenchmarkError.cannotWrite`.
  static func write(_ curves: [GrowthCurve], to folder: String) throws -> [String] {
    let url = URL(fileURLWithPath: folder, isDirectory: true)
    try check(folder)
    for curve in curves {
      let file = url.appendingPathComponent(curve.file)
      do {
        try Data(CurveChart(curve).svg.utf8).write(to: file, options: .atomic)
      } catch {
        let detail = (error as NSError).localizedDescription
        throw BenchmarkError.cannotWrite(path: file.path, detail: detail)
      }
    }
    return curves.map(\.file)
  }
}
