// Preloaded into the program under test: its wall clock is off by the number of seconds in the file OUTRIDER_TEST_SHIFT
// (a 64-bit integer, read at every call, so that a test can move the clock while the program runs).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static const volatile int64_t* shift;

__attribute__((constructor)) static void find_shift(void) {
  const char* name = getenv("OUTRIDER_TEST_SHIFT");
  const int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  void* page = file >= 0 ? mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  if (page != MAP_FAILED) shift = page;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real(clock, time);
  if (result == 0 && shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *shift;
  return result;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
