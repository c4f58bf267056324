// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a process that has not finalized: it waits for teams, and for nothing else.
//
// The test itself never starts Weft: each child of it is a process that has just begun.
// WEFT_TEST_AT_WORKERS
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <qthread/io.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "support.hpp"

namespace weft::test {
namespace {

int marks_fd = -1;

aligned_t mark(void* letter) {
  const char c = static_cast<char>(as_number(letter));
  return write(marks_fd, &c, 1) == 1 ? 0 : 1;
}

aligned_t yield_and_mark(void* letter) {
  for (int i = 0; i < 100; ++i) qthread_yield();
  return mark(letter);
}

aligned_t lead(void*) {
  for (int i = 0; i < 3; ++i) qthread_fork(yield_and_mark, as_argument('m'), nullptr);
  qthread_fork_new_subteam(yield_and_mark, as_argument('s'), nullptr);
  return 0;
}

aligned_t wait_for_ever(void*) {
  static aligned_t never;
  qthread_empty(&never);
  return aligned_t(qthread_readFF(nullptr, &never));
}

// Runs body in a child and says how that ended and what its tasks wrote: "0 mms".
template <class F>
std::string end_and_marks(F&& body) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(40);
    marks_fd = ends[1];
    if (qthread_initialize() != QTHREAD_SUCCESS) _exit(99);
    body();
    _exit(98);
  }
  close(ends[1]);
  std::string said;
  for (char c = 0; read(ends[0], &c, 1) == 1;) said += c;
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child) return "lost";
  return std::to_string(status) + " " + said;
}

TEST(process_end, waits_for_teams) {
  if (tsan || emulated)
    GTEST_SKIP() << "such a child of the sanitizer or the emulator starts no threads";
  std::string said = end_and_marks([] {
    qthread_fork_new_team(lead, nullptr, nullptr);
    exit(0);
  });
  std::sort(said.begin(), said.end());  // they write in any order
  EXPECT_EQ(said, " 0mmms");
}

TEST(process_end, waits_for_no_task_outside_teams_nor_once_finalized) {
  if (tsan || emulated)
    GTEST_SKIP() << "such a child of the sanitizer or the emulator starts no threads";
  EXPECT_EQ(end_and_marks([] {
              qthread_fork(wait_for_ever, nullptr, nullptr);
              exit(0);
            }),
            "0 ");
  EXPECT_EQ(end_and_marks([] {
              qthread_fork_new_team(mark, as_argument('t'), nullptr);
              qthread_finalize();
              exit(0);
            }),
            "0 t");
}

// Who exits is not main, or cannot let others run.
TEST(process_end, comes_at_once_where_main_cannot_wait) {
  if (sanitized || emulated)
    GTEST_SKIP() << "a team that is left behind leaks; nor does such a child start threads there";
  EXPECT_EQ(end_and_marks([] {
              qthread_fork_new_team(wait_for_ever, nullptr, nullptr);
              qt_begin_blocking_action();
              exit(0);
            }),
            "0 ");
  EXPECT_EQ(end_and_marks([] {
              qthread_fork_new_team(wait_for_ever, nullptr, nullptr);
              const auto exits = [](void*) -> aligned_t { exit(0); };
              value_of(exits);
            }),
            "0 ");
}

}  // namespace
}  // namespace weft::test
