package import ResultsDomain

/// What one command changed, so that it can be undone.
package struct UndoStep: Hashable, Sendable {
  /// What the command did, such as `deleted 3 books`; it may contain any characters.
  package let title: String
  /// The net changes of rows, at most one for each.
  package let changes: [CommittedChange]
  /// The name of the command, if its commits have one.
  package let command: CommandName?
  /// Whether undoing the step does the command again.
  package private(set) var isInverse = false

  /// Creates a step.
  package init(_ title: String, _ changes: [CommittedChange], command: CommandName? = nil) {
    self.title = title
    self.changes = changes
    self.command = command
  }

  /// The step that does again what undoing this one takes back.
  package var inverse: UndoStep {
    var step = UndoStep(title, changes.map(\.inverse), command: command)
    step.isInverse = !isInverse
    return step
  }
}

/// The steps of this program that can be undone and done again, newest last.
///
/// At most 100 steps with 100,000 rows in total are kept; the oldest are dropped first.
package struct UndoStack: Sendable {
  /// The most steps that are kept.
  package static let stepLimit = 100
  /// The most rows that are kept.
  package static let rowLimit = 100_000

  private var done: [UndoStep] = []
  private var undone: [UndoStep] = []

  /// Creates an empty stack.
  package init() {}

  /// The step that is undone next, or `nil` if there is none.
  package var undoable: UndoStep? { done.last }
  /// The step that is done again next, or `nil` if there is none.
  package var redoable: UndoStep? { undone.last }

  /// Adds a step that was done; steps that had been undone can no longer be done again.
  package mutating func push(_ step: UndoStep) {
    undone = []
    done.append(step)
    dropOldest()
  }

  /// Notes that the newest step was undone.
  package mutating func noteUndo() {
    if let step = done.popLast() { undone.append(step) }
  }

  /// Notes that the newest undone step was done again.
  package mutating func noteRedo() {
    if let step = undone.popLast() { done.append(step) }
  }

  /// Drops the newest step, which can no longer be undone.
  package mutating func dropNewest() { _ = done.popLast() }

  private mutating func dropOldest() {
    var rows = done.reduce(0) { $0 + $1.changes.count }
    var count = 0
    while done.count - count > UndoStack.stepLimit || rows > UndoStack.rowLimit, count < done.count
    {
      rows -= done[count].changes.count
      count += 1
    }
    done.removeFirst(count)
  }
}
