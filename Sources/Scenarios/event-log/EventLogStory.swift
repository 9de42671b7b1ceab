import CommandLineFrontEnd
import EventLog
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation

/// A story: the calls of a store manager one by one, with a save that fails.
enum EventLogStory {
  /// Plays the story on a store without events.
  /// - Throws: `StoreError`, `StoreManagerError`, `DeltaError`, or what the closure throws.
  static func play(
    in store: any Store,
    _ print: @escaping (String) throws -> Void
  ) async throws {
    let managers = StoreManagers(dataFolder: "data") { _, _ in store }
    let manager = try managers.manager(of: "Log")
    try print("A log of events through one manager: create, select, delete, then save.\n")

    try print(
      "1. The same model name returns the same manager. Another file under that name is refused."
    )
    let again = try managers.manager(of: "Log")
    try print("     same manager: \(again === manager)")
    do {
      _ = try managers.manager(of: "Log", file: "other.sqlite")
    } catch {
      try print("     ! \(error)")
    }

    let list = try manager.controller("Event", sortedBy: "timeStamp")
    try await list.performFetch()
    var narrator = await ResultsNarrator(list, text: text, print: print)
    try print(
      "\n2. Two new events are pending: select finds them, the live list does not show them yet."
    )
    for hour in [9, 8] as [Int64] {
      let event = try manager.new("Event")
      event["timeStamp"] = at(hour)
    }
    try print("     select finds \(try manager.select("Event").count)")
    try await narrator.printChanges()

    try print("3. They are saved: one commit, one change.")
    try manager.save()
    try await narrator.printChanges()

    try print(
      "4. A valid event and one without a time: the save fails, nothing is written, and both stay pending."
    )
    let good = try manager.new("Event")
    good["timeStamp"] = at(10)
    let bad = try manager.new("Event")
    do {
      try manager.save()
    } catch {
      try print("     ! \(error)")
    }
    try await narrator.printChanges()

    try print("5. The event gets its time and is saved.")
    bad["timeStamp"] = at(11)
    try manager.save()
    try await narrator.printChanges()

    try print(
      "6. Select takes a predicate, a limit and an offset. An empty predicate matches all events."
    )
    let late = "timeStamp >= '2026-11-03T10:00:00Z'"
    try print("     from 10:00 on: \(try manager.select("Event", where: late).count)")
    try print(
      "     the second event: \(text(try manager.select("Event", where: "", limit: 1, offset: 1)))"
    )

    try print(
      "\n7. delete(at:) takes a position in the order of select. It returns false if there is no such position."
    )
    try print(
      "     position 0: \(try manager.delete("Event", at: 0)), position 99: \(try manager.delete("Event", at: 99))"
    )
    try manager.save()
    try await narrator.printChanges()

    try print(
      "8. Changes to an event are pending until they are saved, too; a rollback discards them."
    )
    _ = try manager.new("Event")
    let first = try manager.select("Event", limit: 1)
    for event in first { event["timeStamp"] = at(23) }
    try print("     select finds \(try manager.select("Event").count), the first at \(text(first))")
    manager.rollback()
    try print("     rolled back: \(try manager.select("Event").count), the first at \(text(first))")
    try narrator.printList()
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
