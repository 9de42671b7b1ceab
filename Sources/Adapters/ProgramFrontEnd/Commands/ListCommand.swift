package import ResultsDomain
package import ResultsPresentation
package import ResultsStoreKit

/// A command of a program that any front end can offer on its list: a name, a key, and a body over the use case.
///
/// The body knows no terminal. A front end finds the rows, runs the body with `CommandRunner`, and shows the outcome.
package struct ListCommand: Sendable {
  /// What a command acts on.
  package enum Scope: String, Hashable, Sendable, CaseIterable {
    /// The selected rows, or the row at the cursor.
    case rows
    /// The section at the cursor.
    case section
    /// The whole list, or the store.
    case list
  }

  /// The name that the command line of a front end takes, such as `mark-read`.
  package let name: String
  /// What it does, in a few words that begin with a verb: `mark as read`.
  package let title: String
  /// The key that runs it, or `nil` for none.
  package let key: Character?
  /// What it acts on.
  package let scope: Scope
  /// Whether it changes the store, so that it can be undone.
  package let writes: Bool
  private let isOfferedIn: @Sendable (CommandContext) -> Bool
  private let body: @Sendable (CommandContext) throws -> CommandOutcome

  /// Creates a command.
  /// - Parameters:
  ///   - name: The name that a command line takes.
  ///   - title: What it does.
  ///   - key: The key that runs it, or `nil` for none.
  ///   - scope: What it acts on.
  ///   - writes: Whether it changes the store.
  ///   - isOffered: Whether it makes sense now; it must not read the store.
  ///   - body: Runs the command. It blocks while the store is read or written. Commits are made with the context's origin.
  package init(
    _ name: String,
    title: String,
    key: Character? = nil,
    scope: Scope,
    writes: Bool = false,
    isOffered: @escaping @Sendable (CommandContext) -> Bool = { _ in true },
    _ body: @escaping @Sendable (CommandContext) throws -> CommandOutcome
  ) {
    self.name = name
    self.title = title
    self.key = key
    self.scope = scope
    self.writes = writes
    isOfferedIn = isOffered
    self.body = body
  }

  /// Whether the command makes sense now: there are rows for one on rows, and a section for one on a section.
  package func isOffered(in context: CommandContext) -> Bool {
    switch scope {
    case .rows: if context.ids.isEmpty { return false }
    case .section: if context.section == nil { return false }
    case .list: break
    }
    return isOfferedIn(context)
  }

  /// Runs the command; it blocks the calling thread.
  /// - Throws: The error of the use case.
  package func run(_ context: CommandContext) throws -> CommandOutcome { try body(context) }
}

/// What a command acts on, as the front end shows it.
package struct CommandContext: Sendable {
  /// The store.
  package var store: any Store
  /// The definition of the list that is shown.
  package let definition: ResultsDefinition<Row>
  /// The selected rows, or the row at the cursor.
  package var ids: [ObjectID]
  /// The section at the cursor.
  package var section: SectionID?
  /// The number of rows that match the list's definition.
  package var matchingCount: Int
  /// The locale, calendar and time zone of the list.
  package let settings: LocaleSettings
  /// The present time.
  package var now: Instant
  /// The name of the command's commits, by which they are recognised and undone.
  package var origin: CommitOrigin

  /// Creates a context.
  package init(
    store: any Store,
    definition: ResultsDefinition<Row>,
    ids: [ObjectID] = [],
    section: SectionID? = nil,
    matchingCount: Int = 0,
    settings: LocaleSettings,
    now: Instant,
    origin: CommitOrigin = .unnamed
  ) {
    self.store = store
    self.definition = definition
    self.ids = ids
    self.section = section
    self.matchingCount = matchingCount
    self.settings = settings
    self.now = now
    self.origin = origin
  }
}

/// What a command came to, for the front end to show.
package struct CommandOutcome: Sendable {
  /// What a front end does besides printing the message.
  package enum Effect: Sendable {
    /// Nothing.
    case none
    /// Shows lines that stay on the screen until they are closed, under a title.
    case lines(title: String, [String])
    /// Shows the detail of a row.
    case detail(ObjectID)
    /// Opens a list with another definition beside the present one.
    case list(ResultsDefinition<Row>)
    /// Moves to where a row with these values stands or would stand.
    case jump(to: Row)
    /// Opens an address with the system's browser; it has been checked to be one of `http` or `https`.
    case open(address: String)
    /// Runs a closure beside the list, such as a download, and shows the sentence that it returns without its period. It is cancelled
    /// when the command is given once more, and when the front end ends.
    case background(@Sendable () async throws -> String)
    /// Runs a closure again and again, until the command is given once more, the closure throws, or the front end ends.
    case repeated(every: Duration, @Sendable () throws -> Void)
  }

  /// A sentence without its period that says what happened, such as `marked 3 items as read`; it may contain any characters.
  package var message: String
  /// What else to do.
  package var effect: Effect

  /// Creates an outcome.
  package init(_ message: String, _ effect: Effect = .none) {
    self.message = message
    self.effect = effect
  }
}

extension CommandContext {
  /// The condition for the rows of the list, with the present time where it follows the clock: a store is asked at one time.
  package var predicate: FetchPredicate {
    definition.request.predicate.resolved(at: now, in: definition.request.entity)
  }

  /// The condition for the rows of the section at the cursor within the list, or `nil` if the section is no stored value.
  package var sectionCondition: FetchPredicate? {
    guard let section else { return nil }
    let expression: FetchExpression
    switch definition.sectionKey?.source {
    case .expression(let value, _, _, _): expression = value
    // Null for a row without an object, whatever its foreign key.
    case .relationship(let sections): expression = .related(sections.path, .objectKey)
    case .transient, nil: return nil
    }
    let isInSection: FetchPredicate =
      section.value.isNull
      ? .isNull(expression) : .comparison(expression, .equal, .literal(section.value))
    return predicate && isInSection
  }
}
