#include "CSQLiteHooks.h"
#include <stddef.h>

#if defined(_WIN32)
#include <process.h>
int64_t results_process_id(void) { return _getpid(); }
#else
#include <unistd.h>
int64_t results_process_id(void) { return getpid(); }
#endif

#if defined(__linux__)
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

// The positions of SQLite's locks are part of its file formats: a writer of a database with a write-ahead log holds byte
// 120 of the log's index, other writers hold bytes after the first gibibyte of the database.
// https://www.sqlite.org/walformat.html#locks, https://www.sqlite.org/lockingv3.html

typedef struct {
  struct stat file;
  int exists;
  uint64_t first;
  uint64_t last;
} byte_range;

static byte_range range_of(const char *path, const char *suffix, uint64_t first, uint64_t last) {
  byte_range range = {.exists = 0, .first = first, .last = last};
  char file[PATH_MAX + 8];
  strcpy(file, path);
  strcat(file, suffix);
  range.exists = stat(file, &range.file) == 0;
  return range;
}

/// The process of an exclusive lock in a range, if a line of /proc/locks describes one; otherwise 0.
static int64_t owner(const char *line, const byte_range *range) {
  char kind[16];
  unsigned major_number, minor_number;
  uint64_t inode, first;
  int64_t process;
  char end[24];
  // Lines of waiting processes have an arrow in the second column, and do not match.
  int count = sscanf(
    line, "%*[0-9]: POSIX %*s %15s %" SCNd64 " %x:%x:%" SCNu64 " %" SCNu64 " %23s", kind, &process,
    &major_number, &minor_number, &inode, &first, end);
  if (count != 7 || process <= 0 || strcmp(kind, "WRITE") != 0) return 0;
  if (inode != range->file.st_ino || major_number != major(range->file.st_dev) ||
      minor_number != minor(range->file.st_dev)) {
    return 0;
  }
  uint64_t last = strcmp(end, "EOF") == 0 ? UINT64_MAX : strtoull(end, NULL, 10);
  return first <= range->last && last >= range->first ? process : 0;
}

static void read_name(int64_t process, char *name, int capacity) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/comm", process);
  FILE *file = fopen(path, "re");
  if (file == NULL) return;
  size_t length = fread(name, 1, (size_t)capacity - 1, file);
  fclose(file);
  while (length > 0 && name[length - 1] == '\n') length--;
  name[length] = 0;
}

int results_writer_prepares(const char *path) {
  char resolved[PATH_MAX];
  if (realpath(path, resolved) == NULL) return 0;
  // Bytes in this order: of a commit that waits for readers, of a writer, and of readers, which a commit holds alone.
  const byte_range writer = range_of(resolved, "", 0x40000001, 0x40000001);
  const byte_range waiting = range_of(resolved, "", 0x40000000, 0x40000000);
  const byte_range readers = range_of(resolved, "", 0x40000002, 0x40000000 + 511);
  FILE *locks = writer.exists ? fopen("/proc/locks", "re") : NULL;
  if (locks == NULL) return 0;
  // The locks of processes that this one may not see are missing.
  int is_seen = 0, is_writing = 0;
  char line[256];
  while (!is_writing && fgets(line, sizeof line, locks) != NULL) {
    is_seen |= owner(line, &writer) != 0;
    is_writing = owner(line, &waiting) != 0 || owner(line, &readers) != 0;
  }
  fclose(locks);
  return is_seen && !is_writing;
}

int64_t results_lock_holder(const char *path, char *name, int capacity) {
  if (capacity > 0) name[0] = 0;
  char resolved[PATH_MAX];
  if (realpath(path, resolved) == NULL) return 0;
  const byte_range ranges[] = {
    range_of(resolved, "-shm", 120, 122),
    range_of(resolved, "", 0x40000000, 0x40000000 + 511),
  };
  FILE *locks = fopen("/proc/locks", "re");
  if (locks == NULL) return 0;
  int64_t process = 0;
  char line[256];
  while (process == 0 && fgets(line, sizeof line, locks) != NULL) {
    for (size_t index = 0; process == 0 && index < sizeof ranges / sizeof ranges[0]; index++) {
      if (ranges[index].exists) process = owner(line, &ranges[index]);
    }
  }
  fclose(locks);
  if (process != 0 && capacity > 0) read_name(process, name, capacity);
  return process;
}

#else

int results_writer_prepares(const char *path) {
  (void)path;
  return 0;
}

int64_t results_lock_holder(const char *path, char *name, int capacity) {
  (void)path;
  if (capacity > 0) name[0] = 0;
  return 0;
}

#endif
