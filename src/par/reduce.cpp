// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions: by the member, each with a value of its own, or by the piece, in order.
#include "par/reduce.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/attributes.hpp"
#include "mem/raw.hpp"
#include "sync/mutex.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

namespace {

constexpr std::size_t small_bytes = 256;  // of a value that lies on the member's stack

// What all members of one reduction share.
struct by_member {
  const reduction& how;
  std::byte* total;
  void* site;
  mutex lock_total{};

  // A member's turn at the total. In the child of a fork it is always its turn: the lock may be
  // another's, who is not there, and those who wait for it are the parent's. A turn may begin in
  // the parent and end in the child.
  class turn {
   public:
    turn(by_member& all, const loop_member& me) noexcept : all_(all), me_(me) {
      if (!me_.is_in_child() && !all_.lock_total.try_lock()) all_.lock_total.lock_surely(all_.site);
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
      if (!me_.is_in_child()) (void)all_.lock_total.unlock();
    }

   private:
    by_member& all_;
    const loop_member& me_;
  };

  void merge(const loop_member& me, const void* value) noexcept {
    const turn mine(*this, me);
    how.reduce(total, value);
  }

  static void run(loop_member& me, void* argument) noexcept {
    auto& all = *static_cast<by_member*>(argument);
    const std::size_t bytes = all.how.value_bytes;
    alignas(line_bytes) std::byte small[small_bytes];
    void* value = bytes <= sizeof small ? small : raw_alloc(bytes);
    if (value == nullptr) return all.run_in_place(me);
    std::memcpy(value, all.how.identity, bytes);
    for (auto b = me.next(); !b.empty(); b = me.next())
      all.how.add(b.first, b.last, value, all.how.argument);
    all.merge(me, value);
    if (value != small) raw_free(value, bytes);
  }

  // No memory for a value of the member's own.
  WEFT_COLD void run_in_place(loop_member& me) noexcept {
    for (auto b = me.next(); !b.empty(); b = me.next()) {
      const turn mine(*this, me);
      how.add(b.first, b.last, total, how.argument);
    }
  }
};

// The same for pieces of the range.
struct by_piece {
  const reduction& how;
  std::byte* values;
  std::size_t stride;
  uint64_t count;  // iterations
  uint64_t pieces;

  uint64_t begin(uint64_t piece) const noexcept {
    return count / pieces * piece + std::min(piece, count % pieces);
  }

  static void run(loop_member& me, void* argument) noexcept {
    const auto& all = *static_cast<by_piece*>(argument);
    for (auto b = me.next(); !b.empty(); b = me.next())
      for (uint64_t piece = b.first; piece < b.last; ++piece)
        all.how.add(all.begin(piece), all.begin(piece + 1), all.values + piece * all.stride,
                    all.how.argument);
  }
};

constexpr uint64_t most_pieces = 256;
constexpr uint64_t least_piece = 64;                       // iterations
constexpr std::size_t most_bytes = std::size_t{16} << 20;  // for the values of all pieces

int reduce_pieces(loop_plan& plan, const reduction& how, void* result) noexcept {
  const std::size_t stride = (how.value_bytes + line_bytes - 1) / line_bytes * line_bytes;
  const uint64_t room = std::max<uint64_t>(most_bytes / stride, 1);
  const uint64_t pieces =
      std::min(std::clamp<uint64_t>(plan.count / least_piece, 1, most_pieces), room);
  const std::size_t bytes = pieces * stride;
  auto* values = static_cast<std::byte*>(raw_alloc(bytes));
  if (values == nullptr) return -ENOMEM;
  for (uint64_t p = 0; p < pieces; ++p)
    std::memcpy(values + p * stride, how.identity, how.value_bytes);
  by_piece all{how, values, stride, plan.count, pieces};
  plan.count = pieces;
  plan.block = 0;
  plan.run = by_piece::run;
  plan.argument = &all;
  const int failed = run_loop(plan);
  for (uint64_t p = 1; p < pieces; ++p) how.reduce(values, values + p * stride);
  std::memcpy(result, values, how.value_bytes);
  raw_free(values, bytes);
  return failed;
}

int reduce_members(loop_plan& plan, const reduction& how, void* result) noexcept {
  auto* total = static_cast<std::byte*>(raw_alloc(how.value_bytes));
  if (total == nullptr) return -ENOMEM;
  std::memcpy(total, how.identity, how.value_bytes);
  by_member all{how, total, plan.site};
  plan.run = by_member::run;
  plan.argument = &all;
  const int failed = run_loop(plan);
  std::memcpy(result, total, how.value_bytes);
  raw_free(total, how.value_bytes);
  return failed;
}

}  // namespace

int run_reduction(loop_plan plan, const reduction& how, void* result) noexcept {
  return how.in_order ? reduce_pieces(plan, how, result) : reduce_members(plan, how, result);
}

}  // namespace weft::rt
