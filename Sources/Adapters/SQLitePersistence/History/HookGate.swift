import CSQLiteHooks

/// What stands in C between SQLite and the hook of a connection, so that what need not be heard costs next to nothing.
final class HookGate: Sendable {
  /// Where it lies: SQLite reads it during statements of the one connection, and nobody changes it then.
  private let address: UInt

  init() {
    let gate = UnsafeMutablePointer<results_hook_gate>.allocate(capacity: 1)
    gate.initialize(to: results_hook_gate())
    address = UInt(bitPattern: gate)
  }

  deinit { gate?.deallocate() }

  private var gate: UnsafeMutablePointer<results_hook_gate>? {
    UnsafeMutablePointer(bitPattern: address)
  }

  /// Installs a hook behind the gate, which must outlive the connection's use of it.
  func install(
    _ hook: @escaping results_row_hook,
    context: UnsafeMutableRawPointer,
    on connection: OpaquePointer?
  ) {
    gate?.pointee.hook = hook
    gate?.pointee.context = context
    results_hook_install(connection, gate)
  }

  /// Whether updates are only counted.
  var skipsUpdates: Bool {
    get { gate?.pointee.skips_updates != 0 }
    set { gate?.pointee.skips_updates = newValue ? 1 : 0 }
  }

  /// How many updates were only counted since the last time.
  func takeSkipped() -> Int {
    defer { gate?.pointee.skipped = 0 }
    return Int(gate?.pointee.skipped ?? 0)
  }
}
