#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CSQLiteHooks.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

int64_t results_file_size(const char *path) {
#if defined(_WIN32)
  struct _stat64 status;
  return _stat64(path, &status) == 0 ? (int64_t)status.st_size : 0;
#else
  struct stat status;
  return stat(path, &status) == 0 ? (int64_t)status.st_size : 0;
#endif
}

/// The path of a file with all links resolved, and with room for more bytes after it; null if the file does not exist.
/// The caller frees it.
static char *full_path(const char *path, size_t room) {
#if defined(_WIN32)
  char *resolved = _fullpath(NULL, path, 0);
#else
  char *resolved = realpath(path, NULL);
#endif
  if (resolved == NULL) return NULL;
  char *longer = realloc(resolved, strlen(resolved) + room + 1);
  if (longer == NULL) free(resolved);
  return longer;
}

int64_t results_side_file_size(const char *path, const char *suffix) {
  char *file = full_path(path, strlen(suffix));
  if (file == NULL) return -1;
  strcat(file, suffix);
  int64_t size = results_file_kind(file) == RESULTS_NO_FILE ? -1 : results_file_size(file);
  free(file);
  return size;
}

int64_t results_full_path_length(const char *path) {
  char *file = full_path(path, 0);
  if (file != NULL) {
    int64_t length = (int64_t)strlen(file);
    free(file);
    return length;
  }
  // The file does not exist; its folder may.
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
  char *folder = malloc(length + 2);
  if (folder == NULL) return 0;
  memcpy(folder, path, length);
  if (length == 0) folder[length++] = '.';
  folder[length] = 0;
  char *resolved = full_path(folder, 0);
  free(folder);
  if (resolved == NULL) return 0;
  size_t full = strlen(resolved);
  if (full > 0 && resolved[full - 1] != '/') full++;
  free(resolved);
  return (int64_t)(full + strlen(name));
}

int results_file_kind(const char *path) {
#if defined(_WIN32)
  struct _stat64 status;
  if (_stat64(path, &status) != 0) return RESULTS_NO_FILE;
  return status.st_mode & _S_IFREG ? RESULTS_REGULAR_FILE : RESULTS_OTHER_FILE;
#else
  struct stat status;
  if (stat(path, &status) != 0) return RESULTS_NO_FILE;
  return S_ISREG(status.st_mode) ? RESULTS_REGULAR_FILE : RESULTS_OTHER_FILE;
#endif
}
