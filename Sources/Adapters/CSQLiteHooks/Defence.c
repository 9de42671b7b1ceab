#include "CSQLiteHooks.h"

#include <stdatomic.h>
#include <string.h>

#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
// Whether SQLite takes its JSON functions for harmful, as 3.38 to 3.40 do by mistake: a schema that uses one is then called damaged.
static int refuses_json(void) {
  static atomic_int known;  // 0 unknown, 1 no, 2 yes
  int found = atomic_load(&known);
  if (found != 0) return found == 2;
  sqlite3 *db = 0;
  found = 1;
  if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, 0) == SQLITE_OK) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    sqlite3_exec(db, "CREATE TABLE t (a, b AS (json_array(a)))", 0, 0, 0);
    if (strstr(sqlite3_errmsg(db), "unsafe use") != 0) found = 2;
  }
  sqlite3_close(db);
  atomic_store(&known, found);
  return found == 2;
}

// Whether a schema may use JSON functions: the text of one of its statements has a name or an operator of theirs. Nothing of it is run.
// Returns SQLITE_ROW or SQLITE_DONE, or the failure.
static int uses_json(sqlite3 *db) {
  sqlite3_stmt *statement = 0;
  const char *sql = "SELECT 1 FROM main.sqlite_schema WHERE sql LIKE '%json%' OR instr(sql, '->') LIMIT 1";
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  sqlite3_finalize(statement);
  return code;
}
#endif

// SQLite's advice for files of unknown origin (sqlite.org/security.html, "Untrusted SQLite Database Files"). The limits are beyond
// what databases in use reach, and the pages of a file with wrong cell sizes are refused before they are read.

int results_defend(sqlite3 *db) {
  int code = SQLITE_OK;
#ifdef SQLITE_DBCONFIG_DEFENSIVE
  code = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
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
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
  if (code == SQLITE_OK) {
    // Trusted, a schema can call what reads it, and no function of this package, which are DIRECTONLY. What cannot be read is reported
    // when it is needed.
    int json = refuses_json() ? uses_json(db) : SQLITE_DONE;
    if (json == SQLITE_BUSY) return json;
    code = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, json == SQLITE_ROW, (int *)0);
  }
#endif
  return code;
}
