// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutex, semaphore and once over one word and its queue: nobody is let in beside another or
// forgotten.
#include "model.hpp"
#include "sync/mutex.hpp"
#include "sync/once.hpp"
#include "sync/semaphore.hpp"
#include "sync/solo.hpp"
#include "sync/wait.hpp"

void weft::rt::spin_pause(unsigned) noexcept { model::pause(0); }
void weft::rt::spin_in_crowd(unsigned) noexcept { model::pause(0); }

namespace {

using weft::rt::forever;
using weft::rt::mutex;
using weft::rt::solo_world;

constexpr int64_t at_any_time = 0;

// Thread 0 comes twice; the last thread gives up when the model likes.
struct no_solo_world {};
struct wavering_world : solo_world {
  wavering_world() { wavers = true; }
};
template <int Threads, uint32_t Flags, class World>
struct mutex_suite : rl::test_suite<mutex_suite<Threads, Flags, World>, Threads> {
  World world;
  mutex m{Flags};
  rl::var<int> guarded;
  weft::rt::atomic<int> entered{0};

  void before() { guarded(RL_INFO) = 0; }
  void enter(int64_t deadline_ns) {
    if (!m.try_lock() && m.lock_slow(deadline_ns, nullptr) != 0) return;
    guarded(RL_INFO) = guarded(RL_INFO) + 1;
    entered.add_relaxed(1);
    RL_ASSERT(m.unlock());
  }
  void thread(unsigned who) {
    enter(who == Threads - 1 ? at_any_time : forever);
    if (who == 0) enter(forever);
  }
  void after() {
    RL_ASSERT(entered.load_relaxed() >= Threads);
    RL_ASSERT(guarded(RL_INFO) == entered.load_relaxed());
    RL_ASSERT(m.try_lock() && m.unlock());
  }
};

// A waiter that comes from a condition: thread 0 holds the mutex or not, thread 1 brings it.
template <class World>
struct adopt_suite : rl::test_suite<adopt_suite<World>, 3> {
  World world;
  mutex m;
  rl::var<int> guarded;
  weft::rt::wait w{"", nullptr, nullptr};
  mutex::locker n{w};

  void before() {
    guarded(RL_INFO) = 0;
    RL_ASSERT(w.claim());
  }
  void enter() {
    guarded(RL_INFO) = guarded(RL_INFO) + 1;
    RL_ASSERT(m.unlock());
  }
  void thread(unsigned who) {
    if (who == 0) {
      if (m.try_lock() || m.lock_slow(forever, nullptr) == 0) enter();
    } else if (who == 1) {
      if (m.adopt(n)) w.wake();
    } else {
      while (!w.is_woken()) weft::model::pause(0);
      if (n.owns || m.lock_slow(forever, nullptr, n.passed_over + 1) == 0) enter();
    }
  }
  void after() { RL_ASSERT(guarded(RL_INFO) == 2); }
};

// Each of two units carries what its poster wrote; one waiter gives up when the model likes.
struct semaphore_suite : rl::test_suite<semaphore_suite, 4> {
  weft::rt::semaphore s;
  rl::var<int> written[2];
  weft::rt::atomic<int> taken{0};

  void take(int64_t deadline_ns) {
    if (!s.try_take() &&
        (deadline_ns == forever ? s.take_slow(nullptr) : s.take_slow(deadline_ns, nullptr)) != 0)
      return;
    taken.add_relaxed(1);
  }
  void thread(unsigned who) {
    if (who < 2) {
      written[who](RL_INFO) = 1;
      RL_ASSERT(s.post(1) == 0);
      return;
    }
    take(who == 2 ? forever : at_any_time);
  }
  void after() { RL_ASSERT(taken.load_relaxed() + static_cast<int>(s.units()) == 2); }
};

// What precedes the post of a unit is seen by who takes it; two units in one post wake two.
struct post_suite : rl::test_suite<post_suite, 3> {
  weft::rt::semaphore s;
  rl::var<int> written;

  void thread(unsigned who) {
    if (who == 0) {
      written(RL_INFO) = 1;
      RL_ASSERT(s.post(2) == 0);
      return;
    }
    RL_ASSERT(s.take_at_once() || s.take_slow(nullptr) == 0);
    RL_ASSERT(written(RL_INFO) == 1);
  }
  void after() { RL_ASSERT(s.units() == 0); }
};

// A semaphore of one unit as a lock: what one did with the unit is seen by the next.
struct pass_suite : rl::test_suite<pass_suite, 3> {
  weft::rt::semaphore s{1};
  rl::var<int> guarded;

  void before() { guarded(RL_INFO) = 0; }
  void thread(unsigned who) {
    if (!s.try_take())
      RL_ASSERT((who == 0 ? s.take_slow(forever, nullptr) : s.take_slow(nullptr)) == 0);
    guarded(RL_INFO) = guarded(RL_INFO) + 1;
    RL_ASSERT(s.post(1) == 0);
  }
  void after() { RL_ASSERT(guarded(RL_INFO) == 3 && s.units() == 1); }
};

// What one did before it took the last unit is seen by who sees that none is left, and may free the
// semaphore then.
struct emptied_suite : rl::test_suite<emptied_suite, 2> {
  weft::rt::semaphore s{1};
  rl::var<int> written;

  void thread(unsigned who) {
    if (who == 0) {
      written(RL_INFO) = 1;
      RL_ASSERT(s.try_take());
    } else if (s.units() == 0) {
      RL_ASSERT(written(RL_INFO) == 1);
    }
  }
};

// What is written while the queue is closed: by a look at the word, and by who closes it next.
// Thread 0 opens it as who goes on, thread 1 as who arrives after one that parked.
struct publish_suite : rl::test_suite<publish_suite, 3> {
  static constexpr std::uint64_t set = std::uint64_t{1} << weft::rt::queue_word::state_shift;
  weft::rt::queue_word word;
  rl::var<int> guarded;

  void before() { guarded(RL_INFO) = 0; }
  void thread(unsigned who) {
    if (who == 2) {
      if ((word.look() & set) != 0) RL_ASSERT(guarded(RL_INFO) >= 1);
      return;
    }
    weft::rt::closed_queue queue(word);
    if ((queue.word & set) == 0) guarded(RL_INFO) = guarded(RL_INFO) + 1;
    queue.word |= set;
    if (who == 0) {
      queue.unlock();
    } else {
      queue.to_open().open();
    }
  }
  void after() { RL_ASSERT(guarded(RL_INFO) == 1); }
};

struct once_suite : rl::test_suite<once_suite, 3> {
  weft::rt::once o;
  rl::var<int> made;
  int ran = 0;

  void thread(unsigned who) {
    if (!o.is_done()) {
      if (o.begin(who + 1)) {
        made(RL_INFO) = 1;
        ++ran;
        o.finish();
      } else {
        RL_ASSERT(!o.runs_in(who + 1));
        if (o.wait_slow(who == 2 ? at_any_time : forever, nullptr) != 0) return;
      }
    }
    RL_ASSERT(made(RL_INFO) == 1);
  }
  void after() { RL_ASSERT(ran == 1); }
};

}  // namespace

int main() {
  using weft::model::holds;
  const bool good =
      holds<mutex_suite<3, 0, no_solo_world>>(100000) &&
      holds<mutex_suite<3, mutex::hand_over, no_solo_world>>(50000) &&
      holds<mutex_suite<4, 0, no_solo_world>>(50000) && holds<adopt_suite<no_solo_world>>(50000) &&
      holds<mutex_suite<2, 0, solo_world>>(100000) &&
      holds<mutex_suite<3, 0, solo_world>>(100000) && holds<adopt_suite<solo_world>>(50000) &&
      holds<mutex_suite<3, 0, wavering_world>>(100000) &&
      holds<adopt_suite<wavering_world>>(50000) && holds<semaphore_suite>(50000) &&
      holds<post_suite>(50000) && holds<pass_suite>(50000) && holds<emptied_suite>(1000) &&
      holds<publish_suite>(50000) && holds<once_suite>(50000);
  return good ? 0 : 1;
}
