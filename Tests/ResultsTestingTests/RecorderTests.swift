import ResultsTesting
import Testing

@Suite struct `A recorder` {
  @Test func `waiting ends when there is enough`() async {
    let recorder = Recorder<Int>()
    recorder.record(1)
    async let heard = recorder.wait(forCount: 3)
    recorder.record(2)
    recorder.record(3)
    #expect(await heard == [1, 2, 3])
    #expect(recorder.elements == [1, 2, 3])
  }

  @Test func `waiting ends when the task is cancelled`() async {
    let recorder = Recorder<Int>()
    let task = Task { await recorder.wait(forCount: 1) }
    task.cancel()
    #expect(await task.value.isEmpty)
  }
}
