#include "CTerminalGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
static const int requests[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGWINCH};
enum { crash_count = sizeof crashes / sizeof *crashes };
enum { request_count = sizeof requests / sizeof *requests };

static struct sigaction before_crash[crash_count];
static struct termios found, raw;
static int input_descriptor = -1, output_descriptor = -1;
static int ends[2] = {-1, -1};
static char *enter_text, *leave_text;
static size_t enter_length, leave_length;
static atomic_int is_entered, has_end_request;

static void write_all(const char *text, size_t length) {
  while (length > 0) {
    ssize_t count = write(output_descriptor, text, length);
    if (count < 0 && errno == EINTR) continue;
    // What a full terminal does not accept at once is lost: a handler must not wait for ever.
    if (count <= 0) return;
    text += count;
    length -= (size_t)count;
  }
}

void terminal_guard_wake(unsigned char byte) {
  int code = errno;
  if (ends[1] >= 0) (void)!write(ends[1], &byte, 1);
  errno = code;
}

void terminal_guard_leave(void) {
  int code = errno;
  if (atomic_exchange(&is_entered, 0)) {
    write_all(leave_text, leave_length);
    tcsetattr(input_descriptor, TCSANOW, &found);
  }
  errno = code;
}

/// Whether another process has sent a signal; a fault and `abort` are of this one.
static int is_from_outside(const siginfo_t *info) {
#ifdef __APPLE__
  int is_sent = info->si_code == SI_USER || info->si_code == SI_QUEUE;
#else
  int is_sent = info->si_code <= 0;
#endif
  return is_sent && info->si_pid != getpid();
}

/// Restores the terminal, and lets the handler from before report the crash on it.
///
/// A signal from outside is no crash: the process ends by it at once, without a report that would ask for keys.
static void crashed(int number, siginfo_t *info, void *context) {
  (void)context;
  terminal_guard_leave();
  if (is_from_outside(info)) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  for (int index = 0; index < crash_count; index++)
    if (crashes[index] == number) sigaction(number, &before_crash[index], NULL);
  // It is blocked until this handler returns; a fault would occur again by itself, a signal that was sent would not.
  raise(number);
}

static void requested(int number) {
  if (number != SIGWINCH && number != SIGTSTP) {
    terminal_guard_leave();
    // A second request does not wait for the program.
    if (atomic_exchange(&has_end_request, 1)) {
      signal(number, SIG_DFL);
      raise(number);
      return;
    }
  }
  terminal_guard_wake((unsigned char)number);
}

static int set_raw(void) {
  if (tcsetattr(input_descriptor, TCSADRAIN, &raw) != 0) return errno;
  atomic_store(&is_entered, 1);
  write_all(enter_text, enter_length);
  return 0;
}

static int open_pipe(void) {
  if (ends[0] >= 0) return 0;
  if (pipe(ends) != 0) return errno;
  for (int index = 0; index < 2; index++) {
    fcntl(ends[index], F_SETFD, FD_CLOEXEC);
    fcntl(ends[index], F_SETFL, O_NONBLOCK);
  }
  return 0;
}

static void install_handlers(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_sigaction = crashed;
  // Where the stack is exhausted, another one is needed.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int index = 0; index < crash_count; index++)
    sigaction(crashes[index], &action, &before_crash[index]);
  action.sa_handler = requested;
  action.sa_flags = SA_RESTART;
  for (int index = 0; index < request_count; index++) {
    struct sigaction present;
    // What was ignored at the start, as under nohup, stays ignored.
    if (sigaction(requests[index], NULL, &present) == 0 && present.sa_handler == SIG_IGN
        && requests[index] != SIGWINCH)
      continue;
    sigaction(requests[index], &action, NULL);
  }
}

int terminal_guard_enter(int input, int output, const char *enter, const char *leave) {
  static int is_installed = 0;
  int code = open_pipe();
  if (code != 0) return code;
  if (tcgetattr(input, &found) != 0) return errno;
  raw = found;
  cfmakeraw(&raw);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  free(enter_text);
  free(leave_text);
  enter_text = strdup(enter);
  leave_text = strdup(leave);
  if (enter_text == NULL || leave_text == NULL) return ENOMEM;
  enter_length = strlen(enter_text);
  leave_length = strlen(leave_text);
  input_descriptor = input;
  output_descriptor = output;
  if (!is_installed) {
    install_handlers();
    atexit(terminal_guard_leave);
    is_installed = 1;
  }
  return set_raw();
}

int terminal_guard_is_entered(void) { return atomic_load(&is_entered); }

int terminal_guard_reenter(void) { return atomic_load(&is_entered) ? 0 : set_raw(); }

void terminal_guard_suspend(void) {
  struct sigaction stop, present;
  terminal_guard_leave();
  memset(&stop, 0, sizeof stop);
  sigemptyset(&stop.sa_mask);
  stop.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &stop, &present);
  // Sent to this thread, so that it does not go on before the process has stopped. Threads of a pool may block the signal.
  sigset_t stops, before;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stops, &before);
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(SIGTSTP, &present, NULL);
  terminal_guard_reenter();
}

int terminal_guard_run(char *const arguments[], int *status) {
  // Signals of the keyboard go to the whole group. What the program makes of them is its own matter.
  static const int keyboard[] = {SIGINT, SIGQUIT, SIGTSTP};
  enum { keyboard_count = sizeof keyboard / sizeof *keyboard };
  struct sigaction before[keyboard_count], action;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  pid_t child;
  int code = posix_spawnattr_init(&attributes);
  if (code != 0) return code;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (int index = 0; index < keyboard_count; index++) sigaddset(&defaults, keyboard[index]);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  terminal_guard_leave();
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  for (int index = 0; index < keyboard_count; index++) {
    action.sa_handler = keyboard[index] == SIGTSTP ? SIG_DFL : SIG_IGN;
    sigaction(keyboard[index], &action, &before[index]);
  }
  code = posix_spawn(&child, arguments[0], NULL, &attributes, arguments, environ);
  if (code == 0)
    while (waitpid(child, status, 0) < 0)
      if (errno != EINTR) {
        code = errno;
        break;
      }
  for (int index = 0; index < keyboard_count; index++) sigaction(keyboard[index], &before[index], NULL);
  posix_spawnattr_destroy(&attributes);
  return code;
}

int terminal_guard_signals(void) { return ends[0]; }
