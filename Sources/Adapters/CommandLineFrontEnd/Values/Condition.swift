public import ResultsDomain
import TerminalFrontEnd

/// Reads the condition that a person gave with `--where`.
public enum Condition {
  /// The condition as a predicate; a pattern that is probably meant otherwise is remarked upon on standard error.
  /// - Throws: `PredicateParseError` for the first mistake.
  public static func predicate<Program: ListProgram>(
    _ text: String,
    of program: Program.Type
  ) throws(PredicateParseError) -> FetchPredicate {
    let predicate = try FetchPredicate(
      parsing: text,
      entity: Program.entity,
      transients: Program.transients.map(\.name)
    )
    if let remark = remark(on: predicate) {
      try? TerminalOutput.standardError.write(
        SafeText.oneLine("\(Program.name): --where: \(remark)") + "\n"
      )
    }
    return predicate
  }

  /// What is to be said of a `LIKE` that was probably written in SQL's way, if there is one.
  static func remark(on predicate: FetchPredicate) -> String? {
    switch predicate {
    case .text(_, .like, let pattern, _):
      guard pattern.contains("%"), !pattern.contains("*"), !pattern.contains("?") else {
        return nil
      }
      return "LIKE '\(pattern)' has no wildcard, and % is an ordinary character in it."
        + " The wildcards are * for any characters and ? for one."
    case .not(let inner): return remark(on: inner)
    case .and(let parts), .or(let parts): return parts.lazy.compactMap(remark).first
    case .all, .none, .comparison, .between, .membership, .identity, .text, .isNull: return nil
    }
  }
}
