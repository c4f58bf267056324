// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Latch, future, barrier, reader/writer lock, condition, sinc and canceller: nobody is forgotten or
// let in beside another, and what was done before is seen after.
#include <memory>

#include "model.hpp"
#include "sync/wait.hpp"

// The sources, over the `wait` of the model.
#include "sync/barrier.cpp"
#include "sync/canceller.cpp"
#include "sync/condition.cpp"
#include "sync/future.cpp"
#include "sync/latch.cpp"
#include "sync/mutex.cpp"
#include "sync/rwlock.cpp"
#include "sync/sinc.cpp"

namespace weft::rt {

void spin_pause(unsigned) noexcept { model::pause(0); }
void spin_in_crowd(unsigned) noexcept { model::pause(0); }

void* raw_alloc(std::size_t bytes) noexcept { return std::aligned_alloc(line_bytes, bytes); }
void raw_free(void* p, std::size_t) noexcept { std::free(p); }

// The mutexes here are plain ones.
bool may_release(const mutex& m) noexcept { return m.is_held(); }
uint32_t disown(mutex&) noexcept { return 1; }
void own_again(mutex&, uint32_t) noexcept {}

}  // namespace weft::rt

namespace {

using weft::rt::forever;

constexpr int64_t at_any_time = 0;

struct latch_suite : rl::test_suite<latch_suite, 4> {
  weft::rt::latch l{2};
  rl::var<int> written[2];

  void thread(unsigned who) {
    if (who < 2) {
      written[who](RL_INFO) = 1;
      RL_ASSERT(l.count_down(1) == 0);
      return;
    }
    if (!l.is_open() && l.wait_slow(who == 2 ? forever : at_any_time, nullptr) != 0) return;
    RL_ASSERT(written[0](RL_INFO) == 1 && written[1](RL_INFO) == 1);
  }
  void after() { RL_ASSERT(l.is_open() && l.count_down(1) == -EINVAL); }
};

// Who counts up has yet to count down, or what another's count down has opened is closed again: who
// waits then sees both.
struct counted_up_suite : rl::test_suite<counted_up_suite, 4> {
  weft::rt::latch l{1};
  rl::var<int> written[2];

  void thread(unsigned who) {
    if (who == 0) {
      written[0](RL_INFO) = 1;
      RL_ASSERT(l.count_down(1) == 0);
    } else if (who == 1) {
      RL_ASSERT(l.count_up(1) == 0);
      if (l.is_open()) RL_ASSERT(false);
      written[1](RL_INFO) = 1;
      RL_ASSERT(l.count_down(1) == 0);
    } else {
      if (!l.is_open() && l.wait_slow(who == 2 ? forever : at_any_time, nullptr) != 0) return;
      RL_ASSERT(written[0](RL_INFO) == 1);
    }
  }
  void after() { RL_ASSERT(l.is_open() && written[1](RL_INFO) == 1); }
};

// One of two values is given; who stands for a select leaves or is woken.
struct future_suite : rl::test_suite<future_suite, 4> {
  weft::rt::future f;
  int values[2] = {};
  rl::var<int> written[2];

  void read() {
    void* value = nullptr;
    RL_ASSERT(f.is_given() && f.read(&value) == 0);
    const auto which = static_cast<int*>(value) - values;
    RL_ASSERT(written[which](RL_INFO) == 1);
  }
  void thread(unsigned who) {
    if (who < 2) {
      written[who](RL_INFO) = 1;
      const int given = f.give(&values[who], 0);
      RL_ASSERT(given == 0 || given == -EALREADY);
      if (given != 0) read();
    } else if (who == 2) {
      if (f.is_given() || f.wait_slow(forever, nullptr) == 0) read();
    } else {
      weft::rt::wait w("", nullptr, nullptr);
      weft::rt::waiter n(w);
      if (!f.stand(n)) return read();
      if (!w.claim()) {
        while (!w.is_woken()) weft::model::pause(0);
        read();
      }
      f.leave(n);
    }
  }
};

// Three rounds of two; one of them comes by deadline until it has passed.
struct barrier_suite : rl::test_suite<barrier_suite, 2> {
  static constexpr int rounds = 3;
  weft::rt::barrier b{2};
  rl::var<int> written[rounds][2];
  int last[rounds] = {};

  void thread(unsigned who) {
    for (int round = 0; round < rounds; ++round) {
      written[round][who](RL_INFO) = 1;
      int came;
      do {
        came = b.arrive(who == 0 ? forever : at_any_time, nullptr);
      } while (came == -ETIMEDOUT);
      RL_ASSERT(came >= 0);
      last[round] += came;
      RL_ASSERT(written[round][1 - who](RL_INFO) == 1);
    }
  }
  void after() {
    for (const int each : last) RL_ASSERT(each == 1);
  }
};

// Two writers, one that may give up, and two readers: the values stay equal.
struct rwlock_suite : rl::test_suite<rwlock_suite, 4> {
  weft::rt::rwlock l;
  rl::var<int> first;
  rl::var<int> second;
  weft::rt::atomic<int> written{0};

  void before() {
    first(RL_INFO) = 0;
    second(RL_INFO) = 0;
  }
  void thread(unsigned who) {
    if (who < 2) {
      if (!l.try_read_lock() && l.read_lock_slow(forever, nullptr) != 0) return;
      RL_ASSERT(first(RL_INFO) == second(RL_INFO));
      RL_ASSERT(l.read_unlock() == 0);
      return;
    }
    if (!l.try_write_lock() && l.write_lock_slow(who == 2 ? forever : at_any_time, nullptr) != 0)
      return;
    first(RL_INFO) = first(RL_INFO) + 1;
    second(RL_INFO) = second(RL_INFO) + 1;
    written.add_relaxed(1);
    RL_ASSERT(l.write_unlock() == 0);
  }
  void after() {
    RL_ASSERT(first(RL_INFO) == written.load_relaxed());
    RL_ASSERT(l.try_write_lock() && l.write_unlock() == 0);
    RL_ASSERT(l.read_unlock() == -EPERM && l.write_unlock() == -EPERM);
  }
};

// A reader stays until another has come, which a writer between them that gives up must not
// prevent.
struct writer_leaves_suite : rl::test_suite<writer_leaves_suite, 3> {
  weft::rt::rwlock l;
  weft::rt::atomic<int> inside{0};

  void thread(unsigned who) {
    if (who == 2) {
      if (!l.try_write_lock() && l.write_lock_slow(at_any_time, nullptr) != 0) return;
      RL_ASSERT(l.write_unlock() == 0);
      return;
    }
    if (!l.try_read_lock() && l.read_lock_slow(forever, nullptr) != 0) return;
    inside.add_relaxed(1);
    // Only where the writer is bound to give up: it waits for this reader.
    if (!l.try_read_lock()) {
      while (inside.load_relaxed() != 2) weft::model::pause(0);
    } else {
      RL_ASSERT(l.read_unlock() == 0);
    }
    RL_ASSERT(l.read_unlock() == 0);
  }
};

// Two wait until there is something for each; Broadcast: it comes at once, else by two signals.
template <bool Broadcast>
struct condition_suite : rl::test_suite<condition_suite<Broadcast>, 3> {
  weft::rt::mutex m;
  weft::rt::condition c;
  rl::var<int> things;
  int taken = 0;

  void before() { things(RL_INFO) = 0; }
  void lock() { RL_ASSERT(m.try_lock() || m.lock_slow(forever, nullptr) == 0); }
  void thread(unsigned who) {
    if (who == 0) {
      for (int i = 0; i < (Broadcast ? 1 : 2); ++i) {
        lock();
        things(RL_INFO) = things(RL_INFO) + (Broadcast ? 2 : 1);
        RL_ASSERT(m.unlock());
        c.signal(Broadcast ? UINT64_MAX : 1);
      }
      return;
    }
    lock();
    while (things(RL_INFO) == 0) {
      const int failed = c.wait_with(m, who == 1 ? forever : at_any_time, nullptr);
      RL_ASSERT(failed == 0 || failed == -ETIMEDOUT);
    }
    things(RL_INFO) = things(RL_INFO) - 1;
    ++taken;
    RL_ASSERT(m.unlock());
  }
  void after() {
    RL_ASSERT(taken == 2 && things(RL_INFO) == 0);
    RL_ASSERT(m.try_lock() && m.unlock());
  }
};

// Three submit, two of them through one slot and one of these once more than was expected at first;
// one waits. Nobody reduces beside another, and who sees it complete sees all.
struct sinc_suite : rl::test_suite<sinc_suite, 4> {
  static constexpr int submitters = 3;
  // The places that values lie in, in the order in which they were met.
  struct place {
    void* at = nullptr;
    rl::var<int> used;
  };
  inline static sinc_suite* running = nullptr;

  alignas(weft::rt::sinc) std::byte memory[sizeof(weft::rt::sinc)];
  weft::rt::sinc& s = *reinterpret_cast<weft::rt::sinc*>(memory);  // made by begin()
  place places[4];
  rl::var<int> written[submitters];

  static void use(void* at) {
    for (place& p : running->places) {
      if (p.at == nullptr) p.at = at;
      if (p.at != at) continue;
      p.used(RL_INFO) = 1;
      return;
    }
  }
  static void add(void* into, const void* value) {
    use(into);
    *static_cast<int*>(into) += *static_cast<const int*>(value);
  }

  void before() {
    running = this;
    const int initial = 100;
    RL_ASSERT(s.begin(&initial, sizeof initial, add, submitters) == 0);
  }
  void thread(unsigned who) {
    if (who < submitters) {
      written[who](RL_INFO) = 1;
      if (who == 0) RL_ASSERT(s.expect(1) == 0);
      submit(1 << who);
      if (who == 0) submit(1 << submitters);
      return;
    }
    RL_ASSERT(s.is_complete() || s.wait_slow(forever, nullptr) == 0);
    look();
  }
  void submit(int value) { RL_ASSERT(s.submit(&value) == 0); }
  void look() {
    int sum = 0;
    s.read(&sum);
    RL_ASSERT(sum == 100 + (2 << submitters) - 1);
    for (rl::var<int>& w : written) RL_ASSERT(w(RL_INFO) == 1);
  }
  void after() {
    RL_ASSERT(s.is_complete());
    look();
    s.end();
    std::destroy_at(&s);
  }
};

// A flow waits for a future, in the scope of a canceller; exactly one of the two ends its wait, or
// neither where it finds one of them done before it stands.
struct cancel_suite : rl::test_suite<cancel_suite, 4> {
  weft::rt::canceller c;
  weft::rt::future f;
  int value = 0;
  rl::var<int> given;
  rl::var<int> requested;

  void thread(unsigned who) {
    if (who == 0) {
      given(RL_INFO) = 1;
      RL_ASSERT(f.give(&value, 0) == 0);
      return;
    }
    if (who == 1) {
      requested(RL_INFO) = 1;
      c.request();
      return;
    }
    weft::rt::wait w("", nullptr, nullptr);
    weft::rt::waiter at_future(w);
    weft::rt::waiter at_canceller(w);
    bool got = !f.stand(at_future);
    bool ended = !got && !c.stand(at_canceller);
    const bool waits = !got && !ended;
    const bool stood = !got;
    if (waits || !w.claim()) {
      while (!w.is_woken()) weft::model::pause(0);
      ended = false;
    }
    if (stood) f.leave(at_future);
    if (waits) c.leave(at_canceller);
    got |= at_future.chosen;
    ended |= at_canceller.chosen;
    RL_ASSERT(got != ended);
    if (got) RL_ASSERT(given(RL_INFO) == 1);
    if (ended) RL_ASSERT(requested(RL_INFO) == 1 && c.is_requested());
  }
  void after() { RL_ASSERT(c.is_requested() && f.is_given()); }
};

}  // namespace

int main() {
  using weft::model::holds;
  const bool good = holds<latch_suite>(50000) && holds<counted_up_suite>(50000) &&
                    holds<future_suite>(50000) && holds<barrier_suite>(50000) &&
                    holds<rwlock_suite>(50000) && holds<writer_leaves_suite>(50000) &&
                    holds<condition_suite<false>>(50000) && holds<condition_suite<true>>(50000) &&
                    holds<cancel_suite>(50000) && holds<sinc_suite>(50000);
  return good ? 0 : 1;
}
