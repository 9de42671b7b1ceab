package import ResultsDomain
package import ResultsPresentation
package import TerminalFrontEnd

/// What happens to a browser: the only way by which its model changes.
package enum BrowserEvent: Sendable {
  /// A key was pressed while a frame was on the screen; `nil` stands for the newest.
  case key(Key, frame: Int? = nil)
  /// A text was pasted.
  case paste(String)
  /// The terminal has another size.
  case resized(TerminalSize)
  /// A list changed. The number names the pane.
  case list(pane: Int, ResultsEvent<Row>)
  /// A list that was asked for is open.
  case opened(pane: Int, BrowserChoice, ResultsList<Row>, order: BrowserOrder)
  /// A list that was asked for cannot be opened, with the reason.
  case refused(pane: Int, reason: String)
  /// A page that was asked for was read: the rows from a position on, `nil` for those that cannot be read.
  case page(pane: Int, from: Int, rows: [Row?])
  /// The texts of the running column at some positions of a list; those that cannot be read are left out.
  case running([Int: String], at: RangeSet<Int>, of: ResultsPosition)
  /// Rows of a list cannot be read, with the reason.
  case unreadable(pane: Int, reason: String)
  /// A list that failed can be read again.
  case recovered(pane: Int)
  /// The limit of a section was changed; what comes or goes arrives as a change of the list.
  case limited
  /// Why the lists are compared although the database has a change log; empty if they no longer are.
  case compared([String])
  /// A request was performed, or was not.
  case performed(BrowserOutcome)
  /// What came of something that ran beside the list; `nil` if it was ended before.
  case ended(String?)
  /// The process that keeps the store from being written at present, or `nil` if that is not known.
  case writer(String?)
  /// The first rows of a list that is being opened, before all of them are counted.
  case first(pane: Int, [Row], order: BrowserOrder)
  /// The path where a row stands or would stand in a list; `nil` if the list cannot have it.
  case landed(pane: Int, Row, RowPath?, in: ResultsList<Row>)
  /// Something that a form waits for. The number names the form.
  case form(number: Int, FormEvent)
  /// The paths of the rows that a search asked for, in its order; `nil` for those that are not in the list.
  case found(search: Int, [RowPath?])
  /// What the detail pane shows of a row besides its values.
  case details(ObjectID, [BrowserDetail])
  /// The next row that matches a text, or `nil` if there is none; with a reason if the text is not valid.
  case matched(ObjectID?, reason: String? = nil)
  /// The mouse was used.
  case mouse(Mouse)
  /// Time has passed.
  case tick
}

/// What a browser wants done; the answers are events.
package enum BrowserEffect: Sendable {
  /// Read the rows of a list at some positions, and send them as a page.
  case readPage(pane: Int, ResultsList<Row>, Range<Int>)
  /// Read the texts of the running column at some positions of a list, and send them.
  case readRunning(
    BrowserSetup.RunningColumn,
    ResultsList<Row>,
    RangeSet<Int>,
    from: RunningOrigin
  )
  /// Open a list of its own beside the base list.
  case open(pane: Int, BrowserChoice)
  /// Close the list of a pane, or stop opening it.
  case close(pane: Int)
  /// Perform a request, and send its outcome.
  case perform(BrowserRequest)
  /// Find the lists that belong to a row, and send them as an outcome.
  case readLinks(ObjectID)
  /// Open the list of a link of a row, and send it as an outcome.
  case visit(ObjectID, BrowserLink)
  /// Show another list over this one.
  case show(BrowserVisit)
  /// Show the list below this one again, and close this one.
  case leave
  /// Find out which process keeps the store from being written, and send its name.
  case findWriter
  /// Let the write that is under way wait for other writers no longer.
  case giveUp
  /// Find where a row stands or would stand in a list, and send the path.
  case land(pane: Int, ResultsList<Row>, Row)
  /// Do something for a form, and send what came of it.
  case form(number: Int, FormEffect)
  /// Find the paths of rows in a list of a pane, and send them.
  case find(search: Int, pane: Int, ResultsList<Row>, [ObjectID])
  /// Read what the detail pane shows of a row besides its values.
  case readDetails(ObjectID)
  /// Find where a typed value would stand in a list, and send the path.
  case seek(pane: Int, ResultsList<Row>, BrowserChoice, String)
  /// Find the next row from a position on that matches a text; a newer search ends this one.
  case match(pane: Int, ResultsList<Row>, BrowserChoice, String, from: Int, backward: Bool)
  /// Let the terminal report the mouse, or no longer.
  case mouse(Bool)
  /// Find out whether a list that failed can be read again.
  case recheck(pane: Int)
  /// Let the changes of a pane's list name some rows, or all.
  case observe(pane: Int, Range<Int>?)
  /// Show all rows of a section with a limit, or its first ones again.
  case limit(pane: Int, SectionID, isLifted: Bool)
  /// Copy a text to the terminal's clipboard.
  case copy(String)
  /// Paint everything again.
  case repaint
  /// Stop the process as `^Z` does.
  case suspend
  /// End, with an exit status.
  case quit(Int32)
}

/// An answer that a form waits for.
package enum FormEvent: Sendable {
  /// What the form begins with.
  case begun(FormContent)
  /// The form cannot begin, with the reason.
  case refused(String)
  /// A submission was stored, or was not.
  case saved(FormOutcome, of: FormSubmission)
  /// The store may have changed.
  case changed
  /// What the form shows besides a revision of its texts, and where its row would stand in a list; no content if it cannot be read.
  case drafted(FormContent?, FormLanding, revision: Int, in: ResultsPosition)
  /// The text that an editor has left.
  case edited(String)
  /// The text was not edited, with the reason.
  case notEdited(String)
}

/// What a form wants done.
package enum FormEffect: Sendable {
  /// Read what the form begins with.
  case begin(FormSubject)
  /// Store a submission, unless others have changed its rows.
  case save(FormSubmission)
  /// Write what is typed into the draft, and find where its row would stand in a list.
  case draft(FormSubmission, revision: Int, ResultsList<Row>, BrowserChoice)
  /// Have a text edited by the user's editor.
  case edit(String)
  /// End the draft: the form is closed.
  case end
}
