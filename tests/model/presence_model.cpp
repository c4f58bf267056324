// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that are called by mail: bell, order and marker, idleness uncounted, heirs of shepherds,
// tasks that are bound.
//
// The steps are those of src/sched/README.md, "Placed tasks" and "Orders", and of the heads of
// presence.hpp and presence.cpp, over the real inbox, wake word, count of bindings and lock. A
// worker looks nowhere else than the protocol makes it look, so what is lost is never found, and
// the run does not end.
#include "lockfree/binding_count.hpp"
#include "lockfree/inbox.hpp"
#include "lockfree/wake_word.hpp"
#include "model.hpp"
#include "sched/spin_lock.hpp"

namespace weft::rt {
void spin_pause(unsigned) noexcept { model::pause(0); }
}  // namespace weft::rt

using weft::rt::atomic;
using weft::rt::fence_seq_cst;
using weft::rt::wake_reason;
using weft::rt::wake_result;

namespace {

struct item {
  rl::var<item*> next;
  rl::var<int> body;
  rl::var<int> ran;
};

struct watched_link {
  static item* get(item* it) { return it->next(RL_INFO); }
  static void set(item* it, item* next) { it->next(RL_INFO) = next; }
};

// A shepherd's list: under a lock, with a bit that says whether it holds some.
class placed_list {
 public:
  void push(item& it) {
    lock_.lock();
    it.next(RL_INFO) = first_(RL_INFO);
    first_(RL_INFO) = &it;
    held_.store_relaxed(1);
    lock_.unlock();
  }
  item* take() {
    if (!held()) return nullptr;
    lock_.lock();
    item* it = first_(RL_INFO);
    if (it != nullptr) {
      first_(RL_INFO) = static_cast<item*>(it->next(RL_INFO));
      if (static_cast<item*>(first_(RL_INFO)) == nullptr) held_.store_relaxed(0);
    }
    lock_.unlock();
    return it;
  }
  bool held() const { return held_.load_relaxed() != 0; }
  void clear() { first_(RL_INFO) = nullptr; }

 private:
  weft::rt::spin_lock lock_;
  rl::var<item*> first_;
  atomic<int> held_{0};
};

// A worker as others see it, and what it does with its mail.
struct worker {
  weft::rt::inbox<item, watched_link> mail;
  weft::rt::wake_word wake;
  atomic<int> kernel{0};  // 1: the kernel has been told to wake it
  atomic<unsigned> bell_rung{0};
  atomic<unsigned> order_given{0};
  item bell;
  item order;
  item marker;
  bool attentive = false;
  bool rang = false;
  bool ordered = false;
  int letters = 0;

  bool call() {
    const wake_result r = wake.call();
    if (r == wake_result::must_wake) kernel.store_relaxed(1);
    return r != wake_result::not_idle;
  }
  void send(item& it) {
    mail.push(&it);
    (void)call();
  }
  void ring() {
    if (!wake.is_idle() && bell_rung.exchange_acq_rel(1) == 0) send(bell);
  }
  void give_order() {
    if (order_given.exchange_acq_rel(1) == 0) send(order);
  }

  // The worker.
  void ring_own_bell() {
    // unseen: the worker answers itself, and any exchange goes on with what others released
    if (bell_rung.exchange_acq_rel(1) == 0) mail.push(&bell);
  }
  bool has_letters() const { return !mail.empty() && !mail.holds_only(&marker); }
  void take_mail() {
    for (item* it = mail.take_all(); it != nullptr;) {
      item* const after = watched_link::get(it);
      if (it == &bell) {
        rang = true;
      } else if (it == &order) {
        ordered = true;
      } else if (it != &marker) {
        RL_ASSERT(it->body(RL_INFO) == 7);
        it->ran(RL_INFO) = it->ran(RL_INFO) + 1;
        ++letters;
      }
      it = after;
    }
  }
  void drain() {
    if (attentive && mail.holds_only(&marker)) return;
    take_mail();
    while (attentive && !mail.push_alone(&marker)) take_mail();
  }
  // Idle, not counted; until there is a letter or somebody calls. The fence after the rise is for
  // who looks at what is urgent: bell_suite has it.
  void idle_uncounted() {
    wake.watch_uncounted();
    fence_seq_cst();
    if (!has_letters() && wake.fall_asleep_uncounted())
      while (!wake.is_notified()) wait_in_kernel(weft::rt::wake_word::uncounted_asleep_value);
    (void)wake.rise();
  }
  template <class Work>
  void idle(Work&& any_work) {
    wake.watch();
    fence_seq_cst();
    if (!any_work() && wake.fall_asleep())
      while (!wake.is_notified()) wait_in_kernel(weft::rt::wake_word::asleep_value);
    (void)wake.rise();
  }
  void wait_in_kernel(unsigned value) {
    unsigned seen = value;
    if (!wake.futex().cas_relaxed(seen, value)) return;
    while (kernel.load_relaxed() == 0) weft::model::pause(0);
    kernel.store_relaxed(0);
  }
};

void prepare(item& it) {
  it.ran(RL_INFO) = 0;
  it.body(RL_INFO) = 0;
}

// Two urgent tasks for a worker that is idle when they may come, and at work afterwards: then it
// looks at its mail alone.
struct bell_suite : rl::test_suite<bell_suite, 3> {
  worker w;
  placed_list list;
  item tasks[2];

  void before() {
    list.clear();
    for (item& t : tasks) prepare(t);
  }
  void thread(unsigned who) {
    if (who > 0) {
      item& mine = tasks[who - 1];
      mine.body(RL_INFO) = 7;
      list.push(mine);
      fence_seq_cst();
      w.ring();
      return;
    }
    w.wake.watch();
    (void)w.wake.rise();
    fence_seq_cst();
    if (list.held()) w.ring_own_bell();
    for (int ran = 0; ran < 2;) {
      if (w.mail.empty()) {
        weft::model::pause(0);
        continue;
      }
      w.drain();
      if (!w.rang) continue;
      w.rang = false;
      (void)w.bell_rung.exchange_acq_rel(0);
      if (item* t = list.take()) {
        RL_ASSERT(t->body(RL_INFO) == 7);
        ++ran;
        if (list.held()) w.ring_own_bell();
      }
    }
  }
};

// A disabled worker that sleeps uncounted gets two letters and an order to be as others again, in
// any order. The fence before an order is for those who are not its worker: disable_suite plays
// them.
struct order_suite : rl::test_suite<order_suite, 4> {
  worker w;
  atomic<unsigned> wanted{1};
  atomic<unsigned> rebound_to{0};
  item letters[2];

  void before() {
    for (item& l : letters) prepare(l);
  }
  void thread(unsigned who) {
    if (who == 1) {
      wanted.store_relaxed(0);
      w.give_order();
      rebound_to.store_relaxed(5);  // the order shows it
      w.give_order();
      return;
    }
    if (who > 1) {
      item& mine = letters[who - 2];
      mine.body(RL_INFO) = 7;
      w.send(mine);
      return;
    }
    unsigned now = 1;
    unsigned processor = 0;
    w.attentive = true;
    w.drain();
    for (;;) {
      if (w.has_letters()) w.drain();
      if (w.ordered) {
        w.ordered = false;
        (void)w.order_given.exchange_acq_rel(0);
        now = wanted.load_relaxed();
        // unseen: the order shows it, and any exchange takes it once
        if (const unsigned to = rebound_to.exchange_acquire(0); to != 0) processor = to;
      }
      if (now == 0 && processor == 5 && w.letters == 2) break;
      if (!w.has_letters()) w.idle_uncounted();
    }
    w.attentive = false;  // it is as others again
    w.drain();
    RL_ASSERT(w.letters == 2);
  }
  void after() {
    w.take_mail();
    RL_ASSERT(w.mail.empty() && w.letters == 2);
    for (item& l : letters) RL_ASSERT(l.ran(RL_INFO) == 1);
  }
};

// A task for a shepherd whose one worker is disabled at the same time: the other takes it, though
// the first was called.
struct disable_suite : rl::test_suite<disable_suite, 4> {
  worker w[2];
  atomic<unsigned> wanted{0};  // of worker 0
  atomic<unsigned> over{0};
  placed_list list;
  item task;

  void before() {
    list.clear();
    prepare(task);
  }
  void call_for_placed() {
    for (int i = 0; i < 2; ++i)
      if ((i != 0 || wanted.load_relaxed() == 0) && w[i].call()) return;
  }
  bool run() {
    item* t = list.take();
    if (t == nullptr) return false;
    t->ran(RL_INFO) = t->ran(RL_INFO) + 1;
    over.store_relaxed(1);
    (void)w[1].call();
    return true;
  }
  void thread(unsigned who) {
    if (who == 0) {
      list.push(task);
      fence_seq_cst();  // unseen: as below
      call_for_placed();
    } else if (who == 1) {
      wanted.store_relaxed(1);
      fence_seq_cst();  // unseen: as below
      w[0].give_order();
    } else if (who == 2) {
      while (!w[0].ordered) {
        w[0].idle([this] { return w[0].has_letters() || list.held(); });
        w[0].drain();
        if (!w[0].ordered) (void)run();
      }
      (void)w[0].order_given.exchange_acq_rel(
          0);  // unseen: nothing is read here; order_suite has it
      // unseen: who called this worker in vain put its task before, and the rise shows that; call()
      // has a fence besides
      fence_seq_cst();
      if (list.held()) call_for_placed();
    } else {
      while (over.load_relaxed() == 0) {
        w[1].idle([this] { return list.held() || over.load_relaxed() != 0; });
        (void)run();
      }
    }
  }
  void after() { RL_ASSERT(task.ran(RL_INFO) == 1); }
};

// A shepherd's heir is named, perhaps twice, while tasks come: none lies where nobody looks.
template <bool Again>
struct heir_suite : rl::test_suite<heir_suite<Again>, 3> {
  placed_list lists[2];
  atomic<int> heir[2];
  item tasks[2];

  void before() {
    for (placed_list& l : lists) l.clear();
    for (item& t : tasks) prepare(t);
    heir[0].store_relaxed(0);
    heir[1].store_relaxed(1);
  }
  void hand_to_heir(int from) {
    if (heir[from].load_relaxed() == from) return;
    while (item* t = lists[from].take()) send(*t);
  }
  void send(item& t) {
    const int to = heir[0].load_relaxed();
    lists[to].push(t);
    fence_seq_cst();
    hand_to_heir(to);
  }
  void name(int of_first) {
    heir[0].store_relaxed(of_first);
    fence_seq_cst();
    hand_to_heir(0);
    hand_to_heir(1);
  }
  void thread(unsigned who) {
    if (who < 2) return send(tasks[who]);
    name(1);
    if (Again) {
      name(0);
      name(1);
    }
  }
  void after() {
    RL_ASSERT(lists[0].take() == nullptr);
    for (int i = 0; i < 2; ++i) {
      item* t = lists[1].take();
      RL_ASSERT(t != nullptr);
      t->ran(RL_INFO) = t->ran(RL_INFO) + 1;
    }
    for (item& t : tasks) RL_ASSERT(t.ran(RL_INFO) == 1);
  }
};

// A task is bound to a worker that goes: it is refused, or the worker has it.
struct bound_suite : rl::test_suite<bound_suite, 2> {
  static constexpr unsigned present = 0;
  static constexpr unsigned gone = 2;
  worker w;
  atomic<unsigned> presence{present};
  weft::rt::binding_count bound;
  item letter;
  bool refused = false;

  void before() { prepare(letter); }
  void thread(unsigned who) {
    if (who == 0) {
      letter.body(RL_INFO) = 7;
      bound.begin(who);
      if (presence.load_seq_cst() == gone) {
        bound.end();
        refused = true;
        return;
      }
      w.send(letter);
      return;
    }
    for (;;) {
      w.drain();
      if (w.letters == 1) return;
      presence.store_seq_cst(gone);
      if (!bound.any() && !w.has_letters()) return;
      presence.store_seq_cst(present);  // unseen: it takes back, and hands nothing over
      weft::model::pause(0);
    }
  }
  void after() { RL_ASSERT(refused ? letter.ran(RL_INFO) == 0 : letter.ran(RL_INFO) == 1); }
};

// Who removes a worker waits for its last task, and may give up: each who asks hears of the end or
// takes its question back, though another may ask as soon as one was taken.
struct freed_suite : rl::test_suite<freed_suite, 4> {
  struct question {
    int asked = 0;
    int heard = 0;
    int seen = 0;  // by who asks
    int taken_back = 0;
  };
  weft::rt::binding_count bound;
  atomic<question*> freed{nullptr};
  weft::rt::spin_lock changing;
  question questions[2];

  void before() {
    bound.begin(0);
    bound.begin(1);
  }
  bool take(question* q) {
    return freed.cas_seq_cst(
        q, nullptr);  // unseen: the update picks one; the load acquired what it is
  }
  void unbind() {
    bound.end();
    question* const q = freed.load_seq_cst();
    if (q != nullptr && !bound.any() && take(q)) ++q->heard;
  }
  bool ask(question& mine) {
    if (freed.load_seq_cst() != nullptr) return false;  // unseen: the lock
    freed.store_seq_cst(&mine);
    mine.asked = 1;
    if (bound.any() || !take(&mine)) return true;
    ++mine.seen;
    return false;
  }
  void thread(unsigned who) {
    if (who == 0) return unbind();
    if (who == 1) {
      unbind();
      bound.begin(1);
      return unbind();
    }
    question& mine = questions[who - 2];
    changing.lock();
    const bool waits = ask(mine);
    changing.unlock();
    if (!waits || rl::rand(2) == 0) return;
    changing.lock();
    if (take(&mine)) ++mine.taken_back;
    changing.unlock();
  }
  void after() {
    for (const question& q : questions) RL_ASSERT(q.heard + q.seen + q.taken_back == q.asked);
    RL_ASSERT(freed.load_relaxed() == nullptr && !bound.any());
  }
};

// Bindings begin and end, on several threads, but one is left at any time: who asks is never told
// that there is none.
struct never_free_suite : rl::test_suite<never_free_suite, 3> {
  weft::rt::binding_count bound;

  void before() { bound.begin(0); }
  void thread(unsigned who) {
    if (who == 2) {
      RL_ASSERT(bound.any());
      return;
    }
    bound.begin(who);
    bound.end();
  }
};

// Who is told that there is none sees what was done until the last ended.
struct all_ended_suite : rl::test_suite<all_ended_suite, 2> {
  weft::rt::binding_count bound;
  rl::var<int> work;

  void before() {
    work(RL_INFO) = 0;
    bound.begin(0);
  }
  void thread(unsigned who) {
    if (who == 0) {
      work(RL_INFO) = 7;
      bound.end();
      return;
    }
    while (bound.any()) weft::model::pause(0);
    RL_ASSERT(work(RL_INFO) == 7);
  }
};

// Claims and nudges pass over a worker that is idle uncounted; a call reaches it, with what
// preceded.
struct uncounted_suite : rl::test_suite<uncounted_suite, 3> {
  weft::rt::wake_word word;
  rl::var<int> letter;
  atomic<int> risen{0};

  void before() { letter(RL_INFO) = 0; }
  void thread(unsigned who) {
    if (who == 0) {
      letter(RL_INFO) = 7;
      while (word.call() == wake_result::not_idle) weft::model::pause(0);
    } else if (who == 1) {
      while (risen.load_relaxed() == 0) {
        RL_ASSERT(word.hand_search() == wake_result::not_idle);
        RL_ASSERT(word.nudge() == wake_result::not_idle);
        weft::model::pause(0);
      }
    } else {
      word.watch_uncounted();
      if (word.fall_asleep_uncounted()) {
        if (rl::rand(2) == 0) word.stir_uncounted();
      }
      while (!word.is_notified()) weft::model::pause(0);
      RL_ASSERT(word.rise() == wake_reason::called);
      RL_ASSERT(letter(RL_INFO) == 7);
      risen.store_relaxed(1);
    }
  }
};

}  // namespace

int main() {
  using weft::model::holds;
  const bool good = holds<bell_suite>(100000) && holds<order_suite>(100000) &&
                    holds<disable_suite>(100000) && holds<heir_suite<false>>(50000) &&
                    holds<heir_suite<true>>(50000) && holds<bound_suite>(50000) &&
                    holds<freed_suite>(50000) && holds<never_free_suite>(50000) &&
                    holds<all_ended_suite>(50000) && holds<uncounted_suite>(50000);
  return good ? 0 : 1;
}
