#ifndef CSQLITE_HOOKS_H
#define CSQLITE_HOOKS_H

// What the SQLite adapter needs of SQLite that neither GRDB's module nor Swift can reach:
// the pre-update hook (a build option of SQLite), scalar functions and a table-valued function in C,
// one slot of thread-local storage, and the size of a file.

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
/// Installs the hook, or removes it if `hook` is null; does nothing where there is none.
void results_hook_install(sqlite3 *db, results_row_hook hook, void *context);
/// The value a column has before the change; null if it cannot be told.
sqlite3_value *results_hook_old(sqlite3 *db, int column);
/// The value a column has after the change; null if it cannot be told.
sqlite3_value *results_hook_new(sqlite3 *db, int column);
/// 0 for a statement's own rows, more for rows that triggers and foreign keys touch.
int results_hook_depth(sqlite3 *db);
/// How many columns the changed row has.
int results_hook_columns(sqlite3 *db);

/// Registers the scalar functions that are written in C.
int results_register_functions(sqlite3 *db);

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

/// The calling thread's slot.
void *results_thread_slot(void);
/// Sets the calling thread's slot.
void results_set_thread_slot(void *value);

#endif
