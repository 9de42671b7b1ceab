import Foundation
import Synchronization

/// Where programs run, and what they see, for other threads than the test's own.
final class ProgramPlace: Sendable {
  /// What is thrown where work ends because other work has failed.
  struct Stopped: Error {}

  private struct State {
    var failure: (any Error)?
    var endless: [@Sendable () -> Void] = []
  }

  let folder: String
  let environment: [String: String]
  private let state = Mutex(State())

  init(_ run: ProgramRun) {
    folder = run.folder
    environment = run.environment
  }

  /// Starts a program.
  /// - Throws: `Stopped` after `stop()`.
  func start(_ program: String, _ arguments: [String]) throws -> RunningProgram {
    try check()
    return try RunningProgram(program, arguments, environment: environment, folder: folder)
  }

  /// Starts a program that runs until it is killed, by `stop()` at the latest.
  func startEndless(_ program: String, _ arguments: [String]) throws -> RunningProgram {
    let running = try start(program, arguments)
    let kill = running.killer
    state.withLock { $0.endless.append(kill) }
    return running
  }

  /// Ends all work here, because a part of it has failed.
  /// - Returns: The first failure, of which others may only be the consequence.
  func stop(because failure: any Error) -> any Error {
    let (first, endless) = state.withLock { state in
      let first = state.failure ?? failure
      state.failure = first
      return (first, state.endless)
    }
    for kill in endless { kill() }
    return first
  }

  /// Refuses to go on after `stop()`.
  func check() throws {
    if state.withLock({ $0.failure != nil }) { throw Stopped() }
  }
}
