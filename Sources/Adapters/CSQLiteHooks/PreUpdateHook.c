#include "CSQLiteHooks.h"
#include <stddef.h>

// The symbols are weak so that the program also starts with a library that was built without the hook.
#if defined(_WIN32)
#define HAS_HOOK 0
#else
#define HAS_HOOK 1
#if defined(__APPLE__)
#define OPTIONAL_SYMBOL __attribute__((weak_import))
#else
#define OPTIONAL_SYMBOL __attribute__((weak))
#endif
extern void *sqlite3_preupdate_hook(
  sqlite3 *, void (*)(void *, sqlite3 *, int, char const *, char const *, sqlite3_int64,
                      sqlite3_int64),
  void *) OPTIONAL_SYMBOL;
extern int sqlite3_preupdate_old(sqlite3 *, int, sqlite3_value **) OPTIONAL_SYMBOL;
extern int sqlite3_preupdate_new(sqlite3 *, int, sqlite3_value **) OPTIONAL_SYMBOL;
extern int sqlite3_preupdate_count(sqlite3 *) OPTIONAL_SYMBOL;
extern int sqlite3_preupdate_depth(sqlite3 *) OPTIONAL_SYMBOL;
#endif

int results_hook_is_available(void) {
#if HAS_HOOK
  return sqlite3_preupdate_hook != NULL && sqlite3_preupdate_old != NULL &&
         sqlite3_preupdate_new != NULL && sqlite3_preupdate_count != NULL &&
         sqlite3_preupdate_depth != NULL;
#else
  return 0;
#endif
}

#if HAS_HOOK
static void pass(
  void *context, sqlite3 *db, int operation, char const *database, char const *table,
  sqlite3_int64 old_rowid, sqlite3_int64 new_rowid
) {
  results_hook_gate *gate = context;
  if (operation == SQLITE_UPDATE && gate->skips_updates) {
    gate->skipped++;
    return;
  }
  gate->hook(gate->context, db, operation, database, table, old_rowid, new_rowid);
}
#endif

void results_hook_install(sqlite3 *db, results_hook_gate *gate) {
#if HAS_HOOK
  if (results_hook_is_available()) sqlite3_preupdate_hook(db, gate == NULL ? NULL : pass, gate);
#endif
}

sqlite3_value *results_hook_old(sqlite3 *db, int column) {
  sqlite3_value *value = NULL;
#if HAS_HOOK
  if (sqlite3_preupdate_old(db, column, &value) != SQLITE_OK) return NULL;
#endif
  return value;
}

sqlite3_value *results_hook_new(sqlite3 *db, int column) {
  sqlite3_value *value = NULL;
#if HAS_HOOK
  if (sqlite3_preupdate_new(db, column, &value) != SQLITE_OK) return NULL;
#endif
  return value;
}

int results_hook_depth(sqlite3 *db) {
#if HAS_HOOK
  return sqlite3_preupdate_depth(db);
#else
  return 0;
#endif
}

int results_hook_columns(sqlite3 *db) {
#if HAS_HOOK
  return sqlite3_preupdate_count(db);
#else
  return 0;
#endif
}
