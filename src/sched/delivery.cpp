// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts fresh pinned tasks into the slot that a worker watches, and takes them out.
#include "sched/delivery.hpp"

#include "arch/cpu.hpp"
#include "sched/presence.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

bool deliver(worker& target, task* t) noexcept {
  return target.slot.deliver([&](delivery& d) {
    d.known.set(t);
    return target.mail.empty();
  });
}

bool deliver(worker& target, const worker* by, weft_fn_t fn, void* argument, void* site,
             uint32_t flags) noexcept {
  bool bound = false;
  const bool delivered = target.slot.deliver([&](delivery& d) {
    d.known.set(nullptr);
    d.fn.set(fn);
    d.argument.set(argument);
    d.site.set(site);
    d.flags.set(flags | flag_pinned | flag_sticky);
    bound = target.mail.empty() && try_bind_to(target, by);
    return bound;
  });
  if (bound && !delivered) unbind_from(target);
  return delivered;
}

task* unpack_delivery(worker& w) noexcept {
  const delivery& d = w.slot.item();
  if (task* t = d.known.get()) {
    arch::prefetch_to_write(t);
    return t;
  }
  task* t = w.tasks.take();
  t->fn.set(d.fn.get());
  t->value.set(d.argument.get());
  t->site.set(d.site.get());
  t->join.start_detached();
  t->state.begin(d.flags.get(), w.index);
  notes::release(t);
  return t;
}

}  // namespace weft::rt
