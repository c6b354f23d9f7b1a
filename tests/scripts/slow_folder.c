// When preloaded into a program, delays every call that names a path under $SLOW_FOLDER by 200 milliseconds, like a folder
// on another machine. Appends each such call to $SLOW_LOG: "first" for the program's first thread, which draws the window,
// else "other", then the call and its path.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void slow(const char* call, const char* path) {
  const char *folder = getenv("SLOW_FOLDER"), *log = getenv("SLOW_LOG");
  if (!folder || !log || !path || strncmp(path, folder, strlen(folder)) != 0) return;
  char line[5000];
  const char* thread = syscall(SYS_gettid) == getpid() ? "first" : "other";
  const int length = snprintf(line, sizeof line, "%s %s %s\n", thread, call, path);
  const int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file < 0 || write(file, line, (size_t)length) != length) abort();
  close(file);
  const struct timespec time = {0, 200 * 1000000};
  nanosleep(&time, NULL);
}

#define SLOW(result, name, path, parameters, arguments) \
  result name parameters {                              \
    result(*real) parameters = dlsym(RTLD_NEXT, #name); \
    slow(#name, path);                                  \
    return real arguments;                              \
  }
SLOW(FILE*, fopen, path, (const char* path, const char* mode), (path, mode))
SLOW(FILE*, fopen64, path, (const char* path, const char* mode), (path, mode))
SLOW(DIR*, opendir, path, (const char* path), (path))
SLOW(int, access, path, (const char* path, int mode), (path, mode))
SLOW(int, stat, path, (const char* path, struct stat* out), (path, out))
SLOW(int, lstat, path, (const char* path, struct stat* out), (path, out))
SLOW(int, stat64, path, (const char* path, struct stat64* out), (path, out))
SLOW(int, lstat64, path, (const char* path, struct stat64* out), (path, out))
SLOW(int, fstatat, path, (int at, const char* path, struct stat* out, int flags), (at, path, out, flags))
SLOW(int, unlink, path, (const char* path), (path))
SLOW(int, mkdir, path, (const char* path, mode_t mode), (path, mode))
SLOW(int, rename, to, (const char* from, const char* to), (from, to))

#define SLOW_OPEN(name, parameters, arguments)                                      \
  int name parameters {                                                             \
    int(*real) parameters = dlsym(RTLD_NEXT, #name);                                \
    va_list more;                                                                   \
    va_start(more, flags);                                                          \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                                   \
    slow(#name, path);                                                              \
    return real arguments;                                                          \
  }
SLOW_OPEN(open, (const char* path, int flags, ...), (path, flags, mode))
SLOW_OPEN(open64, (const char* path, int flags, ...), (path, flags, mode))
SLOW_OPEN(openat, (int at, const char* path, int flags, ...), (at, path, flags, mode))
SLOW_OPEN(openat64, (int at, const char* path, int flags, ...), (at, path, flags, mode))
