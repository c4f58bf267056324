// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether nothing runs, and nothing is ready: a double collect (Afek and others, "Atomic Snapshots
// of Shared Memory", JACM 1993), read by one thread while workers come to rest and rise.
//
// A worker that finds nothing counts as at rest. Before it takes anything it raises a number of its
// own and counts as at work. So if all are at rest and all queues are empty, read twice,
// and nobody has risen in between, there was a moment in which nothing ran.
//
// A worker that naps within a task's yield counts as at rest, too, although that task runs. It says
// that it naps from before it counts as at rest until after it has risen. It may end one nap before
// it is asked for and begin the next before the second collect: so both ask for naps, and the
// rises are asked for last.
//
// Orders
//   N1 <> N2   who naps says so, full fence, counts as at rest; who collects reads that count, full
//              fence, asks who naps
//   N3 <> N2   who has risen, full fence, ends its nap; who collects asks who naps, acquires, and
//              asks who has risen
//   W1 <> W2   who rises says so, counts as at work, full fence, takes; the collect reads the
//              queues, full fence, asks who is at rest and who has risen
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace weft::rt {

// How often a worker has risen.
class rise_count {
 public:
  // Owner: then it counts as at work, full fence, and takes.
  void raise() noexcept {
    count_.store_relaxed(count_.load_relaxed() + 1);  // W1 <> W2; own: only its worker writes
  }
  [[nodiscard]] std::uint64_t read() const noexcept {
    return count_.load_relaxed();  // W2 <> W1
  }

 private:
  atomic<std::uint64_t> count_{0};
};

// How many workers nap within a yield.
class nap_count {
 public:
  // By a worker, before it counts as at rest.
  void begin() noexcept {
    (void)count_.add_relaxed(1);  // N1 <> N2
    fence_seq_cst();              // N1 <> N2
  }
  // By a worker, after it has risen, with its full fence.
  void end() noexcept {
    (void)count_.add_relaxed(UINT32_MAX);  // N3 <> N2
  }

  // After a full fence.
  [[nodiscard]] bool any() const noexcept {
    return count_.load_acquire() != 0;  // N2 <> N1, N2 <> N3
  }

 private:
  atomic<std::uint32_t> count_{0};
};

// Workers:
//   uint64_t rises()     their rise_counts, all together
//   bool at_rest()       whether all count as at rest
//   bool nap()           nap_count::any(); or whatever else runs a task while its worker rests
//   bool holds_none()    whether all queues are empty
template <class Workers>
[[nodiscard]] bool is_quiescent(Workers&& w) noexcept {
  const auto none_runs = [&] {
    if (!w.at_rest()) return false;
    fence_seq_cst();  // N2 <> N1
    return !w.nap();
  };
  const std::uint64_t before = w.rises();
  if (!none_runs() || !w.holds_none()) return false;
  fence_seq_cst();  // W2 <> W1
  return none_runs() && w.rises() == before;
}

}  // namespace weft::rt
