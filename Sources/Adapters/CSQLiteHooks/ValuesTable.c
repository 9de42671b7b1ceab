#include "CSQLiteHooks.h"
#include <stddef.h>
#include <string.h>

// `results_values(pointer)`: an eponymous, read-only virtual table over values in memory, so that a statement
// can test membership in a million keys without a million variables.

const char *const results_values_type = "results_values";

enum { POINTER_COLUMN = 16 };

typedef struct {
  sqlite3_vtab_cursor base;
  const results_values *values;
  int64_t row;
} values_cursor;

static int values_connect(
  sqlite3 *db, void *context, int count, const char *const *arguments, sqlite3_vtab **table,
  char **message
) {
  (void)context, (void)count, (void)arguments, (void)message;
  int code = sqlite3_declare_vtab(
    db,
    "CREATE TABLE x(c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15,"
    " pointer HIDDEN)");
  if (code != SQLITE_OK) return code;
#ifdef SQLITE_VTAB_DIRECTONLY
  // A view or a trigger of the file cannot read it.
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
#endif
  *table = sqlite3_malloc(sizeof(sqlite3_vtab));
  if (*table == NULL) return SQLITE_NOMEM;
  memset(*table, 0, sizeof(sqlite3_vtab));
  return SQLITE_OK;
}

static int values_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int values_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  for (int index = 0; index < info->nConstraint; index++) {
    if (info->aConstraint[index].iColumn != POINTER_COLUMN ||
        info->aConstraint[index].op != SQLITE_INDEX_CONSTRAINT_EQ) {
      continue;
    }
    if (!info->aConstraint[index].usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[index].argvIndex = 1;
    info->aConstraintUsage[index].omit = 1;
    info->idxNum = 1;
  }
  info->estimatedCost = 1000;
  info->estimatedRows = 1000;
  return SQLITE_OK;
}

static int values_open(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  (void)table;
  values_cursor *cursor = sqlite3_malloc(sizeof(values_cursor));
  if (cursor == NULL) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof(values_cursor));
  *result = &cursor->base;
  return SQLITE_OK;
}

static int values_close(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int values_filter(
  sqlite3_vtab_cursor *base, int number, const char *text, int count, sqlite3_value **arguments
) {
  (void)number, (void)text;
  values_cursor *cursor = (values_cursor *)base;
  cursor->values =
    count == 1 ? sqlite3_value_pointer(arguments[0], results_values_type) : NULL;
  cursor->row = 0;
  return SQLITE_OK;
}

static int values_next(sqlite3_vtab_cursor *base) {
  ((values_cursor *)base)->row++;
  return SQLITE_OK;
}

static int values_eof(sqlite3_vtab_cursor *base) {
  values_cursor *cursor = (values_cursor *)base;
  return cursor->values == NULL || cursor->row >= cursor->values->rows;
}

static int values_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  values_cursor *cursor = (values_cursor *)base;
  const results_values *values = cursor->values;
  if (column >= values->columns) return SQLITE_OK;
  int64_t cell = cursor->row * values->columns + column;
  int64_t number = values->numbers[cell];
  switch (values->kinds[cell]) {
  case SQLITE_INTEGER: sqlite3_result_int64(context, number); break;
  case SQLITE_FLOAT: {
    double real;
    memcpy(&real, &number, sizeof real);
    sqlite3_result_double(context, real);
    break;
  }
  case SQLITE_TEXT:
    sqlite3_result_text64(
      context, (const char *)values->bytes + number, (sqlite3_uint64)values->lengths[cell],
      SQLITE_TRANSIENT, SQLITE_UTF8);
    break;
  case SQLITE_BLOB:
    sqlite3_result_blob64(
      context, values->bytes + number, (sqlite3_uint64)values->lengths[cell], SQLITE_TRANSIENT);
    break;
  default: break;
  }
  return SQLITE_OK;
}

static int values_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((values_cursor *)base)->row;
  return SQLITE_OK;
}

int results_register_values(sqlite3 *db) {
  static const sqlite3_module module = {
    .xConnect = values_connect,
    .xBestIndex = values_best_index,
    .xDisconnect = values_disconnect,
    .xOpen = values_open,
    .xClose = values_close,
    .xFilter = values_filter,
    .xNext = values_next,
    .xEof = values_eof,
    .xColumn = values_column,
    .xRowid = values_rowid,
  };
  return sqlite3_create_module_v2(db, "results_values", &module, NULL, NULL);
}
