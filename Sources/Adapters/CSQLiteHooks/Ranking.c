#include "CSQLiteHooks.h"
#include <stddef.h>
#include <string.h>

// A function in WHERE that SQLite calls for each row, in the order of an index, with the columns of the row's key. It
// encodes them like `KeyWriter`, and so merges the rows with the keys whose ranks are wanted.

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

/// Writes a column into the buffer.
/// - Returns: The end of the column in the buffer, or -1 for a value of another storage class.
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

/// Compares a row's column with the next bytes of a key, and advances past them if they are equal.
///
/// No column's encoding is a prefix of another one's, so the first column that differs decides.
static int compare_column(
  results_ranking *ranking, int64_t *at, int64_t end, results_key_column column, sqlite3_value *value
) {
  const uint8_t *key = ranking->bytes + *at;
  int64_t rest = end - *at;
  if (column.storage == SQLITE_INTEGER && rest >= 9 && key[0] == 2 &&
      sqlite3_value_type(value) == SQLITE_INTEGER) {
    // The fast path: most columns are integers.
    uint64_t word = 0;
    for (int index = 1; index < 9; index++) word = word << 8 | key[index];
    if (column.is_descending) word = ~word;
    uint64_t present = (uint64_t)sqlite3_value_int64(value) ^ (uint64_t)1 << 63;
    if (present != word) return (present < word) != column.is_descending ? -1 : 1;
    *at += 9;
    return 0;
  }
  int length = put_column(ranking, 0, column, value);
  if (length < 0) {
    ranking->is_foreign = 1;
    return -1;
  }
  // The buffer has room for the longest key, so a column that is cut off is longer than the key.
  int order = memcmp(ranking->buffer, key, (size_t)(rest < length ? rest : length));
  if (order != 0) return order;
  if (rest < length) return 1;
  *at += length;
  return 0;
}

/// Compares a row's first columns with the next key: less than 0 if the row is before it, 0 if the key has more columns.
///
/// A row that equals the key is after the bound that the key is, and so is one that continues where the key ends.
static int compare_row(
  results_ranking *ranking, int count, sqlite3_value **arguments, int is_whole
) {
  int64_t at = ranking->next ? ranking->ends[ranking->next - 1] : 0;
  int64_t end = ranking->ends[ranking->next];
  for (int index = 0; index < count; index++) {
    if (at == end) return 1;
    int order = compare_column(ranking, &at, end, ranking->columns[index], arguments[index]);
    if (order != 0) return order;
  }
  return at == end ? 1 : is_whole ? -1 : 0;
}

/// Called with the first columns of a row's key; returns true if these do not decide, and is then called with all columns.
static void ranked(sqlite3_context *context, int count, sqlite3_value **arguments) {
  results_ranking *ranking = current;
  // A result that is not set is null, which is not true.
  if (!ranking) return;
  int is_whole = count == ranking->column_count;
  while (ranking->next < ranking->count) {
    int order = compare_row(ranking, count, arguments, is_whole);
    if (ranking->is_foreign || (order == 0 && !is_whole)) {
      sqlite3_result_int(context, 1);
      return;
    }
    if (order < 0) break;
    ranking->ranks[ranking->next++] = ranking->calls;
  }
  ranking->calls++;
}

int results_register_ranking(sqlite3 *db) {
  int flags = SQLITE_UTF8;
#ifdef SQLITE_DIRECTONLY
  flags |= SQLITE_DIRECTONLY;
#endif
  return sqlite3_create_function_v2(db, "results_ranked", -1, flags, NULL, ranked, NULL, NULL, NULL);
}

results_ranking *results_set_ranking(results_ranking *ranking) {
  results_ranking *before = current;
  current = ranking;
  return before;
}
