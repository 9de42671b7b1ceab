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

  /// Creates a command.
  public init(name: String, title: String, key: Character?, scope: Scope) {
    self.name = name
    self.title = title
    self.key = key
    self.scope = scope
  }
}

/// What a browser asks its program to do to the store.
public enum BrowserRequest: Hashable, Sendable {
  /// Delete rows.
  case delete([ObjectID])
  /// Run a command on rows and a section.
  case command(String, [ObjectID], SectionID?)
  /// Take the last request back.
  case undo
  /// Do again what was taken back.
  case redo
}
