#include "include/CCurlLoader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// The numbers are those of libcurl's interface, which has not changed any since `libcurl.so.4`.
enum option {
  option_netrc = 51,
  option_follow_location = 52,
  option_maximum_redirects = 68,
  option_no_signal = 99,
  option_timeout = 155,
  option_connect_timeout = 156,
  option_suppress_connect_headers = 265,
  option_write_data = 10001,
  option_address = 10002,
  option_user_agent = 10018,
  option_fields = 10023,
  option_header_data = 10029,
  option_accept_encoding = 10102,
  option_protocols = 10318,
  option_redirect_protocols = 10319,
  option_write_function = 20011,
  option_header_function = 20079,
};

enum information {
  information_effective_address = 0x100001,
  information_response_code = 0x200002,
  information_retry_after = 0x600039,
};

enum { global_all = 3, netrc_optional = 1, message_done = 1, oldest_version = 0x075500 };

struct message {
  int kind;
  void *transfer;
  union {
    void *pointer;
    int result;
  } data;
};

/// The beginning of libcurl's description of its version.
struct version_data {
  int age;
  const char *version;
  unsigned number;
};

static struct {
  int (*global_init)(long);
  struct version_data *(*version_info)(int);
  void *(*easy_init)(void);
  void (*easy_cleanup)(void *);
  int (*easy_setopt)(void *, int, ...);
  int (*easy_getinfo)(void *, int, ...);
  const char *(*easy_strerror)(int);
  void *(*slist_append)(void *, const char *);
  void (*slist_free_all)(void *);
  void *(*multi_init)(void);
  int (*multi_cleanup)(void *);
  int (*multi_add_handle)(void *, void *);
  int (*multi_remove_handle)(void *, void *);
  int (*multi_perform)(void *, int *);
  struct message *(*multi_info_read)(void *, int *);
  int (*multi_poll)(void *, void *, unsigned, int, int *);
  int (*multi_wakeup)(void *);
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int outcome = 1;
static const char *version;

static const char *const names[] = {
#ifdef __APPLE__
    "libcurl.4.dylib", "/usr/lib/libcurl.4.dylib",
#else
    "libcurl.so.4", "libcurl-gnutls.so.4",
#endif
};

static int find(void *library, const char *name, void *function) {
  *(void **)function = dlsym(library, name);
  return *(void **)function != NULL;
}

/// Opens a library; returns what `curl_loader_open` does.
static int open_library(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 1;
  if (!find(library, "curl_version_info", &curl.version_info)) return 3;
  struct version_data *data = curl.version_info(0);
  version = data->version;
  if (data->number < oldest_version) return 2;
  int found = find(library, "curl_global_init", &curl.global_init)
              && find(library, "curl_easy_init", &curl.easy_init)
              && find(library, "curl_easy_cleanup", &curl.easy_cleanup)
              && find(library, "curl_easy_setopt", &curl.easy_setopt)
              && find(library, "curl_easy_getinfo", &curl.easy_getinfo)
              && find(library, "curl_easy_strerror", &curl.easy_strerror)
              && find(library, "curl_slist_append", &curl.slist_append)
              && find(library, "curl_slist_free_all", &curl.slist_free_all)
              && find(library, "curl_multi_init", &curl.multi_init)
              && find(library, "curl_multi_cleanup", &curl.multi_cleanup)
              && find(library, "curl_multi_add_handle", &curl.multi_add_handle)
              && find(library, "curl_multi_remove_handle", &curl.multi_remove_handle)
              && find(library, "curl_multi_perform", &curl.multi_perform)
              && find(library, "curl_multi_info_read", &curl.multi_info_read)
              && find(library, "curl_multi_poll", &curl.multi_poll)
              && find(library, "curl_multi_wakeup", &curl.multi_wakeup);
  return found && curl.global_init(global_all) == 0 ? 0 : 3;
}

static void open_once(void) {
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    int result = open_library(names[index]);
    if (result == 0 || outcome == 1) outcome = result;
    if (outcome == 0) return;
  }
}

int curl_loader_open(void) {
  pthread_once(&once, open_once);
  return outcome;
}

const char *curl_loader_version(void) { return version; }

static int set_limits(void *transfer, const struct curl_loader_request *request) {
  return curl.easy_setopt(transfer, option_protocols, "http,https") == 0
         && curl.easy_setopt(transfer, option_redirect_protocols, "http,https") == 0
         && curl.easy_setopt(transfer, option_follow_location, 1L) == 0
         && curl.easy_setopt(transfer, option_maximum_redirects, request->redirects) == 0
         && curl.easy_setopt(transfer, option_no_signal, 1L) == 0
         && curl.easy_setopt(transfer, option_connect_timeout, request->connect_milliseconds) == 0
         && curl.easy_setopt(transfer, option_timeout, request->total_milliseconds) == 0;
}

static int set_sinks(void *transfer, const struct curl_loader_request *request) {
  return curl.easy_setopt(transfer, option_write_function, request->body) == 0
         && curl.easy_setopt(transfer, option_write_data, request->context) == 0
         && curl.easy_setopt(transfer, option_header_function, request->head) == 0
         && curl.easy_setopt(transfer, option_header_data, request->context) == 0;
}

/// Appends each line to a list; returns whether there was memory for all.
static int add_fields(const char *lines, void **fields) {
  char line[4096];
  while (*lines != 0) {
    size_t length = strcspn(lines, "\n");
    if (length < sizeof line) {
      memcpy(line, lines, length);
      line[length] = 0;
      void *longer = curl.slist_append(*fields, line);
      if (longer == NULL) return 0;
      *fields = longer;
    }
    lines += length;
    if (*lines == '\n') lines++;
  }
  return 1;
}

void *curl_loader_transfer(const struct curl_loader_request *request, void **fields) {
  *fields = NULL;
  void *transfer = curl.easy_init();
  if (transfer == NULL) return NULL;
  if (!add_fields(request->fields, fields)) {
    curl_loader_release(transfer, *fields);
    return NULL;
  }
  int is_set = set_limits(transfer, request) && set_sinks(transfer, request)
               && curl.easy_setopt(transfer, option_address, request->address) == 0
               && curl.easy_setopt(transfer, option_user_agent, request->agent) == 0
               && curl.easy_setopt(transfer, option_fields, *fields) == 0;
  if (!is_set) {
    curl_loader_release(transfer, *fields);
    return NULL;
  }
  // A library without compression, `.netrc` or proxies fetches nevertheless.
  curl.easy_setopt(transfer, option_accept_encoding, "");
  curl.easy_setopt(transfer, option_netrc, (long)netrc_optional);
  curl.easy_setopt(transfer, option_suppress_connect_headers, 1L);
  return transfer;
}

void curl_loader_release(void *transfer, void *fields) {
  curl.easy_cleanup(transfer);
  if (fields != NULL) curl.slist_free_all(fields);
}

long curl_loader_status(void *transfer) {
  long status = 0;
  return curl.easy_getinfo(transfer, information_response_code, &status) == 0 ? status : 0;
}

long curl_loader_retry_after(void *transfer) {
  long long seconds = 0;
  if (curl.easy_getinfo(transfer, information_retry_after, &seconds) != 0) return 0;
  return seconds > 0x7FFFFFFF ? 0x7FFFFFFF : (long)seconds;
}

const char *curl_loader_address(void *transfer) {
  const char *address = NULL;
  return curl.easy_getinfo(transfer, information_effective_address, &address) == 0 ? address : NULL;
}

const char *curl_loader_message(int result) { return curl.easy_strerror(result); }

void *curl_loader_group(void) { return curl.multi_init(); }

void curl_loader_group_release(void *group) { curl.multi_cleanup(group); }

int curl_loader_add(void *group, void *transfer) {
  return curl.multi_add_handle(group, transfer) == 0;
}

void curl_loader_remove(void *group, void *transfer) { curl.multi_remove_handle(group, transfer); }

void curl_loader_perform(void *group) {
  int running = 0;
  curl.multi_perform(group, &running);
}

void *curl_loader_next(void *group, int *result) {
  int left = 0;
  struct message *message;
  while ((message = curl.multi_info_read(group, &left)) != NULL) {
    if (message->kind != message_done) continue;
    *result = message->data.result;
    return message->transfer;
  }
  return NULL;
}

void curl_loader_wait(void *group, int milliseconds) {
  int ready = 0;
  curl.multi_poll(group, NULL, 0, milliseconds, &ready);
}

void curl_loader_wake(void *group) { curl.multi_wakeup(group); }
