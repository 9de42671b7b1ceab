import Foundation
import ResultsPresentation
import WireFormat

/// Follows the lines of a program that shows a list, and checks each of them and each state they lead to.
struct ProgramFollower {
  private(set) var replay = WireReplay()
  private(set) var lines = 0
  private(set) var mostRows = 0
  private var invariant: PairInvariant
  private let name: String
  private let startsQuietly: Bool

  /// A follower of a view; `startsQuietly` if nobody writes while the first line is made.
  init(_ view: TortureView, startsQuietly: Bool = true) {
    name = view.name
    self.startsQuietly = startsQuietly
    invariant = PairInvariant(holdsPairs: view.holdsPairs)
  }

  /// Whether the last commit is shown.
  var isAtEnd: Bool { invariant.isAtEnd }

  /// Takes a line; its generation must follow the one before, and the state must be one that was committed.
  mutating func take(_ line: String) throws {
    do {
      let message = try WireDecoder().message(line)
      try replay.apply(message)
      let list = replay.list ?? WireList(generation: 0, sections: [])
      switch message {
      case .snapshot where lines == 0:
        // If others write meanwhile, a first list fits its places, but attributes that place nothing may be newer.
        try invariant.begin(list, isChecked: startsQuietly)
      case .delta(let delta): try invariant.take(delta, to: list)
      default: throw Torn(what: "neither a first list nor a change")
      }
      lines += 1
      mostRows = max(mostRows, invariant.rows.count)
    } catch {
      throw Torn(what: "\(name), line \(lines): \(error): \(line.prefix(300))")
    }
  }

  /// Runs a `watch` until it shows the last commit, then interrupts it.
  static func watch(
    _ view: TortureView,
    in place: ProgramPlace,
    isReady: @escaping @Sendable () -> Void
  ) throws -> ProgramFollower {
    let watch = try place.startEndless(
      "student-roster",
      ["watch", "--format", "jsonl", "--store", "s.sqlite"] + view.options
    )
    var follower = ProgramFollower(view)
    while !follower.isAtEnd {
      guard let line = try watch.line(within: 1200) else {
        throw Torn(what: "\(view.name): the watch ended: \(try watch.finish())")
      }
      try follower.take(line)
      if follower.lines == 1 { isReady() }
    }
    watch.send(SIGINT)
    let result = try watch.finish()
    guard result.status == 130, result.output.isEmpty, result.errors.isEmpty else {
      throw Torn(what: "\(view.name): after the last commit: \(result)")
    }
    return follower
  }
}
