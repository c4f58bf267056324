// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for a condition, and moving its waiters to their mutexes.
#include "sync/condition.hpp"

#include <cerrno>

#include "sync/recursion.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

struct condition::sleeper : mutex::locker {
  sleeper(wait& w, mutex& m) noexcept : locker(w), lock(m) {}
  mutex& lock;
};

// What the next stack opens: the queue, then the mutex. The waiter may be gone after the first.
struct condition::both {
  closed_queue& queue;
  mutex& held;

  void unlock() noexcept {
    mutex& m = held;
    queue.unlock();  // last use of *this
    (void)m.unlock();
  }
};

int condition::wait_with(mutex& m, int64_t deadline_ns, void* site) noexcept {
  if (!may_release(m)) return -EPERM;
  wait w("condition", this, site);
  if (const int refused = w.may_wait(); refused != 0) return refused;
  sleeper n(w, m);
  const uint32_t depth = m.is_recursive() ? disown(m) : 1;
  closed_queue queue(word_);
  queue.word |= queue_word::waiting;
  queue_.push(n);
  both locks{queue, m};
  int failed = w.until_holding(locks, deadline_ns);
  if (failed == -ENOMEM) {
    queue_.remove(n);
    queue.unlock();
    own_again(m, depth);
    return failed;
  }
  bool owns = n.owns;
  uint32_t passed = 0;
  if (failed != 0) {
    queue.lock();
    if (n.queued) queue_.remove(n);
    queue.unlock();
    owns = m.try_lock();
  } else if (!owns) {
    passed = n.passed_over + 1;  // an unlock of m woke it
  }
  if (!owns) m.lock_surely(site, passed);
  own_again(m, depth);
  return failed;
}

void condition::signal(uint64_t most) noexcept {
  // A waiter whose mutex the caller has had since is seen: it closed the queue before it gave it
  // up.
  if ((word_.look() & queue_word::busy) == 0) return;
  closed_queue queue(word_);
  wake_chain signalled;
  signalled.add_from(queue_, most);
  if (queue_.empty()) queue.word &= ~queue_word::waiting;
  queue.unlock();
  signalled.for_each([](waiter& n) noexcept {
    auto& s = static_cast<sleeper&>(n);
    if (s.lock.adopt(s)) s.of->wake();
  });
}

}  // namespace weft::rt
