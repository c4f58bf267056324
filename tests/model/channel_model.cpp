// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels and select, the code itself over a wait of the model's: every value arrives exactly
// once, nobody sleeps on, what preceded a send is seen after its receive.
#include <cstring>

#include "model.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

void spin_pause(unsigned) noexcept { rl::yield(1, RL_INFO); }
void spin_in_crowd(unsigned) noexcept { rl::yield(1, RL_INFO); }

// The claim and the wake of sync/wait.hpp; a flow here is a thread, which reads its word until
// woken.
class wait {
 public:
  explicit wait(bool sole) : sole_(sole) {}
  bool claim() { return sole_ || claimed_.exchange_acq_rel(1) == 0; }
  void wake() { woken_.store_release(1); }
  void until_woken() {
    while (woken_.load_acquire() == 0) spin_pause(0);
  }

 private:
  const bool sole_;
  atomic<int> claimed_{0};
  atomic<int> woken_{0};
};

}  // namespace weft::rt

#include "sync/channel_core.hpp"
#include "sync/selection.hpp"

using namespace weft::rt;

namespace {

using core = channel_core<wait>;

// What is sent: the number of a variable that its sender wrote before.
template <int Capacity>
struct channel {
  int64_t buffer[Capacity + 1];
  core c{sizeof(int64_t), Capacity, reinterpret_cast<std::byte*>(buffer)};
};

core& core_of(weft_case_t& c) { return *static_cast<core*>(c.object); }

// As src/sync/channel.cpp.
struct ops {
  static spin_lock& lock(weft_case_t& c) noexcept { return core_of(c).lock(); }
  static bool send_holding(weft_case_t& c, waiter*& woken) noexcept {
    return settled_by(c, core_of(c).send_holding(c.from, woken));
  }
  static bool receive_holding(weft_case_t& c, waiter*& woken) noexcept {
    return settled_by(c, core_of(c).receive_holding(c.into, woken));
  }
  template <bool (*Holding)(weft_case_t&, waiter*&) noexcept>
  static bool now(weft_case_t& c) noexcept {
    waiter* woken = nullptr;
    core_of(c).lock().lock();
    const bool taken = Holding(c, woken);
    core_of(c).lock().unlock();
    if (woken != nullptr) woken->of->wake();
    return taken;
  }
  template <wait_queue& (core::*Queue)() noexcept>
  static void push(weft_case_t& c, wait& w) noexcept {
    (core_of(c).*Queue)().push(make_waiter<channel_waiter>(c, w, c.into));
  }
  template <wait_queue& (core::*Queue)() noexcept>
  static void leave(weft_case_t& c) noexcept {
    auto& me = waiter_of<channel_waiter>(c);
    core_of(c).lock().lock();
    if (me.queued) (core_of(c).*Queue)().remove(me);
    core_of(c).lock().unlock();
  }
  static bool finish(weft_case_t& c) noexcept {
    c.result = waiter_of<channel_waiter>(c).result;
    return true;
  }
};
constexpr select_ops send_ops{
    ops::now<ops::send_holding>, ops::lock,  ops::send_holding, ops::push<&core::senders>, nullptr,
    ops::leave<&core::senders>,  ops::finish};
constexpr select_ops receive_ops{ops::now<ops::receive_holding>,
                                 ops::lock,
                                 ops::receive_holding,
                                 ops::push<&core::receivers>,
                                 nullptr,
                                 ops::leave<&core::receivers>,
                                 ops::finish};

weft_case_t make_case(core& c, const select_ops& with, int64_t* value) {
  weft_case_t made{};
  made.object = &c;
  made.into = value;
  prepare_case(made, with);
  return made;
}

// The index of the case; its result must be 0 unless `closed` is given.
int select(weft_case_t* cases, unsigned count, int* result = nullptr) {
  selection<wait> all(cases, count);
  all.shuffle([](uint32_t n) { return rl::rand(n); });
  if (!all.poll()) {
    wait w(false);
    if (all.stand(w) == stood::queued) {
      w.until_woken();
      all.leave();
      RL_ASSERT(all.finish());
    }
  }
  const int taken = all.taken();
  RL_ASSERT(result != nullptr || cases[taken].result == 0);
  if (result != nullptr) *result = cases[taken].result;
  return taken;
}

// A plain call: waits in one queue alone. 0 or -EPIPE.
int plain(core& c, int64_t* value, bool sends) {
  waiter* woken = nullptr;
  c.lock().lock();
  const int result = sends ? c.send_holding(value, woken) : c.receive_holding(value, woken);
  if (result != -EBUSY) {
    c.lock().unlock();
    if (woken != nullptr) woken->of->wake();
    return result;
  }
  wait w(true);
  channel_waiter me(w, value);
  (sends ? c.senders() : c.receivers()).push(me);
  c.lock().unlock();
  w.until_woken();
  return me.result;
}

// What three threads may tell each other; number 0 is nobody's.
struct letters {
  rl::var<int> written[4];
  int arrived[4] = {};

  void write(int64_t number) { written[number](RL_INFO) = static_cast<int>(number); }
  void read(int64_t number) {
    RL_ASSERT(number > 0 && number < 4);
    RL_ASSERT(written[number](RL_INFO) == number);
    ++arrived[number];
  }
};

// Two senders and a receiver, plain calls.
template <int Capacity>
struct senders : rl::test_suite<senders<Capacity>, 3>, letters {
  channel<Capacity> x;

  void thread(unsigned who) {
    if (who != 0) {
      int64_t number = who;
      write(number);
      RL_ASSERT(plain(x.c, &number, true) == 0);
      return;
    }
    for (int i = 0; i < 2; ++i) {
      int64_t number = 0;
      RL_ASSERT(plain(x.c, &number, false) == 0);
      read(number);
    }
  }
  void after() { RL_ASSERT(arrived[1] == 1 && arrived[2] == 1 && x.c.length_holding() == 0); }
};

// A ring: each sends to the next and receives from the one before, whichever is possible first.
// Every meeting is one of two selects.
template <int Capacity>
struct ring : rl::test_suite<ring<Capacity>, 3>, letters {
  channel<Capacity> x[3];

  void thread(unsigned who) {
    int64_t mine = int64_t{who} + 1;
    int64_t got = 0;
    write(mine);
    weft_case_t both[2] = {make_case(x[(who + 1) % 3].c, send_ops, &mine),
                           make_case(x[who].c, receive_ops, &got)};
    if (select(both, 2) == 0) {
      RL_ASSERT(plain(x[who].c, &got, false) == 0);
    } else {
      RL_ASSERT(plain(x[(who + 1) % 3].c, &mine, true) == 0);
    }
    RL_ASSERT(got == int64_t{(who + 2) % 3} + 1);
    read(got);
  }
  void after() { RL_ASSERT(arrived[1] == 1 && arrived[2] == 1 && arrived[3] == 1); }
};

// Two selects that name the same two channels in both directions, and a third flow that is served
// by neither or by one of them: who was passed over must not sleep on.
struct crowd : rl::test_suite<crowd, 3>, letters {
  channel<0> a;
  channel<0> b;

  void thread(unsigned who) {
    if (who == 0) {
      int64_t mine = 1;
      write(mine);
      weft_case_t cases[2] = {make_case(a.c, send_ops, &mine), make_case(b.c, send_ops, &mine)};
      select(cases, 2);
      return;
    }
    if (who == 1) {
      int64_t got = 0;
      weft_case_t cases[2] = {make_case(b.c, receive_ops, &got), make_case(a.c, receive_ops, &got)};
      for (int i = 0; i < 2; ++i) {
        select(cases, 2);
        read(got);
      }
      return;
    }
    int64_t mine = 2;
    write(mine);
    RL_ASSERT(plain(a.c, &mine, true) == 0);
  }
  void after() { RL_ASSERT(arrived[1] == 1 && arrived[2] == 1); }
};

// A close against a waiting select and a plain receive.
struct closing : rl::test_suite<closing, 3>, letters {
  channel<0> a;
  channel<1> b;

  void thread(unsigned who) {
    if (who == 0) {
      int64_t mine = 1;
      write(mine);
      RL_ASSERT(plain(b.c, &mine, true) == 0);
      written[3](RL_INFO) = 3;
      for (core* c : {&a.c, &b.c}) {
        wake_chain woken;
        c->lock().lock();
        RL_ASSERT(c->close_holding(woken));
        c->lock().unlock();
        woken.wake();
      }
      return;
    }
    int64_t got = 0;
    int result = 0;
    if (who == 1) {
      weft_case_t cases[2] = {make_case(a.c, receive_ops, &got), make_case(b.c, receive_ops, &got)};
      select(cases, 2, &result);
    } else {
      result = plain(b.c, &got, false);
    }
    if (result == 0) {
      read(got);
    } else {
      RL_ASSERT(result == -EPIPE && got == 0);
      RL_ASSERT(written[3](RL_INFO) == 3);
    }
  }
  void after() { RL_ASSERT(arrived[1] + static_cast<int>(b.c.length_holding()) == 1); }
};

// A receive that gives up (somebody else claims its wait) against a send that may not wait.
struct giving_up : rl::test_suite<giving_up, 3>, letters {
  channel<0> a;
  wait* timed = nullptr;
  weft::rt::atomic<int> shown{0};
  weft::rt::atomic<int> left{0};
  bool fired = false;
  bool sent = false;
  bool received = false;

  void thread(unsigned who) {
    if (who == 0) {
      int64_t got = 0;
      wait w(false);
      channel_waiter me(w, &got);
      waiter* woken = nullptr;
      a.c.lock().lock();
      RL_ASSERT(a.c.receive_holding(&got, woken) == -EBUSY);
      a.c.receivers().push(me);
      a.c.lock().unlock();
      timed = &w;
      shown.store_release(1);
      w.until_woken();
      while (left.load_acquire() == 0) spin_pause(0);
      a.c.lock().lock();
      if (me.queued) a.c.receivers().remove(me);
      a.c.lock().unlock();
      received = me.chosen;
      if (received) read(got);
      RL_ASSERT(received == (got != 0));
      return;
    }
    if (who == 1) {
      int64_t mine = 1;
      write(mine);
      waiter* woken = nullptr;
      a.c.lock().lock();
      const int result = a.c.send_holding(&mine, woken);
      a.c.lock().unlock();
      RL_ASSERT((result == 0) == (woken != nullptr));
      sent = result == 0;
      if (sent) woken->of->wake();
      return;
    }
    while (shown.load_acquire() == 0) spin_pause(0);
    fired = timed->claim();
    if (fired) timed->wake();
    left.store_release(1);
  }
  void after() { RL_ASSERT(sent == received && fired != received); }
};

}  // namespace

int main() {
  using weft::model::holds;
  return holds<senders<0>>(100000) && holds<senders<1>>(100000) && holds<ring<0>>(100000) &&
                 holds<ring<1>>(50000) && holds<crowd>(150000) && holds<closing>(100000) &&
                 holds<giving_up>(100000)
             ? 0
             : 1;
}
