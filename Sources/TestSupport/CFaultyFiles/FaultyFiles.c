#include "CFaultyFiles.h"
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

typedef struct FaultyFile {
  sqlite3_file base;
  // Whether the path contains the marker.
  int is_watched;
  sqlite3_io_methods methods;
  // The real file follows in the same allocation.
  sqlite3_file real[];
} FaultyFile;

static atomic_int armed_kinds;
static atomic_int armed_code;
static atomic_llong armed_first;
static atomic_llong armed_count;
static atomic_llong counted;
static atomic_llong failed;

static sqlite3_vfs *real_vfs;
static sqlite3_vfs faulty_vfs;

void faulty_arm(int kinds, int64_t first, int64_t count, int code) {
  atomic_store(&armed_kinds, 0);
  atomic_store(&armed_first, first);
  atomic_store(&armed_count, count);
  atomic_store(&armed_code, code);
  atomic_store(&counted, 0);
  atomic_store(&failed, 0);
  atomic_store(&armed_kinds, kinds);
}

int64_t faulty_disarm(void) {
  atomic_store(&armed_kinds, 0);
  return atomic_load(&counted);
}

int64_t faulty_failures(void) { return atomic_load(&failed); }

// The error code of a call, or SQLITE_OK.
static int fault(int is_watched, int kind) {
  if (!is_watched || !(atomic_load(&armed_kinds) & kind)) return SQLITE_OK;
  long long number = atomic_fetch_add(&counted, 1);
  long long first = atomic_load(&armed_first);
  if (number < first || number - first >= atomic_load(&armed_count)) return SQLITE_OK;
  atomic_fetch_add(&failed, 1);
  return atomic_load(&armed_code);
}

static FaultyFile *faulty(sqlite3_file *file) { return (FaultyFile *)file; }
static sqlite3_file *real(sqlite3_file *file) { return faulty(file)->real; }

static int close_file(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int read_file(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  int code = fault(faulty(file)->is_watched, faulty_read);
  if (code == SQLITE_OK) return real(file)->pMethods->xRead(real(file), buffer, count, offset);
  if (code != SQLITE_IOERR_SHORT_READ) return code;
  int half = count / 2;
  int result = real(file)->pMethods->xRead(real(file), buffer, half, offset);
  memset((char *)buffer + half, 0, (size_t)(count - half));
  return result == SQLITE_OK ? code : result;
}

static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int code = fault(faulty(file)->is_watched, faulty_write);
  if (code != SQLITE_OK) {
    // A full disk has written a part of the bytes.
    if (count > 1) real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);
    return code;
  }
  return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  int code = fault(faulty(file)->is_watched, faulty_truncate);
  return code ? code : real(file)->pMethods->xTruncate(real(file), size);
}

static int sync_file(sqlite3_file *file, int flags) {
  int code = fault(faulty(file)->is_watched, faulty_sync);
  return code ? code : real(file)->pMethods->xSync(real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}

static int lock_file(sqlite3_file *file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}

static int unlock_file(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

static int check_reserved_lock(sqlite3_file *file, int *result) {
  return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int sector_size(sqlite3_file *file) {
  return real(file)->pMethods->xSectorSize(real(file));
}

static int device_characteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int map_shared_memory(
  sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  int code = fault(faulty(file)->is_watched, faulty_shared_memory);
  return code ? code
              : real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}

static int lock_shared_memory(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void shared_memory_barrier(sqlite3_file *file) {
  real(file)->pMethods->xShmBarrier(real(file));
}

static int unmap_shared_memory(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

static int open_file(
  sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  (void)vfs;
  FaultyFile *made = faulty(file);
  made->base.pMethods = 0;
  made->is_watched = name && strstr(name, faulty_marker) != 0;
  int code = fault(made->is_watched, faulty_open);
  if (code != SQLITE_OK) return code;
  code = real_vfs->xOpen(real_vfs, name, made->real, flags, out_flags);
  if (!made->real->pMethods) return code;
  made->methods = (sqlite3_io_methods){
    // Without memory mapping, so that every page access passes through this layer.
    .iVersion = made->real->pMethods->iVersion < 2 ? made->real->pMethods->iVersion : 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = device_characteristics,
    .xShmMap = map_shared_memory,
    .xShmLock = lock_shared_memory,
    .xShmBarrier = shared_memory_barrier,
    .xShmUnmap = unmap_shared_memory,
  };
  made->base.pMethods = &made->methods;
  return code;
}

int faulty_install(void) {
  // A second registration would wrap the layer in itself and recurse forever.
  static atomic_flag is_installed = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&is_installed)) return SQLITE_OK;
  int code = sqlite3_initialize();
  if (code != SQLITE_OK) return code;
  real_vfs = sqlite3_vfs_find(0);
  if (!real_vfs) return SQLITE_ERROR;
  faulty_vfs = *real_vfs;
  faulty_vfs.zName = "faulty";
  faulty_vfs.pNext = 0;
  faulty_vfs.szOsFile = (int)sizeof(FaultyFile) + real_vfs->szOsFile;
  faulty_vfs.xOpen = open_file;
  return sqlite3_vfs_register(&faulty_vfs, 1);
}
