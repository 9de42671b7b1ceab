import ResultsTesting
import Testing

@Suite struct `Manual clock` {
  @Test func `a sleeper wakes when the clock is moved far enough, not before`() async throws {
    let clock = ManualClock()
    let woken = Recorder<Int>()
    async let first: Void = sleep(clock, .seconds(1), 1, woken)
    async let second: Void = sleep(clock, .seconds(3), 3, woken)
    await clock.waitForSleepers(2)
    clock.advance(by: .milliseconds(999))
    #expect(clock.sleeperCount == 2)
    clock.advance(by: .milliseconds(1))
    #expect(await woken.wait(forCount: 1) == [1])
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(2))
    #expect(await woken.wait(forCount: 2) == [1, 3])
    _ = try await (first, second)
    #expect(clock.now == ManualClock.Instant(offset: .seconds(3)))
  }

  @Test func `sleeping until a past instant ends at once`() async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(5))
    try await clock.sleep(until: ManualClock.Instant(offset: .seconds(5)), tolerance: nil)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a cancelled sleeper throws`() async {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
  }

  private func sleep(
    _ clock: ManualClock,
    _ duration: Duration,
    _ number: Int,
    _ recorder: Recorder<Int>
  ) async throws {
    try await clock.sleep(for: duration)
    recorder.record(number)
  }
}
