#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CSQLiteHooks.h"
#include <stddef.h>
#include <string.h>

// Reads a database's file through the handle that SQLite has on it, without a lock. The file is never opened here: closing it would
// release the locks that SQLite holds on it in this process. SQLite locks no bytes of a rollback journal, so that may be opened.
// The header of a file is described in https://www.sqlite.org/fileformat2.html#the_database_header, that of a journal in
// https://www.sqlite.org/fileformat2.html#the_rollback_journal.

static sqlite3_file *file_of(sqlite3 *db) {
  sqlite3_file *file = NULL;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return code == SQLITE_OK && file != NULL && file->pMethods != NULL ? file : NULL;
}

/// Reads the format and the version of the content, bytes 24 to 39: SQLite changes them with every commit.
static int read_header(sqlite3_file *file, int32_t *format, uint64_t version[2]) {
  uint8_t header[40];
  int code = file->pMethods->xRead(file, header, sizeof header, 0);
  *format = RESULTS_NO_DATABASE;
  version[0] = version[1] = 0;
  if (code == SQLITE_IOERR_SHORT_READ) return 1;
  if (code != SQLITE_OK) return 0;
  if (memcmp(header, "SQLite format 3", 16) == 0) {
    *format = header[18] == 1 && header[19] == 1 ? RESULTS_ROLLBACK_JOURNAL : RESULTS_WRITE_AHEAD_LOG;
  }
  memcpy(version, header + 24, 16);
  return 1;
}

#if defined(_WIN32)

int results_read_file_state(sqlite3 *db, results_file_state *state) {
  (void)db, (void)state;
  return 0;
}
int results_copy_file(sqlite3 *db, uint8_t *bytes, int64_t size) {
  (void)db, (void)bytes, (void)size;
  return 0;
}
uint8_t *results_allocate_copy(int64_t size) {
  (void)size;
  return NULL;
}
void results_free_copy(uint8_t *bytes, int64_t size) { (void)bytes, (void)size; }
int results_create_copy(int64_t size, char *path, int capacity) {
  (void)size, (void)path, (void)capacity;
  return -1;
}
int results_write_copy(int file, const uint8_t *bytes, int64_t size) {
  (void)file, (void)bytes, (void)size;
  return 0;
}
void results_remove_copy(const char *path) { (void)path; }
void results_close_copy(int file) { (void)file; }

#else

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__APPLE__)
#define MODIFIED(status) ((status).st_mtimespec)
#define FILE_CLOCK CLOCK_REALTIME
#else
#define MODIFIED(status) ((status).st_mtim)
#if defined(CLOCK_REALTIME_COARSE)
// The clock of the times of files: it advances once in some milliseconds.
#define FILE_CLOCK CLOCK_REALTIME_COARSE
#else
#define FILE_CLOCK CLOCK_REALTIME
#endif
#endif

/// What is larger should be able to leave the memory.
static const int64_t in_memory = 32 << 20;

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// The path of a file beside the database, which the caller frees; null if there is no memory.
static char *path_beside(const char *path, const char *suffix) {
  size_t length = strlen(path), rest = strlen(suffix) + 1;
  char *name = malloc(length + rest);
  if (name == NULL) return NULL;
  memcpy(name, path, length);
  memcpy(name + length, suffix, rest);
  return name;
}

/// Whether there is a write-ahead log: SQLite then uses it, whatever the header says. A log that was removed or replaced while the database
/// was open can be one of a file whose header was never changed.
static int has_write_ahead_log(const char *path) {
  char *name = path_beside(path, "-wal");
  if (name == NULL) return 0;
  struct stat status;
  int is_there = stat(name, &status) == 0 && status.st_size > 0;
  free(name);
  return is_there;
}

/// Reads what the journal of a file says; its size and time are 0 if it has no header.
static void read_journal(const char *path, results_file_state *state) {
  state->journal = RESULTS_JOURNAL_WRITTEN;
  state->journal_size = state->journal_modified = 0;
  char *name = path_beside(path, "-journal");
  if (name == NULL) return;
  int journal = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  free(name);
  if (journal < 0) {
    if (errno == ENOENT) state->journal = RESULTS_NO_JOURNAL;
    return;
  }
  struct stat status;
  uint8_t header[12] = {0};
  ssize_t count = fstat(journal, &status) == 0 ? pread(journal, header, sizeof header, 0) : -1;
  close(journal);
  if (count < 0) return;
  // A journal that is kept for the next transaction is empty or begins with zeros.
  if (count == 0 || header[0] == 0) {
    state->journal = RESULTS_NO_JOURNAL;
    return;
  }
  state->journal_size = status.st_size;
  state->journal_modified = nanoseconds(MODIFIED(status));
  static const uint8_t magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  static const uint8_t none[4] = {0};
  // The number of pages is written before the first page of the database is.
  if (count == sizeof header && memcmp(header, magic, 8) == 0 && memcmp(header + 8, none, 4) == 0) {
    state->journal = RESULTS_JOURNAL_BEGUN;
  }
}

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Reads the size that a file's header states. It counts if the program that changed the file last has written it
/// (https://www.sqlite.org/fileformat2.html#in_header_database_size).
static void read_stated_size(sqlite3_file *file, results_file_state *state) {
  uint8_t header[100];
  if (file->pMethods->xRead(file, header, sizeof header, 0) != SQLITE_OK) return;
  uint32_t size = (uint32_t)header[16] << 8 | header[17];
  state->page_size = size == 1 ? 65536 : (int32_t)size;
  if (memcmp(header + 24, header + 92, 4) != 0) return;
  state->stated_size = (int64_t)big_endian(header + 28) * state->page_size;
}

int results_read_file_state(sqlite3 *db, results_file_state *state) {
  memset(state, 0, sizeof *state);
  sqlite3_file *file = file_of(db);
  const char *path = sqlite3_db_filename(db, "main");
  if (file == NULL || path == NULL || path[0] == 0) return 0;
  // In this order: a transaction that is no longer seen here has ended before the header and the times are read.
  int is_reserved = 0;
  if (file->pMethods->xCheckReservedLock(file, &is_reserved) != SQLITE_OK) return 0;
  state->is_reserved = is_reserved != 0;
  state->is_preparing = is_reserved != 0 && results_writer_prepares(path);
  read_journal(path, state);
  if (!read_header(file, &state->format, state->version)) return 0;
  state->named_format = state->format;
  if (state->format == RESULTS_ROLLBACK_JOURNAL && has_write_ahead_log(path)) {
    state->format = RESULTS_WRITE_AHEAD_LOG;
  }
  read_stated_size(file, state);
  sqlite3_int64 size = 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return 0;
  state->size = size;
  struct timespec now;
  struct stat status;
  if (clock_gettime(FILE_CLOCK, &now) != 0 || stat(path, &status) != 0) return 0;
  state->device = (uint64_t)status.st_dev;
  state->number = (uint64_t)status.st_ino;
  state->modified = nanoseconds(MODIFIED(status));
  // Only a write that comes later than the clock's last step gets another time. Some file systems count whole or even seconds.
  const int64_t even = 2000000000;
  int64_t age = nanoseconds(now) - state->modified;
  state->is_settled = age < -even || age > (MODIFIED(status).tv_nsec == 0 ? even : 0);
  return 1;
}

int results_copy_file(sqlite3 *db, uint8_t *bytes, int64_t size) {
  enum { STEP = 1 << 16, CHECKED = 1 << 20 };
  sqlite3_file *file = file_of(db);
  int32_t format;
  uint64_t before[2], now[2];
  if (file == NULL || !read_header(file, &format, before)) return 0;
  for (int64_t offset = 0; offset < size; offset += STEP) {
    int count = size - offset < STEP ? (int)(size - offset) : STEP;
    if (file->pMethods->xRead(file, bytes + offset, count, offset) != SQLITE_OK) return 0;
    // A long copy ends early if it has become useless.
    if (offset % CHECKED != 0) continue;
    if (!read_header(file, &format, now) || memcmp(before, now, sizeof now) != 0) return 0;
  }
  return 1;
}

static const char *temporary_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder == NULL || folder[0] == 0 ? "/tmp" : folder;
}

/// Reserves the bytes of a file, which becomes no shorter: a mapped page for which the disk has no room would end the process.
static int reserve(int file, int64_t size) {
#if defined(__APPLE__)
  struct stat status;
  if (fstat(file, &status) != 0) return 0;
  // What is reserved is added after the blocks that the file has.
  int64_t missing = size - (int64_t)status.st_blocks * 512;
  if (missing > 0) {
    fstore_t store = {.fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_length = missing};
    if (fcntl(file, F_PREALLOCATE, &store) != 0) return 0;
  }
  return status.st_size >= size || ftruncate(file, size) == 0;
#else
  return posix_fallocate(file, 0, size) == 0;
#endif
}

/// Opens a file without a name in the folder for temporary files; -1 if there is no room.
static int temporary_file(int64_t size) {
  const char *folder = temporary_folder();
  static const char name[] = "/results-XXXXXX";
  char *path = malloc(strlen(folder) + sizeof name);
  if (path == NULL) return -1;
  strcpy(path, folder);
  strcat(path, name);
  int file = mkstemp(path);
  if (file >= 0) unlink(path);
  free(path);
  if (file < 0) return -1;
  fcntl(file, F_SETFD, FD_CLOEXEC);
  if (reserve(file, size)) return file;
  close(file);
  return -1;
}

uint8_t *results_allocate_copy(int64_t size) {
  void *bytes;
  if (size <= in_memory) {
    bytes = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  } else {
    int file = temporary_file(size);
    if (file < 0) return NULL;
    bytes = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
  }
  return bytes == MAP_FAILED ? NULL : bytes;
}

void results_free_copy(uint8_t *bytes, int64_t size) { munmap(bytes, (size_t)size); }

/// Creates a file in a folder of this user, which stays there and which nobody else may enter or remove: so nobody else puts a journal beside
/// the file, which SQLite would look for.
static int create_in(const char *parent, int64_t size, char *path, int capacity) {
  static const char name[] = "/copy-XXXXXX";
  int length = snprintf(path, (size_t)capacity, "%s/results-%u", parent, (unsigned)geteuid());
  if (length < 0 || length + (int)sizeof name > capacity) return -1;
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return -1;
  struct stat folder;
  if (lstat(path, &folder) != 0 || !S_ISDIR(folder.st_mode) || folder.st_uid != geteuid()) return -1;
  if ((folder.st_mode & 077) != 0) return -1;
  strcat(path, name);
  int file = mkstemp(path);
  if (file < 0) return -1;
  fcntl(file, F_SETFD, FD_CLOEXEC);
  if (reserve(file, size)) return file;
  unlink(path);
  close(file);
  return -1;
}

int results_create_copy(int64_t size, char *path, int capacity) {
#if defined(__linux__)
  int file = size <= in_memory ? create_in("/dev/shm", size, path, capacity) : -1;
  if (file >= 0) return file;
#endif
  return create_in(temporary_folder(), size, path, capacity);
}

int results_write_copy(int file, const uint8_t *bytes, int64_t size) {
  if (!reserve(file, size)) return 0;
  for (int64_t offset = 0; offset < size;) {
    ssize_t count = pwrite(file, bytes + offset, (size_t)(size - offset), offset);
    if (count <= 0 && errno != EINTR) return 0;
    if (count > 0) offset += count;
  }
  return ftruncate(file, size) == 0;
}

void results_remove_copy(const char *path) { unlink(path); }

void results_close_copy(int file) { close(file); }

#endif
