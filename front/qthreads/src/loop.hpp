// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dividing a range among workers.
#pragma once

#include <algorithm>
#include <cstddef>

#include "group.hpp"
#include "places.hpp"
#include "runtime.hpp"

namespace weft::qt {

// How many parts a range of n is divided into.
inline std::size_t parts_of(std::size_t n) noexcept {
  const std::size_t workers =
      the.is_running() ? std::max<std::size_t>(1, qthread_num_workers()) : 1;
  return std::min(n, workers);
}

// Part i of parts of the range: where it begins. The first ones get what does not divide evenly.
inline std::size_t part_begins(std::size_t from, std::size_t n, std::size_t parts,
                               std::size_t i) noexcept {
  return from + n / parts * i + std::min(i, n % parts);
}

// body(part, from, to) for each part, in tasks of its own but the last, which the caller does while it would
// wait, if no eureka may end it. What cannot be forked is done by the caller, too. No eureka ends it here.
template <class Body>
void for_parts(std::size_t from, std::size_t to, std::size_t parts, const Body& body) noexcept {
  struct share {
    const Body* body;
    std::size_t part, from, to;
  };
  const std::size_t n = to - from;
  const stays_on here;
  const std::size_t own = may_be_ended() ? parts : parts - 1;
  task_group group;
  for (std::size_t i = 0; i < parts; ++i) {
    const share mine{&body, i, part_begins(from, n, parts, i), part_begins(from, n, parts, i + 1)};
    const auto run = [](void* arg) -> aligned_t {
      const share s = *static_cast<share*>(arg);
      (*s.body)(s.part, s.from, s.to);
      return 0;
    };
    if (i == own || !group.fork(run, mine)) body(i, mine.from, mine.to);
  }
  group.wait();
}

}  // namespace weft::qt
