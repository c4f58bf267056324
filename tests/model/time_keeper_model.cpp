// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No deadline is slept through: whoever armed it computes on, and an idle worker answers for it.
//
// The steps are those of src/sched/README.md, "Time". Time passes only while a worker sleeps until
// an alarm. Who shows a deadline does nothing more (its thread ends); who is called to work
// neither. So each timer that fires has been seen by the keeper of that moment.
#include "lockfree/time_keeper.hpp"
#include "lockfree/wake_word.hpp"
#include "model.hpp"

using weft::rt::atomic;
using weft::rt::time_keeper;
using weft::rt::wake_result;

namespace {

constexpr int64_t never = time_keeper::never;

template <class Suite, int Threads, int Workers, int Deadlines, bool Symmetric>
struct time_suite : rl::test_suite<Suite, Threads> {
  weft::rt::asymmetric_fences fences;
  time_keeper keeper;
  weft::rt::wake_word words[Workers];
  atomic<int> kernel[Workers];       // 1: the kernel has been told to wake the worker
  atomic<int> mail[Workers];         // 1: work for this worker, which never ends
  atomic<int64_t> shown[Deadlines];  // of one timer each
  atomic<int64_t> now;
  atomic<int> done;  // the timers have fired, and all may go

  void before() {
    for (auto& s : shown) s.store_relaxed(never);
  }

  // --- who arms ---

  void show(int which, int64_t tick) {
    shown[which].store_relaxed(tick);
    if (Symmetric) {
      weft::rt::fence_seq_cst();
    } else {
      weft::rt::fence_light();
    }
    const time_keeper::view v = keeper.look();
    if (v.who == time_keeper::nobody || v.alarm > tick) tell(tick);
  }

  bool nudge(unsigned worker) {
    const wake_result r = words[worker].nudge();
    if (r == wake_result::must_wake) kernel[worker].store_relaxed(1);
    return r != wake_result::not_idle;
  }

  void nudge_one() {
    for (unsigned i = 0; i < Workers; ++i)
      if (nudge(i)) return;
  }

  void tell(int64_t tick) {
    weft::rt::fence_seq_cst();
    const time_keeper::view v = keeper.look();
    if (v.who == time_keeper::nobody) {
      nudge_one();
    } else if (v.alarm > tick) {
      (void)nudge(v.who);  // awake: it is leaving, and hands over what it finds shown then
    }
  }

  void call(int worker) {
    if (words[worker].call() == wake_result::must_wake) kernel[worker].store_relaxed(1);
  }

  // --- who is idle ---

  int64_t earliest() {
    int64_t e = never;
    for (auto& s : shown) e = std::min(e, s.load_relaxed());
    return e;
  }

  void barrier() {
    if (Symmetric) {
      weft::rt::fence_seq_cst();
    } else {
      weft::rt::fence_heavy();
    }
  }

  bool called_away(int me) { return mail[me].load_relaxed() == 1 || done.load_relaxed() == 1; }

  // Returns the alarm.
  int64_t sleep(int me, bool keeps, int64_t alarm) {
    weft::rt::fence_seq_cst();
    if (!keeps && keeper.vacant()) {
      words[me].stir();
      return alarm;
    }
    if (keeps) {
      alarm = std::min(alarm, earliest());
      keeper.set_alarm(static_cast<unsigned>(me), alarm);
    }
    while (words[me].is_asleep()) {
      std::uint32_t value = weft::rt::wake_word::asleep_value;
      if (!words[me].futex().cas_relaxed(value, value)) break;  // the kernel compares
      if (keeps && alarm != never) {
        if (now.load_relaxed() < alarm) now.store_relaxed(alarm);
        words[me].stir();
        break;
      }
      while (kernel[me].load_relaxed() == 0) weft::model::pause(0);
      kernel[me].store_relaxed(0);
    }
    return alarm;
  }

  // True: a timer is due.
  bool idle(int me) {
    words[me].watch();
    bool keeps = keeper.become(static_cast<unsigned>(me));
    int64_t alarm = never;
    bool looked = false;
    bool due = false;
    for (;;) {
      due = keeps && earliest() <= now.load_relaxed();
      if (due || words[me].is_notified()) break;
      bool anew = !keeps && keeper.become(static_cast<unsigned>(me));
      if (anew) keeps = true;
      if (keeps && alarm <= now.load_relaxed()) {
        alarm = never;
        keeper.set_alarm(static_cast<unsigned>(me), alarm);
        anew = true;
      }
      if (anew) looked = false;
      if (!looked) {
        barrier();
        looked = true;
        if (called_away(me)) break;
      }
      if (words[me].fall_asleep()) alarm = sleep(me, keeps, alarm);
    }
    (void)words[me].rise();
    if (keeps) keeper.resign();
    weft::rt::fence_seq_cst();
    if (keeper.vacant() && earliest() != never) nudge_one();
    return due;
  }

  // Fires what is due; the last one sends all home.
  void fire() {
    for (auto& s : shown)
      if (s.load_relaxed() <= now.load_relaxed()) s.store_relaxed(never);
    fired = true;
    done.store_release(1);
    for (int i = 0; i < Workers; ++i) call(i);
  }

  void work(int me) {
    while (!called_away(me))
      if (idle(me)) return fire();
  }

  bool fired = false;
  void after() { RL_ASSERT(fired); }
};

// One arms, all but one of the workers are called away for ever, the keeper perhaps among them.
template <int Workers, bool Symmetric>
struct keeper_leaves
    : time_suite<keeper_leaves<Workers, Symmetric>, Workers + 2, Workers, 1, Symmetric> {
  void thread(unsigned who) {
    if (who == 0) return this->show(0, 5);
    if (who == 1) {
      for (int i = 0; i < Workers - 1; ++i) {
        this->mail[i].store_release(1);
        this->call(i);
      }
      return;
    }
    this->work(static_cast<int>(who) - 2);
  }
};

// Two arm, and one of the two deadlines is gone before it is due: the alarm rings in vain.
template <bool Symmetric>
struct alarm_in_vain : time_suite<alarm_in_vain<Symmetric>, 3, 1, 2, Symmetric> {
  using base = time_suite<alarm_in_vain<Symmetric>, 3, 1, 2, Symmetric>;
  void thread(unsigned who) {
    if (who == 0) return this->show(0, 5);
    if (who == 1) {
      this->show(1, 2);
      this->show(1, 1);
      this->shown[1].store_relaxed(never);
      return;
    }
    // It may also be in time for the one that goes.
    while (this->shown[0].load_relaxed() != gone)
      if (this->idle(0)) {
        if (this->now.load_relaxed() < 5) {
          this->shown[1].store_relaxed(never);
        } else {
          this->shown[0].store_relaxed(gone);
        }
      }
    this->fired = true;
  }
  static constexpr int64_t gone = never - 1;
};

template <bool Symmetric>
bool all_hold() {
  using weft::model::holds;
  return holds<keeper_leaves<2, Symmetric>>(200000) && holds<keeper_leaves<3, Symmetric>>(200000) &&
         holds<alarm_in_vain<Symmetric>>(200000);
}

}  // namespace

int main() { return all_hold<false>() && all_hold<true>() ? 0 : 1; }
