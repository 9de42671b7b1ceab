#ifndef CSQLITE_HOOKS_H
#define CSQLITE_HOOKS_H

// What the SQLite adapter needs and neither GRDB's module nor Swift provides: the pre-update hook (a build option of
// SQLite), scalar functions and a table-valued function in C, one slot of thread-local storage, and the state of a
// database's files: their size and identity, their changes, their bytes, and the processes that lock them.

#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#include <sqlite3.h>
#include <stdint.h>

/// Called before each row is inserted, updated or deleted.
typedef void (*results_row_hook)(
  void *context, sqlite3 *db, int operation, const char *database, const char *table,
  sqlite3_int64 old_rowid, sqlite3_int64 new_rowid);

/// Whether the linked SQLite library has the pre-update hook.
int results_hook_is_available(void);
/// A filter between SQLite and a hook; it must outlive the connection's use of it.
typedef struct results_hook_gate {
  results_row_hook hook;
  void *context;
  /// Whether the hook is not called for updates.
  int32_t skips_updates;
  /// The number of updates for which it was not called.
  int64_t skipped;
} results_hook_gate;
/// Installs a hook, or removes it if `gate` is null; does nothing if the library has no pre-update hook.
void results_hook_install(sqlite3 *db, results_hook_gate *gate);
/// The value of a column before the change; null if it cannot be read.
sqlite3_value *results_hook_old(sqlite3 *db, int column);
/// The value of a column after the change; null if it cannot be read.
sqlite3_value *results_hook_new(sqlite3 *db, int column);
/// 0 for rows that the statement itself touches, more for rows that triggers and foreign keys touch.
int results_hook_depth(sqlite3 *db);
/// The number of columns of the changed row.
int results_hook_columns(sqlite3 *db);

/// Enables or disables the schema's triggers for a connection; those of its TEMP schema always run.
/// - Returns: SQLite's result code.
int results_set_triggers(sqlite3 *db, int are_enabled);

/// Prepares a connection for a file of unknown origin: the schema cannot call what is not harmless, statements cannot damage the file's
/// structure, and values, statements and programs have limits.
/// - Returns: SQLite's result code.
int results_defend(sqlite3 *db);

/// Makes closing a connection leave the log, without a checkpoint.
int results_leave_log(sqlite3 *db);

/// The type name under which a compiled pattern is passed from one function to another as a pointer.
extern const char *const results_pattern_type;
/// Registers the scalar functions that are written in C.
int results_register_functions(sqlite3 *db);

/// One pass over rows that picks every nth row.
typedef struct results_sampling {
  /// The distance between picked rows.
  int64_t stride;
  /// The number of rows before the next picked one.
  int64_t remaining;
  /// The number of calls of the function.
  int64_t calls;
} results_sampling;
/// Registers `results_sampled()`, which is true for the rows that the calling thread's pass picks.
int results_register_sampling(sqlite3 *db);
/// Sets the calling thread's pass, or none if null.
/// - Returns: The previous one.
results_sampling *results_set_sampling(results_sampling *sampling);

/// The encoding of a column of a key.
typedef struct results_key_column {
  /// SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT or SQLITE_BLOB.
  int32_t storage;
  int32_t is_descending;
  int32_t nulls_last;
} results_key_column;
/// One pass over rows in the order of their keys, which counts the rows before each of some keys.
typedef struct results_ranking {
  const results_key_column *columns;
  /// The number of columns of a key.
  int32_t column_count;
  /// The number of keys, and their bytes, in ascending order.
  int64_t count;
  const uint8_t *bytes;
  /// The end of each key in the bytes.
  const int64_t *ends;
  /// The number of rows before each key that a row has reached.
  int64_t *ranks;
  /// The number of keys that were reached.
  int64_t next;
  /// The number of calls of the function.
  int64_t calls;
  /// Whether a row has a value of another storage class than its column's; the pass ended there.
  int32_t is_foreign;
  /// The greatest number of bytes of a row's key that are compared: those of the longest key, and one more.
  int32_t capacity;
  /// A buffer for those and nine more bytes.
  uint8_t *buffer;
} results_ranking;
/// Registers `results_ranked(...)`, to be called with the first columns of each row's key, and with all of them if that is true.
int results_register_ranking(sqlite3 *db);
/// Sets the calling thread's pass, or none if null.
/// - Returns: The previous one.
results_ranking *results_set_ranking(results_ranking *ranking);

/// A table of values that a statement reads through the table-valued function `results_values`.
typedef struct results_values {
  /// The columns in use, at most 16.
  int32_t columns;
  int64_t rows;
  /// The storage class of each cell, row by row (SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB).
  const uint8_t *kinds;
  /// The integer, the bits of the real, or the offset of the bytes.
  const int64_t *numbers;
  /// The length of a text or a blob in bytes.
  const int64_t *lengths;
  const uint8_t *bytes;
} results_values;

/// The type name under which a `results_values` is bound as a pointer.
extern const char *const results_values_type;
/// Registers `results_values(pointer)`.
int results_register_values(sqlite3 *db);

/// The size of a file in bytes, or 0 if it does not exist. The file is not opened.
int64_t results_file_size(const char *path);
/// The size in bytes of a side file, whose name SQLite derives from the file's with all links resolved; -1 if it does not exist.
int64_t results_side_file_size(const char *path, const char *suffix);
/// The length in bytes of the full path of a file with all links resolved, whether or not the file exists; 0 if it is unknown.
int64_t results_full_path_length(const char *path);

/// The kinds of files.
enum { RESULTS_NO_FILE = 0, RESULTS_REGULAR_FILE = 1, RESULTS_OTHER_FILE = 2 };
/// The kind of file at a path, with all links resolved. The file is not opened, since that would block on a pipe.
int results_file_kind(const char *path);

/// The identity of the file at a path: the numbers of its device and of the file there. The file is not opened.
/// - Returns: 1 if it exists, 0 if it does not, -1 if that is unknown.
int results_file_identity(const char *path, uint64_t *device, uint64_t *number);
/// Whether the file that a connection has open no longer has its name.
int results_connection_has_moved(sqlite3 *db);
/// The identity of the file that a connection has open.
/// - Returns: 1 if it is known, 0 if the file has lost its name, -1 if that is unknown.
int results_connection_identity(sqlite3 *db, uint64_t *device, uint64_t *number);

/// The formats of a database's file, and the states of its rollback journal.
enum { RESULTS_NO_DATABASE = 0, RESULTS_ROLLBACK_JOURNAL = 1, RESULTS_WRITE_AHEAD_LOG = 2 };
enum {
  /// There is none, or it is kept for the next transaction.
  RESULTS_NO_JOURNAL = 0,
  /// A transaction has begun, which has not written into the database yet.
  RESULTS_JOURNAL_BEGUN = 1,
  /// A transaction may have written into the database.
  RESULTS_JOURNAL_WRITTEN = 2,
};
/// What a database's file and its rollback journal show without a lock. Times are nanoseconds since 1970.
typedef struct results_file_state {
  int32_t format;
  /// The format that the header names, whatever is beside the file.
  int32_t named_format;
  int32_t journal;
  /// Whether a connection holds the lock of writers.
  int32_t is_reserved;
  /// Whether the system shows that this connection has not begun to write into the database.
  int32_t is_preparing;
  /// Whether a later write gives the file another time.
  int32_t is_settled;
  /// The number of bytes of a page.
  int32_t page_size;
  /// What SQLite changes with every commit.
  uint64_t version[2];
  int64_t size;
  /// The size that the header states; 0 where it states none that counts.
  int64_t stated_size;
  int64_t modified;
  int64_t journal_size;
  int64_t journal_modified;
  /// The identity of the file that has the path.
  uint64_t device;
  uint64_t number;
} results_file_state;
/// Reads the state of the file that a connection has open.
/// - Returns: Whether it could be read.
int results_read_file_state(sqlite3 *db, results_file_state *state);
/// Copies the file that a connection has open, without a lock.
/// - Returns: Whether all bytes were read; a writer may have changed some meanwhile.
int results_copy_file(sqlite3 *db, uint8_t *bytes, int64_t size);
/// Memory for the bytes of a file; null if there is no room.
uint8_t *results_allocate_copy(int64_t size);
/// Frees that memory.
void results_free_copy(uint8_t *bytes, int64_t size);
/// Creates a file for copies, in a folder that only this user may enter, and writes its path.
/// - Returns: The open file, or -1 if there is no room.
int results_create_copy(int64_t size, char *path, int capacity);
/// Replaces the content of a file for copies.
/// - Returns: Whether there was room; otherwise the content is the earlier one, unless writing failed.
int results_write_copy(int file, const uint8_t *bytes, int64_t size);
/// Removes the name of a file for copies, which stays open.
void results_remove_copy(const char *path);
/// Closes a file for copies, which has no name any more.
void results_close_copy(int file);

/// The ends of a wait for file events.
enum { RESULTS_TIME_PASSED = 0, RESULTS_FILE_CHANGED = 1, RESULTS_INTERRUPTED = 2 };
/// Subscribes to changes of a database's file, its log and its journal, without opening any of them.
typedef struct results_file_events results_file_events;
/// Subscribes; null where the system reports no changes.
results_file_events *results_file_events_open(const char *path);
/// Waits for a change, an interruption, or the end of a time by the monotonic clock.
int results_file_events_wait(
  results_file_events *events, int64_t microseconds, int ignores_changes);
/// Subscribes to the present files again.
void results_file_events_renew(results_file_events *events);
/// Ends the current or the next wait, from any thread.
void results_file_events_interrupt(results_file_events *events);
/// Ends the subscription.
void results_file_events_close(results_file_events *events);

/// Whether a process holds the lock of writers of a database with a rollback journal, and has not begun to write into the file.
/// - Returns: 0 also where the system does not report it (only Linux does), or not for all processes.
int results_writer_prepares(const char *path);

/// The process that keeps a database from being written, and its name; 0 if there is none or it is unknown.
int64_t results_lock_holder(const char *path, char *name, int capacity);
/// The number of this process.
int64_t results_process_id(void);
/// Writes a mark that identifies this process among all of the machine, including later ones with the same number.
/// - Returns: Whether the system provides it.
int results_process_mark(char *mark, int capacity);
/// Whether the process of a mark is known to have ended; 0 if it runs, or if that is unknown here.
int results_process_has_ended(const char *mark);

/// The calling thread's slot.
void *results_thread_slot(void);
/// Sets the calling thread's slot.
void results_set_thread_slot(void *value);

#endif
