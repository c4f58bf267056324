// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the notes for sanitizers: nothing in a plain build, the truth in the others.
// WEFT_TEST_AT_LEVEL_OF_LIBRARY
#include "arch/fiber_notes.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <type_traits>
#include <vector>

#include "base/attributes.hpp"
#include "base/build.hpp"
#include "flow.hpp"

extern "C" {
// TSan calls this hook of ours when it has found a race. It must not be watched itself: a race
// found in the hook would wait for ever for the report that runs it.
static int races = 0;
__attribute__((no_sanitize("thread"))) void __tsan_on_report(void*) { races++; }

int __asan_address_is_poisoned(const volatile void* address);
void __asan_poison_memory_region(const volatile void* address, std::size_t bytes);
}

namespace weft::rt::test {
namespace {

static_assert(build::tsan || std::is_empty_v<notes::flow_note>);
static_assert(build::asan || sizeof(notes::stack_note) <= sizeof(unsigned));

TEST(fiber_notes, a_forgotten_stack_holds_no_poison) {
  if constexpr (!build::asan) {
    GTEST_SKIP() << "only for AddressSanitizer";
  } else {
    alignas(64) static std::byte memory[256];
    __asan_poison_memory_region(memory, sizeof memory);
    ASSERT_TRUE(__asan_address_is_poisoned(&memory[100]));
    notes::forget(memory, memory + sizeof memory);
    EXPECT_FALSE(__asan_address_is_poisoned(&memory[100]));
  }
}

// A local of a flow: its fake frame (ASan's, when it looks for use after return) must follow it.
int* local_inside = nullptr;

void owns_a_local() noexcept {
  arrive();
  int local[64] = {};
  local_inside = local;
  go_outside();
  local[1] = local[0] + 1;
  go_outside();
  finish();
}

WEFT_NOINLINE int uses_much_stack(int depth) {
  volatile int local[256];
  for (int i = 0; i < 256; i++) local[i] = depth;
  return depth == 0 ? local[17] : uses_much_stack(depth - 1) + local[3];
}

TEST(fiber_notes, a_local_of_a_suspended_flow_may_be_used_by_another) {
  two_flows both(owns_a_local);
  both.run();
  EXPECT_EQ(uses_much_stack(20), 210);
  local_inside[0] = 41;
  both.run();
  EXPECT_EQ(local_inside[1], 42);
  both.run();
}

__attribute__((no_sanitize("thread"), noinline)) int races_found() { return races; }

// Two flows on one thread write one word; true if TSan calls that a race. A new word for each test,
// as TSan remembers who wrote the last one.
template <class BetweenFirst, class BetweenSecond>
bool race_between_two_flows(std::uint64_t& word, BetweenFirst after_first,
                            BetweenSecond before_second) {
  notes::flow_note thread, first, second;
  thread.adopt_current();
  first.create("first");
  second.create("second");
  const int before = races_found();
  notes::run_as(first);
  word = word + 1;
  after_first();
  notes::run_as(second);
  before_second();
  word = word + 1;
  notes::run_as(thread);
  first.destroy();
  second.destroy();
  return races_found() > before;
}

TEST(fiber_notes, two_flows_on_one_thread_race) {
  if constexpr (!build::tsan) GTEST_SKIP() << "only for ThreadSanitizer";
  static std::uint64_t word;
  EXPECT_TRUE(race_between_two_flows(word, [] {}, [] {}));
}

TEST(fiber_notes, release_and_acquire_order_two_flows) {
  if constexpr (!build::tsan) GTEST_SKIP() << "only for ThreadSanitizer";
  static std::uint64_t word;
  static char key;
  EXPECT_FALSE(
      race_between_two_flows(word, [] { notes::release(&key); }, [] { notes::acquire(&key); }));
}

TEST(fiber_notes, forgotten_memory_does_not_race) {
  if constexpr (!build::tsan) GTEST_SKIP() << "only for ThreadSanitizer";
  static std::uint64_t word;
  EXPECT_FALSE(race_between_two_flows(word, [] {}, [] { notes::forget(&word, &word + 1); }));
}

// More flows than TSan has slots for threads that run (256).
TEST(fiber_notes, ten_thousand_flows_live_at_once) {
  if constexpr (!build::tsan) GTEST_SKIP() << "only for ThreadSanitizer";
  const int before = races_found();
  notes::flow_note thread;
  thread.adopt_current();
  std::vector<notes::flow_note> flows(10000);
  for (notes::flow_note& f : flows) f.create("one of many");
  for (notes::flow_note& f : flows) notes::run_as(f);
  notes::run_as(thread);
  for (notes::flow_note& f : flows) f.destroy();
  EXPECT_EQ(races_found(), before);
}

}  // namespace
}  // namespace weft::rt::test
