// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that begins or ends in the way its argument says; tests/api/lifecycle.cmake has them
// all, with what each must print.
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#include "children.hpp"

namespace weft::test {
namespace {

constexpr int tasks = 200;

std::atomic<int> ran{0};

bool asked(int argc, char** argv, const char* way) {
  return argc == 2 && std::strcmp(argv[1], way) == 0;
}

void say(const char* text) {
  std::printf("%s\n", text);
  std::fflush(stdout);
}

// Made before main, gone after it. The program's first use of Weft is in here.
struct uses_weft_outside_main {
  const bool right_before = std::getenv("LIFECYCLE_STATIC") == nullptr || fib_is_right();
  ~uses_weft_outside_main() {
    if (std::getenv("LIFECYCLE_STATIC") != nullptr)
      say(right_before && fib_is_right() ? "right outside main" : "wrong outside main");
    say("destroyed");
  }
} user;

void* takes_its_time(void*) {
  for (int i = 0; i < 100; ++i) weft_task_yield();
  ++ran;
  return nullptr;
}

void spawn_tasks() {
  if (weft_task_spawn_many(takes_its_time, nullptr, 0, tasks, nullptr) != 0) std::abort();
}

void start_as(weft_main_mode_t mode) {
  weft_config_t config{};
  config.size = sizeof config;
  config.main_mode = static_cast<uint32_t>(mode);
  if (weft_start(&config) != 0) std::abort();
}

void tell_at_exit() {
  if (std::atexit([] { say(ran == tasks ? "all ran" : "not all ran"); }) != 0) std::abort();
}

// A guest that stays until the main thread waits at its end. With one worker there can be none.
void invite_guest() {
  if (weft_worker_count() == 1) return;
  if (weft_worker_remove(1, 0) != 0) std::abort();
  static std::atomic<bool> is_there{false};
  std::thread([] {
    if (!compute_until([] { return weft_guest_begin(1) == 0; })) std::abort();
    is_there = true;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!yield_until([&] { return weft_report_waiting(nowhere) > 0; })) std::abort();
    if (weft_guest_end() != 0) std::abort();
  }).detach();
  if (!compute_until([] { return is_there.load(); })) std::abort();
}

// The main thread is a guest itself.
void become_guest() {
  const uint32_t last = weft_worker_count() - 1;
  if (last == 0) return;
  if (weft_worker_remove(last, 0) != 0) std::abort();
  if (!compute_until([=] { return weft_guest_begin(last) == 0; })) std::abort();
}

void* ends_without_stop(void* mode) {
  start_as(static_cast<weft_main_mode_t>(reinterpret_cast<intptr_t>(mode)));
  spawn_tasks();
  return nullptr;
}

void run_thread_that_starts(weft_main_mode_t mode) {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, ends_without_stop,
                     reinterpret_cast<void*>(static_cast<intptr_t>(mode))) != 0)
    std::abort();
  pthread_join(thread, nullptr);
}

// With `ulimit -s unlimited` the C library says that the stack of main begins where the heap ended.
bool keeps_its_heap() {
  constexpr intptr_t bytes = 1 << 20;
  start_as(WEFT_MAIN_WORKER);
  auto* const heap = static_cast<unsigned char*>(sbrk(bytes));
  if (heap == reinterpret_cast<unsigned char*>(-1)) return false;
  std::memset(heap, 0x5a, bytes);
  for (int i = 0; i < 8; ++i) {  // main parks, and what lies below its frames is given back
    weft_task_t t = nullptr;
    weft_spawn_t how = WEFT_SPAWN_INIT;
    how.flags = WEFT_SPAWN_HIGH;  // never called inline
    if (weft_task_spawn_with(takes_its_time, nullptr, &how, &t) != 0) return false;
    if (weft_task_join(t, nullptr) != 0) return false;
  }
  for (intptr_t i = 0; i < bytes; ++i)
    if (heap[i] != 0x5a) return false;
  return true;
}

}  // namespace

int run(int argc, char** argv) {
  alarm(child_seconds);
  if (asked(argc, argv, "return")) {
    start_as(WEFT_MAIN_DEFAULT);
    new background;  // for ever
    return 0;
  }
  if (asked(argc, argv, "pthread_exit") || asked(argc, argv, "pthread_exit_guest")) {
    start_as(asked(argc, argv, "pthread_exit") ? WEFT_MAIN_WORKER : WEFT_MAIN_GUEST);
    tell_at_exit();
    spawn_tasks();
    pthread_exit(nullptr);
  }
  if (asked(argc, argv, "pthread_exit_before_guests") ||
      asked(argc, argv, "pthread_exit_guest_before_guests")) {
    start_as(asked(argc, argv, "pthread_exit_before_guests") ? WEFT_MAIN_WORKER : WEFT_MAIN_GUEST);
    tell_at_exit();
    invite_guest();
    spawn_tasks();
    pthread_exit(nullptr);
  }
  if (asked(argc, argv, "pthread_exit_as_guest")) {
    start_as(WEFT_MAIN_GUEST);
    tell_at_exit();
    become_guest();
    spawn_tasks();
    pthread_exit(nullptr);
  }
  if (asked(argc, argv, "pthread_exit_by_spawn")) {
    tell_at_exit();
    spawn_tasks();
    pthread_exit(nullptr);
  }
  if (asked(argc, argv, "thread_ends_as_worker")) {
    run_thread_that_starts(WEFT_MAIN_WORKER);
    say(ran == tasks && weft_worker_count() == 0 ? "stopped" : "not stopped");
    say(fib_is_right() && weft_stop() == 0 ? "started again" : "not started again");
    return 0;
  }
  if (asked(argc, argv, "thread_ends_as_guest")) {
    run_thread_that_starts(WEFT_MAIN_GUEST);
    say(weft_worker_count() > 0 && fib_is_right() ? "runs on" : "stopped");
    say(weft_stop() == 0 && ran == tasks ? "stopped by another" : "not stopped");
    return 0;
  }
  if (asked(argc, argv, "unlimited_stack")) {
    say(keeps_its_heap() ? "the heap is whole" : "the heap was spoilt");
    return weft_stop() == 0 ? 0 : 1;
  }
  return asked(argc, argv, "static") ? 0 : 1;
}

}  // namespace weft::test

int main(int argc, char** argv) { return weft::test::run(argc, argv); }
