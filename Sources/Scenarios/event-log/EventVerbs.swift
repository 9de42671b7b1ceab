import ArgumentParser
import CommandLineFrontEnd
import EventLog
import Foundation
import ProgramFrontEnd
import ProgramStores
import ResultsDomain
import ResultsStoreKit
import ResultsPresentation
import TerminalFrontEnd

/// `stamp [MESSAGE] [NAME=VALUE…]`: adds an event with the present time, or with `-` one for each line of the input.
struct StampVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stamp",
    abstract: "Add an event with the present time, or one for each line of the input.",
    discussion: EventProgram.discussion(
      """
      level=, source= and time= are values of the event; any other NAME=VALUE becomes one of its fields. With - each line of the input \
      is an event, stored as soon as it comes: a JSON object with time, level, message and further values under their usual names, or \
      a text, which may begin with a time. NAME=VALUE then holds for lines that do not say it themselves.
      """,
      examples: "stamp",
      "stamp 'deployed 2.1' level=notice host=a3",
      "stamp - source=api"
    )
  )

  @Argument(
    help: "The message, or - for lines of the input, and values such as level=warning or host=a3."
  )
  var words: [String] = []
  @OptionGroup var store: StoreOptions

  func run() async throws {
    let (message, members) = try parts()
    let location = try store.location(of: EventProgram.name)
    let managers = StoreManagers(dataFolder: "") { _, _ in try EventProgram.openStore(location) }
    let manager = try managers.manager(of: EventProgram.name, file: location.address.text)
    defer { try? manager.store.close() }
    guard message != "-" else {
      let reader = EventReader(members: members)
      let pipe = EventPipe(manager: manager, reader: reader)
      let outcome = await InterruptibleWork.outcome(endingBy: { pipe.end() }) { try pipe.run() }
      try write("stamped \(pipe.count) \(pipe.count == 1 ? "event" : "events")\(reader.remarks)\n")
      // An interruption ends the process at once.
      try TerminalOutput.standard.flush()
      return try outcome.get()
    }
    let given = message.map { [EventReader.member("message", $0)] } ?? []
    let new = Event(
      members: given + members,
      columns: EventProgram.customAttributes,
      at: .now
    )
    let event = manager.new(new)
    let title = message.map { "stamped an event: \($0)" } ?? "stamped an event"
    try manager.save(origin: CommandName(title, of: EventProgram.name).origin)
    let id = event.id?.description ?? "an event"
    try write("stamped \(id) at \(new.timeStamp.iso8601)\n")
  }

  /// The message and the values.
  private func parts() throws -> (message: String?, members: [EventMember]) {
    var message: String?
    var members: [EventMember] = []
    for word in words {
      let name = word.utf8.prefix { $0 != UInt8(ascii: "=") }
      let isName = name.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
          || "_.-".utf8.contains(byte)
      }
      if isName, !name.isEmpty, name.count < word.utf8.count {
        let value = String(decoding: word.utf8.dropFirst(name.count + 1), as: UTF8.self)
        members.append(EventReader.member(String(decoding: name, as: UTF8.self), value))
        try check(members[members.count - 1])
      } else if message == nil {
        message = word
      } else {
        throw CommandFailure(
          .usage,
          "There are two messages: “\(message ?? "")” and “\(word)”.",
          remedy: "Put a message of several words between quotes."
        )
      }
    }
    return (message, members)
  }

  /// Refuses a level or a time that is none; in a line of the input it would be kept as a field.
  private func check(_ member: EventMember) throws {
    let event = Event(members: [member], at: .now)
    guard event.fields != nil, ["level", "time"].contains(member.name) else { return }
    let remedy =
      member.name == "level"
      ? "Use one of \(Event.levels.joined(separator: ", "))." : "Write it as 2026-11-03T09:00Z."
    throw CommandFailure(
      .badData,
      "\(member.name): “\(member.text ?? "")” is no \(member.name).",
      remedy: remedy
    )
  }

  private func write(_ text: String) throws {
    try TerminalOutput.standard.write(SafeText.lines(text))
  }
}

/// `prune`: removes old events.
struct PruneVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove old events, in commits for which nobody waits long.",
    discussion: EventProgram.discussion(
      "With both options an event goes if it is older and not among the newest.",
      examples: "prune --older-than 30d",
      "prune --older-than 30d --keep 1000 --dry-run"
    )
  )

  @Option(help: "Remove events older than this time, such as 30d or 12h.")
  var olderThan: TimeSpan?
  @Option(help: "Keep this number of the newest events.")
  var keep: Int?
  @Flag(help: "Say how many events would be removed, and remove none.")
  var dryRun = false
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard olderThan != nil || keep != nil else {
      throw ValidationError("Say what is old: --older-than 30d, --keep 1000, or both.")
    }
    guard keep.map({ $0 >= 0 }) ?? true else { throw ValidationError("--keep must be 0 or more.") }
  }

  func run() async throws {
    let opened = try EventProgram.openStore(try store.existingLocation(of: EventProgram.self))
    let command = EventProgram.command("removed old events", in: opened)
    let managers = StoreManagers(dataFolder: "") { _, _ in command }
    let manager = try managers.manager(of: EventProgram.name, kind: .memory)
    let limit = olderThan.map { span in
      Instant(microseconds: Instant.now.microseconds - Int64(span.duration / .microseconds(1)))
    }
    let count =
      dryRun
      ? try manager.prunableCount(before: limit, keeping: keep ?? 0)
      : try manager.prune(before: limit, keeping: keep ?? 0, origin: command.name.origin)
    try opened.close()
    let events = count == 1 ? "1 event" : "\(count) events"
    try TerminalOutput.standard.write(dryRun ? "would remove \(events)\n" : "removed \(events)\n")
  }
}

/// `remove-at INDEX`: removes the event at a position of the list.
struct RemoveAtVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-at",
    abstract: "Remove the event at a position of the list; positions count from 0.",
    discussion: EventProgram.discussion(
      "--sort, --where and the other list options decide which list is meant.",
      takesList: true,
      examples: "remove-at 0",
      "remove-at 0 --sort timeStamp"
    )
  )

  @Argument(help: "The position in the list, from 0.")
  var index: Int

  @OptionGroup var store: StoreOptions
  @OptionGroup var list: ListOptions
  @OptionGroup var times: TimeOptions<EventProgram>

  func run() async throws {
    let id = try await EventProgram.removeRow(of: list, within: times, in: store) { results in
      guard results.rows.indices.contains(index),
        let id = results.rows[index].objectID
      else {
        throw CommandFailure(
          .nothingMatched,
          "There is no event at position \(index): the list \(extent(of: results.count)).",
          remedy: "Nothing was removed."
        )
      }
      return id
    }
    try TerminalOutput.standard.write("removed \(id)\n")
  }

  private func extent(of count: Int) -> String {
    count == 0 ? "is empty" : "has positions 0 to \(count - 1)"
  }
}
