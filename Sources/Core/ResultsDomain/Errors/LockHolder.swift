/// Who keeps a store from being written, as far as the system tells.
public struct LockHolder: Hashable, Sendable {
  /// The system's number of the process.
  public let processID: Int64
  /// What the system calls the process; empty if it does not tell.
  public let name: String
  /// Whether it is the process that asks, such as by another connection of its own.
  public let isThisProcess: Bool

  /// A process that keeps a store from being written.
  public init(processID: Int64, name: String, isThisProcess: Bool = false) {
    self.processID = processID
    self.name = name
    self.isThisProcess = isThisProcess
  }
}

extension LockHolder: CustomStringConvertible {
  /// What to call it in a message.
  public var description: String {
    if isThisProcess { return "another connection of this process" }
    return name.isEmpty ? "process \(processID)" : "\(name) (process \(processID))"
  }
}
