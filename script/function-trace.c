// Records which functions of a running process are entered in a span of time. Linux on x86-64 and arm64; Only script/house --trace uses it.
//
//   function-trace PID SECONDS <addresses >entered-addresses
//
// Addresses are relative to the program's file, hexadecimal, one per line. Each gets a breakpoint that is removed at its first hit.
// The program is killed at the end.

#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
static const uint8_t breakpoint[] = {0xCC};
#define STEP_BACK 1
#elif defined(__aarch64__)
static const uint8_t breakpoint[] = {0x00, 0x00, 0x20, 0xD4};
#define STEP_BACK 0
#endif

struct point {
  uint64_t address;
  uint8_t original[sizeof(breakpoint)];
  int is_hit;
};

static struct point *points;
static size_t count;

static int by_address(const void *left, const void *right) {
  uint64_t a = ((const struct point *)left)->address, b = ((const struct point *)right)->address;
  return (a > b) - (a < b);
}

static uint64_t load_address(pid_t pid) {
  char path[64], line[512], program[512];
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  ssize_t length = readlink(path, program, sizeof program - 1);
  if (length < 0) return 0;
  program[length] = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "r");
  uint64_t base = 0;
  while (maps && fgets(line, sizeof line, maps))
    if (strstr(line, program)) {
      base = strtoull(line, NULL, 16);
      break;
    }
  if (maps) fclose(maps);
  return base;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  pid_t pid = atoi(argv[1]);
  double seconds = atof(argv[2]);
  uint64_t base = load_address(pid), relative;
  size_t capacity = 1 << 16;
  points = malloc(capacity * sizeof *points);
  while (scanf("%lx", &relative) == 1) {
    if (count == capacity) points = realloc(points, (capacity *= 2) * sizeof *points);
    points[count++] = (struct point){.address = base + relative};
  }
  qsort(points, count, sizeof *points, by_address);

  char path[300];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  struct dirent *entry;
  while (tasks && (entry = readdir(tasks))) {
    pid_t task = atoi(entry->d_name);
    if (task == 0) continue;
    if (ptrace(PTRACE_SEIZE, task, 0, PTRACE_O_TRACECLONE) != 0) { perror("seize"); return 77; }
    ptrace(PTRACE_INTERRUPT, task, 0, 0);
    waitpid(task, NULL, __WALL);
  }
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  int memory = open(path, O_RDWR);
  for (size_t i = 0; i < count; i++) {
    pread(memory, points[i].original, sizeof breakpoint, points[i].address);
    pwrite(memory, breakpoint, sizeof breakpoint, points[i].address);
  }
  rewinddir(tasks);
  while ((entry = readdir(tasks)))
    if (atoi(entry->d_name)) ptrace(PTRACE_CONT, atoi(entry->d_name), 0, 0);
  closedir(tasks);

  double end = now() + seconds;
  while (now() < end) {
    int status;
    pid_t task = waitpid(-1, &status, __WALL | WNOHANG);
    if (task == 0) { usleep(200); continue; }
    if (task < 0) break;
    if (WIFEXITED(status) || WIFSIGNALED(status)) { if (task == pid) break; continue; }
    int signal = WSTOPSIG(status), event = status >> 16;
    if (signal == SIGTRAP && event == 0) {
      struct user_regs_struct registers;
      struct iovec vector = {&registers, sizeof registers};
      ptrace(PTRACE_GETREGSET, task, (void *)NT_PRSTATUS, &vector);
#if defined(__x86_64__)
      uint64_t at = registers.rip - STEP_BACK;
#else
      uint64_t at = registers.pc;
#endif
      struct point key = {.address = at};
      struct point *point = bsearch(&key, points, count, sizeof *points, by_address);
      if (point) {
        if (!point->is_hit) pwrite(memory, point->original, sizeof breakpoint, at);
        point->is_hit = 1;
#if defined(__x86_64__)
        registers.rip = at;
        ptrace(PTRACE_SETREGSET, task, (void *)NT_PRSTATUS, &vector);
#endif
        ptrace(PTRACE_CONT, task, 0, 0);
        continue;
      }
    }
    ptrace(PTRACE_CONT, task, 0, event ? 0 : (signal == SIGTRAP || signal == SIGSTOP) ? 0 : signal);
  }
  for (size_t i = 0; i < count; i++)
    if (points[i].is_hit) printf("0x%lx\n", points[i].address - base);
  kill(pid, 9);
  return 0;
}
