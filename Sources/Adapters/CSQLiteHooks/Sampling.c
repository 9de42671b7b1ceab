#include "CSQLiteHooks.h"
#include <stddef.h>

// A function in WHERE that is asked once for each row, in the order in which an index is read, picks every so many of
// them without a column being read of the others. It must not be called deterministic: SQLite would ask it once.

static _Thread_local results_sampling *current = 0;

static void sampled(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  (void)arguments;
  results_sampling *sampling = current;
  int is_wanted = 0;
  if (sampling) {
    sampling->calls++;
    is_wanted = sampling->left == 0;
    sampling->left = is_wanted ? sampling->stride - 1 : sampling->left - 1;
  }
  sqlite3_result_int(context, is_wanted);
}

int results_register_sampling(sqlite3 *db) {
  return sqlite3_create_function_v2(
    db, "results_sampled", 0, SQLITE_UTF8, NULL, sampled, NULL, NULL, NULL);
}

results_sampling *results_set_sampling(results_sampling *sampling) {
  results_sampling *before = current;
  current = sampling;
  return before;
}
