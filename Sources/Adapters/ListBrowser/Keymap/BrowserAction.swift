/// What a key does.
package enum BrowserAction: String, Hashable, Sendable, CaseIterable {
  case down, up, halfPageDown, halfPageUp, pageDown, pageUp, first, last
  case nextSection, previousSection, indexTitle, sections, goTo, share, back
  case fold, open, toggleFold, foldAll, openAll
  case lineToMiddle, lineToTop, lineToBottom
  case filter, sort, sectionBy, usual, columns, savedLists
  case nextMatch, previousMatch, sameValue
  case select, selectSection, selectAll, mouse, enter, detail, links, copyCell, copyRows
  case edit, editInEditor, add, delete, commands, undo, redo
  case hold, applyHeld
  case help, messages, repaint, suspend, escape, interrupt, quit, quitAll
}
