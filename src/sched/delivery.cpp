// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts tasks into the slot that a worker watches, and takes them out.
#include "sched/delivery.hpp"

#include "arch/cpu.hpp"
#include "sched/ready.hpp"
#include "sched/watch.hpp"
#include "sched/worker.hpp"

namespace weft::rt {

namespace {

void describe(delivery& d, weft_fn_t fn, void* argument, void* site, uint32_t flags) noexcept {
  d.fn.set(fn);
  d.argument.set(argument);
  d.site.set(site);
  d.flags.set(flags);
}

// What is delivered may need one.
bool has_descriptor(worker& w) noexcept {
  if (!w.tasks.empty()) return true;
  task* const t = w.tasks.get();
  if (t != nullptr) w.tasks.keep(t);
  return t != nullptr;
}

}  // namespace

bool deliver(worker& target, task* t) noexcept {
  arch::prefetch_to_write(&target.slot);
  return target.slot.is_open() && target.mail.empty() && target.slot.deliver(t);
}

bool deliver(worker& target, weft_fn_t fn, void* argument, void* site, uint32_t flags) noexcept {
  return target.slot.deliver(target.sending, [&](delivery& d) {
    if (!target.mail.empty()) return false;
    describe(d, fn, argument, site, flags | flag_pinned | flag_sticky);
    return true;
  });
}

bool deliver_free(worker& target, weft_fn_t fn, void* argument, void* site) noexcept {
  return target.slot.deliver(target.sending, [&](delivery& d) {
    describe(d, fn, argument, site, 0);
    return target.mail.empty();
  });
}

void open_slot(worker& w) noexcept {
  if (w.slot_open.get() || !has_descriptor(w)) return;
  w.slot.open();
  w.slot_open.set(true);
}

bool shut_slot(worker& w) noexcept {
  if (!w.slot_open.get()) return false;
  w.slot_open.set(false);
  if (!w.slot.close()) return false;
  w.expects_more.set(true);
  return true;
}

task* close_slot(worker& w) noexcept {
  if (!shut_slot(w)) return nullptr;
  task* const t = unpack_delivery(w);
  if (!stays_uncounted(w) || t->on.get() != nullptr || t->has(flag_pinned)) [[likely]]
    return t;
  send_anywhere(&w, t, t);  // it takes nothing that others may run
  return nullptr;
}

task* unpack_delivery(worker& w) noexcept {
  if (task* t = w.slot.elsewhere()) {
    arch::prefetch_to_write(t);
    return t;
  }
  const delivery& d = w.slot.item();
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
