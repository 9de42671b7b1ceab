#include "CSQLiteHooks.h"

int results_set_triggers(sqlite3 *db, int are_enabled) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, are_enabled, (int *)0);
}

int results_leave_log(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
