package import ResultsDomain
package import ResultsPresentation

/// What a browser remembers of a list from one run to the next.
package struct BrowserMemory: Hashable, Sendable {
  /// The sort order that was chosen, or `nil` for the program's own.
  package var sort: String?
  /// The section key that was chosen, or `nil` for the program's own.
  package var sectionBy: String?
  /// The names of the columns that were chosen, in their order, or `nil` for the program's own.
  package var columns: [String]?
  /// The folded sections.
  package var folded: [SectionID] = []
  /// The row under the cursor.
  package var cursor: ObjectID?

  /// Creates a memory of nothing.
  package init() {}
}

extension BrowserModel {
  /// What is to be remembered of what is shown, or `nil` before the first list; a filter, a saved list and a command's list are not remembered.
  package var memory: BrowserMemory? {
    guard hasList else { return nil }
    var memory = BrowserMemory()
    let isChosen = choice.sort != nil || choice.sectionBy != nil || choice.columns != nil
    let isOwn = choice.commandList == nil && choice.savedList == nil
    if isOwn {
      (memory.sort, memory.sectionBy) = (choice.sort, choice.sectionBy)
    }
    memory.columns = rememberedColumns
    let folded = isChosen && isOwn ? pane.foldedIDs : base.foldedIDs
    memory.folded = folded.sorted { "\($0)" < "\($1)" }
    memory.cursor = pane.cursorID
    return memory
  }

  /// Shows what was shown when the browser was left last, once the first list is there.
  mutating func resume() -> [BrowserEffect] {
    guard let memory = setup.memory, let list = base.list else { return [] }
    setup.memory = nil
    var choice = BrowserChoice()
    (choice.sort, choice.sectionBy) = (memory.sort, memory.sectionBy)
    guard choice == BrowserChoice() else {
      resumed = memory
      return open(choice)
    }
    base.resume(memory.folded, in: list)
    guard base.edge == nil, let row = memory.cursor else { return [] }
    return search(for: row, .resume)
  }
}

extension ListPane {
  /// Folds the sections that were folded, and goes to the first row.
  mutating func resume(_ folded: [SectionID], in list: ResultsList<Row>) {
    foldedIDs = Set(folded)
    lines = LineMap(list, folded: foldedSections(in: list))
    let keptEdge = edge
    go(to: keptEdge ?? .first)
    edge = keptEdge
    holdRows()
  }
}
