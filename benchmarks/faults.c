/* Faults at the n-th change of a folder: the process is killed there, or the file system refuses.

   Preloaded by benchmarks/kill.py (LD_PRELOAD). Calls that change a file below the folder are counted: write, rename,
   unlink, truncate, fsync, mkdir, and open where it makes or empties a file. All others pass through. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OFF, KILL, TEAR, REFUSE, FULL, COUNT };

static char folder[PATH_MAX];
static size_t folder_length;
static int mode = OFF;
static long countdown, seen;

/* Arm: at the n-th change do what the mode says. Called by the process itself. */
void faults_arm(const char *path, int what, long n) {
    folder_length = strlen(path);
    memcpy(folder, path, folder_length + 1);
    seen = 0;
    countdown = n;
    mode = what;
}

long faults_seen(void) { return seen; }

static int is_below(const char *path) { return strncmp(path, folder, folder_length) == 0; }

static int touches(int directory, const char *path) {
    char whole[PATH_MAX], link[64];
    ssize_t length;
    if (mode == OFF) return 0;
    if (path && path[0] == '/') return is_below(path);
    if (directory == AT_FDCWD) return path && getcwd(whole, sizeof whole) && is_below(whole);
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    length = readlink(link, whole, sizeof whole - 1);
    if (length < 0) return 0;
    whole[length] = 0;
    return is_below(whole);
}

/* Whether this change is refused; errno is set. A process that is to die here does. */
static int refused(int takes_room) {
    seen++;
    if (mode == COUNT || --countdown > 0) return 0;
    if (mode == KILL || mode == TEAR) raise(SIGKILL);
    if (mode == FULL && !takes_room) return 0;
    errno = mode == FULL ? ENOSPC : EIO;
    if (mode == REFUSE) mode = COUNT;
    return 1;
}

#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *data, size_t n) {
    NEXT(write);
    if (touches(file, NULL)) {
        if ((mode == TEAR || mode == FULL) && countdown == 1 && n > 1) {
            if (mode == FULL) {  /* the last bytes that the disk has room for */
                seen++;
                countdown = 0;
                return next(file, data, n / 2);
            }
            next(file, data, n / 2);
        }
        if (refused(1)) return -1;
    }
    return next(file, data, n);
}

ssize_t pwrite64(int file, const void *data, size_t n, off64_t at) {
    NEXT(pwrite64);
    return touches(file, NULL) && refused(1) ? -1 : next(file, data, n, at);
}

ssize_t pwrite(int file, const void *data, size_t n, off_t at) {
    NEXT(pwrite);
    return touches(file, NULL) && refused(1) ? -1 : next(file, data, n, at);
}

ssize_t writev(int file, const struct iovec *parts, int n) {
    NEXT(writev);
    return touches(file, NULL) && refused(1) ? -1 : next(file, parts, n);
}

int fsync(int file) {
    NEXT(fsync);
    return touches(file, NULL) && refused(1) ? -1 : next(file);
}

int ftruncate64(int file, off64_t length) {
    NEXT(ftruncate64);
    return touches(file, NULL) && refused(0) ? -1 : next(file, length);
}

int ftruncate(int file, off_t length) {
    NEXT(ftruncate);
    return touches(file, NULL) && refused(0) ? -1 : next(file, length);
}

int truncate64(const char *path, off64_t length) {
    NEXT(truncate64);
    return touches(AT_FDCWD, path) && refused(0) ? -1 : next(path, length);
}

int truncate(const char *path, off_t length) {
    NEXT(truncate);
    return touches(AT_FDCWD, path) && refused(0) ? -1 : next(path, length);
}

int rename(const char *from, const char *to) {
    NEXT(rename);
    return touches(AT_FDCWD, to) && refused(0) ? -1 : next(from, to);
}

int renameat(int a, const char *from, int b, const char *to) {
    NEXT(renameat);
    return touches(b, to) && refused(0) ? -1 : next(a, from, b, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    NEXT(renameat2);
    return touches(b, to) && refused(0) ? -1 : next(a, from, b, to, flags);
}

int unlink(const char *path) {
    NEXT(unlink);
    return touches(AT_FDCWD, path) && refused(0) ? -1 : next(path);
}

int unlinkat(int directory, const char *path, int flags) {
    NEXT(unlinkat);
    return touches(directory, path) && refused(0) ? -1 : next(directory, path, flags);
}

int mkdir(const char *path, mode_t rights) {
    NEXT(mkdir);
    return touches(AT_FDCWD, path) && refused(1) ? -1 : next(path, rights);
}

#define OPEN(name, directory, before, ...) \
    mode_t rights = 0; \
    NEXT(name); \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        rights = va_arg(rest, mode_t); \
        va_end(rest); \
    } \
    if ((flags & (O_CREAT | O_TRUNC)) && touches(directory, path) && refused(1)) return -1; \
    return next(__VA_ARGS__)

int open(const char *path, int flags, ...) { OPEN(open, AT_FDCWD, path, path, flags, rights); }
int open64(const char *path, int flags, ...) { OPEN(open64, AT_FDCWD, path, path, flags, rights); }
int openat(int directory, const char *path, int flags, ...) {
    OPEN(openat, directory, path, directory, path, flags, rights);
}
int openat64(int directory, const char *path, int flags, ...) {
    OPEN(openat64, directory, path, directory, path, flags, rights);
}
