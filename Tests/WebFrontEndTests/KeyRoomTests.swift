#if Web
import Synchronization
import Testing

@testable import WebFrontEnd

@Suite("The memory for keys")
struct KeyRoomTests {
  /// A list that holds keys.
  private final class Holder: Sendable {
    let unusedSince: Mutex<ContinuousClock.Instant?>
    let left = Atomic(false)

    init(unusedSince: ContinuousClock.Instant?) { self.unusedSince = Mutex(unusedSince) }

    func take(_ bytes: Int, in room: KeyRoom) -> Bool {
      room.take(bytes, for: self) {
        self.unusedSince.withLock { $0 }
      } leave: {
        self.left.store(true, ordering: .relaxed)
        room.leave(self)
      }
    }

    var isLeft: Bool { left.load(ordering: .relaxed) }
  }

  @Test
  func `R246: the list gives way that nobody has used for the longest time, and no other`() {
    let room = KeyRoom(most: 100)
    let now = ContinuousClock.now
    let older = Holder(unusedSince: now - .seconds(20))
    let newer = Holder(unusedSince: now - .seconds(10))
    let shown = Holder(unusedSince: nil)
    let all = [older.take(40, in: room), newer.take(20, in: room), shown.take(30, in: room)]
    #expect(all == [true, true, true] && room.bytes == 90)
    let next = Holder(unusedSince: nil)
    #expect(next.take(30, in: room) && older.isLeft && !newer.isLeft && !shown.isLeft)
    #expect(room.bytes == 80)
  }

  @Test
  func `R246: a list that has no room even so makes no other give way`() {
    let room = KeyRoom(most: 100)
    let unused = Holder(unusedSince: .now)
    let shown = Holder(unusedSince: nil)
    #expect(unused.take(10, in: room) && shown.take(80, in: room))
    #expect(!Holder(unusedSince: nil).take(30, in: room))
    #expect(!unused.isLeft && room.bytes == 90)
    room.leave(shown)
    #expect(room.bytes == 10 && Holder(unusedSince: nil).take(90, in: room))
  }
}
#endif
