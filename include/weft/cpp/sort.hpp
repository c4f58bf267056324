// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel sorting: runs sorted one by one, then merged in rounds, each round one loop over its
// output.
//
// A piece of a round's output finds by bisection what parts of the two runs it is made of, so that
// all pieces are of one length and no two write the same place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

#include "weft/cpp/loop.hpp"
#include "weft/cpp/reduce.hpp"
#include "weft/runtime.h"

namespace weft::par {

namespace detail {

inline constexpr uint64_t least_run = 2048;  // elements worth sorting apart

// Memory for n elements, which are there once fill() was told how many.
template <class T>
class second_place {
 public:
  explicit second_place(size_t n) : size_(n), at_(std::allocator<T>().allocate(n)) {}
  second_place(const second_place&) = delete;
  second_place& operator=(const second_place&) = delete;
  ~second_place() {
    if (filled_) std::destroy_n(at_, size_);
    std::allocator<T>().deallocate(at_, size_);
  }
  T* data() noexcept { return at_; }
  void set_filled() noexcept { filled_ = true; }

 private:
  size_t size_;
  T* at_;
  bool filled_ = false;
};

// How many of the first n of the merged runs come from a, of equal ones the first: those of a.
template <class A, class B, class Less>
uint64_t taken_from_first(A a, uint64_t in_a, B b, uint64_t in_b, uint64_t n, Less& less) {
  uint64_t low = n > in_b ? n - in_b : 0;
  uint64_t high = std::min(n, in_a);
  while (low < high) {
    const uint64_t mid = low + (high - low) / 2;
    if (less(*place_at(b, n - mid - 1), *place_at(a, mid))) {
      high = mid;
    } else {
      low = mid + 1;
    }
  }
  return low;
}

// As std::merge, but moves, and less sees the elements where they are, never as something to be
// moved from.
template <class From, class To, class Less>
void merge_moving(From a, From a_end, From b, From b_end, To out, Less& less) {
  for (; a != a_end && b != b_end; ++out) {
    if (less(*b, *a)) {
      *out = std::move(*b);
      ++b;
    } else {
      *out = std::move(*a);
      ++a;
    }
  }
  std::move(b, b_end, std::move(a, a_end, out));
}

// Merges runs two by two, from -> to, in as many pieces as of_first has places. A run is `width` of
// the pieces of `runs`. Where the pieces of the output begin is found before anything is moved, for
// it takes a look at elements of others: of_first gets how much of its pair's first run precedes
// each piece.
template <class From, class To, class Less>
void merge_round(const pieces& runs, uint64_t width, From from, To to,
                 std::vector<uint64_t>& of_first, Less& less, const how& h) {
  const pieces output{runs.count, std::min<uint64_t>(of_first.size(), runs.count)};
  const bool all_cut = loop(
      uint64_t{0}, output.of,
      [&](uint64_t part) {
        const uint64_t at = output.begin(part);
        uint64_t k = 0;
        while (runs.begin(k + 2 * width) <= at) k += 2 * width;
        const uint64_t begin = runs.begin(k);
        const uint64_t middle = runs.begin(k + width);
        of_first[part] =
            taken_from_first(place_at(from, begin), middle - begin, place_at(from, middle),
                             runs.begin(k + 2 * width) - middle, at - begin, less);
      },
      h);
  if (!all_cut) return;
  loop(
      uint64_t{0}, output.of,
      [&](uint64_t part) {
        uint64_t at = output.begin(part);
        const uint64_t last = output.end(part);
        uint64_t a0 = of_first[part];
        for (uint64_t k = 0; k < runs.of && at < last; k += 2 * width) {
          const uint64_t begin = runs.begin(k);
          const uint64_t middle = runs.begin(k + width);
          const uint64_t end = runs.begin(k + 2 * width);
          if (end <= at) continue;
          const uint64_t stop = std::min(last, end);
          const uint64_t a1 =
              stop == end ? middle - begin : of_first[part + 1];  // of this pair too
          merge_moving(place_at(from, begin + a0), place_at(from, begin + a1),
                       place_at(from, middle + (at - begin - a0)),
                       place_at(from, middle + (stop - begin - a1)), place_at(to, at), less);
          at = stop;
          a0 = 0;
        }
      },
      h);
}

// Sorts one run and keeps the order of equals: short pieces by insertion, then mergers to and from
// the spare place, which is as long. (std::stable_sort takes memory by a function that C++20 has no
// more.)
template <class I, class K, class Less>
void sort_stable_run(I run, uint64_t count, K spare, Less& less) {
  constexpr uint64_t piece = 16;
  for (uint64_t begin = 0; begin < count; begin += piece) {
    const I last = place_at(run, std::min(begin + piece, count));
    for (I i = place_at(run, begin); i != last; ++i) {
      const I to = std::upper_bound(place_at(run, begin), i, *i, std::ref(less));
      std::rotate(to, i, std::next(i));
    }
  }
  const auto merge_all = [&](auto from, auto to, uint64_t width) {
    for (uint64_t at = 0; at < count; at += 2 * width) {
      const uint64_t middle = std::min(at + width, count);
      const uint64_t end = std::min(at + 2 * width, count);
      merge_moving(place_at(from, at), place_at(from, middle), place_at(from, middle),
                   place_at(from, end), place_at(to, at), less);
    }
  };
  bool in_run = true;
  for (uint64_t width = piece; width < count; width *= 2) {
    in_run ? merge_all(run, spare, width) : merge_all(spare, run, width);
    in_run = !in_run;
  }
  if (!in_run) std::move(spare, place_at(spare, count), run);
}

// The elements go to a second place, are sorted there by sort_run(run, count, spare), and come
// back.
template <class I, class SortRun>
void sort_alone(I first, uint64_t count, SortRun& sort_run) {
  using value = std::iter_value_t<I>;
  second_place<value> other(count);
  value* const buffer = other.data();
  std::uninitialized_move(first, place_at(first, count), buffer);
  other.set_filled();
  sort_run(buffer, count, first);
  std::move(buffer, buffer + count, first);
}

// The same in runs, which are merged. No memory is taken once elements have moved, nor is there a
// task to be had.
template <class I, class Less, class SortRun>
void sort_runs(I first, uint64_t count, uint64_t runs, Less& less, SortRun& sort_run,
               const how& h) {
  using value = std::iter_value_t<I>;
  second_place<value> other(count);
  value* const buffer = other.data();
  std::vector<uint64_t> cuts(8 * runs);
  const pieces all{count, runs};
  // Not so in a child of fork(), as all such answers below: the others' parts are not there.
  const bool all_moved = loop(
      uint64_t{0}, runs,
      [&](uint64_t r) {
        std::uninitialized_move(place_at(first, all.begin(r)), place_at(first, all.end(r)),
                                buffer + all.begin(r));
      },
      h);
  if (!all_moved) return;
  other.set_filled();
  const bool all_sorted = loop(
      uint64_t{0}, runs,
      [&](uint64_t r) {
        const uint64_t begin = all.begin(r);
        sort_run(buffer + begin, all.end(r) - begin, place_at(first, begin));
      },
      h);
  if (!all_sorted) return;
  bool in_buffer = true;
  for (uint64_t width = 1; width < runs; width *= 2) {
    in_buffer ? merge_round(all, width, buffer, first, cuts, less, h)
              : merge_round(all, width, first, buffer, cuts, less, h);
    in_buffer = !in_buffer;
  }
}

template <class I, class Less, class SortRun>
void merge_sort(I first, uint64_t count, uint64_t runs, Less& less, SortRun sort_run,
                const how& h) {
  if (runs == 1) return sort_alone(first, count, sort_run);
  const how whole = by_pieces(uncancelled(h));
  in_task(whole, [&] { sort_runs(first, count, runs, less, sort_run, whole); });
}

// How many runs to sort: 1, or enough for all workers if they are long enough, so that the number
// of rounds is odd: what is sorted in the second place ends in the first.
inline uint64_t runs_for(uint64_t count, const how& h) {
  uint64_t workers = std::max<uint64_t>(weft_worker_count(), 1);
  if (h.members != 0) workers = std::min<uint64_t>(workers, h.members);
  if (workers == 1) return 1;
  if (count / 2 < least_run) return 1;
  uint64_t runs = 2;
  while (runs < workers && count / (4 * runs) >= least_run) runs *= 4;
  return runs;
}

}  // namespace detail

// As std::sort and std::stable_sort, of values whose move throws nothing. Takes a second place for
// each element meanwhile. If less throws, the values of the elements are not specified. Neither is
// cancelled. Where Weft does not run, one thread sorts.
template <std::random_access_iterator I, class Less = std::less<>>
  requires std::is_nothrow_move_constructible_v<std::iter_value_t<I>>
void sort(I first, I last, Less less = {}, const how& h = by_default) {
  detail::refuse_bits<I>();
  const uint64_t count = detail::length_of(first, last);
  const uint64_t runs = detail::runs_for(count, h);
  if (runs == 1) return std::sort(first, last, std::ref(less));
  detail::merge_sort(
      first, count, runs, less,
      [&](auto run, uint64_t n, I) { std::sort(run, run + n, std::ref(less)); }, h);
}
template <std::random_access_iterator I, class Less = std::less<>>
  requires std::is_nothrow_move_constructible_v<std::iter_value_t<I>>
void stable_sort(I first, I last, Less less = {}, const how& h = by_default) {
  detail::refuse_bits<I>();
  const uint64_t count = detail::length_of(first, last);
  if (count < 2) return;
  detail::merge_sort(
      first, count, detail::runs_for(count, h), less,
      [&](auto run, uint64_t n, I spare) { detail::sort_stable_run(run, n, spare, less); }, h);
}

}  // namespace weft::par
