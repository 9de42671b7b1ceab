import ResultsDomain
import Synchronization

/// A transaction's closure that is running: tells a transaction begun inside it from one begun beside it.
///
/// The task-local list holds the transactions around the running code, on a thread without a task too. A task that was
/// started inside a closure inherits the list but is another task, and it may wait its turn.
final class WriterScope: Sendable {
  @TaskLocal private static var enclosing: [WriterScope] = []

  private let store: ObjectIdentifier
  private let task: Int?
  private let isRunning = Atomic<Bool>(true)

  private init(store: ObjectIdentifier) {
    self.store = store
    task = WriterScope.currentTask
  }

  /// Whether the running code is inside a transaction of a store.
  static func isInside(_ store: AnyObject) -> Bool {
    let (store, task) = (ObjectIdentifier(store), currentTask)
    return enclosing.contains { scope in
      scope.store == store && scope.task == task && scope.isRunning.load(ordering: .acquiring)
    }
  }

  /// Runs a closure as the inside of a transaction of a store.
  static func run<Result>(inside store: AnyObject, _ body: () -> Result) -> Result {
    let scope = WriterScope(store: ObjectIdentifier(store))
    defer { scope.isRunning.store(false, ordering: .releasing) }
    return $enclosing.withValue(enclosing + [scope], operation: body)
  }

  private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
