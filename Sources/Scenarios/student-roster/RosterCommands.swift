import ProgramFrontEnd
import ProgramStores
import StudentRoster
import Synchronization

extension RosterProgram {
  /// A random student, and a simulation that runs beside the list.
  static let commands = [
    ListCommand("add-random", title: "add a random student", key: "i", scope: .list, writes: true) {
      context in
      var generator = SystemRandomNumberGenerator()
      let roster = StudentRoster(context.store)
      let id = try roster.addRandom(using: &generator, origin: context.origin)
      return CommandOutcome("added \(id)")
    },
    ListCommand(
      "simulate",
      title: "simulate here, on or off",
      key: "R",
      scope: .list,
      writes: true
    ) {
      context in
      let simulation = SharedSimulation(
        try RosterSimulation(seed: .random(in: 0 ... .max), in: context.store)
      )
      return CommandOutcome(
        "simulating, 5 operations a second; R stops it",
        .repeated(every: .milliseconds(200)) { try simulation.step() }
      )
    },
  ]
}

/// A simulation whose steps a task performs one after the other.
private final class SharedSimulation: Sendable {
  private let simulation: Mutex<RosterSimulation>

  init(_ simulation: sending RosterSimulation) { self.simulation = Mutex(simulation) }

  func step() throws { try simulation.withLock { try $0.step() } }
}
