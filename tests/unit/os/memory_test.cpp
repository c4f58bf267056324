// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reserving, discarding and guarding pages, and what happens where the system refuses.
#include "os/memory.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "base/build.hpp"
#include "support/build.hpp"
#include "support/child.hpp"

namespace weft::rt::os {
namespace {

// A few pages that go away with the test.
class pages {
 public:
  explicit pages(std::size_t count)
      : bytes_(count * page_bytes()), p_(static_cast<unsigned char*>(reserve(bytes_))) {}
  ~pages() {
    if (p_ != nullptr) {
      EXPECT_TRUE(release(p_, bytes_));
    }
  }
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;

  unsigned char* operator[](std::size_t i) const { return p_ + i * page_bytes(); }
  std::size_t bytes() const { return bytes_; }
  std::size_t resident() const {
    std::vector<unsigned char> vec(bytes_ / page_bytes(), 0xff);
    return resident_pages(p_, bytes_, vec.data());
  }

 private:
  std::size_t bytes_;
  unsigned char* p_;
};

// A fault must kill as by default, also where a sanitizer has a handler of its own.
void write_to(unsigned char* p) {
  (void)std::signal(SIGSEGV, SIG_DFL);
  *static_cast<volatile unsigned char*>(p) = 1;
}

// The first of all tests: no guard was looked for yet.
TEST(guards,
     are_there_for_memory_that_is_not_locked_whatever_was_locked_when_they_were_looked_for) {
  if constexpr (build::asan || build::tsan)
    GTEST_SKIP() << "a sanitizer's shadow memory cannot be locked";
  if (weft::test::emulated) GTEST_SKIP() << "the emulator's own memory would be locked";
  const auto answer = [](bool lock) {
    return weft::test::in_child([lock] {
      if (lock) {
        if (::mlockall(MCL_FUTURE) != 0) _exit(3);
        const pages locked(1);
        if (locked[0] == nullptr) _exit(3);
        if (guard_install(locked[0], page_bytes())) _exit(4);
        if (::munlockall() != 0) _exit(3);
      }
      const pages p(1);
      _exit(guard_install(p[0], page_bytes()) ? 0 : 1);
    });
  };
  if (!answer(false).exited_with(0)) GTEST_SKIP() << "no guards in this kernel";
  const auto after_lock = answer(true);
  if (after_lock.exited_with(3)) GTEST_SKIP() << "no memory may be locked here";
  EXPECT_TRUE(after_lock.exited_with(0)) << after_lock.status;
}

TEST(memory, a_page_is_a_power_of_two) {
  EXPECT_GE(page_bytes(), 4096u);
  EXPECT_EQ(page_bytes() & (page_bytes() - 1), 0u);
}

TEST(memory, reserved_pages_cost_nothing_until_touched) {
  const pages p(16);
  ASSERT_NE(p[0], nullptr);
  no_huge_pages(p[0], p.bytes());
  EXPECT_EQ(p.resident(), 0u);
  EXPECT_EQ(*p[3], 0);
  *p[3] = 1;
  *p[9] = 1;
  EXPECT_EQ(p.resident(), 2u);
}

TEST(memory, resident_pages_says_which) {
  const pages p(4);
  no_huge_pages(p[0], p.bytes());
  *p[2] = 1;
  unsigned char vec[4] = {9, 9, 9, 9};
  EXPECT_EQ(resident_pages(p[0], p.bytes(), vec), 1u);
  EXPECT_EQ(vec[0] & 1, 0);
  EXPECT_EQ(vec[2] & 1, 1);
}

TEST(memory, resident_pages_of_a_hole_are_none) {
  void* const p = reserve(2 * page_bytes());
  ASSERT_NE(p, nullptr);
  *static_cast<volatile unsigned char*>(p) = 1;
  ASSERT_TRUE(release(p, 2 * page_bytes()));
  unsigned char vec[2] = {9, 9};
  EXPECT_EQ(resident_pages(p, 2 * page_bytes(), vec), 0u);
  EXPECT_EQ(vec[0], 0);
  EXPECT_EQ(vec[1], 0);
}

TEST(memory, too_much_is_refused) {
  errno = ENOTTY;
  EXPECT_EQ(reserve(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(errno, ENOTTY);
}

TEST(memory, discarded_pages_read_as_zero) {
  const pages p(2);
  *p[0] = 1;
  *p[1] = 2;
  EXPECT_TRUE(discard(p[0], page_bytes()));
  EXPECT_EQ(*p[0], 0);
  EXPECT_EQ(*p[1], 2);
}

// The flags that the kernel lists for the mapping that begins at p, with a blank at both ends.
std::string flags_of(const unsigned char* p) {
  std::ostringstream start;
  start << std::hex << reinterpret_cast<std::uintptr_t>(p) << '-';
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  while (std::getline(maps, line)) {
    if (line.rfind(start.str(), 0) == 0) inside = true;
    if (inside && line.rfind("VmFlags:", 0) == 0) return line.substr(8) + " ";
  }
  return "";
}

TEST(memory, huge_pages_are_forbidden_for_the_range) {
  const pages p(4);
  ASSERT_EQ(::madvise(p[0], p.bytes(), MADV_DONTDUMP), 0);  // keeps it apart from its neighbours
  if (flags_of(p[0]).find(" dd ") == std::string::npos) {
    GTEST_SKIP() << "this system does not list the flags of a mapping";
  }
  EXPECT_EQ(flags_of(p[0]).find(" nh "), std::string::npos);
  no_huge_pages(p[0], p.bytes());
  EXPECT_NE(flags_of(p[0]).find(" nh "), std::string::npos) << flags_of(p[0]);
}

class guard_test : public testing::Test {
 protected:
  void SetUp() override {
    const pages probe(1);
    if (!guard_install(probe[0], page_bytes())) GTEST_SKIP() << "no guards in this kernel";
  }
};

using guard_death_test = guard_test;

TEST_F(guard_death_test, an_access_to_a_guard_is_a_fault) {
  const pages p(3);
  ASSERT_TRUE(guard_install(p[1], page_bytes()));
  *p[0] = 1;
  *p[2] = 1;
  EXPECT_EXIT(write_to(p[1]), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(write_to(p[2] - 1), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(guard_death_test, a_guard_survives_a_discard) {
  const pages p(3);
  ASSERT_TRUE(guard_install(p[1], page_bytes()));
  EXPECT_TRUE(discard(p[0], p.bytes()));
  EXPECT_EXIT(write_to(p[1]), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(guard_test, a_removed_guard_leaves_zeroed_memory) {
  const pages p(1);
  *p[0] = 1;
  ASSERT_TRUE(guard_install(p[0], page_bytes()));
  ASSERT_TRUE(guard_remove(p[0], page_bytes()));
  EXPECT_EQ(*p[0], 0);
  *p[0] = 2;
  EXPECT_EQ(*p[0], 2);
}

TEST_F(guard_test, guards_add_no_mapping) {
  auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    std::size_t n = 0;
    while (std::getline(maps, line)) ++n;
    return n;
  };
  const pages p(2000);
  const std::size_t before = mappings();
  for (std::size_t i = 0; i < 2000; i += 2) ASSERT_TRUE(guard_install(p[i], page_bytes()));
  EXPECT_LE(mappings(), before + 10);  // the test itself may map something meanwhile
}

TEST_F(guard_test, locked_memory_takes_no_guard) {
  const pages p(1);
  // Not by mlock(): the sanitizers make that one do nothing.
  if (::syscall(SYS_mlock, p[0], page_bytes()) != 0) GTEST_SKIP() << "no memory may be locked here";
  *p[0] = 7;
  errno = ENOTTY;
  EXPECT_FALSE(guard_install(p[0], page_bytes()));
  EXPECT_FALSE(discard(p[0], page_bytes()));
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_EQ(*p[0], 7);
}

TEST(memory_death_test, an_access_to_a_protected_page_is_a_fault) {
  const pages p(2);
  *p[0] = 3;
  ASSERT_TRUE(protect(p[0], page_bytes()));
  *p[1] = 1;
  EXPECT_EXIT(write_to(p[0]), testing::KilledBySignal(SIGSEGV), "");
  ASSERT_TRUE(unprotect(p[0], page_bytes()));
  EXPECT_EQ(*p[0], 3);
}

TEST(memory, protection_fails_when_the_mappings_are_used_up) {
  if constexpr (build::asan || build::tsan) GTEST_SKIP() << "a sanitizer needs mappings of its own";
  std::size_t limit = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  if (limit == 0 || limit > 300000) GTEST_SKIP() << "too many mappings are allowed here";
  const pages p(limit + 2);
  ASSERT_NE(p[0], nullptr);
  std::size_t done = 0;
  while (done <= limit && protect(p[done], page_bytes())) done += 2;
  EXPECT_LE(done, limit);
  errno = ENOTTY;
  EXPECT_FALSE(protect(p[done], page_bytes()));
  EXPECT_EQ(errno, ENOTTY);
  *p[done] = 1;  // a failed call changed nothing
}

}  // namespace
}  // namespace weft::rt::os
