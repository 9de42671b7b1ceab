package import ResultsDomain
package import ResultsPresentation

/// A command of a program, as the browser offers it.
package struct BrowserCommand: Hashable, Sendable {
  /// What a command acts on.
  package enum Scope: Hashable, Sendable {
    /// The selected rows, or the row under the cursor.
    case rows
    /// The section of the cursor.
    case section
    /// The whole list.
    case list
  }

  /// The name by which the program knows the command.
  package var name: String
  /// A line for menus.
  package var title: String
  /// The key that starts it, unless the browser uses that key itself.
  package var key: Character?
  /// What it acts on.
  package var scope: Scope
  /// Whether it changes the store.
  package var writes: Bool

  /// Creates a command.
  package init(name: String, title: String, key: Character?, scope: Scope, writes: Bool = true) {
    self.name = name
    self.title = title
    self.key = key
    self.scope = scope
    self.writes = writes
  }

  /// The key as menus show it.
  var keyText: String { key.map { $0 == "\r" ? "Enter" : String($0) } ?? "" }
}

/// A command with what it acts on.
package struct BrowserCall: Hashable, Sendable {
  /// The command's name.
  package var name: String
  /// The selected rows, or the row under the cursor.
  package var ids: [ObjectID]
  /// The section of the cursor.
  package var section: SectionID?
  /// What the shown list shows.
  package var choice: BrowserChoice
  /// The number of rows that match the shown list's definition.
  package var matchingCount: Int
  /// Whether it acts on all rows of the shown list instead of `ids`.
  package var actsOnAll = false

  /// Creates a call of a command.
  package init(
    name: String,
    ids: [ObjectID],
    section: SectionID?,
    choice: BrowserChoice,
    matchingCount: Int,
    actsOnAll: Bool = false
  ) {
    (self.name, self.ids, self.section) = (name, ids, section)
    (self.choice, self.matchingCount, self.actsOnAll) = (choice, matchingCount, actsOnAll)
  }
}

/// What a browser asks its program to do to the store.
package enum BrowserRequest: Hashable, Sendable {
  /// Delete rows.
  case delete([ObjectID])
  /// Delete all rows of a list.
  case deleteAll(BrowserChoice)
  /// Run a command.
  case command(BrowserCall)
  /// Take the last request back.
  case undo
  /// Do again what was taken back.
  case redo
}

/// What a request came to.
package struct BrowserOutcome: Sendable {
  /// What the browser does besides saying it.
  package enum Effect: Sendable {
    /// Nothing.
    case none
    /// Shows lines under a title until they are closed.
    case lines(title: String, [String])
    /// Goes to a row and shows all its values.
    case detail(ObjectID)
    /// Opens another list beside the base list.
    case list(BrowserChoice)
    /// Goes to where a row with these values stands or would stand.
    case jump(to: Row)
    /// Offers the lists that belong to a row.
    case links([BrowserLink], of: ObjectID)
    /// Opens another list over this one.
    case visit(BrowserVisit)
    /// Says, once it is known, what came of something that runs beside the list; the stream ends after that, or without it.
    case later(AsyncStream<String>)
    /// Opens an address of the web, where the front end shows such pages itself.
    case address(String)
  }

  /// A sentence about what was done, or an empty text.
  package var message: String
  /// What else is to be done.
  package var effect: Effect
  /// Whether there was nothing left to change, so that the sentence takes the place of no other.
  package var foundNothing = false

  /// Creates an outcome.
  package init(_ message: String, _ effect: Effect = .none) {
    self.message = message
    self.effect = effect
  }
}
