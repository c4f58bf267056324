// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of CPUs, and which of them a thread may run on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::rt::os {

class cpu_set {
 public:
  static constexpr std::uint32_t most = 8192;  // the largest kernels have as many

  bool has(std::uint32_t cpu) const noexcept {
    return cpu < most && (words_[cpu / bits] >> cpu % bits & 1) != 0;
  }
  void add(std::uint32_t cpu) noexcept {
    if (cpu < most) words_[cpu / bits] |= 1ul << cpu % bits;
  }
  void remove(std::uint32_t cpu) noexcept {
    if (cpu < most) words_[cpu / bits] &= ~(1ul << cpu % bits);
  }
  void fill() noexcept {
    for (unsigned long& word : words_) word = ~0ul;
  }
  std::uint32_t count() const noexcept {
    std::uint32_t n = 0;
    for (const unsigned long word : words_)
      n += static_cast<std::uint32_t>(__builtin_popcountl(word));
    return n;
  }
  // The first CPU from `from` on; most: there is none.
  std::uint32_t next(std::uint32_t from) const noexcept {
    while (from < most && !has(from))
      from = words_[from / bits] == 0 ? (from / bits + 1) * bits : from + 1;
    return from < most ? from : most;
  }
  bool operator==(const cpu_set&) const noexcept = default;
  // Takes away what `other` has not.
  void keep(const cpu_set& other) noexcept {
    for (std::size_t i = 0; i < most / bits; ++i) words_[i] &= other.words_[i];
  }

 private:
  friend bool get_affinity_of(std::int64_t thread, cpu_set& out) noexcept;
  friend bool set_affinity(const cpu_set& to) noexcept;

  static constexpr std::uint32_t bits = 8 * sizeof(unsigned long);
  unsigned long words_[most / bits] = {};
};

// Of the calling thread. False: the kernel does not say; out is unchanged.
[[nodiscard]] bool get_affinity(cpu_set& out) noexcept;
// Of any thread, by its thread_number. False also: there is no such thread.
[[nodiscard]] bool get_affinity_of(std::int64_t thread, cpu_set& out) noexcept;
// For the calling thread. False: none of these CPUs may be used.
[[nodiscard]] bool set_affinity(const cpu_set& to) noexcept;

// The calling thread runs on this CPU, or did so a moment ago.
[[nodiscard]] std::uint32_t current_processor() noexcept;
// Moves the calling thread to a CPU of its mask, which is `mask` before and afterwards; the kernel
// may move it on at once. Takes until that CPU has a turn for it. False: it was not moved. A mask
// that was set meanwhile stays. One that was set to more than the cpuset allows is all from then
// on: what was set cannot be read.
[[nodiscard]] bool step_to(std::uint32_t cpu, const cpu_set& mask) noexcept;
// The second half of that: the mask of the calling thread was made `only`, and becomes `mask`.
void end_step(const cpu_set& only, const cpu_set& mask) noexcept;

// Adds what a list such as 0-3,8 names; false: it is none, and to has perhaps a part of it.
[[nodiscard]] bool add_cpu_list(const char* list, cpu_set& to) noexcept;

}  // namespace weft::rt::os
