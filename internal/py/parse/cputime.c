#include "export.h"

#if defined(_WIN32)
#include <windows.h>

int64_t rlvet_thread(void) { return (int64_t)GetCurrentThreadId(); }

int64_t rlvet_thread_nanos(int64_t thread) {
  FILETIME created, exited, kernel, user;
  HANDLE h = OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)thread);
  if (!h) return -1;
  BOOL ok = GetThreadTimes(h, &created, &exited, &kernel, &user);
  CloseHandle(h);
  if (!ok) return -1;
  uint64_t k = ((uint64_t)kernel.dwHighDateTime << 32) | kernel.dwLowDateTime;
  uint64_t u = ((uint64_t)user.dwHighDateTime << 32) | user.dwLowDateTime;
  return (int64_t)(k + u) * 100;
}
#elif defined(__APPLE__)
#include <mach/mach.h>
#include <pthread.h>

int64_t rlvet_thread(void) { return (int64_t)pthread_mach_thread_np(pthread_self()); }

int64_t rlvet_thread_nanos(int64_t thread) {
  thread_basic_info_data_t t;
  mach_msg_type_number_t n = THREAD_BASIC_INFO_COUNT;
  if (thread_info((thread_act_t)thread, THREAD_BASIC_INFO, (thread_info_t)&t, &n) != KERN_SUCCESS) return -1;
  int64_t seconds = (int64_t)t.user_time.seconds + t.system_time.seconds;
  int64_t micros = (int64_t)t.user_time.microseconds + t.system_time.microseconds;
  return seconds * 1000000000 + micros * 1000;
}
#else
#include <pthread.h>
#include <time.h>

// No clock has this number.
enum { NO_CLOCK = INT32_MIN };

int64_t rlvet_thread(void) {
  clockid_t id;
  return pthread_getcpuclockid(pthread_self(), &id) == 0 ? (int64_t)id : NO_CLOCK;
}

int64_t rlvet_thread_nanos(int64_t thread) {
  struct timespec t;
  if (thread == NO_CLOCK || clock_gettime((clockid_t)thread, &t) != 0) return -1;
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
#endif
