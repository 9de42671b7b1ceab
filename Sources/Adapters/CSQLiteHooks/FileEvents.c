#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CSQLiteHooks.h"
#include <stddef.h>

#if defined(__linux__)
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

// The folder is watched for files that are created and removed, the files for writes. So writes to other files of the
// folder, and changes in its subfolders, cause no events. No file is opened: closing a database's file releases the
// locks that SQLite holds on it in this process.

enum { FILES = 3 };
static const char *const suffixes[FILES] = {"", "-wal", "-journal"};

struct results_file_events {
  int queue;
  int interruption;
  /// The path as given, with links not resolved.
  char *path;
  /// The folder of the file, with links resolved; the file need not exist.
  char folder[PATH_MAX];
  char name[NAME_MAX + 1];
  int folder_watch;
  int file_watches[FILES];
};

/// Finds the file's folder and its name there, with all links resolved.
static int resolve(results_file_events *events) {
  char resolved[PATH_MAX];
  const char *slash;
  if (realpath(events->path, resolved) != NULL) {
    slash = strrchr(resolved, '/');
    size_t length = (size_t)(slash - resolved);
    memcpy(events->folder, resolved, length);
    events->folder[length] = 0;
    if (length == 0) strcpy(events->folder, "/");
  } else {
    // The file does not exist; its folder may.
    slash = strrchr(events->path, '/');
    char folder[PATH_MAX];
    size_t length = slash == NULL ? 0 : (size_t)(slash - events->path);
    if (length >= sizeof folder) return 0;
    memcpy(folder, events->path, length);
    folder[length] = 0;
    if (slash == NULL) strcpy(folder, ".");
    if (slash == events->path) strcpy(folder, "/");
    if (realpath(folder, events->folder) == NULL) return 0;
  }
  const char *name = slash == NULL ? events->path : slash + 1;
  if (strlen(name) > NAME_MAX) return 0;
  strcpy(events->name, name);
  return 1;
}

static void unwatch(results_file_events *events, int *watch) {
  if (*watch >= 0) inotify_rm_watch(events->queue, *watch);
  *watch = -1;
}

static void watch_files(results_file_events *events, int is_resolved) {
  char path[PATH_MAX + NAME_MAX + 16];
  for (int index = 0; index < FILES; index++) {
    strcpy(path, events->folder);
    strcat(path, "/");
    strcat(path, events->name);
    strcat(path, suffixes[index]);
    // For the same file inotify returns the same number.
    int watch = is_resolved ? inotify_add_watch(events->queue, path, IN_MODIFY) : -1;
    if (watch == events->file_watches[index]) continue;
    unwatch(events, &events->file_watches[index]);
    events->file_watches[index] = watch;
  }
}

void results_file_events_renew(results_file_events *events) {
  int watch = -1;
  int is_resolved = resolve(events);
  if (is_resolved) {
    watch = inotify_add_watch(
      events->queue, events->folder,
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
        IN_ONLYDIR);
  }
  if (watch != events->folder_watch) unwatch(events, &events->folder_watch);
  events->folder_watch = watch;
  watch_files(events, is_resolved);
}

results_file_events *results_file_events_open(const char *path) {
  results_file_events *events = calloc(1, sizeof *events);
  if (events == NULL) return NULL;
  events->queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  events->interruption = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  events->path = strdup(path);
  events->folder_watch = -1;
  for (int index = 0; index < FILES; index++) events->file_watches[index] = -1;
  if (events->queue < 0 || events->interruption < 0 || events->path == NULL) {
    results_file_events_close(events);
    return NULL;
  }
  results_file_events_renew(events);
  return events;
}

void results_file_events_close(results_file_events *events) {
  if (events->queue >= 0) close(events->queue);
  if (events->interruption >= 0) close(events->interruption);
  free(events->path);
  free(events);
}

/// Whether a file of the folder is the database, its log or its journal.
static int is_of_interest(const results_file_events *events, const char *name) {
  size_t length = strlen(events->name);
  if (strncmp(name, events->name, length) != 0) return 0;
  for (int index = 0; index < FILES; index++) {
    if (strcmp(name + length, suffixes[index]) == 0) return 1;
  }
  return 0;
}

/// Reads all pending events.
/// - Returns: Whether any of them concerns the database.
static int take_events(results_file_events *events) {
  char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
  int is_relevant = 0;
  int is_moved = 0;
  for (;;) {
    ssize_t count = read(events->queue, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (char *next = buffer; next < buffer + count;) {
      const struct inotify_event *event = (const struct inotify_event *)next;
      next += sizeof *event + event->len;
      if (event->mask & IN_Q_OVERFLOW) {
        is_moved = 1;
      } else if (event->wd == events->folder_watch) {
        if (event->mask & IN_IGNORED) events->folder_watch = -1;
        if (event->len == 0 || is_of_interest(events, event->name)) is_moved = 1;
      } else {
        for (int index = 0; index < FILES; index++) {
          if (event->wd != events->file_watches[index]) continue;
          if (event->mask & IN_IGNORED) events->file_watches[index] = -1;
          if (event->mask & IN_MODIFY) is_relevant = 1;
        }
      }
    }
  }
  if (is_moved) results_file_events_renew(events);
  return is_relevant || is_moved;
}

static int64_t monotonic_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int results_file_events_wait(
  results_file_events *events, int64_t microseconds, int ignores_changes
) {
  int64_t now = monotonic_microseconds();
  int64_t deadline = microseconds > INT64_MAX - now ? INT64_MAX : now + microseconds;
  for (;;) {
    struct pollfd waits[2] = {
      {.fd = events->interruption, .events = POLLIN}, {.fd = events->queue, .events = POLLIN}};
    int64_t remaining = deadline - now;
    if (remaining < 0) remaining = 0;
    struct timespec limit = {
      .tv_sec = remaining / 1000000, .tv_nsec = remaining % 1000000 * 1000};
    int count = ppoll(waits, ignores_changes ? 1 : 2, &limit, NULL);
    if (count < 0 && errno != EINTR) return RESULTS_TIME_PASSED;
    if (count > 0 && waits[0].revents != 0) {
      uint64_t number;
      (void)!read(events->interruption, &number, sizeof number);
      return RESULTS_INTERRUPTED;
    }
    if (count > 0 && waits[1].revents != 0 && take_events(events)) return RESULTS_FILE_CHANGED;
    now = monotonic_microseconds();
    if (now >= deadline) return RESULTS_TIME_PASSED;
  }
}

void results_file_events_interrupt(results_file_events *events) {
  uint64_t one = 1;
  (void)!write(events->interruption, &one, sizeof one);
}

#else

results_file_events *results_file_events_open(const char *path) {
  (void)path;
  return NULL;
}
void results_file_events_renew(results_file_events *events) { (void)events; }
int results_file_events_wait(
  results_file_events *events, int64_t microseconds, int ignores_changes
) {
  (void)events, (void)microseconds, (void)ignores_changes;
  return RESULTS_TIME_PASSED;
}
void results_file_events_interrupt(results_file_events *events) { (void)events; }
void results_file_events_close(results_file_events *events) { (void)events; }

#endif
