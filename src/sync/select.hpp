// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Select: one flow waits for several things and takes exactly one of them.
//
// One wait stands in the queues of all cases, a waiter in each; the first waker that claims it
// wins, and `waiter::chosen` says which case that was. The steps:
//   1. shuffle: which of several ready cases is taken is a matter of chance, each as likely as the
//      other.
//   2. try_now each. The flow stands nowhere yet, so nobody can meet it.
//   3. cases with a lock (those where two waiting flows meet: channels): all locks, in the order of
//      their addresses; look at each once more; if none is ready stand in all; open the locks.
//      Nobody sees this flow before all were looked at, so a flow never has to settle two waits at
//      once.
//   4. the other cases one by one: `stand` looks once more under the object's own lock. What it
//      finds ready it takes if it can claim its own wait; if not, somebody of step 3 or 4 was
//      first.
//   5. wait; leave all queues; finish the chosen case.
// A kind of case is a table of functions, channels' beside them, the others' in cases.cpp; src/api
// chooses it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>

#include <weft/case.h>

#include "sched/spin_lock.hpp"
#include "sync/wait_queue.hpp"

namespace weft::rt {

// What came of standing in a case's queue.
enum class stood {
  queued,   // not ready: whoever makes it ready will find the waiter
  taken,    // it was ready; the flow claimed its own wait and took it: `result` is set
  settled,  // it was ready, but somebody claimed the wait before: nothing was taken
  again,    // it was ready; the flow claimed its own wait, but somebody else took it: begin anew
};

// All run in the flow that selects. True: taken, and `result` is what the call for this case alone
// would return. False: not ready.
struct select_ops {
  bool (*try_now)(weft_case_t& c) noexcept;

  // Step 3; null where no two waiting flows can meet. woken: to be woken when the locks are open.
  spin_lock& (*lock)(weft_case_t& c) noexcept = nullptr;
  bool (*try_holding)(weft_case_t& c, waiter*& woken) noexcept = nullptr;
  void (*push_holding)(weft_case_t& c, wait& w) noexcept = nullptr;

  // Step 4; null where there is nothing to stand in, or step 3 is for this kind.
  stood (*stand)(weft_case_t& c, wait& w) noexcept = nullptr;

  // After it nobody uses the waiter. Not called for the chosen case.
  void (*leave)(weft_case_t& c) noexcept = nullptr;
  // The chosen case. False: what the wake promised is gone, select begins anew.
  bool (*finish)(weft_case_t& c) noexcept = nullptr;
};

// The answer of try_now and the like from what a try form of the primitive said.
inline bool settled_by(weft_case_t& c, int result) noexcept {
  if (result == -EBUSY) return false;
  c.result = result;
  return true;
}

// In stand(), of a case that was found ready: take() takes it as try_now does.
template <class Wait, class Take>
stood take_if_claimed(Wait& w, Take&& take) noexcept {
  if (!w.claim()) return stood::settled;
  return take() ? stood::taken : stood::again;
}

// A case that is never ready, and one that is from a moment on. The earliest such moment bounds the
// wait.
extern const select_ops never_case;
extern const select_ops deadline_case;

// What the engine keeps in a case.
struct select_place {
  const select_ops* ops;
  weft_case_t* next;  // by address of the lock
  uint32_t order;     // in place i: the case that is looked at as number i
  bool stands;        // in a queue
  uint8_t passes;     // of a mutex: so often this select was woken and found it another's
  alignas(8) std::byte waiter[sizeof(weft_case_t::opaque) - 24];
};
static_assert(sizeof(select_place) == sizeof(weft_case_t::opaque));

inline select_place& place_of(weft_case_t& c) noexcept {
  return *reinterpret_cast<select_place*>(c.opaque);
}

// The waiter of a case lies in the case; it begins with a `waiter`, in a queue or not.
template <class Waiter, class... Arguments>
Waiter& make_waiter(weft_case_t& c, Arguments&&... arguments) noexcept {
  static_assert(sizeof(Waiter) <= sizeof(select_place::waiter) && alignof(Waiter) <= 8);
  return *new (place_of(c).waiter) Waiter(arguments...);
}
template <class Waiter>
Waiter& waiter_of(weft_case_t& c) noexcept {
  return *std::launder(reinterpret_cast<Waiter*>(place_of(c).waiter));
}

// The caller says what each case is, before.
inline void prepare_case(weft_case_t& c, const select_ops& ops) noexcept {
  place_of(c).ops = &ops;
  place_of(c).stands = false;
  place_of(c).passes = 0;
}

// The index of the case that was taken; -ETIMEDOUT, -EPERM, -ENOMEM. count: at most INT_MAX.
int select(weft_case_t* cases, std::size_t count, int64_t deadline_ns, void* site) noexcept;
// The same, or -EBUSY: none is ready.
int try_select(weft_case_t* cases, std::size_t count) noexcept;

}  // namespace weft::rt
