package import ResultsDomain
package import ResultsPresentation
package import TerminalFrontEnd

/// What a browser shows of one program: its names, its columns, and the choices it offers.
///
/// The browser knows no program: rows become texts by the closures of the columns.
package struct BrowserSetup: Sendable {
  /// A column of the list, or a line of the detail pane.
  package struct Column: Sendable {
    /// The heading.
    package var title: String
    /// Where texts stand in the column.
    package var alignment: TextAlignment
    /// The least width to which the column is narrowed while it is shown at all.
    package var minimumWidth: Int
    /// The index of the attribute in a row's values, so that a change of it is marked; `nil` for computed columns.
    package var attribute: Int?
    /// Returns the text for a row; it need not be safe for a terminal.
    package var text: @Sendable (Row) -> String

    /// The scalars of a value that one line can show.
    static let mostScalars = 4096

    /// Returns the text for a row as one line that is safe, without the end of a text that is longer than any line.
    func line(_ row: Row) -> String { SafeText.oneLine(text(row), atMost: Column.mostScalars) }

    /// Creates a column.
    package init(
      _ title: String,
      alignment: TextAlignment = .leading,
      minimumWidth: Int = TableColumn.usualMinimumWidth,
      attribute: Int? = nil,
      text: @escaping @Sendable (Row) -> String
    ) {
      self.title = title
      self.alignment = alignment
      self.minimumWidth = minimumWidth
      self.attribute = attribute
      self.text = text
    }
  }

  /// The program's name.
  package var program: String
  /// The name of the store's file.
  package var file: String
  /// The part of the store that is shown, such as a table, or `nil` for a store that has no others.
  package var subject: String?
  /// The nouns for one row and for several.
  package var nouns: (one: String, many: String)
  /// The columns of the list.
  package var columns: [Column]
  /// The time of day at which what is listed was copied, where it does not change; `nil` for a live list.
  package var copyTime: String?
  /// The index of the column whose texts name rows, in messages and headings.
  package var titleColumn = 0
  /// The columns that the user can choose, or `nil` where they are fixed.
  package var columnChoice: ColumnChoice?
  /// The lines of the detail pane.
  package var details: [Column]
  /// The section key and the order of the list that is shown first.
  package var order: BrowserOrder
  /// The names that the sort menu offers.
  package var sortNames: [String]
  /// The names that the section menu offers.
  package var sectionNames: [String]
  /// The names that both menus show only when they are typed, such as keys of related objects.
  package var rareNames: Set<String> = []
  /// Whether a text that is typed behind `:` is a year, because the rows of a choice are in an order of dates or years.
  package var isYear: @Sendable (String, BrowserChoice) -> Bool = { _, _ in false }
  /// Returns the lists that an order can mean where it does not fit the sections; none where it fits.
  package var orderOffers: @Sendable (BrowserChoice) -> [BrowserOffer] = { _ in [] }
  /// Returns the lists that sections can mean where they do not fit the order; none where they fit.
  package var sectionOffers: @Sendable (BrowserChoice) -> [BrowserOffer] = { _ in [] }
  /// The lists that were saved under names when the browser was started.
  package var savedLists: [BrowserOffer] = []
  /// The commands of the program.
  package var commands: [BrowserCommand]
  /// Whether a command makes sense for what it would act on.
  package var isOffered: @Sendable (BrowserCall) -> Bool
  /// The fields of the forms in which rows are added and changed; without any there are no forms.
  package var fields: [FormField]
  /// Whether rows may be deleted, and commands may run that change the store.
  package var canWrite: Bool
  /// Whether the cursor keeps to the first row from the start on, as `g` makes it.
  package var keepsToFirst: Bool
  /// What is remembered from the last run, if anything is.
  package var memory: BrowserMemory?
  /// Takes what is to be remembered, when the browser is left.
  package var remember: (@Sendable (BrowserMemory) -> Void)?
  /// Whether rows belong to other lists, which a key opens.
  package var hasLinks = false
  /// Whether a row names another list, so that `Enter` opens that in place of the row's values.
  package var opensRows = false
  /// Whether the list was opened over another one, which is shown again when this one is left.
  package internal(set) var isVisit = false
  /// A sentence to show at the start, or an empty text.
  package var notice = ""
  /// Returns the text of a section's aggregates for its header; an empty text for none.
  package var aggregates: @Sendable (SectionAggregates) -> String = { $0.description }
  /// The column of running values, or `nil` for none.
  package var running: RunningColumn?
  /// Whether a row is shown dimmed.
  package var isDimmed: @Sendable (Row) -> Bool = { _ in false }
  /// Whether the detail pane has lines that are read when a row is shown there.
  package var hasMoreDetails = false
  /// The time for which changes are marked: zero for not at all, `nil` until something else changes.
  package var markTime: Duration? = .milliseconds(1500)
  /// The number of rows up to which a change can be taken back; before a larger one, the user is asked.
  package var mostUndoableRows = 65_536
  /// The number of rows up to which changes of a list name all rows, and not only those near the screen.
  package var mostWholeRows = 100_000
  /// The measure of widths.
  package var width: DisplayWidth
  /// The signs for headers, marks and states.
  package var signs: BrowserSigns

  /// Creates the description of a program's list.
  package init(
    program: String,
    file: String,
    nouns: (one: String, many: String),
    columns: [Column],
    details: [Column],
    order: BrowserOrder = "",
    sortNames: [String] = [],
    sectionNames: [String] = [],
    commands: [BrowserCommand] = [],
    isOffered: @escaping @Sendable (BrowserCall) -> Bool = { _ in true },
    fields: [FormField] = [],
    canWrite: Bool = false,
    keepsToFirst: Bool = false,
    width: DisplayWidth = DisplayWidth(),
    signs: BrowserSigns = .unicode
  ) {
    self.program = program
    self.file = file
    self.nouns = nouns
    self.columns = columns
    self.details = details
    self.order = order
    self.sortNames = sortNames
    self.sectionNames = sectionNames
    self.commands = commands
    self.isOffered = isOffered
    self.fields = fields
    self.canWrite = canWrite
    self.keepsToFirst = keepsToFirst
    self.width = width
    self.signs = signs
  }

  /// The scalars of a title in a message.
  static let mostTitleScalars = 200

  /// Returns a row's title: its text in the column that names rows.
  package func title(of row: Row) -> String {
    SafeText.oneLine(
      columns.indices.contains(titleColumn)
        ? columns[titleColumn].text(row) : row.id.description,
      atMost: BrowserSetup.mostTitleScalars
    )
  }
}

/// What a list shows beside its program's default: a filter, an order, a section key.
package struct BrowserChoice: Hashable, Sendable {
  /// The text of the filter, or an empty text for none.
  package var filter = ""
  /// The sort order as in `--sort`, or `nil` for the program's own.
  package var sort: String?
  /// The section key as in `--section-by`, or `nil` for the program's own.
  package var sectionBy: String?
  /// The names of the columns as in `--columns`, or `nil` for those that are shown first.
  package var columns: [String]?
  /// The name of a saved list, in place of the one that is shown first, or `nil`.
  package var savedList: String?
  /// The number of a list that a command opened in place of the program's own, or `nil`.
  package var commandList: Int?

  /// Creates the program's default list.
  package init() {}
}

/// One of several lists that a choice can mean.
package struct BrowserOffer: Hashable, Sendable {
  /// What distinguishes it, in a few words.
  package var title: String
  /// Its sections and its order, in words.
  package var order: String
  /// The list.
  package var choice: BrowserChoice

  /// Creates an offer.
  package init(_ title: String, order: String, _ choice: BrowserChoice) {
    (self.title, self.order, self.choice) = (title, order, choice)
  }
}

/// The section key and the order of a list, as the screen shows them.
package struct BrowserOrder: Hashable, Sendable, ExpressibleByStringLiteral {
  /// Both in words, such as `by publisher ▸ title`.
  package var words: String
  /// The title of the column by which rows are sorted within their section, or `nil` if it is none that is shown.
  package var column: String?
  /// Whether that column is sorted descending.
  package var isDescending: Bool
  /// The end of the list at which running values begin, or `nil` if they have no meaning in this order.
  package var runningOrigin: RunningOrigin?

  /// Creates an order.
  package init(_ words: String, column: String? = nil, isDescending: Bool = false) {
    self.words = words
    self.column = column
    self.isDescending = isDescending
  }

  /// Creates an order of which only the words are known.
  package init(stringLiteral words: String) { self.init(words) }
}

/// The signs that a browser draws.
package struct BrowserSigns: Hashable, Sendable {
  /// The signs of open and folded sections, and of the line between a title and its count.
  package var open, folded, rule: String
  /// The signs of moved rows, of what was removed, and of states.
  package var moved, minus, live, held, opening, failed: String
  /// The signs of ascending and descending columns.
  package var ascending, descending: String
  /// The signs of the ends to which the cursor keeps, of the scroll thumb and its track, of separators and of rows not yet read.
  package var first, last, thumb, track, separator, unread: String

  /// The signs of the usual form.
  package static let unicode = BrowserSigns(
    open: "▾",
    folded: "▸",
    rule: "─",
    moved: "→",
    minus: "−",
    live: "●",
    held: "‖",
    opening: "◌",
    failed: "!",
    ascending: "▲",
    descending: "▼",
    first: "⇡",
    last: "⇣",
    thumb: "█",
    track: "│",
    separator: "▸",
    unread: "⋯"
  )

  /// Signs of ASCII alone.
  package static let ascii = BrowserSigns(
    open: "v",
    folded: ">",
    rule: "-",
    moved: "m",
    minus: "-",
    live: "*",
    held: "|",
    opening: "o",
    failed: "!",
    ascending: "^",
    descending: "v",
    first: "^",
    last: "_",
    thumb: "#",
    track: "|",
    separator: ">",
    unread: "..."
  )
}
