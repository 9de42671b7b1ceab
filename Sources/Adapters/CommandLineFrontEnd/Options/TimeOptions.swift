package import ArgumentParser
import FileFormats
package import ProgramFrontEnd
package import ResultsDomain

/// The options that choose the rows of a time, for a program whose list is ordered by one.
package struct TimeOptions<Program: ListProgram>: ParsableArguments {
  /// The time from which on rows are shown.
  @Option(parsing: .unconditional, help: TimeOptions.sinceHelp)
  package var since: String?

  /// The time up to which rows are shown.
  @Option(parsing: .unconditional, help: TimeOptions.untilHelp)
  package var until: String?

  /// Creates the options with their defaults.
  package init() {}

  /// Returns the condition that the options make; `nil` without them.
  /// - Throws: `CommandFailure` for a text that is no time, and for a program that has none.
  package func condition(for settings: LocaleSettings) throws -> FetchPredicate? {
    guard since != nil || until != nil else { return nil }
    guard let name = Program.timeAttribute else {
      throw CommandFailure(
        .usage,
        "The list of \(Program.command) is not ordered by a time, so it has no --since and no --until.",
        remedy: "Use --where."
      )
    }
    let words = TimeWords(settings)
    let start = try since.map { try period($0, "--since", words) }
    let end = try until.map { try period($0, "--until", words) }
    if let start, let end, end.isBefore(start, at: .now) {
      throw CommandFailure(
        .usage,
        "--since \(since ?? "") is after --until \(until ?? "").",
        remedy: "No time is between the two."
      )
    }
    let parts = [
      start.map { $0.condition(.attribute(name), .greaterOrEqual) },
      end.map { $0.condition(.attribute(name), .lessOrEqual) },
    ]
    return parts.compactMap(\.self).reduce(.all, &&)
  }

  private func period(
    _ text: String,
    _ option: String,
    _ words: TimeWords
  ) throws(CommandFailure) -> TimePeriod {
    do {
      return try words.period(of: text)
    } catch {
      throw CommandFailure(.usage, "\(option): \(error.message)", remedy: error.remedy)
    }
  }

  private static var sinceHelp: ArgumentHelp {
    help(
      "Only rows from this time on, such as 2h-ago, today, last-week, 2026-11-03 or 2026-W47.",
      discussion: """
        Days are those of the time zone. now, 2h-ago, today and yesterday follow the clock while a list is shown; all others are \
        fixed at the start.
        """
    )
  }

  private static var untilHelp: ArgumentHelp {
    help("Only rows up to this time, and in it: --until yesterday shows that day too.")
  }

  /// The help of an option that no one sees in a program without a time.
  private static func help(_ abstract: String, discussion: String = "") -> ArgumentHelp {
    ArgumentHelp(
      "\(abstract)",
      discussion: discussion,
      valueName: "time",
      visibility: Program.timeAttribute == nil ? .private : .default
    )
  }
}
