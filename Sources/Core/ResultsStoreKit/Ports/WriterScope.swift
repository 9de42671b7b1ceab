import ResultsDomain
import Synchronization

/// A running transaction closure, by which a nested transaction is distinguished from a concurrent one.
///
/// The task-local list contains the transactions around the running code, also on a thread without a task. A task that is
/// started inside a closure inherits the list, but it is another task and can wait for its turn.
package final class WriterScope: Sendable {
  @TaskLocal private static var enclosing: [WriterScope] = []

  private let store: ObjectIdentifier
  private let task: Int?
  private let isRunning = Atomic<Bool>(true)

  private init(store: ObjectIdentifier) {
    self.store = store
    task = WriterScope.currentTask
  }

  /// Whether the running code is inside a transaction of a store.
  package static func isInside(_ store: AnyObject) -> Bool {
    let (store, task) = (ObjectIdentifier(store), currentTask)
    return enclosing.contains { scope in
      scope.store == store && scope.task == task && scope.isRunning.load(ordering: .acquiring)
    }
  }

  /// Runs a closure as the inside of a transaction of a store.
  package static func run<Result>(inside store: AnyObject, _ body: () -> Result) -> Result {
    let scope = WriterScope(store: ObjectIdentifier(store))
    defer { scope.isRunning.store(false, ordering: .releasing) }
    return $enclosing.withValue(enclosing + [scope], operation: body)
  }

  private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
