#include "CSQLiteHooks.h"
#include <stddef.h>
#include <string.h>

// A function in WHERE that is asked for each row, in the order in which an index is read, with the columns of the row's
// key. It writes them as keys are written (`KeyWriter`), and merges the rows with keys that are looked for. It is never true.

static _Thread_local results_ranking *current = 0;

static int put(results_ranking *ranking, int at, uint8_t byte) {
  if (at < ranking->capacity) ranking->buffer[at] = byte;
  return at + 1;
}

static int put_word(results_ranking *ranking, int at, uint64_t word, uint8_t mask) {
  if (at >= ranking->capacity) return at + 9;
  if (mask) word = ~word;
  uint8_t *bytes = ranking->buffer + at;
  bytes[0] = 2;
  for (int index = 0; index < 8; index++) bytes[1 + index] = (uint8_t)(word >> (56 - 8 * index));
  return at + 9;
}

static int put_content(
  results_ranking *ranking, int at, const uint8_t *bytes, int count, uint8_t mask
) {
  at = put(ranking, at, 2);
  for (int index = 0; index < count; index++) {
    at = put(ranking, at, bytes[index] ^ mask);
    if (bytes[index] == 0) at = put(ranking, at, 255 ^ mask);
  }
  return put(ranking, at, mask);
}

static uint64_t ascending_bits(double number) {
  uint64_t bits = 0;
  if (number != 0) memcpy(&bits, &number, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/// Where the column ends in the key, or -1 for a value of another storage class.
static int put_column(
  results_ranking *ranking, int at, results_key_column column, sqlite3_value *value
) {
  uint8_t mask = column.is_descending ? 255 : 0;
  int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return put(ranking, at, column.nulls_last ? 3 : 1);
  if (column.storage == SQLITE_FLOAT && type == SQLITE_INTEGER) type = SQLITE_FLOAT;
  if (type != column.storage) return -1;
  switch (type) {
  case SQLITE_INTEGER:
    return put_word(
      ranking, at, (uint64_t)sqlite3_value_int64(value) ^ (uint64_t)1 << 63, mask);
  case SQLITE_FLOAT:
    return put_word(ranking, at, ascending_bits(sqlite3_value_double(value)), mask);
  case SQLITE_TEXT: {
    const uint8_t *text = sqlite3_value_text(value);
    return put_content(ranking, at, text, sqlite3_value_bytes(value), mask);
  }
  default: {
    const uint8_t *blob = sqlite3_value_blob(value);
    return put_content(ranking, at, blob, sqlite3_value_bytes(value), mask);
  }
  }
}

/// Whether a key that is looked for stands before a row's key or is the same.
///
/// The buffer has room for the longest key that is looked for, so a row's key of which not all is there is longer.
static int is_reached(const results_ranking *ranking, int length) {
  int64_t start = ranking->next ? ranking->ends[ranking->next - 1] : 0;
  int64_t count = ranking->ends[ranking->next] - start;
  int64_t common = count < length ? count : length;
  int order = memcmp(ranking->bytes + start, ranking->buffer, (size_t)common);
  return order != 0 ? order < 0 : count <= length;
}

static void ranked(sqlite3_context *context, int count, sqlite3_value **arguments) {
  results_ranking *ranking = current;
  sqlite3_result_int(context, 0);
  if (!ranking) return;
  int length = 0;
  for (int index = 0; index < count && ranking->next < ranking->count; index++) {
    length = put_column(ranking, length, ranking->columns[index], arguments[index]);
    if (length < 0) {
      ranking->is_foreign = 1;
      sqlite3_result_int(context, 1);
      return;
    }
  }
  while (ranking->next < ranking->count && is_reached(ranking, length)) {
    ranking->ranks[ranking->next++] = ranking->calls;
  }
  ranking->calls++;
}

int results_register_ranking(sqlite3 *db) {
  return sqlite3_create_function_v2(
    db, "results_ranked", -1, SQLITE_UTF8, NULL, ranked, NULL, NULL, NULL);
}

results_ranking *results_set_ranking(results_ranking *ranking) {
  results_ranking *before = current;
  current = ranking;
  return before;
}
