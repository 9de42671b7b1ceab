import ArgumentParser
import Foundation
import ProgramFrontEnd
import ResultsDomain
import Synchronization

/// The names that a shell offers for the values of options: those of the program that runs.
///
/// Options are shared by all programs, so that they do not know theirs by its type.
enum CompletedNames {
  private static let program = Mutex<(any ListProgram.Type)?>(nil)

  /// Sets the program that runs.
  static func use(_ program: (any ListProgram.Type)?) { self.program.withLock { $0 = program } }

  /// The names of sort orders, several separated by commas.
  static let sort = completion { program in
    program.sortNames.flatMap { [$0, "-\($0)"] }
  }

  /// The names of columns, several separated by commas.
  static let columns = completion { program in
    ["id"] + program.fields.form.attributes.map(\.name) + program.namedValues.map(\.name)
      + program.transients.map(\.name)
  }

  /// The names of section keys.
  static let sections = completion { $0.sectionNames + ["none"] }

  /// The names of what gathers sections into groups.
  static let groups = completion { program in
    ["month", "year", "initial"] + program.fields.form.attributes.map(\.name) + ["none"]
  }

  /// The names of saved lists and imports.
  static let saved = CompletionKind.custom { _, _, _ in
    guard let program = program.withLock({ $0 }),
      let folder = try? SavedOptionsFolder(of: program.name, ProcessInfo.processInfo.environment)
    else { return [] }
    return folder.names
  }

  private static func completion(
    _ names: @escaping @Sendable (any ListProgram.Type) -> [String]
  ) -> CompletionKind {
    .custom { _, _, typed in
      guard let program = program.withLock({ $0 }) else { return [] }
      return list(of: names(program), after: typed)
    }
  }

  /// Returns what a list of names separated by commas can become: the names that it has are not offered again.
  static func list(of names: [String], after typed: String) -> [String] {
    let parts = typed.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let used = Set(parts.dropLast().map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 })
    let before = parts.dropLast().map { $0 + "," }.joined()
    return names.filter { !used.contains($0.hasPrefix("-") ? String($0.dropFirst()) : $0) }
      .map { before + $0 }
  }
}
