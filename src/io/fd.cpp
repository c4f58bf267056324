// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flows that wait for a file descriptor to become ready; the thread that waits for all of them.
//
// Orders
//   P1 -> P2   a chunk of places is published empty
//   R1 -> R2   the poller runs: its set is open
//   S1 -> S2   a thread outside is done with the places that weft_stop gives back
#include "io/fd.hpp"

#include <cerrno>
#include <cstddef>
#include <mutex>
#include <new>

#include "base/atomic.hpp"
#include "mem/raw.hpp"
#include "os/fd_events.hpp"
#include "os/thread.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sched/spin.hpp"
#include "sched/spin_lock.hpp"
#include "sched/worker.hpp"
#include "sync/wait.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

namespace {

struct fd_place {
  spin_lock lock;
  wait_queue waiting;
  // Counts the armings. An event of an earlier one tells nobody: it may be of a file that was closed
  // since, or of bytes that were read since; the later arming has looked again.
  uint32_t armed = 0;
};

// --- places -------------------------------------------------------------------------------------

constexpr std::size_t places_each = 1024;
constexpr std::size_t chunk_count = 4096;
constexpr std::size_t chunk_bytes = places_each * sizeof(fd_place);

struct chunk {
  fd_place places[places_each];
};

constinit atomic<chunk*> chunks[chunk_count];

fd_place* find_place(int fd) noexcept {
  const std::size_t index = static_cast<std::size_t>(fd) / places_each;
  chunk* c = index < chunk_count ? chunks[index].load_acquire() : nullptr;  // P2 <- P1
  return c != nullptr ? &c->places[static_cast<std::size_t>(fd) % places_each] : nullptr;
}

// Null: no memory, or a number beyond all limits.
fd_place* make_place(int fd) noexcept {
  const std::size_t index = static_cast<std::size_t>(fd) / places_each;
  if (index >= chunk_count) return nullptr;
  if (chunks[index].load_acquire() == nullptr) {  // P2 <- P1
    void* memory = raw_alloc(chunk_bytes);
    if (memory == nullptr) return nullptr;
    chunk* expected = nullptr;
    if (!chunks[index].cas_acq_rel(expected, new (memory) chunk))  // P1 -> P2
      raw_free(memory, chunk_bytes);
  }
  return find_place(fd);
}

void drop_places() noexcept {
  for (atomic<chunk*>& each : chunks)
    raw_free(each.exchange_acquire(nullptr), chunk_bytes);  // P2 <- P1
}

// --- the poller ---------------------------------------------------------------------------------

constinit std::mutex starting;
constinit atomic<uint32_t> runs{0};
os::fd_events set;
// Never destroyed: the process may end without a stop, while it runs.
union kept_thread {
  constexpr kept_thread() noexcept : thread() {}
  ~kept_thread() {}
  os::os_thread thread;
};
constinit kept_thread poller;
os::os_thread& thread = poller.thread;

// Under the lock: those who wait for one of `events`, claimed and out of the queue. came: what all are told;
// 0: each is told its own events.
void take_matching(fd_place& p, uint32_t events, int came, wake_chain& told) noexcept {
  for (waiter* n = p.waiting.first(); n != nullptr;) {
    auto& w = static_cast<fd_waiter&>(*n);
    n = n->next;
    // Errors and hang-ups are for all.
    const uint32_t mine = events & (w.events | ~os::askable_events);
    if (mine == 0) continue;
    p.waiting.remove(w);
    if (!w.of->claim()) continue;
    w.chosen = true;
    w.came = came != 0 ? came : static_cast<int>(mine);
    told.add(w);
  }
}

uint32_t wanted(const fd_place& p) noexcept {
  uint32_t all = 0;
  for (const waiter* n = p.waiting.first(); n != nullptr; n = n->next)
    all |= static_cast<const fd_waiter*>(n)->events;
  return all;
}

constexpr uint32_t everybody = UINT32_MAX;
constexpr int stopped =
    -ESHUTDOWN;  // what threads outside are told by weft_stop, and nobody else sees

// Under the lock.
int arm(int fd, fd_place& p, uint32_t events) noexcept {
  ++p.armed;
  return set.arm({fd, p.armed, events});
}

void tell(const os::fd_events::event& e) noexcept {
  fd_place* p = find_place(e.fd);
  p->lock.lock();
  if (e.arming != p->armed) {
    p->lock.unlock();
    return;
  }
  wake_chain told;
  take_matching(*p, e.events, 0, told);
  if (const uint32_t more = wanted(*p); more != 0) {
    // It cannot be watched any more: somebody has closed it.
    if (const int failed = arm(e.fd, *p, more); failed != 0)
      take_matching(*p, everybody, failed, told);
  }
  p->lock.unlock();
  told.wake();
}

void poll_for_all(void*) noexcept {
  constexpr std::size_t at_once = 64;
  os::fd_events::event found[at_once];
  for (;;) {
    const std::size_t count = set.wait(found, at_once);
    for (std::size_t i = 0; i < count; ++i) {
      if (found[i].fd < 0) return;
      tell(found[i]);
    }
  }
}

// 0, -EMFILE, -ENFILE, -ENOMEM, -EAGAIN.
int start_poller() noexcept {
  if (runs.load_acquire() != 0) return 0;  // R2 <- R1
  const std::lock_guard held(starting);
  if (runs.load_acquire() != 0) return 0;  // R2 <- R1
  if (const int failed = set.open(); failed != 0) return failed;
  constexpr std::size_t stack_bytes = std::size_t{64} * 1024;
  if (const int failed = thread.start(poll_for_all, nullptr, "weft-poller", stack_bytes);
      failed != 0) {
    set.close();
    return failed;
  }
  runs.store_release(1);  // R1 -> R2
  return 0;
}

// 0: p.lock is held and the descriptor is watched for `events` too, so that an event may come from here on;
// who tells it waits for the lock. Else the events that are always there, or an error.
int watch(int fd, uint32_t events, fd_place*& p) noexcept {
  if (const int failed = start_poller(); failed != 0) return failed;
  p = make_place(fd);
  if (p == nullptr) return -ENOMEM;
  p->lock.lock();
  const int failed = arm(fd, *p, events | wanted(*p));
  if (failed == 0) return 0;
  p->lock.unlock();
  if (failed == -EPERM) return os::always_ready(events);
  return failed == -ENOSPC ? -ENOMEM : failed;
}

int park_for(int fd, uint32_t events, int64_t deadline_ns, void* site) noexcept {
  wait w("fd", reinterpret_cast<const void*>(static_cast<intptr_t>(fd)), site);
  if (const int refused = w.may_wait(); refused != 0) return refused;
  fd_waiter me(w, events);
  fd_place* p = nullptr;
  if (const int ready = watch(fd, events, p); ready != 0) return ready;
  const int failed = wait_in(p->waiting, me, p->lock, deadline_ns);
  return failed == 0 ? me.came : failed;
}

// --- threads outside ----------------------------------------------------------------------------

// So many use places now. weft_stop waits for them, and from then on nobody is let in.
constinit atomic<uint32_t> outside{0};

class stay_outside {
 public:
  stay_outside() noexcept {
    const std::lock_guard held(starting);
    inside_ = running();
    if (inside_) outside.add_relaxed(1);  // count: under `starting`
  }
  ~stay_outside() {
    if (inside_) outside.add_acq_rel(uint32_t{0} - 1);  // S1 -> S2
  }
  stay_outside(const stay_outside&) = delete;
  stay_outside& operator=(const stay_outside&) = delete;

  bool may_use_places() const noexcept { return inside_; }

 private:
  bool inside_;
};

void tell_all_outside() noexcept {
  for (const atomic<chunk*>& each : chunks) {
    chunk* c = each.load_acquire();  // P2 <- P1
    if (c == nullptr) continue;
    for (fd_place& p : c->places) {
      wake_chain told;
      p.lock.lock();
      for (waiter* n = p.waiting.first(); n != nullptr;) {
        auto& w = static_cast<fd_waiter&>(*n);
        n = n->next;
        if (w.of->of_task()) continue;
        p.waiting.remove(w);
        if (!w.of->claim()) continue;
        w.chosen = true;
        w.came = stopped;
        told.add(w);
      }
      p.lock.unlock();
      told.wake();
    }
  }
}

// While Weft runs a thread outside waits as tasks do, so that who closes the descriptor wakes it.
int wait_outside(int fd, uint32_t events, int64_t deadline_ns, void* site) noexcept {
  const stay_outside here;
  return here.may_use_places() ? park_for(fd, events, deadline_ns, site) : stopped;
}

}  // namespace

int fd_try_wait(int fd, uint32_t events) noexcept {
  const int came = os::poll_fd(fd, events, 0);
  return came != 0 ? came : -EBUSY;
}

int fd_wait(int fd, uint32_t events, int64_t deadline_ns, void* site) noexcept {
  int came = os::poll_fd(fd, events, 0);
  if (came != 0) return came;
  if (current_task(self()) != nullptr) return park_for(fd, events, deadline_ns, site);
  came = wait_outside(fd, events, deadline_ns, site);
  if (came != stopped) return came;
  came = os::poll_fd(fd, events, deadline_ns);
  return came != 0 ? came : -ETIMEDOUT;
}

int fd_stand(int fd, fd_waiter& n) noexcept {
  fd_place* p = nullptr;
  if (const int ready = watch(fd, n.events, p); ready != 0) return ready;
  p->waiting.push(n);
  p->lock.unlock();
  return 0;
}

void fd_leave(int fd, fd_waiter& n) noexcept {
  fd_place* p = find_place(fd);
  p->lock.lock();
  if (n.queued) p->waiting.remove(n);
  p->lock.unlock();
}

int fd_close(int fd) noexcept {
  if (fd < 0) return -EBADF;
  fd_place* p = find_place(fd);
  wake_chain told;
  int error = 0;
  // Closed under the lock: who waits for the next file of that number comes after it.
  if (p != nullptr) p->lock.lock();
  const bool closed = os::close_fd(fd, error);
  if (p != nullptr) {
    if (error != EBADF) take_matching(*p, everybody, -EBADF, told);
    p->lock.unlock();
  }
  told.wake();
  return closed ? 0 : -error;
}

void fd_stop() noexcept {
  starting.lock();  // who comes later finds that Weft does not run
  starting.unlock();
  for (unsigned spun = 0; outside.load_acquire() != 0; ++spun) {  // S2 <- S1
    tell_all_outside();
    spin_pause(spun);
  }
  if (runs.load_acquire() == 0) return;  // R2 <- R1
  set.interrupt();
  thread.join();
  set.close();
  drop_places();
  runs.store_release(0);  // R1 -> R2
}

void fd_forget() noexcept {
  new (&starting) std::mutex;
  outside.store_relaxed(0);              // init: one thread
  if (runs.load_acquire() == 0) return;  // R2 <- R1
  set.close();
  new (&thread) os::os_thread;  // the parent's
  // The places' locks may be held by threads that are not here, and their waiters wait in the parent.
  for (atomic<chunk*>& each : chunks)
    each.store_relaxed(nullptr);  // own: one thread; the memory stays
  runs.store_release(0);          // R1 -> R2
}

}  // namespace weft::rt
