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

// body(part, from, to) for each part, in tasks of its own but one, which the caller does while it
// would wait, if no eureka may end it. What cannot be forked is done by the caller, too. No eureka
// ends it here.
//
// Where plain forks lie in the caller's deque, parts do, too, and the last is the caller's. Else
// each goes to a worker of its own, by turns of the shepherds. The caller's is then that of its own
// worker, and only the task that initialised has one, which nothing moves elsewhere.
template <class Body>
void for_parts(std::size_t from, std::size_t to, std::size_t parts, const Body& body) noexcept {
  struct share {
    const Body* body;
    std::size_t part, from, to;
    void run() const { (*body)(part, from, to); }
  };
  const std::size_t n = to - from;
  const auto part = [&](std::size_t i) {
    return share{&body, i, part_begins(from, n, parts, i), part_begins(from, n, parts, i + 1)};
  };
  const auto run = [](void* arg) -> aligned_t {
    const share s = *static_cast<share*>(arg);
    s.run();
    return 0;
  };
  const stays_on here;
  const bool placed = !the.forks_plainly.load(std::memory_order_relaxed);
  const bool helps = !may_be_ended() && (!placed || self() == &main_record);
  const uint32_t at_home = worker_index();
  workers_in_turn turns;
  std::size_t own = helps && !placed ? parts - 1 : parts;
  task_group group;
  for (std::size_t i = 0; i < parts; ++i) {
    const uint32_t worker = placed ? turns.next() : uint32_t{WEFT_ANYWHERE};
    if (placed && helps && worker == at_home && own == parts) own = i;
    if (i == own) continue;
    if (const share s = part(i); !group.fork_at(worker, run, s)) s.run();
  }
  if (own != parts) part(own).run();
  group.wait();
}

}  // namespace weft::qt
