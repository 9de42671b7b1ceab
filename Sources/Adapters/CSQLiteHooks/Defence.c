#include "CSQLiteHooks.h"

// SQLite's advice for files of unknown origin (sqlite.org/security.html, "Untrusted SQLite Database Files"). The limits are beyond
// what databases in use reach, and the pages of a file with wrong cell sizes are refused before they are read.

int results_defend(sqlite3 *db) {
  int code = SQLITE_OK;
#ifdef SQLITE_DBCONFIG_DEFENSIVE
  code = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
  if (code == SQLITE_OK) {
    code = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  }
#endif
  static const struct {
    int category;
    int limit;
  } limits[] = {
    {SQLITE_LIMIT_LENGTH, 256 << 20},      {SQLITE_LIMIT_SQL_LENGTH, 16 << 20},
    {SQLITE_LIMIT_VDBE_OP, 1000000},       {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}, {SQLITE_LIMIT_TRIGGER_DEPTH, 100},
  };
  for (unsigned index = 0; index < sizeof limits / sizeof limits[0]; index++) {
    sqlite3_limit(db, limits[index].category, limits[index].limit);
  }
  if (code == SQLITE_OK) code = sqlite3_exec(db, "PRAGMA cell_size_check = ON", 0, 0, 0);
  return code;
}
