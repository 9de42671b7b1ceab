public import ResultsDomain
import ResultsPresentation

/// The façade's calls one by one, with a save that fails, told as it happens.
public enum EventLogStory {
  /// Plays the story on a store that holds no event yet.
  /// - Throws: `StoreError`, `StoreManagerError`, `DeltaError`, or what the closure throws.
  public static func tell(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    let managers = StoreManagers(dataFolder: "data") { _, _ in store }
    let manager = try managers.manager(of: "Log")
    try print("A log of events through one manager: make, select, delete, then save.\n")

    try print("1. The same model name gives the same manager; another file for it is refused.")
    let again = try managers.manager(of: "Log")
    try print("     the same: \(again === manager)")
    do {
      _ = try managers.manager(of: "Log", file: "other.sqlite")
    } catch {
      try print("     ! \(error)")
    }

    let list = try manager.controller("Event", sortedBy: "timeStamp")
    try await list.performFetch()
    var teller = await ResultsNarrator(list, text: text, print: print)
    try print(
      "\n2. Two new events wait to be saved: the manager's select sees them, the live list does not."
    )
    for hour in [9, 8] as [Int64] {
      let event = try manager.new("Event")
      event["timeStamp"] = at(hour)
    }
    try print("     select finds \(try manager.select("Event").count)")
    try await teller.change()

    try print("3. Saved: one commit, one change.")
    try manager.save()
    try await teller.change()

    try print(
      "4. An event without its time, beside a good one: the save fails, nothing is written, nothing is lost."
    )
    let good = try manager.new("Event")
    good["timeStamp"] = at(10)
    let bad = try manager.new("Event")
    do {
      try manager.save()
    } catch {
      try print("     ! \(error)")
    }
    try await teller.change()

    try print("5. Corrected and saved again.")
    bad["timeStamp"] = at(11)
    try manager.save()
    try await teller.change()

    try print("6. Select with a predicate, a limit and an offset; an empty predicate means all.")
    let late = "timeStamp >= '2026-11-03T10:00:00Z'"
    try print("     late: \(try manager.select("Event", where: late).count)")
    try print(
      "     the second of all: \(text(try manager.select("Event", where: "", limit: 1, offset: 1)))"
    )

    try print(
      "\n7. Deleting by place counts in the order of select; a place that is not there is false."
    )
    try print(
      "     place 0: \(try manager.delete("Event", at: 0)), place 99: \(try manager.delete("Event", at: 99))"
    )
    try manager.save()
    try await teller.change()

    try print("8. A changed event waits as well; what waits can be dropped.")
    _ = try manager.new("Event")
    let first = try manager.select("Event", limit: 1)
    for event in first { event["timeStamp"] = at(23) }
    try print("     select finds \(try manager.select("Event").count), the first at \(text(first))")
    manager.rollback()
    try print("     rolled back: \(try manager.select("Event").count), the first at \(text(first))")
    try teller.list()
    list.cancel()
  }

  private static func text(_ row: Row) -> String { text(row["timeStamp"]) }

  private static func text(_ objects: [ManagedObject]) -> String {
    objects.map { text($0["timeStamp"]) }.joined(separator: ", ")
  }

  private static func text(_ value: Value) -> String {
    AttributeType.date.machineText(of: value)
  }

  private static func at(_ hour: Int64) -> Value {
    .integer((1_793_664_000 + hour * 3600) * 1_000_000)
  }
}
