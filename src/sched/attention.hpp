// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What others ask of a worker, and the worker that looks at more than the usual at each pick.
//
// An order is an item in the worker's mail, which every pick asks for anyway: who gives none pays
// nothing. A worker that does something unusual from then on is attentive: an item of its own, the
// marker, lies in its mail, so that each pick comes by. README.md, "Orders".
//
// Orders
//   order_R1 -> order_R2   what was wanted before the order was found given is seen by who follows
//                          it
//   order_R2 -> order_R1   the order is out of the mail before it is given anew
//   order_D1 <> order_D2   attention.cpp
#pragma once

#include "sched/scheduler.hpp"

namespace weft::rt {

// What may be wanted of a worker: bits of worker::wanted.
inline constexpr uint32_t wanted_disabled = 1;  // to take no free task: the program says so
inline constexpr uint32_t wanted_away = 2;      // the same: there is no processor for it

// By w, which found an order: does from now on what is wanted.
void follow_order(worker& w) noexcept;

// Whether v takes tasks that are not bound to it, as far as is wanted. After a full fence that
// pairs with the one of who wants otherwise.
inline bool takes_free_tasks(const worker& v) noexcept {
  return v.wanted.load_relaxed() == 0;  // order_D1 <> order_D2
}

// Whether there is mail but the marker. For w itself, and for others as a hint.
inline bool has_letters(const worker& w) noexcept {
  return !w.mail.empty() && !w.mail.holds_only(&w.marker);
}

// Gives all that may leave a disabled worker to the others.
void evacuate(worker& w) noexcept;

}  // namespace weft::rt
