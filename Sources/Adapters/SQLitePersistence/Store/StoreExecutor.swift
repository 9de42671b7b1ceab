import Dispatch

/// Runs blocking calls of a store outside of Swift's cooperative threads, which are as few as the cores.
final class StoreExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, attributes: .concurrent) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
