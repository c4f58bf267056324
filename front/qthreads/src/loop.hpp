// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dividing a range among workers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

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

// As long as one lives, the task has an id and memory as one that has just begun.
class own_memory {
 public:
  explicit own_memory(record& of) noexcept
      : of_(of),
        id_(std::exchange(of.id, 0)),
        local_(std::exchange(of.local, nullptr)),
        local_bytes_(std::exchange(of.local_bytes, 0)) {}
  ~own_memory() {
    std::free(of_.local);
    of_.id = id_;
    of_.local = local_;
    of_.local_bytes = local_bytes_;
  }
  own_memory(const own_memory&) = delete;
  own_memory& operator=(const own_memory&) = delete;

 private:
  record& of_;
  const uint32_t id_;
  void* const local_;
  const uint32_t local_bytes_;
};

// body(part, from, to) for each part, in tasks of its own but one, which the caller does while it
// would wait, if no eureka may end it. What cannot be forked is done by the caller, too. No eureka
// ends it here.
//
// Each part belongs to a worker of its own, by turns of the shepherds. Where plain forks lie in the
// caller's deque, parts do, too, and go to their shepherd when they ask where they are; else they
// are sent there. The caller's is the first: of the task that initialised, which is where that part
// belongs and which nothing moves elsewhere, or of any task where there is only one shepherd.
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
  const bool placed = !the.is_running() || !the.may_be_stolen();
  const bool everywhere_same = !placed && the.shepherds == 1;
  record* const me = self();
  const bool helps = me == &main_record || (me != nullptr && !may_be_ended() && everywhere_same);
  workers_in_turn turns;
  if (helps) (void)turns.next();  // the caller's
  task_group group;
  for (std::size_t i = helps ? 1 : 0; i < parts; ++i) {
    const share s = part(i);
    const uint32_t belongs = everywhere_same ? 0 : static_cast<uint32_t>(i) + 1;
    if (!(placed ? group.fork_at(turns.next(), run, s) : group.fork_part(belongs, run, s))) s.run();
  }
  if (helps) {
    const own_memory apart(*me);
    part(0).run();
  }
  group.wait();
}

}  // namespace weft::qt
