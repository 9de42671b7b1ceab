import CSQLiteHooks
import ResultsDomain

extension LockHolder {
  /// Whoever keeps a database's file from being written at this moment, where the system tells: on Linux.
  static func writing(_ path: String) -> LockHolder? {
    var name = [CChar](repeating: 0, count: 64)
    let process = results_lock_holder(path, &name, Int32(name.count))
    guard process > 0 else { return nil }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // A process names itself, so its name may hold anything.
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
      !$0.properties.isDefaultIgnorableCodePoint && $0.properties.generalCategory != .control
    }
    return LockHolder(
      processID: process,
      name: String(String.UnicodeScalarView(scalars)),
      isThisProcess: process == results_process_id()
    )
  }
}
