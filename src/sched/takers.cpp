// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sharing out who takes free tasks, and who takes over for a shepherd that has none left.
//
// Orders
//   heir_H1 <> heir_H2   who names an heir: names, full fence, moves what lies in the lists; who
//                        queues in a list: queues, full fence, asks for the heir (ready.cpp)
#include "sched/takers.hpp"

#include <memory>

#include "sched/attention.hpp"
#include "sched/near.hpp"
#include "sched/pool.hpp"
#include "sched/ready.hpp"
#include "sched/self.hpp"
#include "sched/worker_thread.hpp"

namespace weft::rt {

namespace {

bool has_enabled(const shepherd& s) noexcept {
  return any_worker_of(s, 0, [](const worker& v) { return takes_free_tasks(v); });
}

// Each shepherd's tasks are taken by itself, or by the nearest that has workers for them.
void name_heirs() noexcept {
  for (uint32_t i = 0; i < the().shepherd_count; ++i) {
    shepherd& s = the().shepherds[i];
    (void)any_shepherd_near(s, [&](shepherd& near) {
      if (!has_enabled(near)) return false;
      s.heir.store_relaxed(&near);  // heir_H1 <> heir_H2
      return true;
    });
  }
}

// Where fewer workers may take tasks than there are: the program's own thread, which runs anyway,
// goes first, then those whose processor is there.
uint32_t rank_of(const worker& w) noexcept {
  if (w.index == 0 && the().main_is_worker) return 0;
  return the().allowed.count() == 0 || the().allowed.has(the().map.processor[w.index]) ? 1 : 2;
}
constexpr uint32_t ranks = 3;

}  // namespace

constinit std::mutex presence_lock;

void forget_presence_lock() noexcept { std::construct_at(&presence_lock); }

bool is_enabled(uint32_t worker) noexcept { return takes_free_tasks(the().workers[worker]); }

void limit_workers(const os::cpu_set& allowed, uint32_t takers) noexcept {
  const std::lock_guard lock(presence_lock);
  takers = takers > 0 ? takers : 1;
  changes c;
  if (!(allowed == the().allowed)) {
    the().allowed = allowed;
    for (uint32_t i = 0; i < the().count; ++i) {
      worker& w = the().workers[i];
      uint32_t nothing = UINT32_MAX;
      // order_R1 -> order_R2: another that lies there is followed by what is allowed then
      (void)w.rebound_to.cas_release(nothing, same_processor);
      c.tell(w);
    }
  }
  the().takers = takers;
  c.carry_out();
}

os::cpu_set allowed_processors() noexcept {
  const std::lock_guard lock(presence_lock);
  return the().allowed;
}

bool is_meant(const worker& w) noexcept {
  return (w.wanted.load_relaxed() & wanted_disabled) == 0;  // via: the lock
}

bool another_is_meant(uint32_t first, uint32_t count) noexcept {
  for (uint32_t i = 0; i < the().count; ++i)
    if (i - first >= count && is_meant(the().workers[i])) return true;
  return false;
}

void changes::set_meant(worker& w, bool meant) noexcept {
  if (is_meant(w) != meant) set(w, meant ? 0u : wanted_disabled);
}

void changes::set(worker& w, uint32_t wanted) noexcept {
  if (w.wanted.load_relaxed() == wanted) return;  // via: the lock
  w.wanted.store_relaxed(wanted);                 // order_D1 <> order_D2
  tell(w);
}

// So many workers as may take tasks do; and those for which tasks may wait in a pool.
void changes::share_out() noexcept {
  uint32_t left = the().takers;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    for (uint32_t i = 0; i < the().count; ++i) {
      worker& w = the().workers[i];
      if (rank_of(w) != rank || !is_meant(w)) continue;
      set(w, left > 0 || serves_some_pool(i) ? 0u : wanted_away);
      left -= left > 0 ? 1 : 0;
    }
}

bool changes::any() const noexcept {
  for (const uint64_t word : told_)
    if (word != 0) return true;
  return false;
}

void changes::carry_out() noexcept {
  share_out();
  if (!any()) return;
  name_heirs();
  fence_seq_cst();  // order_D1 <> order_D2, heir_H1 <> heir_H2
  for (uint32_t i = 0; i < the().count; ++i)
    if ((told_[i / bits] >> i % bits & 1) != 0) give_order(the().workers[i]);
  for (uint32_t i = 0; i < the().shepherd_count; ++i) hand_to_heir(self(), the().shepherds[i]);
}

}  // namespace weft::rt
