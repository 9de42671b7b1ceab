#include "CSQLiteHooks.h"
#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

int results_file_identity(const char *path, uint64_t *device, uint64_t *number) {
#if defined(_WIN32)
  struct _stat64 status;
  if (_stat64(path, &status) != 0) return errno == ENOENT ? 0 : -1;
  // The system provides no number; there an open file cannot be replaced.
  *device = *number = 0;
#else
  struct stat status;
  if (stat(path, &status) != 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  *device = (uint64_t)status.st_dev;
  *number = (uint64_t)status.st_ino;
#endif
  return 1;
}

int results_connection_has_moved(sqlite3 *db) {
  int has_moved = 0;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  return code == SQLITE_OK && has_moved;
}

int results_connection_identity(sqlite3 *db, uint64_t *device, uint64_t *number) {
  const char *path = sqlite3_db_filename(db, "main");
  if (path == NULL || path[0] == 0) return -1;
  // While the connection has its file open, no other file gets its identity. So if the file has its name before and
  // after, it is the one that was looked up in between.
  if (results_connection_has_moved(db)) return 0;
  int result = results_file_identity(path, device, number);
  return results_connection_has_moved(db) ? 0 : result;
}
