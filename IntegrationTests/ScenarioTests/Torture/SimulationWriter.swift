import Foundation
import ResultsTesting

/// Writes with `student-roster simulate`, a process of its own that shows what it does, and is killed now and then.
///
/// A simulation changes whatever rows it found when it began. If the pairs are guarded it may find them, so that it can begin again and
/// again; else it begins once, before there are any.
final class SimulationWriter {
  private(set) var lines = 0
  private(set) var kills = 0
  private let plan: TorturePlan
  private let place: ProgramPlace
  private let view: TortureView
  private var generator: SeededGenerator
  private var program: RunningProgram?
  private var follower: ProgramFollower

  init(_ plan: TorturePlan, _ place: ProgramPlace, number: UInt64, shows view: TortureView) {
    self.plan = plan
    self.place = place
    self.view = view
    generator = plan.generator(number)
    follower = ProgramFollower(view)
  }

  /// What is to be told of it.
  var report: String {
    "simulate \(view.name): \(lines) lines, killed \(kills) times"
  }

  /// Starts a simulation, and waits until it has done something, so that it knows of no rows that come later.
  func begin() throws {
    let started = try place.start(
      "student-roster",
      [
        "simulate", "--seed", "\(generator.next())", "--operations", "100000000", "--store",
        "s.sqlite", "--busy-timeout", "120s", "--watch", "--format", "jsonl",
      ] + view.options
    )
    follower = ProgramFollower(view, startsQuietly: false)
    while !(try takeLine(of: started)).contains(#""cause":"own""#) {}
    program = started
  }

  /// Does the writer's share, in several processes one after the other if the pairs are guarded.
  func write() throws {
    let most = plan.isGuarded ? max(60, plan.share / 12) : plan.share
    while lines < plan.share {
      try place.check()
      guard let program else {
        try begin()
        continue
      }
      let wanted = min(generator.number(in: most / 2...most), plan.share - lines)
      while follower.lines < (plan.isGuarded ? wanted : plan.share) { try takeLine(of: program) }
      program.send(SIGKILL)
      let result = try program.finish()
      guard result.status == 137, result.errors.isEmpty else { throw Torn(what: "\(result)") }
      // What it had said before is whole lines, but for the last.
      let rest = result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      for line in rest { try follower.take(String(line)) }
      lines += follower.lines
      kills += 1
      self.program = nil
    }
  }

  @discardableResult
  private func takeLine(of program: RunningProgram) throws -> String {
    try place.check()
    guard let line = try program.line(within: 1200) else {
      throw Torn(what: "\(try program.finish())")
    }
    try follower.take(line)
    return line
  }
}
