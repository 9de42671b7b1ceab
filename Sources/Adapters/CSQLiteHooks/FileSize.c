#include "CSQLiteHooks.h"
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
