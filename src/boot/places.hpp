// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the options and the machine to the places of one start: shepherds, workers, what is bound
// where.
#pragma once

#include "conf/values.hpp"
#include "os/text.hpp"
#include "sched/scheduler.hpp"
#include "topo/places.hpp"
#include "topo/read.hpp"

namespace weft::rt::boot {

struct chosen_places {
  topo::places map;
  binding bind = binding::none;
  topo::source from = topo::source::flat;
  std::size_t processors = 0;
};

// 0; -EINVAL: one line on standard error says what is wrong; -ENOMEM.
[[nodiscard]] int choose_places(const conf::values& v, chosen_places& out) noexcept;
// The same on a machine that is known.
[[nodiscard]] int choose_places(const conf::values& v, const topo::answer& machine,
                                chosen_places& out) noexcept;

// "2 processors (/sys), 1 shepherd (machine), workers not bound": before the map is given away.
// can_bind: else nobody is bound, whatever was chosen.
void add_places(os::text& to, const chosen_places& p, bool can_bind) noexcept;

}  // namespace weft::rt::boot
