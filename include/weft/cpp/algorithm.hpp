// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel forms of the standard library's algorithms on random-access ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

#include "weft/cpp/loop.hpp"
#include "weft/cpp/reduce.hpp"

namespace weft::par {

// Writes f(*i), or f(*i, *k) of two ranges, to out; out may be a range that is read. Returns the
// end of what was written. Not cancelled.
template <std::random_access_iterator I, std::random_access_iterator O, class F>
O transform(I first, I last, O out, F f, const how& h = by_default) {
  detail::refuse_bits<O>();
  blocks(
      first, last, [&](I begin, I end) { std::transform(begin, end, out + (begin - first), f); },
      uncancelled(h));
  return out + (last - first);
}
template <std::random_access_iterator I, std::random_access_iterator K,
          std::random_access_iterator O, class F>
O transform(I first, I last, K second, O out, F f, const how& h = by_default) {
  detail::refuse_bits<O>();
  blocks(
      first, last,
      [&](I begin, I end) {
        std::transform(begin, end, second + (begin - first), out + (begin - first), f);
      },
      uncancelled(h));
  return out + (last - first);
}

// Brings the elements for which pred holds to the front, both groups in their old order. Returns
// where the second begins. Takes a second place for each element meanwhile; if pred throws, the
// range is as it was. Not cancelled.
template <std::random_access_iterator I, class Pred>
I stable_partition(I first, I last, Pred pred, const how& h = by_default) {
  detail::refuse_bits<I>();
  using value = std::iter_value_t<I>;
  const how whole = detail::by_pieces(uncancelled(h));
  const auto parts = detail::in_order(detail::length_of(first, last));
  std::vector<unsigned char> front(parts.count);
  std::vector<uint64_t> of_front(parts.of + 1);
  loop(
      uint64_t{0}, parts.of,
      [&](uint64_t piece) {
        uint64_t n = 0;
        for (uint64_t i = parts.begin(piece); i < parts.end(piece); ++i) {
          front[i] = pred(*detail::place_at(first, i)) ? 1 : 0;
          n += front[i];
        }
        of_front[piece + 1] = n;
      },
      whole);
  for (uint64_t piece = 0; piece < parts.of; ++piece) of_front[piece + 1] += of_front[piece];
  const uint64_t middle = of_front[parts.of];
  detail::in_task(whole, [&] {
    std::vector<value> old(std::make_move_iterator(first), std::make_move_iterator(last));
    loop(
        uint64_t{0}, parts.of,
        [&](uint64_t piece) {
          uint64_t to_front = of_front[piece];
          uint64_t to_back = middle + parts.begin(piece) - to_front;
          for (uint64_t i = parts.begin(piece); i < parts.end(piece); ++i)
            *detail::place_at(first, front[i] != 0 ? to_front++ : to_back++) = std::move(old[i]);
        },
        whole);
  });
  return detail::place_at(first, middle);
}

template <std::random_access_iterator I, class Pred>
I partition(I first, I last, Pred pred, const how& h = by_default) {
  return par::stable_partition(first, last, std::move(pred), h);
}

}  // namespace weft::par
