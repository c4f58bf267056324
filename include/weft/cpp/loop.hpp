// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel loops over integers, iterators, and two or three dimensions.
//
// The body is called by several tasks at the same time, in place: all share it and what it refers
// to, so it must not change what it holds (one that is trivially copied, and small, may be copied
// at any time). An exception that leaves it ends the loop: no block is begun after that, blocks
// that run stop within some iterations, and the call throws the first one when all have ended. So
// does a set cancel flag, and then the call returns false.
#pragma once

#include <atomic>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "weft/cpp/error.hpp"
#include "weft/loop.h"
#include "weft/task.h"

namespace weft::par {

enum class schedule : uint32_t {
  usual = WEFT_LOOP_DEFAULT,
  adaptive = WEFT_LOOP_ADAPTIVE,
  balanced = WEFT_LOOP_BALANCED,
  fixed = WEFT_LOOP_FIXED,
  guided = WEFT_LOOP_GUIDED,
  factored = WEFT_LOOP_FACTORED
};

// How a loop is run; see weft_loop_t. by_default adapts.
struct how {
  par::schedule schedule = par::schedule::usual;
  uint32_t members = 0;
  uint64_t block = 0;
  const uint32_t* cancel = nullptr;
  uint32_t where = WEFT_ANYWHERE;
};
inline constexpr how by_default{};

// The same without a cancel flag: for what must not be left half done.
constexpr how uncancelled(how h) noexcept {
  h.cancel = nullptr;
  return h;
}

namespace detail {

// Where the iterations are pieces, h's block would be of them.
constexpr how by_pieces(how h) noexcept {
  h.block = 0;
  return h;
}

}  // namespace detail

// Iterations between two looks at whether the loop shall end, at least.
inline constexpr uint64_t stop_stride = 1024;

// One who takes part in a loop, on its own stack.
class member {
 public:
  explicit member(weft_loop_member_t* me) noexcept : me_(me) {}

  // The next block, [first, last) of 0 to count - 1. False: there is none for anybody.
  bool next(uint64_t& first, uint64_t& last) noexcept {
    return weft_loop_next(me_, &first, &last) == 1;
  }
  bool stopped() const noexcept { return weft_loop_is_stopped(me_) == 1; }

  // Calls f(first, last) for all blocks, in runs short enough to stop in time.
  template <class F>
  void run(F&& f) {
    uint64_t first = 0;
    uint64_t last = 0;
    while (next(first, last)) {
      uint64_t from = first;
      const uint64_t end = last;
      const uint64_t stride = end - from > stop_stride ? weft_loop_stop_interval(me_) : stop_stride;
      for (;;) {
        const uint64_t to = end - from > stride ? from + stride : end;
        apart(f, from, to);
        if (to == end) break;
        if (stopped()) return;
        from = to;
      }
    }
  }

 private:
  // Among the calls of run() a compiler may take a body for one that hardly runs, not align its
  // loops, and keep what it needs in memory, because such calls change registers.
  template <class F>
  [[gnu::noinline]] static void apart(F& f, uint64_t first, uint64_t last) {
    f(first, last);
  }

  weft_loop_member_t* me_;
};

namespace detail {

// The exception of who comes first; the others are dropped.
class first_exception {
 public:
  void keep() noexcept {
    if (!taken_.exchange(true, std::memory_order_relaxed)) kept_ = std::current_exception();
  }
  // When all have ended.
  void rethrow() {
    if (taken_.load(std::memory_order_relaxed)) std::rethrow_exception(std::move(kept_));
  }

 private:
  std::atomic<bool> taken_{false};
  std::exception_ptr kept_;
};

inline weft_loop_t options_of(const how& h) noexcept {
  weft_loop_t options = WEFT_LOOP_INIT;
  options.schedule = static_cast<uint32_t>(h.schedule);
  options.members = h.members;
  options.block = h.block;
  options.cancel = h.cancel;
  options.where = h.where;
  return options;
}

template <class T>
concept small =
    std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> && sizeof(T) <= 64;

// What is called in a run: a copy of its own where that is cheap, so that the compiler can keep it
// in registers.
template <class F>
using own = std::conditional_t<small<F>, F, F&>;

template <class I>
constexpr uint64_t length_of(I begin, I end) {
  if constexpr (std::integral<I>) {
    return begin < end ? static_cast<uint64_t>(end) - static_cast<uint64_t>(begin) : 0;
  } else {
    const auto n = end - begin;
    return n > 0 ? static_cast<uint64_t>(n) : 0;
  }
}

// The place n steps from begin; of integers, where the difference may not fit into the type.
template <class I>
constexpr I place_at(I begin, uint64_t n) {
  if constexpr (std::integral<I>) {
    return static_cast<I>(static_cast<uint64_t>(begin) + n);
  } else {
    return begin + static_cast<std::iter_difference_t<I>>(n);
  }
}

}  // namespace detail

// An integer of 64 bits at most, or a random-access iterator.
template <class I>
concept index =
    (std::integral<I> && sizeof(I) <= sizeof(uint64_t)) || std::random_access_iterator<I>;

// Runs f(member&) for each member of a loop over 0 to count - 1: for state of its own. A member
// that returns before its blocks are over ends the loop for all. False: some iterations were not
// run.
template <class F>
bool share(uint64_t count, F&& f, const how& h = by_default) {
  struct call {
    std::remove_reference_t<F>& f;
    weft::par::detail::first_exception failed{};
  } c{f};
  const weft_loop_t options = detail::options_of(h);
  const int result = weft_loop_share(
      count,
      [](weft_loop_member_t* me, void* arg) {
        call& mine = *static_cast<call*>(arg);
        try {
          member m(me);
          mine.f(m);
        } catch (...) {
          mine.failed.keep();
        }
      },
      &c, &options);
  c.failed.rethrow();
  if (result == -ECANCELED) return false;
  weft::detail::must(result, "weft::par");
  return true;
}

namespace detail {

// Calls f in a task, of h's shepherd if it names one: what can be lacking for that is lacking
// before f begins, and the loops in f, which want another h.where no more than another task, always
// run to their end.
template <class F>
void in_task(const how& h, F&& f) {
  if (weft_task_self() != nullptr && (h.where == 0 || h.where == WEFT_ANYWHERE)) return f();
  how alone = by_default;
  alone.members = 1;
  alone.where = h.where;
  par::share(
      1,
      [&](member& me) {
        uint64_t first = 0;
        uint64_t last = 0;
        while (me.next(first, last)) f();
      },
      alone);
}

}  // namespace detail

// Calls body(begin, end) for blocks that make up [begin, end).
template <index I, class Body>
bool blocks(I begin, I end, Body&& body, const how& h = by_default) {
  return share(
      detail::length_of(begin, end),
      [&](member& me) {
        detail::own<std::remove_reference_t<Body>> mine = body;
        uint64_t first = 0;
        uint64_t last = 0;
        while (me.next(first, last))
          mine(detail::place_at(begin, first), detail::place_at(begin, last));
      },
      h);
}

// Calls body(i) for each i of [begin, end): integers, or iterators.
template <index I, class Body>
bool loop(I begin, I end, Body&& body, const how& h = by_default) {
  return share(
      detail::length_of(begin, end),
      [&](member& me) {
        me.run([&](uint64_t first, uint64_t last) {
          detail::own<std::remove_reference_t<Body>> mine = body;
          I i = detail::place_at(begin, first);
          for (uint64_t left = last - first; left != 0; --left, ++i) mine(i);
        });
      },
      h);
}

// The types are compared for the program: a conversion could make the loop another one.
template <std::integral I, std::integral J, class Body>
  requires(!std::is_same_v<I, J>)
bool loop(I, J, Body&&, const how& = by_default) {
  static_assert(std::is_same_v<I, J>,
                "weft::par::loop: begin and end are of two types; give one, as in "
                "loop(size_t{0}, v.size(), body)");
  return false;
}

// Calls f(*i) for each i of a range.
template <std::random_access_iterator I, class F>
bool for_each(I first, I last, F f, const how& h = by_default) {
  return loop(first, last, [&](I i) { f(*i); }, h);
}
template <class R, class F>
  requires std::random_access_iterator<decltype(std::begin(std::declval<R&>()))>
bool for_each(R&& range, F f, const how& h = by_default) {
  const auto first = std::begin(range);
  return par::for_each(first, first + std::ranges::distance(first, std::end(range)), std::move(f),
                       h);
}

// Calls body(i) for begin, begin + step, ... as long as it is before end, which is where the step
// leads.
template <std::integral I, std::signed_integral S, class Body>
bool loop(I begin, I end, S step, Body&& body, const how& h = by_default) {
  if (step == 0) throw std::invalid_argument("weft::par::loop: a step of 0");
  const uint64_t stride = static_cast<uint64_t>(step);
  const uint64_t far = step > 0 ? detail::length_of(begin, end) : detail::length_of(end, begin);
  const uint64_t by = step > 0 ? stride : 0 - stride;
  return share(
      far == 0 ? 0 : (far - 1) / by + 1,
      [&](member& me) {
        me.run([&](uint64_t first, uint64_t last) {
          detail::own<std::remove_reference_t<Body>> mine = body;
          uint64_t i = static_cast<uint64_t>(begin) + first * stride;
          for (uint64_t left = last - first; left != 0; --left, i += stride)
            mine(static_cast<I>(i));
        });
      },
      h);
}

template <std::integral I, std::integral J, std::signed_integral S, class Body>
  requires(!std::is_same_v<I, J>)
bool loop(I, J, S, Body&&, const how& = by_default) {
  static_assert(std::is_same_v<I, J>,
                "weft::par::loop: begin and end are of two types; give one, as in "
                "loop(size_t{0}, v.size(), 2, body)");
  return false;
}

// Calls body(i, j) for all of [0, rows) x [0, columns), tile by tile; a tile is one iteration of
// the loop.
template <std::invocable<uint64_t, uint64_t> Body>
bool loop_2d(uint64_t rows, uint64_t columns, Body&& body, uint64_t tile_rows = 1,
             uint64_t tile_columns = 1024, const how& h = by_default) {
  if (tile_rows == 0 || tile_columns == 0) throw std::invalid_argument("weft::par: a tile of 0");
  if (rows == 0 || columns == 0) return true;
  const uint64_t down = (rows - 1) / tile_rows + 1;
  const uint64_t across = (columns - 1) / tile_columns + 1;
  if (down > UINT64_MAX / across) throw std::length_error("weft::par::loop_2d: too many tiles");
  return loop(
      uint64_t{0}, down * across,
      [&](uint64_t tile) {
        const uint64_t i0 = tile / across * tile_rows;
        const uint64_t j0 = tile % across * tile_columns;
        const uint64_t height = tile_rows < rows - i0 ? tile_rows : rows - i0;
        const uint64_t width = tile_columns < columns - j0 ? tile_columns : columns - j0;
        for (uint64_t i = 0; i < height; ++i)
          for (uint64_t j = 0; j < width; ++j) body(i0 + i, j0 + j);
      },
      h);
}

// Calls body(i, j, k) for all of [0, planes) x [0, rows) x [0, columns).
template <std::invocable<uint64_t, uint64_t, uint64_t> Body>
bool loop_3d(uint64_t planes, uint64_t rows, uint64_t columns, Body&& body, uint64_t tile_rows = 1,
             uint64_t tile_columns = 1024, const how& h = by_default) {
  if (rows == 0 || planes == 0) return true;
  if (planes > UINT64_MAX / rows) throw std::length_error("weft::par::loop_3d: too many rows");
  return loop_2d(
      planes * rows, columns, [&](uint64_t row, uint64_t k) { body(row / rows, row % rows, k); },
      tile_rows, tile_columns, h);
}

}  // namespace weft::par
