public import ResultsDomain
public import ResultsPresentation

/// A command of a program, as the browser offers it.
public struct BrowserCommand: Hashable, Sendable {
  /// What a command acts on.
  public enum Scope: Hashable, Sendable {
    /// The selected rows, or the row under the cursor.
    case rows
    /// The section of the cursor.
    case section
    /// The whole list.
    case list
  }

  /// The name by which the program knows the command.
  public var name: String
  /// A line for menus.
  public var title: String
  /// The key that starts it, unless the browser uses that key itself.
  public var key: Character?
  /// What it acts on.
  public var scope: Scope
  /// Whether it changes the store.
  public var writes: Bool

  /// Creates a command.
  public init(name: String, title: String, key: Character?, scope: Scope, writes: Bool = true) {
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
public struct BrowserCall: Hashable, Sendable {
  /// The command's name.
  public var name: String
  /// The selected rows, or the row under the cursor.
  public var ids: [ObjectID]
  /// The section of the cursor.
  public var section: SectionID?
  /// What the shown list shows.
  public var choice: BrowserChoice
  /// The number of rows that match the shown list's definition.
  public var matchingCount: Int
  /// Whether it acts on all rows of the shown list instead of `ids`.
  public var actsOnAll = false

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
public enum BrowserRequest: Hashable, Sendable {
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
public struct BrowserOutcome: Sendable {
  /// What the browser does besides saying it.
  public enum Effect: Sendable {
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
    /// Opens an address of the web, where the front end shows such pages itself.
    case address(String)
  }

  /// A sentence about what was done, or an empty text.
  public var message: String
  /// What else is to be done.
  public var effect: Effect
  /// Whether there was nothing left to change, so that the sentence takes the place of no other.
  public var foundNothing = false

  /// Creates an outcome.
  public init(_ message: String, _ effect: Effect = .none) {
    self.message = message
    self.effect = effect
  }
}
