/* Fails the file-system calls below one folder: after so many of them, with one error, a few times or for ever; and has
   the clock of the wall jump when the first of them fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static char folder[4096];
static long calls, from, until, jump, shift;
static int code;
static long *failed; /* shared with children, which are killed before they could tell */

__attribute__((constructor)) static void share(void) {
    failed = mmap(NULL, sizeof *failed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

long torture_failed(void) { return *failed; }

void torture_arm(const char *below, long first, long last, int error, long seconds) {
    strncpy(folder, below, sizeof folder - 1);
    calls = 0; from = first; until = last; code = error; jump = seconds;
}

static int fails(const char *path) {
    if (!folder[0] || !path || strncmp(path, folder, strlen(folder))) return 0;
    if (++calls == from) shift = jump;
    if (calls < from || calls >= until) return 0;
    __sync_fetch_and_add(failed, 1);
    errno = code;
    return 1;
}

static int fails_at(int descriptor) {
    char link[64], path[4096];
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = kept;
    if (length < 0) return 0;
    path[length] = 0;
    return fails(path);
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int answer = real(clock, now);
    if (clock == CLOCK_REALTIME) now->tv_sec += shift;
    return answer;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    REAL(gettimeofday);
    int answer = real(now, zone);
    now->tv_sec += shift;
    return answer;
}

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \
        return (flags & (O_WRONLY | O_RDWR)) && fails(path) ? -1 : real(path, flags, mode); \
    }
#define OPENS_AT(name) \
    int name(int at, const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \
        return (flags & (O_WRONLY | O_RDWR)) && fails(path) ? -1 : real(at, path, flags, mode); \
    }
/* Without room the first half of what is written arrives: a short write, as disks make them. */
#define HALF(size) (code == ENOSPC && (size) > 1 ? (size) / 2 : 0)
#define WRITES(name, type) \
    ssize_t name(int descriptor, const void *data, size_t size, type place) { \
        REAL(name); \
        if (!fails_at(descriptor)) return real(descriptor, data, size, place); \
        return HALF(size) ? real(descriptor, data, HALF(size), place) : -1; \
    }
#define SYNCS(name) \
    int name(int descriptor) { \
        REAL(name); \
        return fails_at(descriptor) ? -1 : real(descriptor); \
    }

OPENS(open) OPENS(open64) OPENS_AT(openat) OPENS_AT(openat64)
WRITES(pwrite, off_t) WRITES(pwrite64, off_t)
SYNCS(fsync) SYNCS(fdatasync)

ssize_t write(int descriptor, const void *data, size_t size) {
    REAL(write);
    if (!fails_at(descriptor)) return real(descriptor, data, size);
    return HALF(size) ? real(descriptor, data, HALF(size)) : -1;
}

int ftruncate(int descriptor, off_t size) {
    REAL(ftruncate);
    return fails_at(descriptor) ? -1 : real(descriptor, size);
}

int rename(const char *from_path, const char *to_path) {
    REAL(rename);
    return fails(to_path) ? -1 : real(from_path, to_path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return fails(path) ? -1 : real(path, mode);
}
