import ProgramFrontEnd
import ProgramStores
import StudentRoster

extension RosterProgram {
  /// A random student.
  static let commands = [
    ListCommand("add-random", title: "add a random student", key: "i", scope: .list, writes: true) {
      context in
      var generator = SystemRandomNumberGenerator()
      let roster = StudentRoster(context.store)
      let id = try roster.addRandom(using: &generator, origin: context.origin)
      return CommandOutcome("added \(id)")
    }
  ]
}
