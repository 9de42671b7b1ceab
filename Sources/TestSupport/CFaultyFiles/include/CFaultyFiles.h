#ifndef CFAULTY_FILES_H
#define CFAULTY_FILES_H

// Files that fail on demand, for tests: an SQLite VFS that wraps the default one.
//
// Once installed it serves every database of the process and passes all calls through, except for files whose path contains
// `faulty_marker`. For those it counts the calls of the armed kinds, and makes some of them fail.

#include <stdint.h>

/// The substring that marks the path of a file that may fail.
#define faulty_marker "faulty-files"

/// The kinds of calls, as a bit mask.
enum {
  faulty_read = 1,
  faulty_write = 2,
  faulty_sync = 4,
  faulty_truncate = 8,
  faulty_open = 16,
  faulty_shared_memory = 32,
};

/// Installs the layer as the default VFS of this process; later calls do nothing.
/// - Returns: SQLite's result code.
int faulty_install(void);

/// Starts to count the calls of some kinds, and makes `count` calls fail with an SQLite result code, starting with number `first`
/// (from 0).
///
/// A read that fails with SQLITE_IOERR_SHORT_READ returns the first half of the requested bytes, followed by zeros.
void faulty_arm(int kinds, int64_t first, int64_t count, int code);

/// Stops counting and failing calls.
/// - Returns: The number of counted calls.
int64_t faulty_disarm(void);

/// Returns the number of calls that have failed since the layer was armed.
int64_t faulty_failures(void);

#endif
