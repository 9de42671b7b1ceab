import ResultsDomain
import ResultsPresentation
import TerminalFrontEnd

/// A form over the list in which a row is added, or rows are changed: a state machine of its own.
///
/// It holds what was typed until it is stored or given up. It knows nothing of where the list shows the rows, so the list can change
/// around it as it likes.
struct BrowserForm: Sendable {
  /// What the form is doing.
  enum Phase: Sendable {
    /// Its rows are being read; keys wait.
    case opening
    /// Keys go into the fields.
    case editing
    /// It is being stored; keys wait.
    case saving
    /// Its text is in an editor.
    case inEditor
    /// Others have changed its rows, and a key says what to write.
    case conflict(FormConflict, of: FormSubmission)
  }

  /// What a key asks for.
  enum Step: Hashable, Sendable {
    case nothing, save, close, editor, repaint
    /// Write again what others have changed, in the way that a key names.
    case resolve(Character)
  }

  /// Something typed that waits until the form can take it.
  enum Input: Sendable {
    case key(Key, frame: Int?)
    case paste(String)
  }

  /// The number by which events name the form.
  let number: Int
  /// What it is for.
  let subject: FormSubject
  /// The descriptions of all fields.
  let fields: [FormField]
  /// What is being edited, in words.
  let title: String
  /// Whether the text goes to an editor at once, and is stored as soon as that ends.
  let usesEditor: Bool
  var phase = Phase.opening
  /// The rows on which what was typed is based.
  var begun: [FormRow] = []
  /// Whether others have deleted the row.
  var isDeleted = false
  /// The fields that the form shows.
  var entries: [FormEntry] = []
  /// The index of the entry with the caret.
  var index = 0
  /// Why what was typed is not stored.
  var reason = ""
  /// Whether the next Esc gives up what was typed.
  var asksBeforeClosing = false
  /// What was typed while the form could not take it.
  var waiting: [Input] = []
  /// Where the row would stand, and for what that was found.
  var landing: FormLanding?
  var landingState = LandingState()

  init(
    number: Int,
    subject: FormSubject,
    fields: [FormField],
    title: String,
    usesEditor: Bool = false
  ) {
    self.number = number
    self.subject = subject
    self.fields = fields
    self.title = title
    self.usesEditor = usesEditor
  }

  /// Takes what the form begins with.
  mutating func begin(with content: FormContent) {
    begun = content.rows
    let order =
      fields.indices.filter { fields[$0].isKey } + fields.indices.filter { !fields[$0].isKey }
    let isNew = subject == .new
    entries = order.filter { isNew || !fields[$0].isKey }.map { field in
      let text = content.texts.indices.contains(field) ? content.texts[field] : ""
      return FormEntry(field: field, original: text)
    }
    phase = .editing
  }

  /// Takes what others have stored meanwhile: fields that were not typed in follow it.
  mutating func follow(_ content: FormContent) {
    isDeleted = content.isDeleted
    begun = content.rows
    var followed: [String] = []
    for index in entries.indices {
      let field = entries[index].field
      guard content.texts.indices.contains(field) else { continue }
      let isOther = entries[index].follow(content.texts[field], others: content.conflicts[field])
      if isOther { followed.append(fields[field].name) }
    }
    guard !followed.isEmpty else { return }
    reason = "Others have changed \(followed.joined(separator: ", "))."
  }

  /// The texts of changed fields, by the fields' positions.
  var changes: [Int: String] {
    Dictionary(
      entries.filter(\.isChanged).map { ($0.field, $0.text) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// What the form would store.
  var submission: FormSubmission { FormSubmission(subject, begun: begun, texts: changes) }

  /// Whether anything typed would be lost by closing the form.
  var hasChanges: Bool { entries.contains(where: \.isChanged) }

  /// Whether the form waits for an answer, so that the screen is not final.
  var isWaiting: Bool {
    switch phase {
    case .opening, .saving, .inEditor: true
    case .editing, .conflict: landingState.isLooking
    }
  }

  // MARK: - Fields

  /// Checks the texts of all changed fields.
  /// - Returns: Whether all are values; otherwise the caret is in the first that is not.
  mutating func check() -> Bool {
    for index in entries.indices { check(index) }
    guard let first = entries.firstIndex(where: { $0.problem != nil }) else { return true }
    index = first
    return false
  }

  private mutating func check(_ index: Int) {
    let entry = entries[index]
    guard entry.isChanged else { return }
    entries[index].problem = fields[entry.field].problem(entry.text)
  }

  /// Puts the caret into another field, and checks the text of the one that it leaves.
  mutating func go(to new: Int) {
    guard !entries.isEmpty else { return }
    check(index)
    index = (new + entries.count) % entries.count
  }

  /// Inserts a text into the field with the caret.
  ///
  /// It never starts an action; a line end at its end is left out.
  mutating func paste(_ text: String) {
    guard entries.indices.contains(index) else { return }
    var scalars = String.UnicodeScalarView()
    var wasReturn = false
    for scalar in text.unicodeScalars {
      // A terminal sends the line ends of a paste as returns.
      if !(scalar == "\n" && wasReturn) { scalars.append(scalar == "\r" ? "\n" : scalar) }
      wasReturn = scalar == "\r"
    }
    while scalars.last == "\n" { scalars.removeLast() }
    entries[index].insert(String(scalars))
    noteTyping()
  }

  mutating func noteTyping() {
    asksBeforeClosing = false
    reason = ""
    landingState.revision += 1
  }

  // MARK: - Keys

  /// Takes a key while the form is being edited.
  /// - Parameters:
  ///   - key: The key.
  ///   - columns: The number of fields side by side on the screen.
  /// - Returns: What the key asks for.
  mutating func press(_ key: Key, columns: Int) -> Step {
    if case .conflict(let conflict, _) = phase { return press(key, in: conflict) }
    guard entries.indices.contains(index) else { return key.code == .escape ? .close : .nothing }
    let closes = key.code == .escape || key == Key(.character("c"), control: true)
    if !closes { asksBeforeClosing = false }
    switch key.code {
    case .enter: return .save
    case .tab: go(to: index + (key.isShift ? -1 : 1))
    case .down: if index + columns < entries.count { go(to: index + columns) }
    case .up: if index >= columns { go(to: index - columns) }
    case .pageDown: go(to: entries.count - 1)
    case .pageUp: go(to: 0)
    case .character("e") where key.isControl: return .editor
    case .character("l") where key.isControl: return .repaint
    case .character("r") where key.isControl:
      entries[index].restore()
      noteTyping()
    case _ where closes: return close()
    default:
      let old = entries[index].text
      if entries[index].press(key), !entries[index].text.utf8.elementsEqual(old.utf8) {
        noteTyping()
      }
    }
    return .nothing
  }

  /// Asks once before what was typed is given up.
  private mutating func close() -> Step {
    let count = entries.count(where: \.isChanged)
    guard count > 0, !asksBeforeClosing else { return .close }
    asksBeforeClosing = true
    reason =
      count == 1
      ? "One field is not saved. Enter saves it; Esc once more gives it up."
      : "\(count) fields are not saved. Enter saves them; Esc once more gives them up."
    return .nothing
  }

  private mutating func press(_ key: Key, in conflict: FormConflict) -> Step {
    if key.code == .escape || key == Key(.character("c"), control: true) {
      phase = .editing
      return .nothing
    }
    if key == Key(.character("l"), control: true) { return .repaint }
    guard case .character(let character) = key.code, !key.isControl, !key.isAlt else {
      return .nothing
    }
    let keys: [Character] =
      switch conflict {
      case .changed: ["m", "o", "t"]
      case .deleted: ["a"]
      case .several: ["s", "o"]
      }
    return keys.contains(character) ? .resolve(character) : .nothing
  }

  /// Returns what a key of the conflict writes, or `nil` if it writes nothing.
  ///
  /// What was shown as stored is what the next attempt begins with, so nothing is overwritten that the user has not seen.
  func submission(resolvedBy key: Character) -> FormSubmission? {
    guard case .conflict(let conflict, var submission) = phase else { return nil }
    switch (conflict, key) {
    // The draft would keep mine over what it knows by now, so the edit is based on what was shown.
    case (.changed(_, let stored), "o"): submission.begun = [stored]
    case (.changed(let fields, let stored), "m"):
      submission.begun = [stored]
      for field in fields where field.isChanged { submission.texts[field.field] = nil }
    case (.deleted, "a"):
      submission.policy = .addDeleted
      return submission
    case (.several, "s"): submission.policy = .skip
    case (.several(_, let stored), "o"): submission.begun = stored
    default: return nil
    }
    return submission.texts.isEmpty ? nil : submission
  }
}

/// What is known about where the row of a form would stand.
struct LandingState: Hashable, Sendable {
  /// The number of changes of the form's texts.
  var revision = 0
  /// The revision and the list for which the last answer was found, and when it was requested.
  var found: Int?
  var list: ResultsPosition?
  var time = Duration.zero
  /// Whether an answer is under way.
  var isLooking = false
  /// Whether the store may have changed since the last request.
  var isOutdated = false

  /// The time between two requests that only changes of the list or the store cause.
  static let patience = Duration.milliseconds(250)
}
