// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, searches and prefix sums over parallel loops.
//
// reduce is the fastest: each member reduces what it runs, in the order in which it comes to it, so
// the operator must be associative and commutative, and sums of floating-point numbers differ from
// run to run. reduce_in_order needs an associative one only, and gives the same bits at any number
// of workers: the range is cut into pieces by its length alone, each is reduced from its beginning,
// and then the pieces. identity is what changes nothing; f(i) is the value of an iteration. Of a
// reduction that is cancelled the result is that of the iterations that were run; prefix sums are
// not cancelled.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "weft/cpp/cancel.hpp"
#include "weft/cpp/lock.hpp"
#include "weft/cpp/loop.hpp"

namespace weft::par {

namespace detail {

// A range cut into pieces of equal length, the first ones perhaps longer by one.
struct pieces {
  uint64_t count;
  uint64_t of;

  uint64_t begin(uint64_t piece) const { return count / of * piece + std::min(piece, count % of); }
  uint64_t end(uint64_t piece) const { return begin(piece + 1); }
};

// Of where two members may write neighbours at the same time.
template <class I>
consteval void refuse_bits() {
  static_assert(!std::is_same_v<I, std::vector<bool>::iterator>,
                "weft::par: neighbours in a std::vector<bool> share a word");
}

// The turns of a loop's members at what they share. In a child of fork() the others are not there,
// nor is the lock: who was in its turn never ends it, and nobody takes one after that.
class merging {
 public:
  // self: the member's task when it came; null: nobody else takes part.
  template <class F>
  void take(weft_task_t self, F&& merge) {
    const auto is_here = [self] { return self != nullptr && weft_task_self() == self; };
    if (!is_here()) return merge_once(merge);
    const cancel_shield loops_are_not_cancelled;
    std::unique_lock<weft::mutex> held(lock_);
    merge_once(merge);
    if (!is_here()) held.release();
  }

 private:
  template <class F>
  void merge_once(F& merge) {
    if (std::exchange(broken_, true)) return;
    merge();
    broken_ = false;
  }

  weft::mutex lock_;
  bool broken_ = false;  // somebody is at it, or has thrown there, and what it took is gone
};

inline constexpr uint64_t most_pieces = 256;
inline constexpr uint64_t least_piece = 64;  // iterations

// By the length alone.
inline pieces in_order(uint64_t count) {
  return {count, std::clamp<uint64_t>(count / least_piece, 1, most_pieces)};
}

}  // namespace detail

template <index I, class T, class Op, class F>
T reduce(I begin, I end, T identity, Op op, F f, const how& h = by_default) {
  T total = identity;
  detail::merging turns;
  share(
      detail::length_of(begin, end),
      [&](member& me) {
        const weft_task_t self = weft_task_self();
        T mine = identity;
        me.run([&](uint64_t first, uint64_t last) {
          detail::own<F> value = f;
          detail::own<Op> with = op;
          I i = detail::place_at(begin, first);
          T sum = std::move(mine);
          for (uint64_t left = last - first; left != 0; --left, ++i)
            sum = with(std::move(sum), value(i));
          mine = std::move(sum);
        });
        turns.take(self, [&] { total = op(std::move(total), std::move(mine)); });
      },
      h);
  return total;
}

template <index I, class T, class Op, class F>
T reduce_in_order(I begin, I end, T identity, Op op, F f, const how& h = by_default) {
  const auto parts = detail::in_order(detail::length_of(begin, end));
  std::vector<std::optional<T>> sums(parts.of);
  loop(
      uint64_t{0}, parts.of,
      [&](uint64_t piece) {
        I i = detail::place_at(begin, parts.begin(piece));
        T sum = identity;
        for (uint64_t left = parts.end(piece) - parts.begin(piece); left != 0; --left, ++i)
          sum = op(std::move(sum), f(i));
        sums[piece].emplace(std::move(sum));
      },
      detail::by_pieces(h));
  T total = std::move(identity);
  for (auto& sum : sums)
    if (sum.has_value()) total = op(std::move(total), std::move(*sum));
  return total;
}

// Whether pred(i) holds for any i. Who finds one ends the loop.
template <index I, class Pred>
bool any_of(I begin, I end, Pred pred, const how& h = by_default) {
  std::atomic<bool> found{false};
  share(
      detail::length_of(begin, end),
      [&](member& me) {
        uint64_t first = 0;
        uint64_t last = 0;
        while (me.next(first, last)) {
          I i = detail::place_at(begin, first);
          for (uint64_t n = first; n != last; ++n, ++i) {
            if (pred(i)) {
              found.store(true, std::memory_order_relaxed);
              return;
            }
            if (n % stop_stride == stop_stride - 1 && me.stopped()) return;
          }
        }
      },
      h);
  return found.load(std::memory_order_relaxed);
}

template <index I, class Pred>
bool all_of(I begin, I end, Pred pred, const how& h = by_default) {
  return !par::any_of(begin, end, [&](const I& i) { return !pred(i); }, h);
}

template <index I, class Pred>
bool none_of(I begin, I end, Pred pred, const how& h = by_default) {
  return !par::any_of(begin, end, std::move(pred), h);
}

// The first i for which pred(i) holds, or end. What lies behind one that was found is not looked
// at.
template <index I, class Pred>
I find_if(I begin, I end, Pred pred, const how& h = by_default) {
  const uint64_t count = detail::length_of(begin, end);
  std::atomic<uint64_t> best{count};
  share(
      count,
      [&](member& me) {
        uint64_t first = 0;
        uint64_t last = 0;
        while (me.next(first, last)) {
          uint64_t limit = std::min(last, best.load(std::memory_order_relaxed));
          I i = detail::place_at(begin, first);
          for (uint64_t n = first; n < limit; ++n, ++i) {
            if (pred(i)) {
              uint64_t seen = best.load(std::memory_order_relaxed);
              while (n < seen && !best.compare_exchange_weak(seen, n, std::memory_order_relaxed)) {
              }
              break;
            }
            if (n % stop_stride == stop_stride - 1) {
              if (me.stopped()) return;
              limit = std::min(last, best.load(std::memory_order_relaxed));
            }
          }
        }
      },
      h);
  const uint64_t found = best.load(std::memory_order_relaxed);
  return found == count ? end : detail::place_at(begin, found);
}

// The first of the least elements of a range, by less; last if it is empty.
template <std::random_access_iterator I, class Less = std::less<>>
I min_element(I first, I last, Less less = {}, const how& h = by_default) {
  if (first == last) return last;
  return par::reduce(
      first, last, first,
      [&](I a, I b) {
        if (less(*b, *a)) return b;
        if (less(*a, *b)) return a;
        return std::min(a, b);
      },
      [](I i) { return i; }, h);
}

// The first of the greatest elements of a range, by less; last if it is empty.
template <std::random_access_iterator I, class Less = std::less<>>
I max_element(I first, I last, Less less = {}, const how& h = by_default) {
  return par::min_element(first, last, [&](const auto& a, const auto& b) { return less(b, a); }, h);
}

// For each i, f(i) gives a pair: a place in 0 to places - 1, and a value, which is reduced into
// that place of bins. op as for reduce. Each member has bins of its own meanwhile.
template <index I, class T, class Op, class F>
void reduce_by_key(I begin, I end, T* bins, size_t places, T identity, Op op, F f,
                   const how& h = by_default) {
  detail::merging turns;
  share(
      detail::length_of(begin, end),
      [&](member& me) {
        const weft_task_t self = weft_task_self();
        std::vector<T> mine(places, identity);
        me.run([&](uint64_t first, uint64_t last) {
          I i = detail::place_at(begin, first);
          for (uint64_t left = last - first; left != 0; --left, ++i) {
            auto [place, value] = f(i);
            auto&& bin = mine[static_cast<size_t>(place)];
            bin = op(std::move(bin), std::move(value));
          }
        });
        turns.take(self, [&] {
          for (size_t p = 0; p < places; ++p) bins[p] = op(std::move(bins[p]), std::move(mine[p]));
        });
      },
      h);
}

namespace detail {

// The sums of all pieces, then the pieces again with what precedes them. inclusive: an element
// counts for its own place, else from the next one on.
template <bool Inclusive, class I, class O, class T, class Op>
O scan(I first, I last, O out, T start, Op op, const how& h) {
  detail::refuse_bits<O>();
  const auto parts = in_order(length_of(first, last));
  std::vector<std::optional<T>> sums(parts.of);
  const auto sum_up = [&](uint64_t piece) {
    const uint64_t begin = parts.begin(piece);
    const uint64_t end = parts.end(piece);
    if (begin == end) return;
    T sum = *place_at(first, begin);
    for (uint64_t i = begin + 1; i < end; ++i) sum = op(std::move(sum), *place_at(first, i));
    sums[piece].emplace(std::move(sum));
  };
  const how whole = by_pieces(uncancelled(h));
  // Nobody asks for the last.
  if (!loop(uint64_t{0}, parts.of - 1, sum_up, whole)) return out;  // in a child of fork()
  std::vector<T> before;
  before.reserve(parts.of);
  before.push_back(std::move(start));
  for (uint64_t piece = 0; piece + 1 < parts.of; ++piece)
    before.push_back(op(before.back(), std::move(*sums[piece])));
  const auto write = [&](uint64_t piece) {
    T sum = std::move(before[piece]);
    for (uint64_t i = parts.begin(piece); i < parts.end(piece); ++i) {
      T value = *place_at(first, i);  // out may be first
      if constexpr (Inclusive) {
        sum = op(std::move(sum), std::move(value));
        *place_at(out, i) = sum;
      } else {
        *place_at(out, i) = sum;
        sum = op(std::move(sum), std::move(value));
      }
    }
  };
  loop(uint64_t{0}, parts.of, write, whole);
  return place_at(out, parts.count);
}

}  // namespace detail

// Prefix sums, as std::inclusive_scan and std::exclusive_scan with a start value. op is
// associative; the result has the same bits at any number of workers. out may be first.
template <std::random_access_iterator I, std::random_access_iterator O, class T,
          class Op = std::plus<>>
O inclusive_scan(I first, I last, O out, T start, Op op = {}, const how& h = by_default) {
  return detail::scan<true>(first, last, out, std::move(start), op, h);
}
template <std::random_access_iterator I, std::random_access_iterator O, class T,
          class Op = std::plus<>>
O exclusive_scan(I first, I last, O out, T start, Op op = {}, const how& h = by_default) {
  return detail::scan<false>(first, last, out, std::move(start), op, h);
}

}  // namespace weft::par
