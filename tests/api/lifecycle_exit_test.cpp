// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of the process while tasks run, wait and are spawned: it comes, and what must run runs
// once.
//
// The test itself never starts Weft: each child of it is a process that has just begun.
// WEFT_TEST_AT_WORKERS
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <sys/resource.h>
#include <thread>

#include "children.hpp"

namespace weft::test {
namespace {

// Where a child's handlers write a letter each, so that the parent can count them.
int marks_fd = -1;

void mark(char c) {
  if (marks_fd >= 0 && write(marks_fd, &c, 1) != 1) _exit(99);
}

struct marks_its_end {
  ~marks_its_end() { mark('S'); }
} static_object;

// Runs body in a child, and says how that ended and what its handlers wrote: "exit 0: AS".
template <class F>
std::string end_and_marks(F&& body) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  marks_fd = ends[1];
  std::string said = end_of_child([&] {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (std::atexit([] { mark('A'); }) != 0 || std::at_quick_exit([] { mark('Q'); }) != 0)
      _exit(98);
    body();
  });
  close(ends[1]);
  marks_fd = -1;
  said += ": ";
  for (char c = 0; read(ends[0], &c, 1) == 1;) said += c;
  close(ends[0]);
  return said;
}

// --- from where ---------------------------------------------------------------------------------

using deed = void (*)();

void start_with_tasks() {
  if (weft_start(nullptr) != 0) _exit(97);
  new background;  // for ever
}

void* do_deed(void* what) {
  (*static_cast<const deed*>(what))();
  return nullptr;
}

void from_main(deed what) {
  start_with_tasks();
  what();
}

void from_a_task_called_inline(deed what) {
  start_with_tasks();
  weft_task_t t = nullptr;
  weft_task_spawn(do_deed, &what, &t);
  weft_task_join(t, nullptr);
}

void from_a_task_on_the_last_worker(deed what) {
  start_with_tasks();
  weft_spawn_t how = on_worker(weft_worker_count() - 1);
  weft_task_t t = nullptr;
  weft_task_spawn_with(do_deed, &what, &how, &t);
  weft_task_join(t, nullptr);
}

void from_a_task_that_was_parked(deed what) {
  start_with_tasks();
  const auto body = [](void* arg) -> void* {
    weft_task_suspend();
    return do_deed(arg);
  };
  weft_task_t t = nullptr;
  weft_task_spawn(body, &what, &t);
  weft_task_resume(t);
  weft_task_join(t, nullptr);
}

void from_a_foreign_thread(deed what) {
  start_with_tasks();
  std::thread(what).detach();
  for (;;) weft_task_yield();  // a worker that blocked in the kernel would run no tasks
}

void after_a_stop(deed what) {
  if (weft_start(nullptr) != 0 || weft_stop() != 0) _exit(97);
  what();
}

void while_main_is_stopping(deed what) {
  if (weft_start(nullptr) != 0) _exit(97);
  weft_task_spawn(do_deed, &what, nullptr);
  weft_stop();
}

constexpr void (*places[])(deed) = {from_main,
                                    from_a_task_called_inline,
                                    from_a_task_on_the_last_worker,
                                    from_a_task_that_was_parked,
                                    from_a_foreign_thread,
                                    after_a_stop,
                                    while_main_is_stopping};

void expect_everywhere(deed what, const std::string& end) {
  for (std::size_t i = 0; i < std::size(places); ++i)
    EXPECT_EQ(end_and_marks([=] { places[i](what); }), end) << "place " << i;
}

TEST(lifecycle_exit, exit_runs_handlers_and_destructors_once_from_everywhere) {
  for (int i = 0; i < scaled(5); ++i) expect_everywhere([] { exit(3); }, "exit 3: AS");
}

TEST(lifecycle_exit, quick_exit_runs_its_handlers_once_from_everywhere) {
  expect_everywhere([] { quick_exit(4); }, "exit 4: Q");
}

TEST(lifecycle_exit, an_exit_without_handlers_is_one_from_everywhere) {
  expect_everywhere([] { _exit(5); }, "exit 5: ");
}

TEST(lifecycle_exit, abort_ends_it_from_everywhere) {
  expect_everywhere(abort, "signal " + std::to_string(SIGABRT) + ": ");
}

TEST(lifecycle_exit, a_signal_ends_it_from_everywhere) {
  expect_everywhere([] { kill(getpid(), SIGKILL); }, "signal " + std::to_string(SIGKILL) + ": ");
}

// --- handlers that use Weft ---------------------------------------------------------------------

TEST(lifecycle_exit, a_handler_may_spawn_and_join_from_everywhere) {
  expect_everywhere(
      [] {
        if (std::atexit([] { mark(fib_is_right() ? 'f' : 'x'); }) != 0) _exit(96);
        exit(0);
      },
      "exit 0: fAS");
}

TEST(lifecycle_exit, a_handler_may_stop_it_when_main_exits) {
  static std::atomic<bool> over{false};
  EXPECT_EQ(end_and_marks([] {
              if (weft_start(nullptr) != 0) _exit(97);
              const auto yields = [](void*) -> void* {
                while (!over) weft_task_yield();
                return nullptr;
              };
              for (int i = 0; i < 10; ++i) weft_task_spawn(yields, nullptr, nullptr);
              const auto stops = [] {
                over = true;
                mark(weft_stop() == 0 ? 's' : 'x');
                mark(weft_worker_count() == 0 ? '0' : 'x');
              };
              if (std::atexit(stops) != 0) _exit(96);
              exit(0);
            }),
            "exit 0: s0AS");
}

TEST(lifecycle_exit, a_handler_on_a_task_may_not_stop_it_and_does_not_hang) {
  for (const auto place : {from_a_task_called_inline, from_a_task_on_the_last_worker,
                           from_a_task_that_was_parked, from_a_foreign_thread}) {
    EXPECT_EQ(end_and_marks([place] {
                place([] {
                  if (std::atexit([] { mark(weft_stop() == -EPERM ? 'p' : 'x'); }) != 0) _exit(96);
                  exit(0);
                });
              }),
              "exit 0: pAS");
  }
}

}  // namespace
}  // namespace weft::test
