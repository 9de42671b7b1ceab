// Shows the thread sanitizer how Synchronization.Mutex synchronizes on Linux. Only script/torture --sanitize thread uses it.
//
// The fast path of a Mutex is inlined and therefore instrumented; the slow path, for contended locks, is in libswiftSynchronization,
// which is not instrumented. Without this file each contended lock looks like a data race. The functions below take precedence over
// those of the library (LD_PRELOAD), call them, and report each acquisition and release to the sanitizer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Weak, because child processes without instrumentation do not define them.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void (*lock_function)(uint32_t thread, SELF);
typedef SWIFT bool (*try_lock_function)(SELF);
typedef SWIFT void (*unlock_function)(SELF);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF) {
  ((lock_function)dlsym(RTLD_NEXT, LOCK))(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
  bool locked = ((try_lock_function)dlsym(RTLD_NEXT, TRY_LOCK))(self);
  if (locked && __tsan_acquire) __tsan_acquire(self);
  return locked;
}

SWIFT void unlock_slow(SELF) {
  if (__tsan_release) __tsan_release(self);
  ((unlock_function)dlsym(RTLD_NEXT, UNLOCK))(self);
}
