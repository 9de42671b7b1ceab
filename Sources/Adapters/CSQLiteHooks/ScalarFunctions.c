#include "CSQLiteHooks.h"
#include <stddef.h>
#include <string.h>

// Every function returns null for values of other storage classes. Lengths are always explicit, so that texts may
// contain NUL.

static int is_text(sqlite3_value *value) { return sqlite3_value_type(value) == SQLITE_TEXT; }

static void integer_bucket(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  if (sqlite3_value_type(arguments[0]) != SQLITE_INTEGER) return;
  sqlite3_int64 number = sqlite3_value_int64(arguments[0]);
  sqlite3_int64 width = sqlite3_value_int64(arguments[1]);
  if (width <= 0) return;
  sqlite3_int64 rest = number % width;
  if (rest < 0) rest += width;
  sqlite3_int64 bucket;
  if (__builtin_sub_overflow(number, rest, &bucket)) return;
  sqlite3_result_int64(context, bucket);
}

static int found(
  const unsigned char *text, int bytes, const unsigned char *sought, int length, int start
) {
  if (start < 0 || length > bytes - start) return 0;
  return length == 0 || memcmp(text + start, sought, (size_t)length) == 0;
}

static void text_search(sqlite3_context *context, sqlite3_value **arguments, char form) {
  if (!is_text(arguments[0]) || !is_text(arguments[1])) return;
  const unsigned char *text = sqlite3_value_text(arguments[0]);
  int bytes = sqlite3_value_bytes(arguments[0]);
  const unsigned char *sought = sqlite3_value_text(arguments[1]);
  int length = sqlite3_value_bytes(arguments[1]);
  int result = 0;
  switch (form) {
  case 'b': result = found(text, bytes, sought, length, 0); break;
  case 'e': result = found(text, bytes, sought, length, bytes - length); break;
  default:
    result = length == 0;
    for (int start = 0; !result && start + length <= bytes; start++) {
      const unsigned char *next =
        memchr(text + start, sought[0], (size_t)(bytes - length - start + 1));
      if (next == NULL) break;
      start = (int)(next - text);
      result = found(text, bytes, sought, length, start);
    }
  }
  sqlite3_result_int(context, result);
}

static void text_begins(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  text_search(context, arguments, 'b');
}

static void text_ends(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  text_search(context, arguments, 'e');
}

static void text_contains(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  text_search(context, arguments, 'c');
}

const char *const results_pattern_type = "results_pattern";

// Returns its argument. It is not declared deterministic: SQLite does not take the result for a constant.
static void operand(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  sqlite3_result_value(context, arguments[0]);
}

int results_register_functions(sqlite3 *db) {
  static const struct {
    const char *name;
    int arguments;
    void (*function)(sqlite3_context *, int, sqlite3_value **);
  } functions[] = {
    {"results_bucket", 2, integer_bucket}, {"results_begins", 2, text_begins},
    {"results_ends", 2, text_ends},        {"results_contains", 2, text_contains},
  };
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
#ifdef SQLITE_DIRECTONLY
  flags |= SQLITE_DIRECTONLY;
#endif
  for (size_t index = 0; index < sizeof functions / sizeof functions[0]; index++) {
    int code = sqlite3_create_function_v2(
      db, functions[index].name, functions[index].arguments, flags, NULL,
      functions[index].function, NULL, NULL, NULL);
    if (code != SQLITE_OK) return code;
  }
  return sqlite3_create_function_v2(
    db, "results_operand", 1, flags & ~SQLITE_DETERMINISTIC, NULL, operand, NULL, NULL, NULL);
}
