// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A restartable store happens if the word is as expected, and never after its thread was
// interrupted in it.
#include "arch/restartable.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "os/membarrier.hpp"

namespace weft::rt::arch {
namespace {

class restartable_test : public testing::Test {
 protected:
  void SetUp() override {
    if (!threads_restart() || !os::restart_register())
      GTEST_SKIP() << "no restartable store here: by the build, the C library or the kernel";
  }
  // A thread may be interrupted any time, but not always.
  static bool stores(atomic<uint64_t>& word, uint64_t seen, uint64_t wanted) {
    for (int i = 0; i < 1000; ++i)
      if (store_unless_restarted(word, seen, wanted)) return true;
    return false;
  }
};

TEST_F(restartable_test, stores_where_the_word_is_as_expected) {
  atomic<uint64_t> word{7};
  EXPECT_TRUE(stores(word, 7, 9));
  EXPECT_EQ(word.load_relaxed(), 9u);
  // Numbers that no instruction holds.
  EXPECT_TRUE(stores(word, 9, 0x1234'5678'9abc'def0));
  EXPECT_TRUE(stores(word, 0x1234'5678'9abc'def0, UINT64_MAX));
  EXPECT_EQ(word.load_relaxed(), UINT64_MAX);
}

TEST_F(restartable_test, refuses_where_it_is_not) {
  atomic<uint64_t> word{7};
  EXPECT_FALSE(stores(word, 8, 9));
  EXPECT_EQ(word.load_relaxed(), 7u);
}

// Where a compiler that optimises puts cold functions.
[[gnu::section(".text.unlikely"), gnu::noinline]] bool store_in_a_cold_function(
    atomic<uint64_t>& word, uint64_t seen, uint64_t wanted) {
  return store_unless_restarted(word, seen, wanted);
}

TEST_F(restartable_test, stores_in_a_cold_function) {
  atomic<uint64_t> word{7};
  bool stored = false;
  for (int i = 0; i < 1000 && !stored; ++i) stored = store_in_a_cold_function(word, 7, 9);
  EXPECT_TRUE(stored);
  EXPECT_EQ(word.load_relaxed(), 9u);
}

#if defined(__x86_64__) && __has_include(<sys/rseq.h>)
// Interrupts the thread after each instruction.
class single_steps {
 public:
  single_steps() {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGTRAP, &action, &before_);
    set_trap_flag(true);
  }
  ~single_steps() {
    set_trap_flag(false);
    sigaction(SIGTRAP, &before_, nullptr);
  }

 private:
  static constexpr unsigned long long trap_flag = 0x100;
  static void set_trap_flag(bool on) {
    const unsigned long long flags = __builtin_ia32_readeflags_u64() & ~trap_flag;
    __builtin_ia32_writeeflags_u64(on ? flags | trap_flag : flags);
  }
  struct sigaction before_ = {};
};

TEST_F(restartable_test, never_happens_once_interrupted) {
  atomic<uint64_t> word{7};
  bool stored = true;
  {
    const single_steps steps;
    stored = store_unless_restarted(word, 7, 9);
  }
  EXPECT_FALSE(stored);
  EXPECT_EQ(word.load_relaxed(), 7u);
}

// Else a thread would be ended once the library that holds the description is unloaded.
TEST_F(restartable_test, leaves_nothing_in_the_area_of_its_thread) {
  const auto* area = reinterpret_cast<const struct rseq*>(
      static_cast<const char*>(__builtin_thread_pointer()) + rseq_offset);
  atomic<uint64_t> word{7};
  EXPECT_TRUE(stores(word, 7, 9));
  EXPECT_EQ(static_cast<uint64_t>(area->rseq_cs), 0u);
  EXPECT_FALSE(stores(word, 7, 9));
  EXPECT_EQ(static_cast<uint64_t>(area->rseq_cs), 0u);
}
#endif

}  // namespace
}  // namespace weft::rt::arch
