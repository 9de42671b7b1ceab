import Foundation
import Synchronization

/// Measures `book-catalog browse` as a person meets it: in a terminal, from a key to the last byte that it paints.
///
/// What a person waits for does not depend on the machine, so these times have limits of their own, other than the times of all other cases.
struct BrowseBenchmark {
  private let books: BookFile
  private let program: String
  private let folder: BenchmarkFolder
  private let runs: Int

  init(rows: Int, program: String, runs: Int, in folder: BenchmarkFolder) throws {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw BenchmarkError.program(program, status: 127)
    }
    books = try BookFile(rows: rows, in: folder)
    self.program = program
    self.folder = folder
    self.runs = runs
  }

  func measure() throws -> [Measurement] {
    var measurements = try starts()
    measurements += try keys()
    measurements += try commits()
    measurements += try filters()
    return measurements
  }

  // MARK: - Terminals

  /// The environment of the program: nothing of the user's own.
  private var environment: [String: String] {
    [
      "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin",
      "HOME": folder.path(of: "home"), "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  private func terminal(_ arguments: String...) throws -> PseudoTerminal {
    try PseudoTerminal(program, arguments + ["--store", books.path], environment: environment)
  }

  /// A browser that shows its first rows and has counted the others.
  private func browser() throws -> PseudoTerminal {
    let terminal = try terminal("browse")
    try wait(for: "● live", on: terminal)
    return terminal
  }

  @discardableResult
  private func wait(
    for text: String,
    on terminal: PseudoTerminal,
    limit: Duration = .seconds(60)
  ) throws -> PseudoTerminal.Painting {
    guard let painting = terminal.painting(containing: [text], limit: limit) else {
      throw BenchmarkError.wrongResult("\(program) browse, which does not show “\(text)”,")
    }
    return painting
  }

  private func figure(
    _ name: String,
    _ microseconds: Double,
    limit milliseconds: Double? = nil
  ) -> Measurement {
    Measurement(
      name: "browse: " + name,
      rows: books.rows,
      value: microseconds,
      unit: "µs",
      limit: milliseconds.map { $0 * 1000 }
    )
  }

  private func count(_ name: String, bytes: Double, limit: Double) -> Measurement {
    Measurement(name: "browse: " + name, rows: books.rows, value: bytes, unit: "B", limit: limit)
  }

  // MARK: - Starting

  private func starts() throws -> [Measurement] {
    var (first, exact, memory, listed) = (Samples(), Samples(), Samples(), Samples())
    for _ in 0..<runs {
      let start = ContinuousClock.now
      let terminal = try terminal("browse")
      let row = try wait(for: BookFile.title(1, of: books.rows), on: terminal)
      first.add((ContinuousClock.now - start).microseconds)
      if !row.text.contains("● live") { try wait(for: "● live", on: terminal) }
      exact.add((ContinuousClock.now - start).microseconds)
      memory.add(try terminal.end(program))
      let list = try self.terminal("list", "--limit", "1")
      listed.add(try list.end(by: "", program))
    }
    return [
      figure("start to the first rows", first.median, limit: 120),
      figure("start to exact counts", exact.median),
      Measurement(
        name: "browse: memory above that of list --limit 1",
        rows: books.rows,
        value: (memory.median - listed.median) / 1024,
        unit: "MB",
        limit: 24
      ),
    ]
  }

  // MARK: - Keys

  private func keys() throws -> [Measurement] {
    let terminal = try browser()
    // Up and down within the screen, so that the list does not scroll.
    var steps = latencies(of: (0..<200).map { $0 / 10 % 2 == 0 ? "j" : "k" }, on: terminal)
    var measurements = [
      figure("key to the last byte, median", steps.times.median, limit: 2),
      figure("key to the last byte, 99 of 100", steps.times.quantile(0.99), limit: 16),
      count("bytes of a step of the cursor", bytes: steps.bytes.median, limit: 250),
    ]
    let jumps = latencies(
      of: (0..<60).map { ["G", "50%", "g", "33%"][$0 % 4] },
      on: terminal
    )
    measurements.append(
      figure("G and 50% to the last byte, 99 of 100", jumps.times.quantile(0.99), limit: 16)
    )
    let before = terminal.peakKilobytes
    let pages = latencies(of: (0..<600).map { $0 % 50 == 0 ? "37%" : "\u{6}" }, on: terminal)
    measurements.append(
      figure("a page further, 99 of 100", pages.times.quantile(0.99), limit: 16)
    )
    if let before, let after = terminal.peakKilobytes {
      measurements.append(
        Measurement(
          name: "browse: growth of the memory over 600 pages",
          rows: books.rows,
          value: (after - before) / 1024,
          unit: "MB",
          limit: 8
        )
      )
    }
    // Another process writes meanwhile.
    terminal.press("g")
    _ = terminal.painting()
    let writer = try Writer(books)
    writer.start()
    steps = latencies(of: (0..<100).map { $0 % 2 == 0 ? "j" : "k" }, on: terminal, quiet: .zero)
    // Only a while after the last key are frames painted as for nobody.
    _ = terminal.painting(during: .milliseconds(400))
    let busy = terminal.painting(during: .seconds(2))
    try writer.stop()
    measurements += [
      figure(
        "key to the first byte while 2,000 rows a second change, 99 of 100",
        steps.times.quantile(0.99),
        limit: 33
      ),
      Measurement(
        name: "browse: frames a second while 2,000 rows a second change",
        rows: books.rows,
        value: Double(busy.burstCount) / 2,
        unit: "",
        limit: 31
      ),
    ]
    _ = terminal.painting(quiet: .milliseconds(300))
    try terminal.end(program)
    return measurements
  }

  /// Presses keys one by one, each after the painting of the one before.
  private func latencies(
    of keys: [String],
    on terminal: PseudoTerminal,
    quiet: Duration = .milliseconds(30)
  ) -> (times: Samples, bytes: Samples) {
    var (times, bytes) = (Samples(), Samples())
    for key in keys {
      let start = ContinuousClock.now
      terminal.press(key)
      let painting =
        quiet == .zero
        ? terminal.painting(quiet: .milliseconds(1), limit: .seconds(1))
        : terminal.painting(quiet: quiet)
      guard let end = quiet == .zero ? painting.first : painting.last else { continue }
      times.add((end - start).microseconds)
      bytes.add(Double(painting.byteCount))
    }
    return (times, bytes)
  }

  // MARK: - Commits of others

  private func commits() throws -> [Measurement] {
    let terminal = try browser()
    _ = terminal.painting(quiet: .milliseconds(300))
    let plain = try PlainDatabase(path: books.path)
    defer { plain.close() }
    var (times, insertions, unseen) = (Samples(), Samples(), Samples())
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    for number in 0..<(10 * runs) {
      let mark = String(repeating: letters[number % letters.count], count: 9)
      let title = BookFile.title(3, of: books.rows) + " " + mark
      let start = ContinuousClock.now
      try plain.each("UPDATE Book SET title = ?1 WHERE id = 3", [.text(title)])
      try wait(for: mark, on: terminal)
      times.add((ContinuousClock.now - start).microseconds)
      // The marks of the change fade.
      _ = terminal.painting(quiet: .milliseconds(700))
    }
    try plain.each(
      "UPDATE Book SET title = ?1 WHERE id = 3",
      [.text(BookFile.title(3, of: books.rows))]
    )
    _ = terminal.painting(quiet: .milliseconds(1800))
    let far = books.rows - books.rows / 3
    for number in 0..<runs {
      // Between the first row, which has the cursor, and the second.
      try plain.each(
        "INSERT INTO Book (publisher, title, year) VALUES ('Publisher 0000', ?1, 1900)",
        [.text(BookFile.title(1, of: books.rows) + " \(number)")]
      )
      insertions.add(Double(terminal.painting(quiet: .milliseconds(100)).byteCount))
      _ = terminal.painting(quiet: .milliseconds(1800))
      try plain.each(
        "UPDATE Book SET year = 1800 + \(number) WHERE id = ?1",
        [.integer(Int64(far))]
      )
      unseen.add(Double(terminal.painting(limit: .milliseconds(500)).byteCount))
    }
    try plain.run("DELETE FROM Book WHERE id > \(books.rows)")
    _ = terminal.painting(quiet: .milliseconds(300))
    try terminal.end(program)
    return [
      figure("commit of another program to its row", times.median, limit: 50),
      figure("commit of another program to its row, 99 of 100", times.quantile(0.99), limit: 50),
      count("bytes of a row that is inserted on the screen", bytes: insertions.median, limit: 1200),
      count("bytes of a change far from the screen", bytes: unseen.median, limit: 32),
    ]
  }

  // MARK: - Filters

  private func filters() throws -> [Measurement] {
    var (common, cancelled) = (Samples(), Samples())
    for _ in 0..<runs {
      let terminal = try browser()
      terminal.press("/")
      _ = terminal.painting()
      let start = ContinuousClock.now
      terminal.press("River")
      // A long list shows its first matches, a short one all of them.
      guard
        terminal.painting(containing: ["first 100", " in 1,000  ● live"], limit: .seconds(5)) != nil
      else { throw BenchmarkError.wrongResult("\(program) browse, which finds no matches,") }
      common.add((ContinuousClock.now - start).microseconds)
      // No title has this word, so that every row is looked at.
      terminal.press(" zzz")
      _ = terminal.painting(during: .milliseconds(150))
      let escape = ContinuousClock.now
      terminal.press("\u{1B}")
      // An escape character alone is distinguished from a sequence by a pause.
      if let last = terminal.painting(quiet: .milliseconds(200)).last {
        cancelled.add((last - escape).microseconds)
      }
      try terminal.end(program)
    }
    return [
      figure(
        "a word of a filter to its first matches",
        common.median,
        limit: books.rows > 100_000 ? 150 : 100
      ),
      figure("Esc from a running search to the list", cancelled.median, limit: 50),
    ]
  }
}

/// Another writer: 2,000 rows a second, in a hundred commits, far from the first rows and near to them.
private final class Writer: Sendable {
  private let path: String
  private let rows: Int
  private let isStopped = Atomic<Bool>(false)
  private let end = DispatchSemaphore(value: 0)
  private let failure = Mutex<(any Error)?>(nil)

  init(_ books: BookFile) throws {
    path = books.path
    rows = books.rows
  }

  func start() {
    Thread.detachNewThread { [self] in
      do { try write() } catch { failure.withLock { $0 = error } }
      end.signal()
    }
  }

  /// Stops writing.
  /// - Throws: Why it stopped before.
  func stop() throws {
    isStopped.store(true, ordering: .releasing)
    end.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private func write() throws {
    let plain = try PlainDatabase(path: path)
    defer { plain.close() }
    let start = ContinuousClock.now
    var number = 0
    while !isStopped.load(ordering: .acquiring) {
      try plain.run("BEGIN IMMEDIATE")
      for _ in 0..<20 {
        number += 1
        let id = number % 2 == 0 ? number % 40 + 1 : number * 7919 % rows + 1
        try plain.each(
          "UPDATE Book SET year = 1800 + ?1 % 100 WHERE id = ?2",
          [
            .integer(Int64(number)), .integer(Int64(id)),
          ]
        )
      }
      try plain.run("COMMIT")
      let rest = start + .milliseconds(number / 2) - ContinuousClock.now
      if rest > .zero { usleep(UInt32(rest.microseconds)) }
    }
  }
}
