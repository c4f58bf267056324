// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measuring a scheduling step; the table of what iterations took.
#include "par/pace.hpp"

#include <algorithm>
#include <bit>

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "lockfree/iteration_span.hpp"

namespace weft::rt::pace {

namespace {

constexpr unsigned table_bits = 8;
constexpr unsigned code_bits = 16;
constexpr uint64_t code_mask = (uint64_t{1} << code_bits) - 1;
constexpr int far_off = 8;  // of codes: a factor of two

// An entry: key << code_bits | code; the upper bits of the key fall off. Zero: nobody.
atomic<uint64_t> table[1u << table_bits];

// Ticks of `steps` steps; 0: not measured yet.
constexpr uint64_t steps = 64;
atomic<uint64_t> steps_took{0};

uint64_t measure_steps() noexcept {
  iteration_span span;
  uint64_t best = UINT64_MAX;
  for (int tries = 0; tries < 5; ++tries) {
    span.put({0, steps});
    const uint64_t start = arch::cycle_count();
    uint64_t now = start;
    while (!span.take_front(1).empty()) now = arch::cycle_count();
    best = std::min(best, now - start);
  }
  return std::max<uint64_t>(best, 1);
}

atomic<uint64_t>& entry_of(const void* key) noexcept {
  const uint64_t mixed = reinterpret_cast<uintptr_t>(key) * 0x9e3779b97f4a7c15u;
  return table[mixed >> (64 - table_bits)];
}

// A number as its power of two and the three bits after the first one.
uint64_t encode(double ticks) noexcept {
  const double scaled = std::clamp(ticks * fine, 8.0, 1e15);
  const auto v = static_cast<uint64_t>(scaled);
  const unsigned shift = static_cast<unsigned>(std::bit_width(v)) - 4;
  return uint64_t{shift} << 3 | (v >> shift & 7);
}

double decode(uint64_t code) noexcept {
  return static_cast<double>((8 | (code & 7)) << (code >> 3)) / fine;
}

bool is_for(uint64_t entry, const void* key) noexcept {
  return entry != 0 &&
         entry >> code_bits == reinterpret_cast<uintptr_t>(key) << code_bits >> code_bits;
}

}  // namespace

double step() noexcept {
  uint64_t took = steps_took.load_relaxed();  // hint: any measurement will do
  if (took == 0) [[unlikely]] {
    took = measure_steps();
    steps_took.store_relaxed(took);  // hint: as said
  }
  return static_cast<double>(took) / static_cast<double>(steps);
}

double recall(const void* key) noexcept {
  const uint64_t entry = entry_of(key).load_relaxed();  // hint: a wrong value costs time
  return is_for(entry, key) ? decode(entry & code_mask) : 0;
}

void learn(const void* key, double ticks) noexcept {
  atomic<uint64_t>& place = entry_of(key);
  const uint64_t entry = place.load_relaxed();  // hint: as above
  const uint64_t code = encode(ticks);
  const int off = static_cast<int>(code) - static_cast<int>(entry & code_mask);
  if (is_for(entry, key) && off < far_off && off > -far_off) return;
  place.store_relaxed(reinterpret_cast<uintptr_t>(key) << code_bits | code);  // hint: as above
}

}  // namespace weft::rt::pace
