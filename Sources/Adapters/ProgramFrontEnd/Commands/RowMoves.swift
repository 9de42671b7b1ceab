package import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

extension ListCommand {
  /// The commands that move the row at the cursor one row up or down in an order that the user gives to rows (R250).
  ///
  /// They are offered where the list is in that order, and count the rows that it shows. A row stays in its group: its values except the rank
  /// never change.
  /// - Parameter order: The order.
  /// - Returns: `move-down` with the key `>`, and `move-up` with the key `<`.
  package static func moves(in order: RankedOrderDescription) -> [ListCommand] {
    [
      move("move-down", "move the row down", ">", by: 1, in: order),
      move("move-up", "move the row up", "<", by: -1, in: order),
    ]
  }

  private static func move(
    _ name: String,
    _ title: String,
    _ key: Character,
    by offset: Int,
    in order: RankedOrderDescription
  ) -> ListCommand {
    ListCommand(
      name,
      title: title,
      key: key,
      scope: .rows,
      writes: true,
      isOffered: { context in
        context.ids.count == 1 && order.isShown(by: context.definition.request.sortDescriptors)
      },
      { context in
        guard let id = context.ids.first else { return CommandOutcome("there is no row to move") }
        let isMoved = try context.store.commit(origin: context.origin) { transaction in
          guard
            let neighbour = try transaction.neighbour(
              offset,
              rowsFrom: id,
              in: order,
              where: context.predicate
            )
          else { return false }
          let position: RankedPosition = offset > 0 ? .after(neighbour) : .before(neighbour)
          try transaction.move(id, to: position, in: order)
          return true
        }.result
        guard !isMoved else { return CommandOutcome(offset > 0 ? "moved down" : "moved up") }
        let group = order.scope.isEmpty ? "" : " with its \(order.scope.joined(separator: ", "))"
        return CommandOutcome("it is the \(offset > 0 ? "last" : "first") row\(group)")
      }
    )
  }
}
