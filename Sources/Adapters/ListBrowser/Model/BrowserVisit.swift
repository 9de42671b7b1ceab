package import ResultsDomain
import TerminalFrontEnd

/// Another list to which a row refers, or whose rows refer to it.
package struct BrowserLink: Hashable, Sendable {
  /// The name by which the program knows it.
  package var name: String
  /// What it is, in a few words; it need not be safe for a terminal.
  package var title: String
  /// What else there is to know of it, or an empty text.
  package var note: String

  /// Creates a link.
  package init(name: String, title: String, note: String = "") {
    (self.name, self.title, self.note) = (name, title, note)
  }
}

/// A list that is opened over another one, which stays live below it and is shown again when this one is left.
package struct BrowserVisit: Sendable {
  /// What the browser shows.
  package var setup: BrowserSetup
  /// Where its lists come from.
  package var source: BrowserSource
  /// Closes what was opened for it, once it has been left.
  package var close: @Sendable () -> Void

  /// Creates a visit.
  /// - Parameters:
  ///   - setup: What the browser shows.
  ///   - source: Where its lists come from.
  ///   - row: The row under the cursor at first, or `nil` for what is remembered, or else the first one.
  ///   - close: Closes what was opened for it, once it has been left.
  package init(
    _ setup: BrowserSetup,
    source: BrowserSource,
    at row: ObjectID? = nil,
    close: @escaping @Sendable () -> Void = {}
  ) {
    self.setup = setup
    self.source = source
    self.close = close
    self.setup.isVisit = true
    guard let row else { return }
    self.setup.memory = BrowserMemory()
    self.setup.memory?.cursor = row
    self.setup.keepsToFirst = false
  }
}

/// Links: finding what a row refers to, and opening it.
extension BrowserModel {
  /// Does what `Enter` does: it opens what the row names, or else shows the row's values.
  mutating func enter(frame: Int?) -> [BrowserEffect] {
    guard setup.opensRows, pane.cursor?.isRow != false else { return showDetail(frame: frame) }
    return readLinks("Enter")
  }

  /// Asks for the lists that belong to the row under the cursor.
  mutating func readLinks(_ key: String) -> [BrowserEffect] {
    guard setup.hasLinks else {
      sayNoKey(key)
      return []
    }
    guard let id = pane.cursorID else {
      sayIdle("There is no row under the cursor.")
      return []
    }
    isPerforming = true
    return [.readLinks(id)]
  }

  /// Offers the lists that belong to a row, or opens the only one of a row that names it.
  mutating func take(_ found: [BrowserLink], of id: ObjectID) -> [BrowserEffect] {
    guard let first = found.first else {
      sayIdle("This \(setup.nouns.one) refers to no other, and none refers to it.")
      return []
    }
    links = (id, found)
    if setup.opensRows, found.count == 1 { return visit(first, from: id) }
    let items = found.enumerated().map { index, link in
      Menu.Item(
        text: SafeText.oneLine(link.title, atMost: BrowserSetup.mostTitleScalars),
        note: SafeText.oneLine(link.note, atMost: BrowserSetup.mostTitleScalars),
        index: index
      )
    }
    menu = Menu(purpose: .links, title: "Go to", all: items)
    return []
  }

  /// Opens the list of a link.
  mutating func visit(_ link: BrowserLink, from id: ObjectID) -> [BrowserEffect] {
    (isPerforming, isVisiting) = (true, true)
    return [.visit(id, link)]
  }
}
