import Foundation
package import ResultsDomain
import ResultsPresentation
import ResultsStoreKit

extension ListCommand {
  /// The commands that go to the row of today, and to the newest one of the month before or after that of the row at the cursor, in a list
  /// whose newest rows are first.
  /// - Parameters:
  ///   - attribute: The date by which the list is ordered.
  ///   - entity: The entity of the list, whose key is an integer.
  /// - Returns: `today` with the key `T`, `earlier-month` with `[` and `later-month` with `]`.
  package static func dateJumps(
    by attribute: String,
    of entity: EntityDescription
  ) -> [ListCommand] {
    /// A row that stands where a row of some time would stand.
    @Sendable func row(at instant: Instant) -> Row {
      let values = entity.attributes.map { $0.name == attribute ? instant.attributeValue : .null }
      let id = ObjectID(entity: entity.name, key: .integer(.min))
      return Row(entity: entity, id: id, values: values)
    }
    @Sendable func jump(by months: Int, from context: CommandContext) throws -> CommandOutcome {
      let rows = try context.store.read { (snapshot) throws(StoreError) in
        try snapshot.rows(context.ids.prefix(1).map(\.key), of: entity)
      }
      let calendar = context.settings.calendar
      guard case .some(.some(let first)) = rows.first, let date = first[attribute].integer,
        let month = calendar.dateInterval(
          of: .month,
          for: Date(timeIntervalSince1970: Double(date) / 1_000_000)
        ),
        let target = calendar.date(byAdding: .month, value: months, to: month.start),
        let end = calendar.dateInterval(of: .month, for: target)?.end
      else { return CommandOutcome("there is no such month") }
      let last = Int64((end.timeIntervalSince1970 * 1_000_000).rounded()) - 1
      return CommandOutcome("", .jump(to: row(at: Instant(microseconds: last))))
    }
    return [
      ListCommand("today", title: "go to today", key: "T", scope: .list) { context in
        CommandOutcome("today", .jump(to: row(at: context.now)))
      },
      ListCommand("earlier-month", title: "go to the month before", key: "[", scope: .rows) {
        try jump(by: -1, from: $0)
      },
      ListCommand("later-month", title: "go to the month after", key: "]", scope: .rows) {
        try jump(by: 1, from: $0)
      },
    ]
  }
}
