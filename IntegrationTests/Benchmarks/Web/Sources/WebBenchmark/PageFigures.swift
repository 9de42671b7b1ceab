import ResultsStoreKit
import Foundation

/// The figures of one page in Chromium.
struct PageFigures {
  let program: String
  let folder: String
  let rows: Int
  let deltas: Int

  /// Whether the page shows rows, and all that are in view.
  private static let isShown = """
    document.querySelector('.layer .row') && !document.querySelector('.layer .waiting')
    """

  /// Notes each title with a tick when it comes into the page, with the time since 1970.
  private static let observer = """
    window.ticks = [];
    addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
      const now = performance.timeOrigin + performance.now();
      const title = document.querySelector('.layer .row .title')?.textContent ?? '';
      const tick = title.startsWith('tick ') ? Number(title.slice(5)) : 0;
      if (tick && tick !== ticks.at(-1)?.[0]) ticks.push([tick, now]);
    }).observe(document.body, { subtree: true, childList: true, characterData: true }));
    """

  /// Notes when rows were first painted, since the navigation began.
  private static let painter = """
    window.painted = 0;
    const look = () => requestAnimationFrame(() => {
      if (!(\(PageFigures.isShown))) return look();
      const channel = new MessageChannel();
      channel.port1.onmessage = () => { painted = performance.now(); };
      channel.port2.postMessage(0);
    });
    look();
    """

  /// Notes when the page has asked for a window last.
  private static let listener = """
    window.asked = 0;
    const original = window.fetch;
    window.fetch = (address, ...rest) => {
      if (String(address).includes('/api/window')) asked = performance.now();
      return original(address, ...rest);
    };
    """

  // MARK: - Commits

  /// From the commit of another process to the changed page.
  func commits() throws -> [Figure] {
    let store = folder + "/books.sqlite"
    try Store.make(program, store, books: 100_000, of: 500)
    let writer = try Writer(store)
    try writer.run("UPDATE Book SET title = 'tick 0' WHERE id = 1")
    let served = try Served(program, store: store)
    let browser = try Chromium(in: folder)
    try browser.addScript(PageFigures.observer)
    try browser.go(to: served.address, until: PageFigures.isShown)
    var commits: [Double] = []
    var generator = Numbers()
    for number in 1...100 {
      Thread.sleep(forTimeInterval: 0.15 + Double(generator.next(100)) / 1000)
      commits.append(Double(Clock.wall) / 1e6)
      try writer.run("UPDATE Book SET title = 'tick \(number)' WHERE id = 1")
    }
    try wait("the page does not show the last commit", 60) {
      try browser.numbers("ticks.at(-1)").first == 100
    }
    let ticks = try browser.numbers("ticks.flat()")
    let shown = stride(from: 0, to: ticks.count, by: 2).map { (Int(ticks[$0]), ticks[$0 + 1]) }
    guard shown.map(\.0) == Array(1...100) else {
      throw BenchmarkFailure("the page has shown \(shown.count) of 100 commits")
    }
    var latencies = Latencies()
    for (tick, moment) in shown { latencies.add(milliseconds: moment - commits[tick - 1]) }
    return [
      Figure(
        name: "a commit to a changed page: p50",
        value: latencies.percentile(0.5),
        unit: "ms",
        limit: .atMost(30)
      ),
      Figure(
        name: "a commit to a changed page: p99",
        value: latencies.percentile(0.99),
        unit: "ms",
        limit: .atMost(80)
      ),
    ]
  }

  // MARK: - Many rows

  /// Windows anywhere in a long list, the first paint, and the memory of the page.
  func windows() throws -> [Figure] {
    let store = folder + "/rows-\(rows).sqlite"
    try Store.make(program, store, books: rows, of: 10_000)
    let writer = try Writer(store)
    try writer.run("UPDATE Book SET title = 'tick 0' WHERE id = 1")
    do {
      // The first one counts the list, and leaves a cache behind.
      let counting = try Served(program, store: store)
      let streams = Streams()
      let log = StreamLog(.each, streams: 1)
      try streams.open(1, port: counting.port, token: counting.token, log: log, within: 600) { _ in
        "/api/events?from=0&count=96"
      }
      try streams.close()
      counting.process.end()
    }
    let served = try Served(program, store: store)
    let browser = try Chromium(in: folder)
    try browser.addScript(PageFigures.observer)
    try browser.addScript(PageFigures.painter)
    try browser.addScript(PageFigures.listener)
    try browser.go(to: served.address, until: "painted > 0")
    let name = "\(rows) rows"
    let figures =
      try paints(served, browser, name) + jumps(browser, name)
      + memory(served, browser, writer, name)
    return figures + [
      Figure(name: "\(name): start with a cache", value: served.start, unit: "ms"),
      Figure(
        name: "\(name): memory of the server",
        value: Double(try served.memory) / 1e6,
        unit: "MB"
      ),
    ]
  }

  private func paints(_ served: Served, _ browser: Chromium, _ name: String) throws -> [Figure] {
    var paints = Latencies()
    for _ in 0..<10 {
      try browser.evaluate("painted = 0")
      try browser.go(to: "http://127.0.0.1:\(served.port)/", until: "painted > 0")
      paints.add(milliseconds: try browser.numbers("[painted]").first ?? 0)
    }
    return [
      Figure(
        name: "\(name): first paint, p50",
        value: paints.percentile(0.5),
        unit: "ms",
        limit: .atMost(300)
      ),
      Figure(name: "\(name): first paint, max", value: paints.most, unit: "ms"),
    ]
  }

  /// The thumb is set anywhere; titles have the numbers of their rows.
  private func jumps(_ browser: Chromium, _ name: String) throws -> [Figure] {
    let script = """
      (async (part) => {
        const port = document.querySelector('.port');
        asked = 0;
        const begin = performance.now();
        port.scrollTop = part * (port.scrollHeight - port.clientHeight);
        for (let frame = 0; frame < 600; frame += 1) {
          await new Promise(requestAnimationFrame);
          const rows = [...document.querySelectorAll('.layer .row')];
          if (frame && rows.length && rows.every((one) => one.row)) break;
        }
        await new Promise((resolve) => {
          const channel = new MessageChannel();
          channel.port1.onmessage = resolve;
          channel.port2.postMessage(0);
        });
        const end = performance.now();
        const box = port.getBoundingClientRect();
        const rows = [...document.querySelectorAll('.layer .row')]
          .filter((one) => one.getBoundingClientRect().bottom > box.top && one.getBoundingClientRect().top < box.bottom);
        const wrong = rows.filter((one) => !one.row || one.position && Number(one.querySelector('.title').textContent.slice(6)) !== one.position).length;
        return [end - begin, end - asked, rows.length, asked ? wrong : -1];
      })
      """
    var (drags, requests) = (Latencies(), Latencies())
    var generator = Numbers()
    for _ in 0..<100 {
      let part = Double(generator.next(1_000_000)) / 1_000_000
      let answer = try browser.numbers("\(script)(\(part))")
      guard answer.count == 4, answer[2] > 10, answer[3] == 0 else {
        throw BenchmarkFailure("wrong rows at \(part): \(answer)")
      }
      drags.add(milliseconds: answer[0])
      requests.add(milliseconds: answer[1])
      Thread.sleep(forTimeInterval: 0.25)
    }
    return [
      Figure(
        name: "\(name): request to painted rows, p50",
        value: requests.percentile(0.5),
        unit: "ms",
        limit: .atMost(40)
      ),
      Figure(
        name: "\(name): request to painted rows, p99",
        value: requests.percentile(0.99),
        unit: "ms",
        limit: .atMost(100)
      ),
      Figure(name: "\(name): drag to painted rows, p50", value: drags.percentile(0.5), unit: "ms"),
      Figure(name: "\(name): drag to painted rows, p99", value: drags.percentile(0.99), unit: "ms"),
    ]
  }

  private func memory(
    _ served: Served,
    _ browser: Chromium,
    _ writer: Writer,
    _ name: String
  ) throws -> [Figure] {
    try browser.go(to: "http://127.0.0.1:\(served.port)/", until: "painted > 0")
    var heaps: [Double] = []
    var seen = 0.0
    for number in 1...deltas {
      let next = Clock.monotonic + 20_000_000
      try writer.run("UPDATE Book SET title = 'tick \(number)' WHERE id = 1")
      Clock.sleep(until: next)
      guard number % max(1, deltas / 5) == 0 else { continue }
      try wait("the page does not show commit \(number)", 60) {
        try browser.numbers("ticks.at(-1)").first == Double(number)
      }
      // What was observed belongs to this measurement, not to the page.
      seen += try browser.numbers("[ticks.splice(0, ticks.length - 1).length]").first ?? 0
      heaps.append(try browser.heap() / 1e6)
    }
    guard seen > Double(deltas) / 2 else {
      throw BenchmarkFailure("the page has drawn \(seen) of \(deltas) changes")
    }
    return [
      Figure(
        name: "\(name): heap of the page",
        value: heaps.last ?? 0,
        unit: "MB",
        limit: .atMost(40)
      ),
      Figure(
        name: "\(name): heap grown over \(Int(seen)) changes",
        value: (heaps.last ?? 0) - (heaps.first ?? 0),
        unit: "MB",
        limit: .atMost(1)
      ),
    ]
  }
}
