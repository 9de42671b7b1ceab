#ifndef CCURLLOADER_H
#define CCURLLOADER_H

#include <stddef.h>

// The part of libcurl that fetches addresses, opened when it is first needed. No header of libcurl is used, and nothing is linked.

/// Opens the library, once per process.
///
/// Returns 0; 1 if there is none; 2 if it is older than 7.85; 3 if it cannot be used. Nothing else may be called before it returned 0.
int curl_loader_open(void);

/// The version of the library, or NULL if none was opened.
const char *curl_loader_version(void);

/// Takes `size * count` bytes. Any other return value than that number ends the transfer.
typedef size_t (*curl_loader_sink)(char *bytes, size_t size, size_t count, void *context);

/// What a transfer fetches, and within which limits. The texts are copied.
struct curl_loader_request {
  const char *address;
  const char *agent;
  /// Lines such as `If-None-Match: "a"`, with a line feed between two of them.
  const char *fields;
  long redirects;
  long connect_milliseconds;
  long total_milliseconds;
  curl_loader_sink body;
  curl_loader_sink head;
  void *context;
};

/// Prepares a transfer of http or https, also in its redirects; NULL if memory or an option is lacking.
void *curl_loader_transfer(const struct curl_loader_request *request, void **fields);

/// Releases a transfer, which belongs to no group any more, and its fields.
void curl_loader_release(void *transfer, void *fields);

/// The status of the last answer, or 0.
long curl_loader_status(void *transfer);

/// The seconds of `Retry-After`, or 0.
long curl_loader_retry_after(void *transfer);

/// The address of the last answer; it belongs to the transfer.
const char *curl_loader_address(void *transfer);

/// The library's words for a result.
const char *curl_loader_message(int result);

/// A group of transfers that one thread drives, or NULL.
void *curl_loader_group(void);
void curl_loader_group_release(void *group);
/// Returns whether the transfer belongs to the group now.
int curl_loader_add(void *group, void *transfer);
void curl_loader_remove(void *group, void *transfer);

/// Does what can be done without waiting.
void curl_loader_perform(void *group);

/// Returns a transfer that has ended, with its result, or NULL.
void *curl_loader_next(void *group, int *result);

/// Waits until something can be done, at most for some milliseconds.
void curl_loader_wait(void *group, int milliseconds);

/// Ends the wait of another thread, or the next one.
void curl_loader_wake(void *group);

#endif
