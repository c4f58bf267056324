// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes that their owner may lock again. The owner is a flow; only the owner finds itself there,
// so no order is needed to ask.
#include "sync/recursion.hpp"

#include "sync/flow.hpp"

namespace weft::rt {

namespace {

bool is_mine(const mutex& m) noexcept {
  return m.owner.load_relaxed() == this_flow();  // own: no other flow writes this flow's name
}

void begin(mutex& m) noexcept {
  m.owner.store_relaxed(this_flow());  // own: under the mutex
  m.depth = 1;
}

int again(mutex& m) noexcept {
  if (m.depth == UINT32_MAX) return -EAGAIN;
  ++m.depth;
  return 0;
}

}  // namespace

int lock_recursive(mutex& m, int64_t deadline_ns, void* site) noexcept {
  if (is_mine(m)) return again(m);
  if (!m.try_lock()) {
    const int failed = m.lock_slow(deadline_ns, site);
    if (failed != 0) return failed;
  }
  begin(m);
  return 0;
}

int try_lock_recursive(mutex& m) noexcept {
  if (is_mine(m)) return again(m);
  if (!m.try_lock()) return -EBUSY;
  begin(m);
  return 0;
}

int unlock_recursive(mutex& m) noexcept {
  if (!is_mine(m)) return -EPERM;
  if (--m.depth != 0) return 0;
  (void)disown(m);
  (void)m.unlock();
  return 0;
}

bool may_release(const mutex& m) noexcept { return m.is_recursive() ? is_mine(m) : m.is_held(); }

uint32_t disown(mutex& m) noexcept {
  const uint32_t depth = m.depth;
  m.depth = 0;
  m.owner.store_relaxed(0);  // own: under the mutex
  return depth;
}

void own_again(mutex& m, uint32_t depth) noexcept {
  if (!m.is_recursive()) return;
  begin(m);
  m.depth = depth;
}

}  // namespace weft::rt
