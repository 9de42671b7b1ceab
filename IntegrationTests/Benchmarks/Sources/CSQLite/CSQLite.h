#pragma once
#include <sqlite3.h>

/// Enables or disables the schema's triggers for a connection; Swift cannot call a function with variable arguments.
static inline int benchmark_set_triggers(sqlite3 *db, int are_enabled) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, are_enabled, (int *)0);
}
