#ifndef CFAULTY_FILES_H
#define CFAULTY_FILES_H

// Files that fail on command, for tests: a layer over SQLite's own access to the file system.
//
// Once installed it serves every database of the process, and lets everything through but for files whose path holds
// `faulty_marker`. Of their calls it counts those of the kinds that are armed, and fails some of them.

#include <stdint.h>

/// What a path must hold for its file to fail.
#define faulty_marker "faulty-files"

/// Kinds of calls, which can be combined.
enum {
  faulty_read = 1,
  faulty_write = 2,
  faulty_sync = 4,
  faulty_truncate = 8,
  faulty_open = 16,
  faulty_shared_memory = 32,
};

/// Puts the layer over the default file system of this process; again, it does nothing.
/// - Returns: SQLite's result code.
int faulty_install(void);

/// Begins to count calls of some kinds, and lets the calls from number `first` (from 0) on, `count` of them, fail with
/// a result code of SQLite.
///
/// A read that fails with SQLITE_IOERR_SHORT_READ gives the first half of what was asked for, and zeros.
void faulty_arm(int kinds, int64_t first, int64_t count, int code);

/// Lets everything through again.
/// - Returns: How many calls were counted.
int64_t faulty_disarm(void);

/// How many calls have failed since the layer was armed.
int64_t faulty_failures(void);

#endif
