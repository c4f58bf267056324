// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy alone in its process can claim it again and again. Two of them:
// tests/api/lifecycle_copies.
#include "os/copies.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <link.h>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "os/process.hpp"
#include "support/build.hpp"

namespace weft::rt::os {
namespace {

TEST(copies, one_alone_claims_its_process_and_does_not_see_itself) {
  EXPECT_EQ(claim_process(), nullptr);
  EXPECT_EQ(claim_process(), nullptr);
  release_process();
  EXPECT_EQ(claim_process(), nullptr);
  release_process();
}

// What other copies look for is there, once, in a segment that is loaded.
TEST(copies, the_programs_notes_hold_one_of_this_library) {
  int seen = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* count) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE) continue;
          const std::string_view notes(
              reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
          if (notes.find(std::string_view("Weft\0", 5)) != std::string_view::npos)
            ++*static_cast<int*>(count);
        }
        return 0;
      },
      &seen);
  EXPECT_EQ(seen, 1);
}

// The C library leaves the lock of a walk through the objects held in a child that is made
// meanwhile.
TEST(copies, a_child_claims_whatever_another_thread_was_at) {
  constexpr unsigned child_seconds = 30;
  constexpr int forks = test::tsan || test::emulated ? 20 : 200;
  ASSERT_TRUE(at_fork_in_child([]() noexcept {}));
  std::atomic<bool> over{false};
  std::thread other([&over] {
    while (!over) (void)claim_process();
  });
  int status = 0;
  for (int i = 0; i < forks && status == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(child_seconds);
      _exit(claim_process() == nullptr ? 0 : 1);
    }
    ASSERT_EQ(waitpid(child, &status, 0), child);
  }
  over = true;
  other.join();
  release_process();
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace weft::rt::os
