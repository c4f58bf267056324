// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts fresh tasks into the slot that a worker watches, and takes them out.
#include "sched/delivery.hpp"

#include "arch/cpu.hpp"
#include "sched/presence.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

namespace {

// A task that has no descriptor yet.
void describe(delivery& d, weft_fn_t fn, void* argument, void* site, uint32_t flags) noexcept {
  d.known.set(nullptr);
  d.fn.set(fn);
  d.argument.set(argument);
  d.site.set(site);
  d.flags.set(flags);
}

}  // namespace

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
    describe(d, fn, argument, site, flags | flag_pinned | flag_sticky);
    bound = target.mail.empty() && try_bind_to(target, by);
    return bound;
  });
  if (bound && !delivered) unbind_from(target);
  return delivered;
}

bool deliver_free(worker& target, weft_fn_t fn, void* argument, void* site) noexcept {
  return target.slot.deliver([&](delivery& d) {
    describe(d, fn, argument, site, 0);
    return target.mail.empty();
  });
}

void open_slot(worker& w) noexcept {
  // What is delivered may need a descriptor.
  if (!w.slot_open.get() && !w.tasks.empty() && w.slot.open()) w.slot_open.set(true);
}

task* close_slot(worker& w) noexcept {
  if (!w.slot_open.get()) return nullptr;
  w.slot_open.set(false);
  if (!w.slot.close()) return nullptr;
  w.expects_more.set(true);
  return unpack_delivery(w);
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
  if (const uint32_t flags = d.flags.get(); flags != 0) t->state.begin(flags, w.index);
  notes::release(t);
  return t;
}

}  // namespace weft::rt
