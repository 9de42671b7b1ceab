#ifndef CSQLITE_HOOKS_H
#define CSQLITE_HOOKS_H

// What the SQLite adapter needs of SQLite that neither GRDB's module nor Swift can reach:
// the pre-update hook (a build option of SQLite), scalar functions and a table-valued function in C,
// one slot of thread-local storage, and what the file system says of a database's files: their size and identity,
// when they change, and who locks them.

#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#include <sqlite3.h>
#include <stdint.h>

/// Called before each row is inserted, updated or deleted.
typedef void (*results_row_hook)(
  void *context, sqlite3 *db, int operation, const char *database, const char *table,
  sqlite3_int64 old_rowid, sqlite3_int64 new_rowid);

/// Whether the SQLite library that is linked has the pre-update hook.
int results_hook_is_available(void);
/// What stands between SQLite and a hook; it must outlive the connection's use of it.
typedef struct results_hook_gate {
  results_row_hook hook;
  void *context;
  /// Whether the hook is not called for updates.
  int32_t skips_updates;
  /// How many updates it was not called for.
  int64_t skipped;
} results_hook_gate;
/// Installs a hook, or removes it if `gate` is null; does nothing where there is none.
void results_hook_install(sqlite3 *db, results_hook_gate *gate);
/// The value a column has before the change; null if it cannot be told.
sqlite3_value *results_hook_old(sqlite3 *db, int column);
/// The value a column has after the change; null if it cannot be told.
sqlite3_value *results_hook_new(sqlite3 *db, int column);
/// 0 for a statement's own rows, more for rows that triggers and foreign keys touch.
int results_hook_depth(sqlite3 *db);
/// How many columns the changed row has.
int results_hook_columns(sqlite3 *db);

/// Whether triggers of the schema run for statements of a connection; those of its own TEMP schema always do.
/// - Returns: SQLite's result code.
int results_set_triggers(sqlite3 *db, int are_enabled);

/// Lets a connection be closed without bringing the log into the database, and without removing it.
int results_leave_log(sqlite3 *db);

/// Registers the scalar functions that are written in C.
int results_register_functions(sqlite3 *db);

/// One pass over rows of which every so many are wanted.
typedef struct results_sampling {
  /// How many rows one is wanted of.
  int64_t stride;
  /// How many rows come before the next that is wanted.
  int64_t left;
  /// How often the function was called.
  int64_t calls;
} results_sampling;
/// Registers `results_sampled()`, which is true for the rows that the calling thread's pass wants.
int results_register_sampling(sqlite3 *db);
/// Makes a pass the calling thread's own, or null for none.
/// - Returns: The one before.
results_sampling *results_set_sampling(results_sampling *sampling);

/// How a column of a key is written.
typedef struct results_key_column {
  /// SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT or SQLITE_BLOB.
  int32_t storage;
  int32_t is_descending;
  int32_t nulls_last;
} results_key_column;
/// One pass over rows in the order of their keys, which tells how many stand before each of some keys.
typedef struct results_ranking {
  const results_key_column *columns;
  /// How many columns keys have.
  int32_t column_count;
  /// How many keys are looked for, and their bytes, ascending.
  int64_t count;
  const uint8_t *bytes;
  /// Where each key ends in the bytes.
  const int64_t *ends;
  /// How many rows stand before each key that a row has reached.
  int64_t *ranks;
  /// How many keys were reached.
  int64_t next;
  /// How often the function was called.
  int64_t calls;
  /// Whether a row holds a value of another storage class than its column's; the pass ended there.
  int32_t is_foreign;
  /// How many bytes of a row's key are compared at most: those of the longest key that is looked for, and one more.
  int32_t capacity;
  /// Room for those, and for nine bytes more.
  uint8_t *buffer;
} results_ranking;
/// Registers `results_ranked(...)`, which is asked with the first columns of each row's key, and if it is true with all of them.
int results_register_ranking(sqlite3 *db);
/// Makes a pass the calling thread's own, or null for none.
/// - Returns: The one before.
results_ranking *results_set_ranking(results_ranking *ranking);

/// A table of values that a statement reads through the table-valued function `results_values`.
typedef struct results_values {
  /// The columns in use, at most 16.
  int32_t columns;
  int64_t rows;
  /// The storage class of each cell, row by row (SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB).
  const uint8_t *kinds;
  /// The integer, the bits of the real, or where the bytes begin.
  const int64_t *numbers;
  /// How many bytes a text or a blob has.
  const int64_t *lengths;
  const uint8_t *bytes;
} results_values;

/// The type name under which a `results_values` is bound as a pointer.
extern const char *const results_values_type;
/// Registers `results_values(pointer)`.
int results_register_values(sqlite3 *db);

/// The size of a file in bytes, or 0 if there is none. The file is not opened.
int64_t results_file_size(const char *path);
/// The size in bytes of what SQLite keeps beside a file, whose name it makes of the file's own behind all links; -1 if there is none.
int64_t results_side_file_size(const char *path, const char *suffix);
/// How many bytes the full path of a file has behind all links, whether or not the file is there; 0 if it cannot be told.
int64_t results_full_path_length(const char *path);

/// What a path can name.
enum { RESULTS_NO_FILE = 0, RESULTS_REGULAR_FILE = 1, RESULTS_OTHER_FILE = 2 };
/// What a path names behind all links. It is not opened, so that a pipe is not waited for.
int results_file_kind(const char *path);

/// Which file a path names, by the numbers of its device and of the file there. The file is not opened.
/// - Returns: 1 if there is one, 0 if there is none, -1 if it cannot be told.
int results_file_identity(const char *path, uint64_t *device, uint64_t *number);
/// Whether the file that a connection has open is no longer the one of its name.
int results_connection_has_moved(sqlite3 *db);
/// Which file a connection has open.
/// - Returns: 1 if it is told, 0 if the file has lost its name, -1 if it cannot be told.
int results_connection_identity(sqlite3 *db, uint64_t *device, uint64_t *number);

/// What a wait for file events ended with.
enum { RESULTS_TIME_PASSED = 0, RESULTS_FILE_CHANGED = 1, RESULTS_INTERRUPTED = 2 };
/// Hears of changes of a database's file, its log and its journal, without opening any of them.
typedef struct results_file_events results_file_events;
/// Begins to listen; null where the system tells of no changes.
results_file_events *results_file_events_open(const char *path);
/// Waits for a change, an interruption, or the end of a time by a clock that is never set.
int results_file_events_wait(
  results_file_events *events, int64_t microseconds, int ignores_changes);
/// Looks anew which files there are.
void results_file_events_renew(results_file_events *events);
/// Ends a wait, or the next one, from any thread.
void results_file_events_interrupt(results_file_events *events);
/// Ends listening.
void results_file_events_close(results_file_events *events);

/// The process that keeps a database from being written, and its name; 0 if there is none or it cannot be told.
int64_t results_lock_holder(const char *path, char *name, int capacity);
/// The number of this process.
int64_t results_process_id(void);
/// Writes down what tells this process from all others of the machine, also from later ones of the same number.
/// - Returns: Whether the system tells.
int results_process_mark(char *mark, int capacity);
/// Whether the process of a mark has certainly ended; 0 if it runs, or if that cannot be told from here.
int results_process_has_ended(const char *mark);

/// The calling thread's slot.
void *results_thread_slot(void);
/// Sets the calling thread's slot.
void results_set_thread_slot(void *value);

#endif
