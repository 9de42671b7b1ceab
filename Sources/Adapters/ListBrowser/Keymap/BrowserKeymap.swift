/// The keys of a browser: the one table behind the handler, the help and the hints.
package enum BrowserKeymap {
  /// The groups of the help.
  package enum Group: String, CaseIterable, Sendable {
    case move = "Move"
    case sections = "Sections"
    case find = "Find"
    case rows = "Rows"
    case changes = "Changes"
    case program = "Program"
  }

  /// An action, with the keys that start it.
  package struct Entry: Sendable {
    /// The sequences of keys; each starts the action.
    package let keys: [[String]]
    /// The action.
    package let action: BrowserAction
    /// The group of the help.
    package let group: Group
    /// A line for the help.
    package let help: String
    /// The key and a word for the hints in the last line, or `nil` for none.
    package let hint: String?
    /// Other words for the action, by which the help finds it.
    package let synonyms: String

    /// The keys as help shows them.
    package var keyText: String { keys.map { $0.joined() }.joined(separator: " ") }
  }

  /// All keys, in the order of the help.
  package static let entries: [Entry] = [
    entry("j ↓ ^N", .down, .move, "next line"),
    entry("k ↑ ^P", .up, .move, "line before"),
    entry("^D", .halfPageDown, .move, "half a page down"),
    entry("^U", .halfPageUp, .move, "half a page up"),
    entry("PgDn ^F", .pageDown, .move, "page down"),
    entry("PgUp ^B", .pageUp, .move, "page up"),
    entry("g Home", .first, .move, "first row, and keep to it"),
    entry("G End", .last, .move, "last row, and keep to it"),
    entry(":", .goTo, .move, "go to a row number, a share such as 50%, or a value", also: "jump"),
    entry("%", .share, .move, "go to a share: 50%"),
    entry(
      "^O",
      .back,
      .move,
      "follow the row that moved away, or back to before a jump or to the list below"
    ),
    entry("zz", .lineToMiddle, .move, "cursor's line to the middle"),
    entry("zt", .lineToTop, .move, "cursor's line to the top"),
    entry("zb", .lineToBottom, .move, "cursor's line to the bottom"),
    entry("J Tab", .nextSection, .sections, "next section"),
    entry("K S-Tab", .previousSection, .sections, "section before", hint: "J K section"),
    entry(
      "'",
      .indexTitle,
      .sections,
      "then a letter: next section of that letter",
      hint: "' index"
    ),
    entry("\"", .sections, .sections, "choose a section"),
    entry("h ←", .fold, .sections, "fold the section"),
    entry("l →", .open, .sections, "open the section"),
    entry("za", .toggleFold, .sections, "fold or open the section"),
    entry("zM", .foldAll, .sections, "fold all sections"),
    entry("zR", .openAll, .sections, "open all sections"),
    entry(
      "/",
      .filter,
      .find,
      "filter while typing; all:word searches what is not shown too",
      hint: "/ filter",
      also: "search find"
    ),
    entry("n", .nextMatch, .find, "next row that the last filter matches", also: "search"),
    entry("N", .previousMatch, .find, "row before that the last filter matches", also: "search"),
    entry("*", .sameValue, .find, "next row with a value of this one"),
    entry("s", .sort, .find, "choose the order", hint: "s sort", also: "reverse descending"),
    entry("S", .sectionBy, .find, "choose the sections", also: "group by"),
    entry("-", .usual, .find, "the usual order and sections again", also: "reset default"),
    entry("C", .columns, .find, "choose the columns and their order", also: "fields show hide"),
    entry("L", .savedLists, .find, "open a list that was saved under a name", also: "save named"),
    entry("␣ v", .select, .rows, "select the row and go to the next one", hint: "␣ select"),
    entry("V", .selectSection, .rows, "select the section's rows on the screen"),
    entry("^A", .selectAll, .rows, "select all rows of the list"),
    entry(
      "Enter",
      .enter,
      .rows,
      "all values of the row; in a list of tables, the table",
      hint: "Enter detail",
      also: "open"
    ),
    entry("o", .detail, .rows, "all values of the row"),
    entry(
      "f",
      .links,
      .rows,
      "follow a reference of the row: to the row that it names, or to those that name it",
      hint: "f follow",
      also: "foreign key related go"
    ),
    entry("y", .copyCell, .rows, "copy the first column to the clipboard"),
    entry("Y", .copyRows, .rows, "copy the row, or the selected rows on the screen"),
    entry(
      "e",
      .edit,
      .rows,
      "edit the row, or the selected ones, in a form",
      hint: "e edit",
      also: "change save"
    ),
    entry("E", .editInEditor, .rows, "edit them as lines in $EDITOR", also: "change save"),
    entry("a", .add, .rows, "add a row in a form", also: "new insert save"),
    entry(
      "d",
      .delete,
      .rows,
      "delete the row, or the selected ones",
      hint: "d delete",
      also: "remove"
    ),
    entry("x", .commands, .rows, "the program's commands"),
    entry(
      "u",
      .undo,
      .changes,
      "take the last change of this browser back",
      hint: "u undo",
      also: "revert"
    ),
    entry("^R", .redo, .changes, "do it again", also: "redo"),
    entry("H", .hold, .changes, "hold the list as it is", hint: "H hold", also: "freeze pause"),
    entry(".", .applyHeld, .changes, "apply what waits", also: "refresh"),
    entry("? F1", .help, .program, "all keys", also: "help"),
    entry("M", .messages, .program, "the last messages in full", also: "errors log"),
    entry("m", .mouse, .program, "the mouse on or off"),
    entry("^L F5", .repaint, .program, "paint the screen again", also: "refresh redraw"),
    entry("^Z", .suspend, .program, "back to the shell for a while"),
    entry(
      "Esc",
      .escape,
      .program,
      "close one thing: input, menu, pane, filter, selection, a list over another"
    ),
    entry(
      "^C",
      .interrupt,
      .program,
      "give up a wait for another writer; twice: leave",
      also: "quit exit cancel"
    ),
    entry(
      "q",
      .quit,
      .program,
      "leave; from a list over another, go back to that",
      hint: "q quit",
      also: "exit"
    ),
    entry("Q", .quitAll, .program, "leave, however many lists are open", also: "quit exit"),
  ]

  /// The actions of the hints, the most important first.
  static let hinted: [BrowserAction] = [
    .filter, .indexTitle, .previousSection, .select, .enter, .links, .edit, .delete, .undo, .sort,
    .hold, .quit,
  ]

  private static func entry(
    _ keys: String,
    _ action: BrowserAction,
    _ group: Group,
    _ help: String,
    hint: String? = nil,
    also synonyms: String = ""
  ) -> Entry {
    let sequences = keys.split(separator: " ").map { sequence in
      sequence.first == "z" ? sequence.map(String.init) : [String(sequence)]
    }
    return Entry(
      keys: sequences,
      action: action,
      group: group,
      help: help,
      hint: hint,
      synonyms: synonyms
    )
  }

  /// What a sequence of keys means.
  package enum Meaning: Hashable, Sendable {
    /// It starts an action.
    case action(BrowserAction)
    /// It is the beginning of a longer sequence.
    case prefix
    /// It means nothing.
    case none
  }

  /// Returns what a sequence of keys means, each as `Key` describes itself.
  package static func meaning(of keys: [String]) -> Meaning {
    for entry in entries {
      if entry.keys.contains(keys) { return .action(entry.action) }
      if entry.keys.contains(where: { $0.count > keys.count && $0.starts(with: keys) }) {
        return .prefix
      }
    }
    return .none
  }
}
