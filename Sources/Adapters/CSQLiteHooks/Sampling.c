#include "CSQLiteHooks.h"
#include <stddef.h>

// A function in WHERE that SQLite calls once for each row, in the order of an index. It picks every nth row, without
// reading a column of the others. It must not be declared deterministic: SQLite would call it only once.

static _Thread_local results_sampling *current = 0;

static void sampled(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  (void)arguments;
  results_sampling *sampling = current;
  int is_wanted = 0;
  if (sampling) {
    sampling->calls++;
    is_wanted = sampling->remaining == 0;
    sampling->remaining = is_wanted ? sampling->stride - 1 : sampling->remaining - 1;
  }
  sqlite3_result_int(context, is_wanted);
}

int results_register_sampling(sqlite3 *db) {
  int flags = SQLITE_UTF8;
#ifdef SQLITE_DIRECTONLY
  flags |= SQLITE_DIRECTONLY;
#endif
  return sqlite3_create_function_v2(db, "results_sampled", 0, flags, NULL, sampled, NULL, NULL, NULL);
}

results_sampling *results_set_sampling(results_sampling *sampling) {
  results_sampling *before = current;
  current = sampling;
  return before;
}
