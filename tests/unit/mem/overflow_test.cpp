// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user sees when a task runs off its stack, for each kind of guard.
// WEFT_TEST_AT_LEVEL_OF_LIBRARY
#include "mem/overflow.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>

#include "support.hpp"

namespace weft::rt {
namespace {

using test::in_child;
using test::outcome;
using test::run_on;

constexpr std::size_t kib = 1024;

void describe(const stack& s, os::text& out) noexcept {
  out.add("task 7 of stack ").pointer(&s).add(", spawned at 0x1234");
}

// A stack of one guard kind, with the reporter armed; made before the fork, so that the parent
// knows the addresses that the child's report names.
struct scene {
  explicit scene(guard_kind kind = guard_kind::automatic, std::size_t promised = 64 * kib) {
    stack_options o;
    o.guard = kind;
    o.promised_bytes = promised;
    started = pool.start(o);
    if (started != 0) return;
    cache.attach(pool);
    s = cache.get();
  }
  void arm() {
    if (install_overflow_reporter(pool, describe) != 0) _exit(100);
    if (signal_stack.attach() != 0) _exit(101);
  }
  std::string report(const void* address, const char* suggestion) const {
    os::text expected;
    expected.add("weft: stack overflow: ").pointer(address);
    expected.add(" is in the guard below a stack of ");
    expected.size(static_cast<std::uint64_t>(s->inline_floor - s->low));
    expected.add("\nweft: running there: task 7 of stack ").pointer(s).add(", spawned at 0x1234");
    expected.add("\nweft: set WEFT_STACK_SIZE=").add(suggestion);
    expected.add(" or more, or stack_bytes in weft_config_t\n");
    return expected.c_str();
  }
  stack_pool pool;
  stack_cache cache;
  report_stack signal_stack;
  int started = 0;
  stack* s = nullptr;
};

WEFT_NOINLINE void touch(void* address) { *static_cast<volatile char*>(address) = 1; }

// A call that needs 40 KiB at once and touches the far end first, as a frame with a large local
// does.
WEFT_NOINLINE void frame_of_40_kib() {
  char local[40 * kib];
  touch(local);
}

// Goes down until less than 8 KiB are left, then makes that call.
WEFT_NOINLINE void descend(std::byte* low) {  // NOLINT(misc-no-recursion)
  char local[1 * kib];
  touch(local);
  if (arch::stack_pointer() - low > static_cast<std::ptrdiff_t>(8 * kib)) {
    descend(low);
  } else {
    frame_of_40_kib();
  }
  touch(local + 1);  // after the call: it is no tail call
}

// Without end: the compiler must not see it.
volatile bool forever = true;
WEFT_NOINLINE void recurse() {  // NOLINT(misc-no-recursion): that is the point
  char local[100];
  touch(local);
  if (forever) recurse();
  touch(local + 1);  // after the call: it is no tail call
}

class overflow_of : public testing::TestWithParam<guard_kind> {};

TEST_P(overflow_of, is_reported_exactly_and_kills_as_sigsegv) {
  scene at(GetParam());
  if (at.started == -ENOTSUP) GTEST_SKIP() << "this system has no such guard";
  ASSERT_EQ(at.started, 0);
  std::byte* address = at.s->low - 100;
  const outcome o = in_child([&] {
    at.arm();
    run_on(*at.s, touch, address);
  });
  // A stack pointer in the middle of the stack: the access is what counts.
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  EXPECT_TRUE(o.wrote(at.report(address, "128K"))) << o.errors;
}

TEST_P(overflow_of, endless_recursion_is_reported) {
  scene at(GetParam());
  if (at.started == -ENOTSUP) GTEST_SKIP() << "this system has no such guard";
  const outcome o = in_child([&] {
    at.arm();
    run_on(*at.s, [](void*) { recurse(); }, nullptr);
  });
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  EXPECT_NE(o.errors.find("below a stack of 64 KiB\nweft: running there: task 7"),
            std::string::npos)
      << o.errors;
}

TEST_P(overflow_of, a_frame_of_40_kib_does_not_jump_the_guard) {
  scene at(GetParam());
  if (at.started == -ENOTSUP) GTEST_SKIP() << "this system has no such guard";
  const outcome o = in_child([&] {
    at.arm();
    run_on(*at.s, [](void* low) { descend(static_cast<std::byte*>(low)); }, at.s->low);
  });
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  EXPECT_NE(o.errors.find("weft: stack overflow: "), std::string::npos) << o.errors;
}

INSTANTIATE_TEST_SUITE_P(each_guard, overflow_of,
                         testing::Values(guard_kind::madvise, guard_kind::mprotect),
                         [](const testing::TestParamInfo<guard_kind>& i) {
                           return i.param == guard_kind::madvise ? "madvise" : "mprotect";
                         });

// Two stacks of which the second lies right above the first.
struct neighbours : scene {
  stack* lower = s;
  stack* upper = pool.find(s->high + os::page_bytes());  // the header is in the last page
};

const stack* runs = nullptr;
const stack* what_runs() noexcept { return runs; }

outcome touch_from(const neighbours& at, const stack& from, const stack& runs_there,
                   std::byte* address) {
  runs = &runs_there;
  stack* const on = at.pool.find(from.low);
  return in_child([&] {
    auto& pool = const_cast<stack_pool&>(at.pool);
    report_stack signal_stack;
    if (install_overflow_reporter(pool, describe, what_runs) != 0) _exit(100);
    if (signal_stack.attach() != 0) _exit(101);
    run_on(*on, touch, address);
  });
}

TEST(overflow, an_access_past_the_high_end_is_no_overflow_of_the_next_stack) {
  const neighbours at;
  ASSERT_NE(at.upper, nullptr);
  const std::size_t guard = at.pool.options().guard_bytes;
  for (std::byte* address : {at.upper->low - guard, at.upper->low - 1}) {
    const outcome o = touch_from(at, *at.lower, *at.lower, address);
    EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
    os::text expected;
    expected.add("weft: stack overrun: ").pointer(address);
    expected.add(" is in the guard above a stack of 64 KiB\nweft: more stack does not help: ");
    EXPECT_EQ(o.errors.find(expected.c_str()), 0u) << o.errors;
    expected.clear();
    expected.add("\nweft: running there: task 7 of stack ").pointer(at.lower);
    expected.add(", spawned at 0x1234\n");
    EXPECT_NE(o.errors.find(expected.c_str()), std::string::npos) << o.errors;
    EXPECT_EQ(o.errors.find("overflow: "), std::string::npos) << o.errors;
  }
}

TEST(overflow, a_frame_larger_than_the_guard_is_one) {
  const neighbours at;
  ASSERT_NE(at.upper, nullptr);
  std::byte* const address = at.upper->low - 100;
  // The stack pointer of the upper one's task is on the lower one already.
  const outcome o = touch_from(at, *at.lower, *at.upper, address);
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  EXPECT_EQ(o.errors.find("weft: stack overflow: "), 0u) << o.errors;
}

// Moves the stack pointer into the guard, touches nothing there, and reads from nowhere.
WEFT_NOINLINE __attribute__((no_sanitize("address", "thread", "undefined"))) void lost_leaf(
    void* low) {
  const volatile char* volatile const nowhere = nullptr;
  const auto left = static_cast<std::size_t>(static_cast<char*>(__builtin_frame_address(0)) -
                                             static_cast<char*>(low));
  void* volatile const lowest = __builtin_alloca(left + 200);
  (void)lowest;
  (void)*nowhere;
}

TEST(overflow, an_access_elsewhere_with_the_stack_pointer_in_the_guard_names_the_stack_pointer) {
  scene at;
  const outcome o = in_child([&] {
    at.arm();
    run_on(*at.s, lost_leaf, at.s->low);
  });
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  const std::string begin = "weft: stack overflow: ";
  ASSERT_NE(o.errors.find(begin), std::string::npos) << o.errors;
  const char* const named = o.errors.c_str() + o.errors.find(begin) + begin.size();
  auto* const address = reinterpret_cast<std::byte*>(std::strtoull(named, nullptr, 16));
  EXPECT_TRUE(at.pool.in_guard(*at.s, address)) << o.errors;
  EXPECT_TRUE(o.wrote(at.report(address, "128K"))) << o.errors;
}

TEST(overflow, what_is_known_at_once_is_written_before_the_description) {
  scene at;
  std::byte* address = at.s->low - 100;
  const outcome o = in_child([&] {
    const auto never_returns = [](const stack&, os::text&) noexcept { _exit(43); };
    if (install_overflow_reporter(at.pool, never_returns) != 0) _exit(100);
    if (at.signal_stack.attach() != 0) _exit(101);
    run_on(*at.s, touch, address);
  });
  EXPECT_TRUE(o.exited_with(43)) << o.status;
  os::text expected;
  expected.add("weft: stack overflow: ").pointer(address);
  expected.add(" is in the guard below a stack of 64 KiB\n");
  EXPECT_EQ(o.errors, expected.c_str());
}

TEST(overflow, under_mlockall_is_still_guarded_and_reported) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer's shadow memory cannot be locked";
  const outcome probe = in_child([] { _exit(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : 1); });
  if (!probe.exited_with(0)) GTEST_SKIP() << "RLIMIT_MEMLOCK does not permit mlockall here";
  {
    scene warm;  // guards by madvise have been found to work, if they do, before memory is locked
  }
  const outcome o = in_child([] {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) _exit(1);
    scene at;
    if (at.started != 0) _exit(2);
    if (at.s->guard != guard_kind::mprotect) _exit(3);
    at.arm();
    run_on(*at.s, [](void* low) { descend(static_cast<std::byte*>(low)); }, at.s->low);
  });
  if (o.exited_with(2)) GTEST_SKIP() << "RLIMIT_MEMLOCK leaves no room for stacks";
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  EXPECT_NE(o.errors.find("weft: stack overflow: "), std::string::npos) << o.errors;
}

TEST(overflow, locked_memory_is_not_reserved_ahead) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer's shadow memory cannot be locked";
  const outcome o = in_child([] {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) _exit(1);
    const std::uint64_t before = test::memory_in_use();
    scene at;
    if (at.started != 0) _exit(1);
    for (int i = 0; i < 500; ++i) {
      if (at.cache.get() == nullptr) _exit(1);
    }
    // Eight chunks of 64, not chunks of 64 to 512.
    _exit(test::memory_in_use() - before < 600 * 160 * kib ? 42 : 2);
  });
  if (o.exited_with(1)) GTEST_SKIP() << "RLIMIT_MEMLOCK does not permit so much";
  EXPECT_TRUE(o.exited_with(42)) << o.status;
}

TEST(overflow, the_suggestion_would_have_been_enough) {
  scene at(guard_kind::automatic, 256 * kib);
  os::text out;
  add_suggestion(*at.s, at.s->low - 10, out);
  EXPECT_NE(std::string(out.c_str()).find("WEFT_STACK_SIZE=512K "), std::string::npos)
      << out.c_str();
  out.clear();
  add_suggestion(*at.s, at.s->high - 3000 * kib, out);
  EXPECT_NE(std::string(out.c_str()).find("WEFT_STACK_SIZE=4M "), std::string::npos) << out.c_str();
}

TEST(overflow, where_there_is_no_larger_stack_none_is_suggested) {
  constexpr std::size_t gib = kib * kib * kib;
  auto* const low = reinterpret_cast<std::byte*>(gib);
  for (const std::size_t promised : {gib / 2, gib}) {
    stack s;  // looked at alone
    s.low = low;
    s.inline_floor = low + promised;
    s.high = low + 2 * gib;
    os::text out;
    add_suggestion(s, low, out);
    EXPECT_STREQ(out.c_str(),
                 promised < gib
                     ? "weft: set WEFT_STACK_SIZE=1G, or stack_bytes in weft_config_t\n"
                     : "weft: no larger stack can be had: keep what is large in the heap\n");
  }
}

TEST(overflow, programs_own_handler_is_called_after_the_report) {
  scene at;
  std::byte* address = at.s->low - 8;
  const outcome o = in_child([&] {
    struct sigaction own{};
    own.sa_flags = SA_SIGINFO | SA_ONSTACK;
    own.sa_sigaction = [](int, siginfo_t* info, void*) {
      os::text t;
      t.add("own handler ").pointer(info->si_addr).add("\n");
      t.write_to_stderr();
      _exit(42);
    };
    sigaction(SIGSEGV, &own, nullptr);
    at.arm();
    run_on(*at.s, touch, address);
  });
  EXPECT_TRUE(o.exited_with(42)) << o.status;
  os::text own;
  own.add("own handler ").pointer(address).add("\n");
  EXPECT_EQ(o.errors, at.report(address, "128K") + own.c_str());
}

TEST(overflow, another_fault_is_not_reported) {
  scene at;
  const outcome o = in_child([&] {
    at.arm();
    void* nowhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    run_on(*at.s, touch, nowhere);
  });
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  EXPECT_EQ(o.errors.find("weft: "), std::string::npos) << o.errors;
}

TEST(overflow, a_wild_pointer_into_a_guard_is_not_an_overflow) {
  scene at;
  const outcome o = in_child([&] {
    at.arm();
    touch(at.s->low - 100);  // from the thread's own stack
  });
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  EXPECT_EQ(o.errors.find("weft: "), std::string::npos) << o.errors;
}

TEST(overflow, reporter_is_installed_once_and_can_be_removed) {
  scene at;
  ASSERT_EQ(install_overflow_reporter(at.pool, describe), 0);
  EXPECT_EQ(install_overflow_reporter(at.pool, describe), -EALREADY);
  uninstall_overflow_reporter();
  uninstall_overflow_reporter();
  const outcome o = in_child([&] {
    if (at.signal_stack.attach() != 0) _exit(1);
    run_on(*at.s, touch, at.s->low - 100);
  });
  EXPECT_TRUE(o.died_of(SIGSEGV)) << o.status;
  EXPECT_EQ(o.errors.find("weft: "), std::string::npos) << o.errors;
  ASSERT_EQ(install_overflow_reporter(at.pool, describe), 0);
  uninstall_overflow_reporter();
}

// As in the child of a fork by another thread than the one that was installing it.
TEST(overflow, a_reporter_that_was_half_installed_is_removed) {
  scene at;
  const auto pass_on = [](const os::fault&) noexcept { return os::fault_verdict::pass_on; };
  ASSERT_EQ(os::fault_handler_install(pass_on), 0);
  uninstall_overflow_reporter();
  EXPECT_EQ(install_overflow_reporter(at.pool, describe), 0);
  uninstall_overflow_reporter();
}

// --- canaries -----------------------------------------------------------------------------------

std::string canary_report(const scene& at, const void* address) {
  os::text expected;
  expected.add("weft: stack overflow: the canary at ").pointer(address);
  expected.add(" below a stack of 64 KiB was overwritten\n");
  expected.add("weft: running there: task 7 of stack ").pointer(at.s).add(", spawned at 0x1234\n");
  expected.add("weft: set WEFT_STACK_SIZE=128K or more, or stack_bytes in weft_config_t\n");
  return expected.c_str();
}

TEST(canary, damage_is_reported_when_the_task_parks) {
  scene at(guard_kind::canary);
  ASSERT_EQ(at.started, 0);
  for (unsigned word = 0; word < canary_words; ++word) {
    auto* damaged = reinterpret_cast<std::uint64_t*>(at.s->low) - 1 - word;
    const outcome o = in_child([&] {
      at.arm();
      *damaged = 1;
      note_park(*at.s, at.s->high - 64);
    });
    EXPECT_TRUE(o.died_of(SIGABRT)) << o.status;
    EXPECT_TRUE(o.wrote(canary_report(at, damaged))) << o.errors;
  }
}

TEST(canary, damage_is_reported_when_the_stack_is_given_back) {
  scene at(guard_kind::canary);
  auto* damaged = reinterpret_cast<std::uint64_t*>(at.s->low) - 1;
  const outcome o = in_child([&] {
    at.arm();
    *damaged = 1;
    at.cache.put(at.s);
  });
  EXPECT_TRUE(o.died_of(SIGABRT)) << o.status;
  EXPECT_TRUE(o.wrote(canary_report(at, damaged))) << o.errors;
}

TEST(canary, a_stack_used_to_its_end_is_no_damage) {
  scene at(guard_kind::canary);
  for (std::byte* p = at.s->low; p < at.s->low + 128; ++p) *p = std::byte{0xff};
  note_park(*at.s, at.s->high - 64);
  at.cache.put(at.s);
  EXPECT_EQ(at.cache.get(), at.s);
}

}  // namespace
}  // namespace weft::rt
