// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about switching contexts. WEFT_TEST_UNDER_VALGRIND
#include "arch/context.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <unwind.h>
#include <vector>

#include "base/build.hpp"
#include "flow.hpp"

namespace weft::rt::test {
namespace {

volatile std::uint64_t seed = 0x9e3779b97f4a7c15;

// More values alive over a switch than there are registers to hold them.
template <class Swap>
WEFT_ALWAYS_INLINE std::uint64_t carry_values_over(std::uint64_t x, Swap swap) noexcept {
  std::uint64_t v[40];
  for (std::uint64_t& e : v) e = x = x * 6364136223846793005u + 1442695040888963407u;
  swap();
  std::uint64_t sum = 0;
  for (const std::uint64_t e : v) sum = sum * 31 + e;
  return sum;
}

std::uint64_t inner_sum = 0;

void carries_values() noexcept {
  arrive();
  std::uint64_t sum = 0;
  for (int i = 0; i < 1000; i++) {
    sum += carry_values_over(seed + 2 * static_cast<unsigned>(i) + 1, [] { go_outside(); });
  }
  inner_sum = sum;
  finish();
}

TEST(context, keeps_values_and_stack_of_both_flows_over_a_ping_pong) {
  two_flows both(carries_values);
  both.run();
  std::uint64_t sum = 0;
  unsigned i = 0;
  while (!ended) sum += carry_values_over(seed + 2 * i++, [&] { both.run(); });
  ASSERT_EQ(i, 1000u);
  std::uint64_t expected = 0;
  std::uint64_t expected_inner = 0;
  for (i = 0; i < 1000; i++) {
    expected += carry_values_over(seed + 2 * i, [] {});
    expected_inner += carry_values_over(seed + 2 * i + 1, [] {});
  }
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(inner_sum, expected_inner);
}

// The caller of a function that switches finds unchanged what it holds in callee-saved registers.
WEFT_NOINLINE std::uint64_t swaps_and_returns(std::uint64_t x) noexcept {
  outside->switch_to(*inside);
  return x;
}

WEFT_NOINLINE std::uint64_t calls_with_full_registers() noexcept {
  std::uint64_t a = seed, b = seed, c = seed, d = seed, e = seed, f = seed, g = seed, h = seed;
  for (unsigned i = 1; i <= 100; i++) {
    a += i, b ^= a, c += b, d ^= c, e += d, f ^= e, g += f, h ^= g;
    a += swaps_and_returns(h);
  }
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

void fills_every_register() noexcept {
  arrive();
  while (!ended) {
    [[maybe_unused]] const std::uint64_t junk = ~seed;
#if defined(__x86_64__)
    asm volatile(
        "movq %0, %%rbx\n\tmovq %0, %%r12\n\tmovq %0, %%r13\n\tmovq %0, %%r14\n\tmovq %0, %%r15"
        :
        : "a"(junk)
        : "rbx", "r12", "r13", "r14", "r15");
#elif defined(__aarch64__)
    asm volatile(
        "mov x19, %0\n\tmov x20, %0\n\tmov x21, %0\n\tmov x22, %0\n\tmov x23, %0\n\tmov x24, %0\n\t"
        "mov x25, %0\n\tmov x26, %0\n\tmov x27, %0\n\tmov x28, %0\n\tfmov d8, %0\n\tfmov d9, %0\n\t"
        "fmov d10, %0\n\tfmov d11, %0\n\tfmov d12, %0\n\tfmov d13, %0\n\tfmov d14, %0\n\t"
        "fmov d15, %0"
        :
        : "r"(junk)
        : "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "v8", "v9", "v10",
          "v11", "v12", "v13", "v14", "v15");
#endif
    go_outside();
  }
  finish();
}

TEST(context, keeps_what_a_caller_has_in_registers) {
  two_flows both(fills_every_register);
  const std::uint64_t got = calls_with_full_registers();
  ended = true;
  both.run();
  std::uint64_t a = seed, b = seed, c = seed, d = seed, e = seed, f = seed, g = seed, h = seed;
  for (unsigned i = 1; i <= 100; i++) {
    a += i, b ^= a, c += b, d ^= c, e += d, f ^= e, g += f, h ^= g;
    a += h;
  }
  EXPECT_EQ(got, a ^ b ^ c ^ d ^ e ^ f ^ g ^ h);
}

// Doubles, an x87 or quad-precision value, vectors as wide as the build has them.
using vector = double __attribute__((vector_size(32)));

template <class Swap>
WEFT_ALWAYS_INLINE double carry_floats_over(double x, Swap swap) noexcept {
  const double d0 = x * 1.5, d1 = x / 3, d2 = x + 0.1, d3 = x - 7, d4 = x * x, d5 = 1 / (x + 1);
  const double d6 = x * 0.3, d7 = x / 11, d8 = x + 9.5, d9 = x * 41;
  const long double l = static_cast<long double>(x) / 7;
  const vector v = {x, x + 1, x * 2, x / 9};
  const vector w = v * v + v;
  swap();
  return d0 + d1 * d2 - d3 + d4 * d5 + d6 - d7 * d8 + d9 + static_cast<double>(l * l) +
         v[0] * w[3] + v[1] * w[2] - v[2] * w[1] + v[3] * w[0];
}

volatile double tenth = 0.1;

void spoils_floats() noexcept {
  arrive();
  for (int i = 0; i < 100; i++) {
    seed = seed + (carry_floats_over(i * tenth, [] { go_outside(); }) > 1e9);
  }
  finish();
}

TEST(context, keeps_floating_point_values) {
  two_flows both(spoils_floats);
  for (int i = 0; !ended; i++) {
    const double x = i * tenth + 5;
    const double got = carry_floats_over(x, [&] { both.run(); });
    EXPECT_EQ(got, carry_floats_over(x, [] {}));
  }
}

// Gives back what it was given, one place further and one more; last nothing.
void gives_back() noexcept {
  arrive();
  arch::carried with = inside->switch_to(*outside);
  for (int i = 0; i < 10; i++) {
    with = inside->switch_to(*outside, static_cast<char*>(with.place) + 1, with.value + 1);
  }
  finish();
}

TEST(context, a_switch_takes_two_words_along) {
  two_flows both(gives_back);
  flow& here = *outside;
  EXPECT_EQ(here.switch_to(*inside).place, nullptr);
  char places[2];
  for (std::uint64_t i = 0; i < 10; i++) {
    const arch::carried got = here.switch_to(*inside, places, ~i);
    EXPECT_EQ(got.place, places + 1);
    EXPECT_EQ(got.value, ~i + 1);
  }
  EXPECT_EQ(here.switch_to(*inside, places, 1).place, nullptr);  // by a jump
  EXPECT_TRUE(ended);
}

// Nothing but a switch is called, so the compiler may leave its array below the stack pointer.
WEFT_NOINLINE int leaf(arch::context& from, arch::context& to) noexcept {
  volatile int kept[16];
  for (int i = 0; i < 16; i++) kept[i] = i * i;
  arch::switch_context(from, to);
  int wrong = 0;
  for (int i = 0; i < 16; i++) wrong += kept[i] != i * i;
  return wrong;
}

arch::context bare_outside;
arch::context bare_inside;

void bare_leaf() noexcept {
  for (;;) ended = leaf(bare_inside, bare_outside) == 0;
}

TEST(context, keeps_the_red_zone_of_a_leaf) {
  if constexpr (build::asan || build::tsan) GTEST_SKIP() << "switches without notes";
  alignas(16) static std::byte stack[flow::stack_bytes];
  notes::stack_note note;
  notes::stack_made(note, stack, stack + sizeof stack);
  arch::make_context(bare_inside, stack + sizeof stack, bare_leaf);
  ended = false;
  EXPECT_EQ(leaf(bare_outside, bare_inside), 0);
  EXPECT_FALSE(ended);
  EXPECT_EQ(leaf(bare_outside, bare_inside), 0);
  EXPECT_TRUE(ended);
  notes::stack_gone(note);
}

constexpr int nested = 10;
std::array<flow*, nested + 1> level;
int depth = 0;
std::vector<int> order;

void nests() noexcept {
  notes::acquire(&turns);
  const int mine = ++depth;
  level[mine]->arrive();
  order.push_back(mine);
  if (mine < nested) level[mine]->switch_to(*level[mine + 1]);
  order.push_back(-mine);
  level[mine]->leave_for(*level[mine - 1]);
}

TEST(context, ten_flows_nest) {
  flow here;
  level[0] = &here;
  std::vector<std::unique_ptr<flow>> flows;
  for (int i = 1; i <= nested; i++) {
    flows.push_back(std::make_unique<flow>(nests));
    level[i] = flows.back().get();
  }
  order.clear();
  depth = 0;
  here.switch_to(*level[1]);
  std::vector<int> expected;
  for (int i = 1; i <= nested; i++) expected.push_back(i);
  for (int i = nested; i >= 1; i--) expected.push_back(-i);
  EXPECT_EQ(order, expected);
}

void* entry_frame = nullptr;
bool entry_aligned = false;

void notes_its_frame() noexcept {
  arrive();
  alignas(16) std::byte local[16];
  entry_frame = __builtin_frame_address(0);
  // Taken through a volatile, or the compiler would answer from the declaration.
  void* volatile address = local;
  entry_aligned = reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
  finish();
}

TEST(context, entry_is_called_with_an_aligned_stack_pointer_whatever_the_top) {
  for (std::size_t unused = 0; unused < 64; unused++) {
    two_flows both(notes_its_frame, unused);
    both.run();
    EXPECT_TRUE(ended);
    EXPECT_TRUE(entry_aligned);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(entry_frame) % 16, 0u);
    EXPECT_TRUE(both.other().holds(entry_frame));
  }
}

TEST(context, a_fresh_context_has_touched_no_byte_of_its_stack) {
#if defined(WEFT_PORTABLE_SWITCH)
  GTEST_SKIP() << "the portable switch keeps its record on the stack";
#endif
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* closed = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(closed, MAP_FAILED);
  arch::context c;
  arch::make_context(c, static_cast<std::byte*>(closed) + page, notes_its_frame);
  munmap(closed, page);
}

// What an unwinder sees: the frames of a flow, all on its own stack, the base last.
struct backtrace {
  std::vector<std::uintptr_t> ips;
  std::vector<std::uintptr_t> cfas;
  _Unwind_Reason_Code end = _URC_NO_REASON;

  void take() noexcept {
    end = _Unwind_Backtrace(
        [](_Unwind_Context* c, void* self) {
          auto* b = static_cast<backtrace*>(self);
          if (_Unwind_GetIP(c) == 0) return _URC_NO_REASON;  // some unwinders report the end so
          b->ips.push_back(_Unwind_GetIP(c));
          b->cfas.push_back(_Unwind_GetCFA(c));
          return b->ips.size() < 100 ? _URC_NO_REASON : _URC_NORMAL_STOP;
        },
        this);
  }
};

backtrace taken;

WEFT_NOINLINE void takes_backtrace_deeper(int frames) noexcept {
  if (frames == 0) {
    taken.take();
  } else {
    takes_backtrace_deeper(frames - 1);
  }
  asm volatile("");  // no tail call: the frames are what is counted
}

void takes_backtrace() noexcept {
  arrive();
  takes_backtrace_deeper(3);
  go_outside();
  finish();
}

#if !defined(WEFT_PORTABLE_SWITCH)
extern "C" const char weft_context_base[];
#endif

TEST(context, entry_has_no_caller_but_the_base_of_its_stack) {
  two_flows both(takes_backtrace);
  taken = {};
  both.run();
  EXPECT_EQ(taken.end, _URC_END_OF_STACK);
  ASSERT_GE(taken.ips.size(), 5u) << "four calls and entry";
  for (std::size_t i = 0; i + 1 < taken.cfas.size(); i++) {
    EXPECT_TRUE(both.other().holds(reinterpret_cast<void*>(taken.cfas[i] - 1))) << "frame " << i;
  }
#if !defined(WEFT_PORTABLE_SWITCH)
  const auto base = reinterpret_cast<std::uintptr_t>(weft_context_base);
  EXPECT_GT(taken.ips.back(), base);
  EXPECT_LT(taken.ips.back(), base + 32);
#endif
  both.run();
  EXPECT_TRUE(ended);
}

struct counted {
  explicit counted(int& n) : n_(n) { n_++; }
  ~counted() { n_--; }
  int& n_;
};

int alive = 0;
std::string caught;

WEFT_NOINLINE void throws_deeper(int frames) {
  counted c(alive);
  if (frames == 0) throw std::runtime_error("from a context");
  throws_deeper(frames - 1);
}

void catches() noexcept {
  arrive();
  for (int i = 0; i < 3; i++) {
    try {
      throws_deeper(10);
    } catch (const std::runtime_error& e) {
      caught += e.what();
    }
    go_outside();
  }
  finish();
}

TEST(context, an_exception_is_thrown_and_caught_inside_a_flow) {
  two_flows both(catches);
  caught.clear();
  while (!ended) {
    both.run();
    EXPECT_EQ(alive, 0);
  }
  EXPECT_EQ(caught, "from a contextfrom a contextfrom a context");
}

int lives = 0;

void lives_once() noexcept {
  arrive();
  alignas(64) volatile std::byte used[1024];
  for (auto& b : used) b = std::byte{1};
  lives++;
  finish();
}

TEST(context, a_stack_whose_flow_has_ended_can_be_used_again) {
  two_flows both(lives_once);
  lives = 0;
  for (int i = 0; i < 1000; i++) {
    if (i > 0) both.other().restart(lives_once);
    both.run();
    ASSERT_EQ(lives, i + 1);
  }
}

std::vector<pid_t> ran_on;

void wanders() noexcept {
  arrive();
  for (int i = 0; i < 8; i++) {
    ran_on.push_back(gettid());
    go_outside();
  }
  finish();
}

TEST(context, a_flow_goes_on_where_it_is_resumed) {
  flow there(wanders);
  inside = &there;
  ended = false;
  ran_on.clear();
  std::vector<pid_t> expected;
  for (int i = 0; i <= 8; i++) {
    std::thread([&] {
      expected.push_back(gettid());
      flow here;
      here.visit(there);
    }).join();
  }
  EXPECT_TRUE(ended);
  expected.pop_back();  // there the flow ended
  EXPECT_EQ(ran_on, expected);
  inside = nullptr;
}

}  // namespace
}  // namespace weft::rt::test
