#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CSQLiteHooks.h"
#include <stddef.h>

#if defined(__linux__)
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A number identifies a process only within one boot of the system and one namespace, and only until the process has
// ended: a later process may get the same number, but it has another start time.

enum { SCOPE_LENGTH = 160, LINE_LENGTH = 1024 };

/// The boot of the system and the namespace.
static int read_scope(char *scope, size_t capacity) {
  char boot[64], space[64];
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file == NULL) return 0;
  int count = fscanf(file, "%63s", boot);
  fclose(file);
  ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
  if (count != 1 || length <= 0) return 0;
  space[length] = 0;
  return snprintf(scope, capacity, "%s %s", boot, space) < (int)capacity;
}

/// The start time of a process, in the system's ticks, and its state.
/// - Returns: Whether the system provides them.
static int read_start(int64_t process, uint64_t *start, char *state) {
  char path[64], line[LINE_LENGTH];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", process);
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  size_t length = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[length] = 0;
  // A process chooses its name, which may contain parentheses; the last one is not part of it.
  const char *rest = strrchr(line, ')');
  return rest != NULL &&
    sscanf(
      rest + 1,
      " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64, state,
      start) == 2;
}

int results_process_mark(char *mark, int capacity) {
  char scope[SCOPE_LENGTH], state;
  uint64_t start;
  int64_t process = results_process_id();
  if (!read_scope(scope, sizeof scope) || !read_start(process, &start, &state)) return 0;
  int length = snprintf(mark, (size_t)capacity, "%s %" PRId64 " %" PRIu64, scope, process, start);
  return length > 0 && length < capacity;
}

int results_process_has_ended(const char *mark) {
  char scope[SCOPE_LENGTH], state;
  int64_t process;
  uint64_t start, present;
  if (!read_scope(scope, sizeof scope)) return 0;
  size_t length = strlen(scope);
  if (strncmp(mark, scope, length) != 0) return 0;
  if (sscanf(mark + length, " %" SCNd64 " %" SCNu64, &process, &start) != 2) return 0;
  if (process <= 0 || process > INT32_MAX) return 0;
  if (kill((pid_t)process, 0) != 0 && errno == ESRCH) return 1;
  if (!read_start(process, &present, &state)) return 0;
  return present != start || state == 'Z' || state == 'X';
}

#else

int results_process_mark(char *mark, int capacity) {
  (void)mark, (void)capacity;
  return 0;
}

int results_process_has_ended(const char *mark) {
  (void)mark;
  return 0;
}

#endif
