// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A growable split deque: its owner pushes and pops without fence or atomic update, thieves steal.
//
// After Lace (van Dijk and van de Pol, Euro-Par 2014) for the split, Chase and Lev (SPAA 2005) and
// Le et al. (PPoPP 2013, doi 10.1145/2442516.2442524) for the public part. The decision and what it
// costs: docs/design/0003-deque.md.
//
//        top_        split_ = floor_       bottom_          all 64-bit, oldest item to the left
//   taken |  public     |      private        |  free
//           thieves: CAS   owner: load, store
//
// Words
//   top_     oldest item not taken. CAS raises it by one: thieves, and the owner for the last item.
//   split_   a thief may take below it.            Written under gate_.
//   floor_   the owner may take from it on up without asking. Written under gate_. It differs from
//            split_ while a thief shares (floor_ goes first), while the owner reclaims (split_ goes
//            first), and in the symmetric mode, where it stands above every index, so that each pop
//            asks.
//   bottom_  one above the newest item.            Written by the owner.
//   ask_end_ code inlined into programs takes what stands above it only. Owner's own, as barred_.
//   barred_  the newest item that inlined code may not take (bar(), insert_below()), or one above.
//   gate_    serialises what moves split_ and floor_: slow pop, share, force_share, gated claims.
//            Growth moves neither, so it needs no gate.
//
// Invariants
//   I0  a slot in [top_, bottom_) holds an item or a hole (nullptr), which is what an owner leaves
//       that takes from the middle; who takes a hole takes nothing and goes on.
//   I1  top_ never decreases, so an index that was taken never comes back.
//   I2  bottom_, the slots, limit_ and the ring are written by the owner alone.
//   I3  with the gate free, top_ <= split_ <= bottom_, and floor_ == split_ unless symmetric.
//   I4  an index that is public while it is the top stays public until it is taken: the owner takes
//       the last item by CAS, and otherwise lowers split_ only to where it finds top_ strictly
//       below.
//   I5  a private hole stands below ask_end_, unless it was public when ask_less() came, which
//       costs time only; an item that inlined code may not take stands at barred_ or below, and
//       that is at most ask_end_.
//
// Why a stalled thief cannot take a wrong item (no ABA)
//   A thief reads top_ == t, then (S2) split_ > t, then slot t, and its CAS finds top_ == t again.
//   Slot t changes only by (a) a push at t + capacity, which waits for top_ > t (G1), so by I1 the
//   CAS fails; or (b) a push or a claim at t after the owner took t back by lowering split_ to
//   s <= t. Then the owner saw top_ < s <= t after its fence Q2. The thief had seen top_ == t
//   before its fence S2, so Q2 comes before S2, and the thief reads that lowered split_ or a later
//   one. If it still found split_ > t, it read a raise later than every such reclaim, which
//   publishes the slot's last content (S3). So slot t holds one item from S3 to the CAS. That
//   {top_, split_} returned to old values is no harm: the pair is never compared, only top_ is, and
//   top_ does not return.
//
// Why the owner's plain pop is right against force_share
//   O1 <> F2: either the pop sees the raised floor_ and goes to the gate, or the sharer sees the
//   lowered bottom_ and shares below it. A push that reuses the index does not deceive the sharer:
//   what it then sees below bottom_ is there, and the next pop of that index meets floor_ in turn.
//
// Orders
//   P1 -> F3   push publishes slot and item to the thief that shares it
//   P2 -> F3   pop lowers bottom_; a sharer that reads this store publishes the slots below
//   C1 -> F3   a claim lowers bottom_, likewise
//   C2 -> F3   a claim raises bottom_ over the slots it rewrote, a look over the item it has done
//              with
//   F4 -> S3   a forced share publishes [old split_, split_) to every thief
//   H1 -> S3   the owner's share does
//   Q1 -> S3   so does the lowered split_, to a thief that missed the raise before it
//   Q3 -> S3   and the restored one
//   G2 -> S4   growth publishes the ring with its copies
//   S5 -> G1   a thief that advanced top_ is done with the slot that a push reuses
//   L2 -> L1   what one holder of the gate wrote is seen by the next
//   O1 <> F2   pop or claim lowers bottom_ and reads floor_; a sharer raises floor_ and reads
//              bottom_
//   Q2 <> S2   a reclaim lowers split_ and reads top_; a thief reads top_, then split_
//   Owner's loads of slots pair with its own stores; see atomic::load_own_relaxed.
//   unseen: "C++11" marks orders that the model cannot prove: relacy goes on with a release
//   sequence at later plain stores of the same thread, as C++11 did and C++20 does not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "arch/fiber_notes.hpp"
#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/check.hpp"
#include "base/owned.hpp"
#include "lockfree/caller.hpp"

namespace weft::rt {

enum class steal_result { taken, empty, lost };
enum class take_result { no, newest, from_middle };

template <class T>
class work_deque {
  static_assert(std::is_pointer_v<T>, "nullptr says that there was nothing");

 public:
  // `symmetric`: there is no process-wide barrier, so the owner's pop takes the gate each time.
  // `first_capacity`: slots of the first ring, a power of two; it is taken at the first push.
  work_deque(const memory_source& memory, pause_fn pause, bool symmetric,
             std::int64_t first_capacity = 256) noexcept
      : floor_(symmetric ? above_all : 0),
        slots_(&none_),
        memory_(memory),
        pause_(pause),
        first_capacity_(first_capacity),
        symmetric_(symmetric) {}
  work_deque(const work_deque&) = delete;
  work_deque& operator=(const work_deque&) = delete;
  ~work_deque() { dispose(); }

  // Owner. False: no memory to grow, and nothing changed.
  [[nodiscard]] WEFT_ALWAYS_INLINE bool push(T item) {
    const std::int64_t b = bottom_.load_relaxed();  // own: I2
    if (b >= limit_.get()) [[unlikely]]
      return push_after_growth(item);
    put(b, item);
    return true;
  }

  // Owner. Whether the next push asks for more room.
  [[nodiscard]] WEFT_ALWAYS_INLINE bool full() const {
    return bottom_.load_relaxed() >= limit_.get();  // own: I2
  }

  // Owner. Room for one more push. False: no memory.
  [[nodiscard]] bool make_room() {
    return !full() || make_room(bottom_.load_relaxed());  // own: I2
  }

  // Owner. The same where full() is known to be false.
  WEFT_ALWAYS_INLINE void push_into_room(T item) {
    put(bottom_.load_relaxed(), item);  // own: I2
  }
  // The same by who has just asked for end(), which is b.
  WEFT_ALWAYS_INLINE void push_into_room(T item, std::int64_t b) { put(b, item); }

  // Owner. The newest item is none that inlined code may take.
  void bar() {
    bar_at(bottom_.load_relaxed() - 1);  // own: I2
  }

  // Owner, after inlined code has asked, or a hole has gone: what is pushed next it may take
  // itself. Looks for holes some slots down, so that of the items there few are asked for.
  void ask_less() {
    if (ask_end_.get() == ask_for_none) return;
    const std::int64_t b = bottom_.load_relaxed();   // own: I2
    const std::int64_t low = floor_.load_relaxed();  // hint: what is public now costs time only
    const std::int64_t until = std::max(low, b - 64);
    std::int64_t k = b;
    while (k > until && at(k - 1) != nullptr) --k;
    barred_.set(std::min(barred_.get(), b - 1));
    ask_end_.set(std::max(barred_.get(), k > low ? std::min(ask_end_.get(), k) : ask_for_none));
  }

  // Owner. The newest item, or nullptr.
  [[nodiscard]] WEFT_ALWAYS_INLINE T pop() {
    for (;;) {
      const std::int64_t b = bottom_.load_relaxed() - 1;  // own: I2
      const std::int64_t floor = lower_bottom(b);
      if (floor > b) [[unlikely]]
        return pop_slow(b);
      const T item = at(b);
      if (item == nullptr) [[unlikely]]
        continue;
      if (floor < b && at(b - 1) == nullptr) [[unlikely]]
        drop_holes();
      return item;
    }
  }

  // Owner. Whether x, which was pushed when end() was k, still stands there as far as the owner can
  // see; take() tells.
  [[nodiscard]] WEFT_ALWAYS_INLINE bool holds(T x, std::int64_t k) const {
    return k < bottom_.load_relaxed() && at(k) == x;  // own: I2
  }

  // Owner, who has just asked holds(x, k). Takes x if it is private. In the middle it leaves a
  // hole, which pops and thieves pass over, and what is newer is out of sharers' sight for a
  // moment: then tell idle workers afterwards, as after a push. `no`: thieves may take it, or have;
  // the deque is as it was.
  [[nodiscard]] WEFT_ALWAYS_INLINE take_result take(std::int64_t k) {
    const std::int64_t b = bottom_.load_relaxed();  // own: I2
    const std::int64_t floor = lower_bottom(k);
    if (floor > k) [[unlikely]]
      return take_slow(k, b);
    if (k != b - 1) {
      leave_hole(k);
      bottom_.store_release(b);  // C2 -> F3
      return take_result::from_middle;
    }
    if (floor < k && at(k - 1) == nullptr) [[unlikely]]
      drop_holes();
    return take_result::newest;
  }

  // Owner. From here on up items are private, as far as can be seen: take() tells.
  [[nodiscard]] WEFT_ALWAYS_INLINE std::int64_t private_from() const {
    return floor_.load_relaxed();  // hint: take() decides
  }
  // Owner. What stands at k, in [private_from(), end()); nullptr: a hole. Thieves may take it
  // meanwhile: only its address is to be looked at.
  [[nodiscard]] WEFT_ALWAYS_INLINE T peek(std::int64_t k) const { return at(k); }

  // Owner. Whether an item that wanted() says yes to stands at k, in [private_from(), end()).
  // Nobody can take it while wanted() looks at it, and what is newer is out of sharers' sight: so
  // tell idle workers afterwards, as after a push. Then thieves may take it again: take() tells.
  // False also where it may be public.
  template <class Wanted>
  [[nodiscard]] WEFT_ALWAYS_INLINE bool stands(std::int64_t k, Wanted&& wanted) {
    const std::int64_t b = bottom_.load_relaxed();  // own: I2
    const bool is_mine = lower_bottom(k) <= k;
    const T item = is_mine ? at(k) : nullptr;
    const bool is_wanted = item != nullptr && wanted(item);
    bottom_.store_release(b);  // C2 -> F3
    return is_wanted;
  }

  // Owner. When nothing is public, makes the older half of the private items public, rounded up.
  // False: something is public already, or nothing is private, or a thief is sharing just now.
  bool share() {
    if (!try_gate()) return false;
    const std::int64_t s = split_.load_relaxed();        // via: L1
    const std::int64_t b = bottom_.load_relaxed();       // own: I2
    const bool any = b > s && top_.load_relaxed() >= s;  // hint: a moment later it may be empty
    if (any) {
      const std::int64_t raised = s + half(b - s);
      set_floor(raised);
      split_.store_release(raised);  // H1 -> S3
    }
    open_gate();
    return any;
  }

  // Owner. One above the index of the newest item: each push raises it by one, each pop lowers it.
  [[nodiscard]] WEFT_ALWAYS_INLINE std::int64_t end() const {
    return bottom_.load_relaxed();  // own: I2
  }

  // Any thread. Hints: is anything open to thieves, is anything not?
  [[nodiscard]] bool has_public() const {
    return top_.load_relaxed() < split_.load_relaxed();  // hint: a thief may take it
  }
  [[nodiscard]] bool has_private() const {
    return bottom_.load_relaxed() > split_.load_relaxed();  // hint: a thief may share it
  }

  // Any thread. A hint: how many items are open to thieves, holes included.
  [[nodiscard]] std::int64_t public_hint() const {
    return split_.load_relaxed() - top_.load_relaxed();  // hint: a thief may take some
  }

  // Owner. Puts x, which inlined code may not take, just below the newest n items. Where fewer than
  // n are private, x goes below all of the private ones. False: no memory to grow, and nothing
  // changed. Items are hidden from remaining_hint meanwhile: tell idle workers afterwards, as after
  // a push.
  [[nodiscard]] bool insert_below(T x, std::int64_t n) {
    const std::int64_t b = bottom_.load_relaxed();  // own: I2
    if (b >= limit_.get() && !make_room(b)) return false;
    std::int64_t k = std::max(b - n, split_.load_relaxed());  // hint: claim() finds the true one
    const bool gated = claim(k);
    if (gated) k = std::max(k, split_.load_relaxed());  // via: L1
    for (std::int64_t i = b; i > k; --i) set(i, at(i - 1));
    set(k, x);
    if (k <= ask_end_.get()) ask_end_.set(ask_end_.get() + 1);
    if (k <= barred_.get()) barred_.set(barred_.get() + 1);
    bar_at(k);
    bottom_.store_release(b + 1);  // C2 -> F3
    if (gated) open_gate();
    return true;
  }

  // Owner. Takes x out of the private part, wherever it stands; false: it is not there. Tell idle
  // workers afterwards, as after a push.
  [[nodiscard]] bool take_private(T x) {
    const std::int64_t b = bottom_.load_relaxed();   // own: I2
    const std::int64_t low = split_.load_relaxed();  // hint: checked again under the claim
    std::int64_t k = b - 1;
    while (k >= low && at(k) != x) --k;
    if (k < low) return false;
    const bool gated = claim(k);
    const bool mine = !gated || split_.load_relaxed() <= k;  // via: L1
    if (mine)
      for (std::int64_t i = k; i + 1 < b; ++i) set(i, at(i + 1));
    bottom_.store_release(mine ? b - 1 : b);  // C2 -> F3
    if (gated) open_gate();
    return mine;
  }

  // Any thread, the owner too. The oldest public item; `lost`: another took it, or it was a hole;
  // try again or elsewhere.
  [[nodiscard]] steal_result steal(T& item) {
    std::int64_t t = top_.load_relaxed();                        // S2 <> Q2
    fence_seq_cst();                                             // S2 <> Q2
    if (split_.load_acquire() <= t) return steal_result::empty;  // S3 <- F4, H1, Q1, Q3
    ring* const r = ring_.load_acquire();                        // S4 <- G2
    const T seen = r->slot(t).load_relaxed();                    // cas: kept only if S5 wins
    // S5 -> G1; unseen: relacy runs each load before the stores that follow it, a processor may not
    if (!top_.cas_release(t, t + 1) || seen == nullptr) return steal_result::lost;
    item = seen;
    return steal_result::taken;
  }

  // Any thread but the owner. Makes the older half of the private items public, rounded up, without
  // the owner's help. `heavy` is the process-wide barrier; it is not called in the symmetric mode.
  // False: nothing was private, or the owner took it meanwhile, or another holds the gate.
  template <class HeavyBarrier>
  bool force_share(HeavyBarrier&& heavy) {
    if (!try_gate()) return false;
    const std::int64_t s = split_.load_relaxed();   // via: L1
    const std::int64_t b = bottom_.load_relaxed();  // hint: F3 reads it again
    bool any = false;
    if (b > s) {
      const std::int64_t wanted = s + half(b - s);
      set_floor(wanted);
      if (!symmetric_) heavy();                         // F2 <> O1
      const std::int64_t now = bottom_.load_acquire();  // F3 <- P1, P2, C1, C2; F2 <> O1
      // split_ only now: earlier, a thief could take what the owner popped before it saw floor_.
      const std::int64_t raised = std::min(wanted, std::max(s, now));
      any = raised > s;
      if (any) split_.store_release(raised);  // F4 -> S3
      set_floor(raised);
    }
    open_gate();
    return any;
  }

  // Any thread. How many items there are, about. After a barrier that pairs with the owner's
  // fence_light after its push, 0 means that the owner has taken, is just taking, or will announce
  // what there was.
  [[nodiscard]] std::int64_t remaining_hint() const {
    const std::int64_t t = top_.load_relaxed();                    // hint: see above
    return std::max<std::int64_t>(0, bottom_.load_relaxed() - t);  // hint: see above
  }

  // Owner, when no thief can come any more. Gives back all rings; the deque is empty then.
  void dispose() {
    ring* r = ring_.load_relaxed();  // own: nobody else is left
    while (r != nullptr) {
      ring* older = r->older;
      std::destroy_n(r->slots(), r->capacity);
      memory_.give(memory_.context, r, ring::bytes(r->capacity));
      r = older;
    }
    const std::int64_t b = bottom_.load_relaxed();  // own: nobody else is left
    ring_.store_relaxed(nullptr);                   // own: nobody else is left
    top_.store_relaxed(b);                          // own: nobody else is left
    split_.store_relaxed(b);                        // own: nobody else is left
    set_floor(b);
    slots_.set(&none_);
    mask_.set(0);
    ask_end_.set(ask_for_none);
    barred_.set(ask_for_none);
    limit_.set(b);
  }

 private:
  friend struct fork_layout;  // of the owner's line: api/fork.cpp

  // A ring and, behind it, its slots. Old rings stay until dispose, because a stalled thief may
  // read them; all of them together are smaller than the newest.
  struct ring {
    ring* older;
    std::int64_t capacity;

    static std::size_t bytes(std::int64_t capacity) {
      return sizeof(ring) + static_cast<std::size_t>(capacity) * sizeof(atomic<T>);
    }
    atomic<T>* slots() { return reinterpret_cast<atomic<T>*>(this + 1); }
    atomic<T>& slot(std::int64_t i) { return slots()[i & (capacity - 1)]; }
  };
  static_assert(alignof(atomic<T>) <= alignof(ring) && sizeof(ring) % alignof(atomic<T>) == 0);

  static constexpr std::int64_t above_all = INT64_MAX;
  static constexpr std::int64_t ask_for_none = INT64_MIN;

  static std::int64_t half(std::int64_t n) { return (n + 1) / 2; }

  WEFT_ALWAYS_INLINE T at(std::int64_t i) const {
    return slots_.get()[i & mask_.get()].load_own_relaxed();  // own: I2
  }
  WEFT_ALWAYS_INLINE void set(std::int64_t i, T item) {
    slots_.get()[i & mask_.get()].store_own_relaxed(item);  // via: P1, C2
  }
  WEFT_ALWAYS_INLINE void leave_hole(std::int64_t k) {
    set(k, nullptr);
    ask_up_to(k + 1);
  }
  WEFT_ALWAYS_INLINE void ask_up_to(std::int64_t k) {
    if (k > ask_end_.get()) ask_end_.set(k);
  }
  void bar_at(std::int64_t k) {
    barred_.set(std::max(barred_.get(), k));
    ask_up_to(k);
  }
  WEFT_ALWAYS_INLINE void put(std::int64_t b, T item) {
    set(b, item);
    bottom_.store_release(b + 1);  // P1 -> F3
  }

  // Returns floor_: where it is above b, index b may be public, so ask at the gate.
  WEFT_ALWAYS_INLINE std::int64_t lower_bottom(std::int64_t b) {
    bottom_.store_release(b);      // P2 -> F3; unseen: C++11
    fence_light();                 // O1 <> F2
    return floor_.load_relaxed();  // O1 <> F2
  }

  // Takes [k, bottom_) out of reach of sharers. True: the gate is held, and from split_ on up only.
  bool claim(std::int64_t k) {
    bottom_.store_release(k);                      // C1 -> F3; unseen: C++11
    fence_light();                                 // O1 <> F2
    if (floor_.load_relaxed() <= k) return false;  // O1 <> F2
    close_gate();
    return true;
  }

  WEFT_COLD T pop_slow(std::int64_t b) {
    for (;;) {
      close_gate();
      const bool mine = split_.load_relaxed() <= b;  // via: L1
      T item = mine ? at(b) : pop_public(b);
      open_gate();
      if (item != nullptr || remaining_hint() == 0) return item;
      // It was a hole. What is below it may be private, and holes too.
      for (;;) {
        b = bottom_.load_relaxed() - 1;  // own: I2
        if (lower_bottom(b) > b) break;
        item = at(b);
        if (item != nullptr) return item;
      }
    }
  }

  // bottom_ stands at k, and thieves may share what is below floor_.
  WEFT_COLD take_result take_slow(std::int64_t k, std::int64_t b) {
    if (k == b - 1) return pop_slow(k) != nullptr ? take_result::newest : take_result::no;
    if (split_.load_relaxed() > k) {  // hint: nobody but the owner lowers it
      bottom_.store_release(b);       // C2 -> F3; unseen: C++11
      return take_result::no;
    }
    close_gate();
    const bool mine = split_.load_relaxed() <= k;  // via: L1
    if (mine) leave_hole(k);
    bottom_.store_release(b);  // C2 -> F3; unseen: the gate, opened next, publishes as much
    open_gate();
    return mine ? take_result::from_middle : take_result::no;
  }

  // The newest private slots are holes: they must not make an empty deque look like one with work.
  WEFT_COLD void drop_holes() {
    const std::int64_t b = bottom_.load_relaxed();   // own: I2
    const std::int64_t low = floor_.load_relaxed();  // hint: asked again
    std::int64_t k = b;
    while (k > low && at(k - 1) == nullptr) --k;
    if (k == b) return;
    const std::int64_t floor = lower_bottom(k);
    // Thieves may have some of them meanwhile, holes and all.
    if (floor > k) bottom_.store_release(std::min(floor, b));  // C2 -> F3; unseen: C++11
    ask_less();
  }

  // Under the gate, all items public: split_ == b + 1.
  T pop_public(std::int64_t b) {
    for (;;) {
      std::int64_t t = top_.load_relaxed();                     // cas: or read again after Q2
      if (t >= b) {                                             // one item, or none
        const bool won = t == b && top_.cas_relaxed(t, t + 1);  // own: decides, publishes nothing
        bottom_.store_relaxed(b + 1);  // own: all below it is public already
        return won ? at(b) : nullptr;
      }
      const std::int64_t lowered = t + half(b - t);  // in (t, b]
      split_.store_release(lowered);                 // Q1 -> S3
      fence_seq_cst();                               // Q2 <> S2
      if (top_.load_relaxed() < lowered) {           // Q2 <> S2
        set_floor(lowered);
        return at(b);
      }
      // Q3 -> S3; unseen: S5 and the fence S2 publish as much, but not to a thread sanitizer
      split_.store_release(b + 1);
    }
  }

  WEFT_COLD bool push_after_growth(T item) {
    const std::int64_t b = bottom_.load_relaxed();  // own: I2
    if (!make_room(b)) return false;
    put(b, item);
    return true;
  }

  // Raises limit_, which is (top_ as last seen) + capacity. Grows unless an eighth is free, so that
  // the price is paid once in capacity / 8 pushes.
  WEFT_COLD bool make_room(std::int64_t b) {
    const std::int64_t t = top_.load_acquire();  // G1 <- S5; unseen: as S5
    ring* const old = ring_.load_relaxed();      // own: I2
    const std::int64_t capacity = old != nullptr ? old->capacity : 0;
    const std::int64_t used = b - t;
    limit_.set(t + capacity);
    if (capacity - used > capacity / 8) return true;
    const std::int64_t wider = old != nullptr ? 2 * capacity : first_capacity_;
    void* const memory = memory_.take(memory_.context, ring::bytes(wider));
    if (memory == nullptr) return used < capacity;
    ring* const r = new (memory) ring{old, wider};
    for (std::int64_t i = 0; i < wider; ++i) new (r->slots() + i) atomic<T>(nullptr);
    for (std::int64_t i = t; i < b; ++i) r->slot(i).store_own_relaxed(at(i));  // via: G2
    // Tasks take turns as the owner, in no order that TSan knows: to it the slots are new.
    notes::forget(r->slots(), r->slots() + wider);
    ring_.store_release(r);  // G2 -> S4
    slots_.set(r->slots());
    mask_.set(wider - 1);
    limit_.set(t + wider);
    return true;
  }

  // Under the gate, or alone.
  void set_floor(std::int64_t s) {
    if (!symmetric_) floor_.store_relaxed(s);  // F2 <> O1
  }

  bool try_gate() {
    return gate_.load_relaxed() == 0 &&     // hint: spares the line
           gate_.exchange_acquire(1) == 0;  // L1 <- L2
  }
  void close_gate() {
    for (unsigned spun = 0; !try_gate(); ++spun) pause_(spun);
  }
  void open_gate() { gate_.store_release(0); }  // L2 -> L1

  // Owner's line. Sharers and idle workers read bottom_; sharers write floor_, seldom. The owner is
  // also code inlined into programs, which pushes and takes as push() and take() do:
  // weft/cpp/fork_abi.hpp.
  alignas(line_bytes) atomic<std::int64_t> bottom_{0};
  atomic<std::int64_t> floor_;
  owned<std::int64_t> limit_{0};
  owned<atomic<T>*> slots_;
  owned<std::int64_t> mask_{0};
  owned<std::int64_t> ask_end_{ask_for_none};
  owned<std::int64_t> barred_{ask_for_none};
  atomic<T> none_{nullptr};  // the only slot while there is no ring
  // Thieves read, writers hold the gate; ring_: the owner writes at growth.
  alignas(line_bytes) atomic<std::int64_t> split_{0};
  atomic<ring*> ring_{nullptr};
  atomic<std::uint32_t> gate_{0};
  // Thieves write.
  alignas(line_bytes) atomic<std::int64_t> top_{0};
  // Never written after the constructor.
  alignas(line_bytes) const memory_source memory_;
  const pause_fn pause_;
  const std::int64_t first_capacity_;
  const bool symmetric_;
};

}  // namespace weft::rt
