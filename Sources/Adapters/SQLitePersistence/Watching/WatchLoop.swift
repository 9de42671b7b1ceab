/// What the thread of a watch does: waits, looks, and tells.
struct WatchLoop {
  /// How the store's file and the one of its path stood to each other at the last look.
  private enum Standing {
    case same
    case different
    case missing
  }

  private let subject: StoreWatch.Subject
  private let control: WatchRun
  private var standing = Standing.same
  private var connection: WatchConnection?
  /// The number that commits change, as it was at the last sign.
  private var version: Int64?
  /// The file that the events are heard of.
  private var heard: FileIdentity.Finding?

  init(_ subject: StoreWatch.Subject, _ control: WatchRun) {
    self.subject = subject
    self.control = control
  }

  private var events: any FileEvents { control.events }

  /// Watches until it is told to end.
  mutating func run() {
    var schedule = WatchSchedule(interval: subject.interval)
    while !control.isStopped {
      look()
      let sign: FileSign
      if case .different = standing {
        // Trying to open the file makes side files: hearing of them would mean to try for ever.
        sign = events.pause(for: subject.interval)
      } else {
        switch schedule.step {
        case .wait(let limit): sign = events.wait(atMost: limit)
        case .gather(let duration): sign = events.pause(for: duration)
        }
      }
      switch sign {
      case .changed: schedule.change()
      case .timePassed:
        if schedule.isAtRest { subject.listener(.intervalPassed) }
        schedule.timePassed()
      case .interrupted: break
      }
    }
  }

  private mutating func look() {
    guard subject.opened() != .unknown else {
      // Such as a database that is in no file: nothing can be said of a file then.
      subject.listener(.mayHaveChanged(mark: nil))
      return
    }
    let found = FileIdentity.find(subject.path)
    if found != heard || found == .missing {
      // Before the look at the content, so that nothing is written unheard after it.
      events.renew()
      heard = found
    }
    switch found {
    case .missing:
      if standing != .missing { subject.listener(.fileMissing) }
      standing = .missing
      // The connection stays: while it has the file open, no other file can be taken for it.
      return
    case .file where !isOpened(found):
      // Two connections of a process to one log's index, over different files, would spoil it for each other.
      connection = nil
      subject.listener(standing == .missing ? .fileBack : .fileReplaced)
      standing = isOpened(found) ? .same : .different
    case .file, .unknown:
      if standing != .same { subject.listener(.fileBack) }
      standing = .same
    }
    if standing == .same { ask(found) }
  }

  /// Whether the store has a file open.
  private func isOpened(_ found: FileIdentity.Finding) -> Bool {
    subject.opened() == found && !subject.isStale()
  }

  private mutating func ask(_ found: FileIdentity.Finding) {
    if let file = found.file, connection?.identity != file {
      connection = nil
      connection = WatchConnection(path: subject.path, markQuery: subject.markQuery)
      version = nil
    }
    if control.takeTellAgain() { version = nil }
    switch connection?.answer() ?? .failed {
    case .version(version): break
    case .version(let number):
      version = number
      subject.listener(.mayHaveChanged(mark: connection?.mark()))
    case .busy: break
    case .failed:
      // Whoever cannot look has to take it that there is something to see.
      connection = nil
      subject.listener(.mayHaveChanged(mark: nil))
    }
  }
}
