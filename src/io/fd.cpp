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
#include "sched/ending.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sched/spin.hpp"
#include "sched/spin_lock.hpp"
#include "sched/worker.hpp"
#include "sched/worker_thread.hpp"
#include "sync/cancel_scope.hpp"
#include "sync/wait.hpp"
#include "sync/wake_chain.hpp"

namespace weft::rt {

namespace {

struct fd_place {
  spin_lock lock;
  wait_queue waiting;
  // Counts the armings. An event of an earlier one tells nobody: it may be of a file that was
  // closed since, or of bytes that were read since; the later arming has looked again.
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
    // P1 -> P2: who comes second reads anew below
    if (!chunks[index].cas_release(expected, new (memory) chunk)) raw_free(memory, chunk_bytes);
  }
  return find_place(fd);
}

void drop_places() noexcept {
  for (atomic<chunk*>& each : chunks)
    raw_free(each.exchange_acquire(nullptr), chunk_bytes);  // P2 <- P1
}

// --- the poller ---------------------------------------------------------------------------------

constinit std::mutex starting;
void forget_all() noexcept;
// Forks are told of it before it is first taken.
std::mutex& known_starting() noexcept {
  static constinit os::child_call call(forget_all);
  (void)call.is_registered();
  return starting;
}
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

// Under the lock: those who wait for one of `events`, claimed and out of the queue. came: what all
// are told; 0: each is told its own events.
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

// Under the lock. 0, -EBADF, -EPERM (such a file cannot be watched), -ENOMEM.
int arm(int fd, fd_place& p, uint32_t events) noexcept {
  ++p.armed;
  return set.arm({fd, p.armed, events});
}

// Under the lock: for those who wait still. Who can wait no more is told why.
void arm_again(int fd, fd_place& p, wake_chain& told) noexcept {
  const uint32_t more = wanted(p);
  if (more == 0) return;
  const int failed = arm(fd, p, more);
  if (failed == -EPERM) {  // the number is of such a file by now
    take_matching(p, static_cast<uint32_t>(os::always_ready(more)), 0, told);
  } else if (failed != 0) {
    take_matching(p, everybody, failed, told);
  }
}

// Has take(told) choose, under the lock of p, who is told. Not once a stop has found nothing
// runnable: of the tasks that wait then none may run any more, and threads outside are told by the
// stop.
template <class Take>
void tell_at(fd_place& p, Take take) noexcept {
  const std::lock_guard held(ending_lock);
  if (!running()) return;
  wake_chain told;
  p.lock.lock();
  take(told);
  p.lock.unlock();
  told.wake();
}

void tell(const os::fd_events::event& e) noexcept {
  fd_place& p = *find_place(e.fd);
  tell_at(p, [&](wake_chain& told) {
    if (e.arming != p.armed) return;
    take_matching(p, e.events, 0, told);
    arm_again(e.fd, p, told);
  });
}

void poll_for_all(void*) noexcept {
  unbind_from_maker();
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
  const std::lock_guard held(known_starting());
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

// Whether an arming that failed so leaves others waiting for what comes no more. The number is of
// another file than they began with, after a plain close(2).
bool strands(int failed, uint32_t others) noexcept {
  return failed == -EPERM ? os::always_ready(others) != 0 : failed != 0 && others != 0;
}

// 0: p.lock is held, and the descriptor is watched for `events` too if they can come at all; from
// here on one may, and who tells it waits for the lock. Else the events that are always there, or
// an error.
int watch(int fd, uint32_t events, fd_place*& p) noexcept {
  if (const int failed = start_poller(); failed != 0) return failed;
  p = make_place(fd);
  if (p == nullptr) return -ENOMEM;
  p->lock.lock();
  int ready = arm(fd, *p, events | wanted(*p));
  while (strands(ready, wanted(*p)) && running()) {
    p->lock.unlock();
    tell_at(*p, [&](wake_chain& told) { arm_again(fd, *p, told); });
    p->lock.lock();
    ready = arm(fd, *p, events | wanted(*p));
  }
  if (ready == -EPERM) ready = os::always_ready(events);
  if (ready != 0) p->lock.unlock();
  return ready;
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
    const std::lock_guard held(known_starting());
    inside_ = running();
    if (inside_) outside.add_relaxed(1);  // count: under `starting`
  }
  ~stay_outside() {
    if (inside_) outside.add_release(uint32_t{0} - 1);  // S1 -> S2
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

// Where nobody can wake it. So it stands at no canceller, and looks at each once.
int poll_outside(int fd, uint32_t events, int64_t deadline_ns) noexcept {
  if (cancel_watch(nullptr).is_requested()) return -ECANCELED;
  const int came = os::poll_fd(fd, events, deadline_ns);
  return came != 0 ? came : -ETIMEDOUT;
}

int close_alone(int fd) noexcept {
  int error = 0;
  return os::close_fd(fd, error) ? 0 : -error;
}

// Calls use() where the caller may use places. A stop waits for its end.
template <class Use>
void with_places(Use use) noexcept {
  if (current_task(self()) != nullptr) return use();
  const stay_outside here;
  if (here.may_use_places()) use();
}

// In the child of a fork, whose threads are gone.
void forget_all() noexcept {
  new (&starting) std::mutex;
  outside.store_relaxed(0);     // init: one thread
  set.close();                  // also where the parent was about to run its poller
  new (&thread) os::os_thread;  // the parent's
  // The places' locks may be held by threads that are not here, and their waiters wait in the
  // parent.
  for (atomic<chunk*>& each : chunks)
    each.store_relaxed(nullptr);  // own: one thread; the memory stays
  runs.store_release(0);          // R1 -> R2
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
  return came != stopped ? came : poll_outside(fd, events, deadline_ns);
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
  with_places([&] {
    fd_place* p = make_place(fd);
    if (p == nullptr) return;
    tell_at(*p, [&](wake_chain& told) { take_matching(*p, everybody, -EBADF, told); });
  });
  // It may take long, while its number is free at once: no lock is held, and no stop held up. Who
  // begins to wait meanwhile waits for what has the number afterwards.
  const int failed = close_alone(fd);
  with_places([&] {
    fd_place* p = find_place(fd);  // perhaps of another start
    if (p != nullptr) tell_at(*p, [&](wake_chain& told) { arm_again(fd, *p, told); });
  });
  return failed;
}

void fd_stop() noexcept {
  known_starting().lock();  // who comes later finds that Weft does not run
  starting.unlock();
  for (unsigned spun = 0; outside.load_acquire() != 0; ++spun) {  // S2 <- S1
    tell_all_outside();
    spin_pause(spun);
  }
  if (runs.load_acquire() != 0) {  // R2 <- R1
    set.interrupt();
    thread.join();
    set.close();
    runs.store_release(0);  // R1 -> R2
  }
  drop_places();
}

}  // namespace weft::rt
