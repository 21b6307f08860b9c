/* Lets the n-th call of a kind fail, of those on paths below a folder; see fault_runs.py, which loads it by LD_PRELOAD.

   Python and SQLite find these names before those of the C library. Calls of other folders are passed on uncounted. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call { OPEN, WRITE, PWRITE, FSYNC, FDATASYNC, RENAME, LINK, FTRUNCATE, CLOSE, CALLS };
enum kind { NONE, IO, NO_SPACE, SHORT, FULL, KILL };

static const char *const NAMES[CALLS] = {"open",   "write", "pwrite",    "fsync", "fdatasync",
                                         "rename", "link",  "ftruncate", "close"};
static char folder[4096];
static size_t length;
static int target = -1, kind, report = -1, is_full;
static long at, counts[CALLS];

/* From here on: the `number`-th call `call` on a path below `path` fails in the way `how`, and a line is written to the
   descriptor `descriptor`. With `call` -1, calls are counted and nothing fails. */
void fault_arm(const char *path, int call, long number, int how, int descriptor) {
  snprintf(folder, sizeof folder, "%s", path);
  length = strlen(folder);
  memset(counts, 0, sizeof counts);
  at = number, kind = how, report = descriptor, is_full = 0, target = call;
}

void fault_disarm(void) { length = 0; }

long fault_count(int call) { return counts[call]; }

static int hit(int call, const char *path) {
  if (!length || strncmp(path, folder, length) != 0) return NONE;
  long number = __atomic_add_fetch(&counts[call], 1, __ATOMIC_SEQ_CST);
  if (is_full && (call == WRITE || call == PWRITE)) return NO_SPACE;
  if (call != target || number != at) return NONE;
  char line[4300];
  int size = snprintf(line, sizeof line, "fault %s %ld %s\n", NAMES[call], number, path[length] ? path + length : "/");
  if (report >= 0) syscall(SYS_write, report, line, size);
  is_full = kind == FULL;
  if (kind == KILL && call != WRITE && call != PWRITE) syscall(SYS_kill, getpid(), SIGKILL);
  return kind;
}

static int hit_descriptor(int call, int descriptor) {
  if (!length) return NONE;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return NONE;
  path[size] = 0;
  return hit(call, path);
}

static int failing(int how) {
  errno = how == NO_SPACE || how == FULL ? ENOSPC : EIO;
  return -1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int open_with(__typeof__(&open) real, const char *path, int flags, va_list rest) {
  int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0;
  int how = hit(OPEN, path);
  return how ? failing(how) : real(path, flags, mode);
}

#define OPENS(name)                                        \
  int name(const char *path, int flags, ...) {             \
    va_list rest;                                          \
    va_start(rest, flags);                                 \
    int result = open_with(REAL(name), path, flags, rest); \
    va_end(rest);                                          \
    return result;                                         \
  }
OPENS(open)
OPENS(open64)

ssize_t write(int file, const void *data, size_t size) {
  int how = hit_descriptor(WRITE, file);
  if (how == SHORT || how == FULL || how == KILL) {
    ssize_t done = size > 1 ? REAL(write)(file, data, size / 2) : 0;
    if (how == KILL) syscall(SYS_kill, getpid(), SIGKILL);
    return done > 0 ? done : failing(how);
  }
  return how ? failing(how) : REAL(write)(file, data, size);
}

#define PWRITES(name, offset_type)                                                    \
  ssize_t name(int file, const void *data, size_t size, offset_type place) {          \
    int how = hit_descriptor(PWRITE, file);                                           \
    if (how == SHORT || how == FULL || how == KILL) {                                 \
      ssize_t done = size > 1 ? REAL(name)(file, data, size / 2, place) : 0;          \
      if (how == KILL) syscall(SYS_kill, getpid(), SIGKILL);                          \
      return done > 0 ? done : failing(how);                                          \
    }                                                                                 \
    return how ? failing(how) : REAL(name)(file, data, size, place);                  \
  }
PWRITES(pwrite, off_t)
PWRITES(pwrite64, off64_t)

#define OF_DESCRIPTOR(name, call, parameters, arguments)    \
  int name parameters {                                     \
    int how = hit_descriptor(call, file);                   \
    return how ? failing(how) : REAL(name) arguments;       \
  }
OF_DESCRIPTOR(fsync, FSYNC, (int file), (file))
OF_DESCRIPTOR(fdatasync, FDATASYNC, (int file), (file))
OF_DESCRIPTOR(ftruncate, FTRUNCATE, (int file, off_t size), (file, size))
OF_DESCRIPTOR(ftruncate64, FTRUNCATE, (int file, off64_t size), (file, size))

int close(int file) { /* it is closed, whatever it answers, as on Linux */
  int how = hit_descriptor(CLOSE, file);
  int result = REAL(close)(file);
  return how ? failing(how) : result;
}

#define OF_PATHS(name, call)                                         \
  int name(const char *old, const char *fresh) {                     \
    int how = hit(call, fresh);                                      \
    return how ? failing(how) : REAL(name)(old, fresh);              \
  }
OF_PATHS(rename, RENAME)
OF_PATHS(link, LINK)
