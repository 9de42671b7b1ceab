package import ResultsDomain
package import ResultsPresentation

/// A line of the detail pane that is read for a row.
package struct BrowserDetail: Hashable, Sendable {
  /// The name.
  package var title: String
  /// The text; it need not be safe for a terminal.
  package var text: String

  /// Creates a line.
  package init(_ title: String, _ text: String) { (self.title, self.text) = (title, text) }
}

/// Where a browser gets its lists from.
package struct BrowserSource: Sendable {
  /// A list that has been defined, and not yet fetched.
  package struct Definition: Sendable {
    /// The controller of the list; the browser cancels it.
    package var controller: FetchedResultsController<Row>
    /// The section key and the order.
    package var order: BrowserOrder

    /// Creates a definition.
    package init(_ controller: FetchedResultsController<Row>, order: BrowserOrder) {
      self.controller = controller
      self.order = order
    }
  }

  /// The reason why a choice cannot be shown, for the user.
  package struct Refusal: Error, Sendable {
    /// What is wrong, in a sentence.
    package var reason: String
    /// Whether the same request may succeed later, since another process holds the store.
    package var isBusy = false
    /// Whether the rows that were asked for are not in the store any more.
    package var isGone = false
    /// Where a filter is not understood: the column, in characters counted from 1, or `nil`.
    package var column: Int?

    /// Creates a refusal.
    package init(_ reason: String) { self.reason = reason }
  }

  /// Returns the list of a choice.
  package let define: @Sendable (BrowserChoice) throws -> Definition

  /// Performs a request.
  package let perform: @Sendable (BrowserRequest) throws -> BrowserOutcome

  /// What the program does for forms, or `nil` if it has none.
  package let forms: BrowserForms?
  /// What the program does for files, or `nil` if it does nothing.
  package var files: BrowserFiles?
  /// Reads what the detail pane shows of a row besides the row's values.
  package var details: @Sendable (ObjectID) throws -> [BrowserDetail] = { _ in [] }
  /// Returns a row that would stand where a typed value of the first sort attribute stands; throws `Refusal` if there is none.
  package var row: @Sendable (BrowserChoice, String) throws -> Row = { _, _ in
    throw Refusal("This list has no values to go to.")
  }
  /// Returns which of some rows a filter text selects; throws `Refusal` for one that is not valid.
  package var matches: @Sendable (BrowserChoice, String, [ObjectID]) throws -> Set<ObjectID> = {
    _,
    _,
    _ in []
  }
  /// Returns the lists that belong to a row, so that the user can go to one of them.
  package var links: @Sendable (ObjectID) throws -> [BrowserLink] = { _ in [] }
  /// Opens the list of a link of a row; it blocks, and throws `Refusal` for one that cannot be shown.
  package var visit: @Sendable (ObjectID, BrowserLink) throws -> BrowserVisit = { _, _ in
    throw Refusal("This list has no others to go to.")
  }
  /// Returns the name of the process that keeps the store from being written at present, or `nil` if that is not known.
  package var writer: @Sendable () -> String? = { nil }
  /// Ends what requests have started and what still runs.
  package var stop: @Sendable () -> Void = {}

  /// Creates a source from a closure that defines the list of a choice; it throws `Refusal` for one that is not valid.
  /// - Parameters:
  ///   - perform: Performs a request, and returns what it came to; it blocks, and runs on the store's executor.
  ///   - forms: What the program does for forms, or `nil` if it has none.
  ///   - define: Returns the list of a choice, not yet fetched.
  package init(
    perform: @escaping @Sendable (BrowserRequest) throws -> BrowserOutcome = { _ in
      BrowserOutcome("")
    },
    forms: BrowserForms? = nil,
    _ define: @escaping @Sendable (BrowserChoice) throws -> Definition
  ) {
    self.perform = perform
    self.forms = forms
    self.define = define
  }
}
