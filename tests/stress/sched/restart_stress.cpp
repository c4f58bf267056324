// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Start and stop again and again, with other numbers of workers, and nothing is left behind.
// WEFT_TEST_AT_SYMMETRIC
#include <atomic>
#include <cstddef>
#include <dirent.h>
#include <gtest/gtest.h>

#include <weft/weft.h>

#include "base/build.hpp"

namespace weft::rt {
namespace {

constexpr int rounds = build::tsan ? 20 : build::asan ? 50 : 200;

// Entries of a folder in /proc/self: threads, open files.
std::size_t entries(const char* path) {
  DIR* d = opendir(path);
  if (d == nullptr) return 0;
  std::size_t n = 0;
  while (readdir(d) != nullptr) ++n;
  closedir(d);
  return n;
}

TEST(restart_stress, two_hundred_starts_and_stops_leave_nothing_behind) {
  std::size_t threads = 0;
  std::size_t files = 0;
  for (int i = 0; i < rounds; ++i) {
    const uint32_t choices[] = {1, 2, 7, 3, 64, 5};
    weft_config_t config{};
    config.size = sizeof config;
    config.workers = choices[static_cast<std::size_t>(i) % 6];
    config.main_mode = static_cast<uint32_t>(i % 4 == 3 ? WEFT_MAIN_GUEST : WEFT_MAIN_WORKER);
    ASSERT_EQ(weft_start(&config), 0);
    std::atomic<int> ran{0};
    const auto body = [](void* c) -> void* {
      weft_task_yield();
      ++*static_cast<std::atomic<int>*>(c);
      return nullptr;
    };
    const int tasks = i % 5 * 20;  // sometimes none at all
    for (int k = 0; k < tasks; ++k) ASSERT_EQ(weft_task_spawn(body, &ran, nullptr), 0);
    ASSERT_EQ(weft_stop(), 0);
    ASSERT_EQ(ran, tasks);
    if (i == 5) {
      threads = entries("/proc/self/task");
      files = entries("/proc/self/fd");
    }
    if (i > 5) {
      EXPECT_EQ(entries("/proc/self/task"), threads);
      EXPECT_EQ(entries("/proc/self/fd"), files);
    }
  }
}

}  // namespace
}  // namespace weft::rt
