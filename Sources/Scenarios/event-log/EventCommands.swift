import EventLog
import ProgramFrontEnd
import ProgramStores
import ResultsDomain

extension EventProgram {
  /// An event of the present time.
  static let commands = [
    ListCommand("stamp", title: "add an event now", key: "i", scope: .list, writes: true) {
      context in
      let managers = StoreManagers(dataFolder: "") { _, _ in context.store }
      let manager = try managers.manager(of: name, kind: .memory)
      let event = manager.new(Event(timeStamp: context.now))
      try manager.save(origin: context.origin)
      let id = event.id?.description ?? "an event"
      return CommandOutcome("stamped \(id) at \(context.now.iso8601)")
    }
  ]
}
