import ResultsDomain
import ResultsPresentation
package import TerminalFrontEnd

/// The whole state of a browser: a value that knows no terminal, no clock and no store.
///
/// ```swift
/// var model = BrowserModel(setup, size: TerminalSize(columns: 80, rows: 24))
/// let effects = model.update(.key(Key(.down)), at: .zero)
/// let surface = BrowserView.surface(of: model)
/// ```
package struct BrowserModel: Sendable {
  /// The program that is shown.
  var setup: BrowserSetup
  /// The size of the terminal.
  var size: TerminalSize
  /// The list that the browser began with; it stays live below any other.
  var base = ListPane(id: 0)
  /// The list with another filter, order or sections that is shown in place of the base list.
  var derived: ListPane?
  /// The pane that is being opened.
  var opening: Int?
  /// The first rows of the list that is being opened.
  var firstRows: FirstRows?
  /// The number of the newest pane.
  var newestPane = 0
  /// What the list that was asked for last shows beside the default.
  var choice = BrowserChoice()
  /// What the list on the screen shows beside the default.
  var shownChoice = BrowserChoice()
  /// The order of the shown list in words.
  var order: BrowserOrder
  /// The reason why the list cannot be read at present.
  var failure: String?
  /// Why the lists are compared although the database has a change log.
  var captureProblems: [String] = []
  /// When it was last asked whether it can be read again.
  var rechecked = Duration.zero
  /// The page that is being read.
  var reading: PageRead?
  /// The texts of the column of running values.
  var runningTexts = RunningTexts()
  /// The row whose further details were asked for, and the last that came.
  var requestedDetails: ObjectID?
  var relatedDetails: (id: ObjectID, lines: [BrowserDetail])?
  /// The command that is being performed, the one whose lines are shown, and the one that opened the shown list.
  var performing: BrowserCall?
  var linesCall: BrowserCall?
  var listCall: BrowserCall?
  /// Whether the list has changed since the lines of a command were read, and whether they are being read again.
  var areLinesOld = false
  var readsLinesAgain = false
  /// How many things that commands have started run beside the list.
  var running = 0
  /// The text that `n` and `N` search.
  var searchText = ""
  /// Whether a search for a match is under way.
  var isMatching = false
  /// Whether all rows of the shown list are selected, whichever they are.
  var selectsAll = false
  /// The list about which the user was asked whether all of its rows are to be changed.
  var askedAbout: ResultsPosition?
  /// Whether the terminal reports the mouse.
  package internal(set) var hasMouse = false
  /// The searches for rows that are under way, by their numbers.
  var searches: [Int: RowSearch] = [:]
  /// The number of the newest search.
  var newestSearch = 0
  /// The list that is held, with what waits.
  var held: HeldList?
  /// The last message, in the line above the hints.
  var message = "" {
    didSet {
      if message.utf8.count > MessageLog.mostBytes { message = MessageLog.shortened(message) }
      log.note(message)
      isMinorMessage = false
    }
  }
  /// Whether the message only says that there was nothing to do, or how many rows others changed.
  var isMinorMessage = false
  /// The message that the last key found, unless it was a minor one; what has nothing to do leaves it where it was.
  var earlierMessage = ""
  /// The last messages, which a key shows in full.
  var log = MessageLog()
  /// The selected rows.
  var selection: Set<ObjectID> = []
  /// The keys typed so far of a longer sequence, and the count before them.
  var pendingKeys: [String] = []
  /// The largest count; a larger one would overflow where it is added to a line.
  static let mostCount = 1_000_000_000_000
  var pendingCount: Int?
  /// The field that is being typed into.
  var field: InputField?
  /// The menu that is open.
  var menu: Menu?
  /// What the menu offers that is open for an order and sections which do not fit each other.
  var offers: [BrowserOffer] = []
  /// The names of the columns that are being chosen, in their order.
  var chosenColumns: [String] = []
  /// The names of the chosen columns that are on the screen, or `nil` for those that are shown first.
  var drawnColumns: [String]?
  /// The lists that belong to a row, as the menu offers them.
  var links: (row: ObjectID, all: [BrowserLink])?
  /// Whether another list is being opened over this one: keys wait for it.
  var isVisiting = false
  /// The detail pane, if it is open.
  var detail: DetailPane?
  /// The form that is open, and the number of the newest.
  var form: BrowserForm?
  var newestForm = 0
  /// A row that a form has added, to which the cursor goes as soon as the list has it.
  var added: ObjectID?
  /// What is remembered of the list that is being opened.
  var resumed: BrowserMemory?
  /// The row to which `^O` goes.
  var goal: ObjectID?
  /// The widest text of each column seen so far.
  var naturalWidths: [Int]
  /// When interrupt was pressed last.
  var interruption: Duration?
  /// The present time, since the start.
  var now = Duration.zero
  /// Whether a request is being performed, or a position looked for.
  var isPerforming = false {
    didSet { if isPerforming != oldValue { performingSince = isPerforming ? now : nil } }
  }
  /// Since when one is.
  var performingSince: Duration?
  /// How many limits of sections are being changed.
  var changingLimits = 0
  /// The write that is under way, if there is one.
  var pendingWrite: PendingWrite?
  /// When the last key asked for rows to be deleted; `nil` once another key was pressed.
  var deleted: Duration?
  /// The number of the frame on the screen.
  package private(set) var frame = 0
  /// The rows under the cursor in the newest frames, by the frames' numbers.
  private var frames: [Int: ObjectID] = [:]

  /// Creates the state before the first list.
  package init(_ setup: BrowserSetup, size: TerminalSize) {
    self.setup = setup
    self.size = size
    order = setup.order
    message = setup.notice
    naturalWidths = setup.columns.map { setup.width.columns(of: $0.title) }
    base.height = layout.listLines.count
    if setup.keepsToFirst { base.edge = .first }
  }

  /// Notes that the present state is on the screen, and returns the number of the frame.
  ///
  /// A key that is pressed from now on means what this frame shows, however soon the list changes below it.
  @discardableResult
  package mutating func notePainted() -> Int {
    frame += 1
    frames[frame] = shownFirstRows.map { $0.rows.first?.id } ?? pane.cursorID
    frames[frame - 64] = nil
    return frame
  }

  /// Returns the row that a user saw under the cursor when a frame was on the screen.
  func cursorID(inFrame number: Int?) -> ObjectID? {
    guard let number else { return pane.cursorID }
    return frames[number]
  }

  /// Notes that a key has moved the cursor from the row that its frame showed, so that the keys after it mean the row where it is now.
  mutating func noteMove(from row: ObjectID?, inFrame number: Int?) {
    guard let number, let row, frames[number] == row else { return }
    frames[number] = pane.cursorID
  }

  /// The list that is shown.
  var pane: ListPane {
    get { derived ?? base }
    set { if derived != nil { derived = newValue } else { base = newValue } }
  }

  /// Whether anything on the screen changes by itself with time.
  package var needsTicks: Bool {
    !pane.marks.isEmpty && setup.markTime != nil || held != nil || form != nil || failure != nil
      || shownFirstRows != nil || isPerforming
  }
  /// Whether the first list has arrived.
  package var hasList: Bool { base.list != nil }
  /// Whether every row on the screen has been read, and nothing is being opened.
  package var isSettled: Bool {
    reading == nil && opening == nil && !isPerforming && searches.isEmpty && !isMatching
      && (requestedDetails == nil || requestedDetails == relatedDetails?.id)
      && form?.isWaiting != true && changingLimits == 0 && !runningTexts.isReading
  }

  /// The newest list of a pane that the model has taken, also one that waits because the shown list is held.
  func position(ofPane id: Int) -> ResultsPosition? {
    if held != nil, id == pane.id { return held?.latest.position }
    return pane(id)?.list?.position
  }
}

/// A page that is being read, and what happened to its list meanwhile.
struct PageRead: Sendable {
  let pane: Int
  let positions: Range<Int>
  /// The changes since, each with the lists before and after; `nil` once the list was replaced, so that the page is worthless.
  var changes: [(delta: ResultsDelta, before: ResultsList<Row>, after: ResultsList<Row>)]? = []
}

/// What waits for a list that is held.
struct HeldList: Sendable {
  let since: Duration
  /// The changes composed into one, or `nil` where they do not compose.
  var delta: ResultsDelta?
  /// Whether the composed change is exact.
  var isExact = true
  /// The newest list.
  var latest: ResultsList<Row>

  /// Notes that a list came of which no change from the held one is known.
  mutating func noteGap(to list: ResultsList<Row>) {
    latest = list
    delta = nil
    isExact = false
  }
}

/// A field of one line in which a text is typed.
struct InputField: Hashable, Sendable {
  enum Purpose: Hashable, Sendable { case filter, goTo }
  let purpose: Purpose
  var text = ""
}

/// The pane with all values of the row under the cursor.
struct DetailPane: Hashable, Sendable {
  /// The first line shown.
  var top = 0
  /// Whether keys scroll it instead of the list.
  var hasFocus = false
}

/// A menu over the list: its items are narrowed by typing.
struct Menu: Sendable {
  enum Purpose: Hashable, Sendable {
    case help, sections, sort, order, sectionBy, columns, commands, lines, sameValue, messages,
      links

    /// Whether the menu is read, and nothing can be chosen.
    var isRead: Bool { self == .lines || self == .messages }

    /// What keys do in the menu.
    var hint: String {
      switch self {
      case .lines, .messages: "Esc back"
      case .columns: "Enter show or hide  ← → move  Esc done"
      default: "Enter choose  Esc back"
      }
    }
  }

  struct Item: Hashable, Sendable {
    let text: String
    var note = ""
    /// The index of the item among all.
    let index: Int
    /// Words that are not shown, and by which the item is found.
    var synonyms = ""
    /// Whether the item is shown only when it is searched.
    var isRare = false
  }

  let purpose: Purpose
  let title: String
  let all: [Item]
  var typed = ""
  var index = 0

  /// The items that contain what was typed; letter case is ignored.
  var items: [Item] {
    guard !typed.isEmpty else { return all.filter { !$0.isRare } }
    let sought = typed.lowercased()
    return all.filter { "\($0.text) \($0.note) \($0.synonyms)".lowercased().contains(sought) }
  }
}

// MARK: - Events

extension BrowserModel {
  /// Takes an event, and returns what is to be done because of it.
  ///
  /// It is the only way by which a model changes, and it depends on nothing but the model, the event and the time.
  /// - Parameters:
  ///   - event: What happened.
  ///   - now: The time since the start.
  /// - Returns: What is to be done.
  /// - Complexity: O(*c* log *n*) for a change of *c* rows, O(log *n*) for a key.
  package mutating func update(_ event: BrowserEvent, at now: Duration) -> [BrowserEffect] {
    self.now = now
    let openForm = form?.number
    var effects: [BrowserEffect] = []
    switch event {
    case .key(let key, let frame): effects = press(key, frame: frame)
    case .paste(let text): effects = type(text)
    case .resized(let size):
      self.size = size
      fit()
      if let open = menu, open.purpose == .messages {
        openMenu(.messages)
        menu?.typed = open.typed
      }
      effects = [.repaint]
    case .list(let pane, let event):
      effects = take(event, of: pane)
      effects += resume()
    case .opened(let pane, let choice, let list, let order):
      effects = open(list, choice, order, in: pane)
    case .first(let pane, let rows, let order): take(rows, order, firstOf: pane)
    case .refused(let pane, let reason): if pane == opening { refuse(reason) }
    case .page(let pane, let start, let rows): take(rows, from: start, of: pane)
    case .unreadable(let id, let reason):
      guard id == pane.id else { break }
      failure = reason
      message = SafeText.oneLine(reason)
    case .compared(let problems):
      captureProblems = problems
      message =
        problems.first.map {
          SafeText.oneLine("The list is compared after commits of others: \($0).")
        }
        ?? "The change log has every commit again."
    case .performed(let outcome): effects = take(outcome)
    case .ended(let text):
      running -= 1
      if let text { message = SafeText.oneLine(text) }
    case .writer(let name): take(writer: name)
    case .landed(let pane, let row, let path, let list):
      effects = land(row, at: path, of: list, in: pane)
    case .form(let number, let event): effects = take(event, ofForm: number)
    case .found(let search, let paths): effects = take(paths, ofSearch: search)
    case .details(let id, let lines):
      if requestedDetails == id { relatedDetails = (id, lines) }
    case .matched(let id, let reason): effects = take(match: id, reason)
    case .mouse(let mouse): effects = mustWait(nil) ? [] : take(mouse)
    case .limited: changingLimits -= 1
    case .running(let texts, let positions, let list): take(texts, at: positions, of: list)
    case .recovered(let id):
      guard id == pane.id, failure != nil else { break }
      (failure, message) = (nil, "")
      pane.unreadable = []
    case .tick:
      effects = recheck() + findWriter()
      if let span = setup.markTime {
        base.marks.expire(at: now, span)
        derived?.marks.expire(at: now, span)
      }
    }
    effects += goToAdded(after: event)
    if let openForm, form?.number != openForm { effects.append(.form(number: openForm, .end)) }
    return effects + readPage() + readRunningValues() + readDetails() + observe() + draftForm()
  }

  /// Asks for the rows that the screen needs and that are not held, one page at a time.
  private mutating func readPage() -> [BrowserEffect] {
    pane.holdRows()
    guard reading == nil, let list = pane.list, let missing = pane.missing else { return [] }
    reading = PageRead(pane: pane.id, positions: missing)
    return [.readPage(pane: pane.id, list, missing)]
  }

  /// Asks whether a list that failed can be read again, once a second.
  private mutating func recheck() -> [BrowserEffect] {
    guard failure != nil, now - rechecked >= .seconds(1) else { return [] }
    rechecked = now
    return [.recheck(pane: pane.id)]
  }

  /// Asks for what the detail pane shows of the cursor's row besides its values.
  private mutating func readDetails() -> [BrowserEffect] {
    guard setup.hasMoreDetails, detail != nil, let id = pane.cursorID, id != requestedDetails
    else {
      if detail == nil { requestedDetails = nil }
      return []
    }
    requestedDetails = id
    return [.readDetails(id)]
  }

  /// Takes a page, and lets it follow what happened to its list while it was read.
  private mutating func take(_ rows: [Row?], from start: Int, of id: Int) {
    guard let read = reading, read.pane == id, read.positions.lowerBound == start else { return }
    reading = nil
    guard let changes = read.changes else { return }
    var page = ShownRows<Row>()
    page.show(start..<start + rows.count)
    for (position, row) in zip(start..., rows) {
      if let row { page.fill([(row.id, row)], from: position) }
    }
    for change in changes { page.follow(change.delta, from: change.before, to: change.after) }
    changePane(id) { pane in
      for (position, entry) in page.all {
        pane.rows.fill([(entry.id, entry.content)], from: position)
      }
      guard changes.isEmpty else { return }
      for (position, row) in zip(start..., rows) where row == nil {
        pane.unreadable.insert(position)
      }
    }
    for row in rows.compactMap(\.self) { measure(row) }
  }

  /// Widens the columns for a row.
  mutating func measure(_ row: Row) {
    for (index, column) in setup.columns.enumerated() {
      let width = setup.width.columns(of: column.line(row))
      naturalWidths[index] = max(naturalWidths[index], width)
    }
  }

  /// Changes a pane that is still there.
  mutating func changePane(_ id: Int, _ change: (inout ListPane) -> Void) {
    if id == base.id { return change(&base) }
    guard var pane = derived, pane.id == id else { return }
    change(&pane)
    derived = pane
  }

  /// Returns a pane that is still there.
  func pane(_ id: Int) -> ListPane? {
    id == base.id ? base : derived.flatMap { $0.id == id ? $0 : nil }
  }
}
