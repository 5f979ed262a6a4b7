/*
 * Preloaded, this makes a program believe that it runs on another machine: one whose disks are described by
 * files below MACHINE_ROOT, and whose clock stands still until the program waits for it.
 *
 * Each wait is told to the benchmark over the socket MACHINE_SOCKET, as the process id and the nanoseconds to
 * wait.  The benchmark lets its disks work for that time and answers; then the wait is over.  So a recorder
 * takes an hour of samples as fast as it can, does not find out, and is not charged for the work of the disks.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name)) dlsym(RTLD_NEXT, #name)

static const char *root;
static int conversation = -1;
static int64_t begin, passed, uptime, alarm_at = -1, alarm_every;

__attribute__((constructor)) static void arrive(void) {
    root = getenv("MACHINE_ROOT");
    const char *text = getenv("MACHINE_SOCKET");
    if (text) conversation = atoi(text);
    text = getenv("MACHINE_BEGIN");
    if (text) begin = atoll(text) * SECOND;
    text = getenv("MACHINE_UPTIME");
    if (text) uptime = atoll(text) * SECOND;
}

/* Let the machine go on for some time. */
static void elapse(int64_t time) {
    struct { int64_t process, time; } question = {getpid(), time};
    char answer;
    if (time <= 0) return;
    passed += time;
    if (write(conversation, &question, sizeof question) != sizeof question || read(conversation, &answer, 1) != 1)
        _exit(0); /* nobody wants to know more */
}

/* Let time pass until the alarm, or for `time` if that is shorter; tell whether the alarm rang. */
static int doze(int64_t time) {
    if (alarm_at < 0 || (time >= 0 && passed + time < alarm_at)) {
        if (time < 0) _exit(0); /* it would wait for ever */
        elapse(time);
        return 0;
    }
    elapse(alarm_at - passed);
    alarm_at = alarm_every ? alarm_at + alarm_every : -1;
    raise(SIGALRM);
    return 1;
}

/* What is asked of the machine: its disks and its clock. */

static const char *local(const char *path, char *room) {
    static const char *const ours[] = {
        "/proc/diskstats", "/proc/partitions", "/proc/uptime", "/sys/block", "/sys/dev/block", "/sys/class/block"};
    if (root && path && !strcmp(path, "diskstats")) path = "/proc/diskstats"; /* from within /proc */
    if (root && path && (!strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5)))
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            if (!strncmp(path, ours[i], strlen(ours[i]))) {
                snprintf(room, PATH_MAX, "%s%s", root, path);
                return room;
            }
    return path;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        char room[PATH_MAX]; \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        REAL(name); \
        return real(local(path, room), flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define LOCAL(type, name, ...) type name(const char *path __VA_OPT__(,) __VA_ARGS__)
LOCAL(FILE *, fopen, const char *how) { char room[PATH_MAX]; REAL(fopen); return real(local(path, room), how); }
LOCAL(FILE *, fopen64, const char *how) { char room[PATH_MAX]; REAL(fopen64); return real(local(path, room), how); }
LOCAL(int, access, int how) { char room[PATH_MAX]; REAL(access); return real(local(path, room), how); }
LOCAL(int, stat, struct stat *s) { char room[PATH_MAX]; REAL(stat); return real(local(path, room), s); }
LOCAL(int, lstat, struct stat *s) { char room[PATH_MAX]; REAL(lstat); return real(local(path, room), s); }
LOCAL(DIR *, opendir) { char room[PATH_MAX]; REAL(opendir); return real(local(path, room)); }
LOCAL(ssize_t, readlink, char *to, size_t n) {
    char room[PATH_MAX];
    REAL(readlink);
    return real(local(path, room), to, n);
}

static int64_t in_ns(const struct timeval *t) { return t->tv_sec * SECOND + t->tv_usec * 1000LL; }

int clock_gettime(clockid_t clock, struct timespec *now) {
    int64_t time;
    REAL(clock_gettime);
    switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: time = begin + passed; break;
    case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_RAW: case CLOCK_MONOTONIC_COARSE: case CLOCK_BOOTTIME:
        time = uptime + passed; break;
    default: return real(clock, now);
    }
    now->tv_sec = time / SECOND;
    now->tv_nsec = time % SECOND;
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void) zone;
    now->tv_sec = (begin + passed) / SECOND;
    now->tv_usec = (begin + passed) % SECOND / 1000;
    return 0;
}

time_t time(time_t *now) {
    time_t seconds = (begin + passed) / SECOND;
    if (now) *now = seconds;
    return seconds;
}

/* How programs wait. */

unsigned alarm(unsigned seconds) {
    alarm_every = 0;
    alarm_at = seconds ? passed + seconds * SECOND : -1;
    return 0;
}

int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old) {
    REAL(setitimer);
    if (which != ITIMER_REAL) return real(which, new, old);
    alarm_every = in_ns(&new->it_interval);
    int64_t value = in_ns(&new->it_value);
    alarm_at = value ? passed + value : -1;
    if (old) memset(old, 0, sizeof *old);
    return 0;
}

int pause(void) {
    doze(-1);
    errno = EINTR;
    return -1;
}

unsigned sleep(unsigned seconds) {
    doze(seconds * SECOND);
    return 0;
}

int usleep(useconds_t us) {
    doze(us * 1000LL);
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    doze(time->tv_sec * SECOND + time->tv_nsec);
    if (left) memset(left, 0, sizeof *left);
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    int64_t wait = time->tv_sec * SECOND + time->tv_nsec;
    if (flags & TIMER_ABSTIME) wait -= passed + (clock == CLOCK_REALTIME ? begin : uptime);
    doze(wait > 0 ? wait : 0);
    if (left) memset(left, 0, sizeof *left);
    return 0;
}

int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict err, struct timeval *restrict wait) {
    REAL(select);
    struct timeval none = {0, 0};
    int ready = real(n, in, out, err, &none);
    if (ready || (wait && !in_ns(wait))) return ready;
    if (doze(wait ? in_ns(wait) : -1)) {
        errno = EINTR;
        return -1;
    }
    return 0;
}
