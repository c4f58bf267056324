// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that several tasks run: who takes part, and what block each gets next.
//
// README.md has the protocol. A member is one who takes part, on the stack of its task; it asks for
// blocks until there are no more. The caller is the first member. While the loop looks short it
// keeps all to itself (alone); then it makes a descriptor that others can find, and invites one.
#pragma once

#include <cstdint>

#include "base/attributes.hpp"
#include "lockfree/iteration_span.hpp"
#include "sched/task.hpp"

namespace weft::rt {

class loop_member;
struct shared_loop;
struct worker;

enum class loop_schedule : uint32_t { adaptive = 1, balanced, fixed, guided, factored, each };

// What the caller says. Iterations are numbered from 0.
struct loop_plan {
  uint64_t count = 0;
  loop_schedule schedule = loop_schedule::adaptive;
  uint32_t members = 0;              // at most so many at a time; 0: as many as there are workers
  uint64_t block = 0;                // fixed: its size; guided, factored, adaptive: the least; 0: 1
  const uint32_t* cancel = nullptr;  // not 0: no block is begun
  uint32_t shepherd = no_worker;     // whose workers alone take part; the caller stays there
  bool invites = true;               // others may come than those who are there
  const void* key = nullptr;         // what the time of an iteration is remembered by
  void (*run)(loop_member& me, void* argument) = nullptr;
  void* argument = nullptr;
  void* site = nullptr;

  uint64_t least_block() const noexcept { return block != 0 ? block : 1; }
  // hint: what is begun a moment after the flag was set was begun before it was seen
  bool cancelled() const noexcept {
    return cancel != nullptr && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
  }
};

class loop_member {
 public:
  struct block {
    uint64_t first = 0;
    uint64_t last = 0;  // one past
    bool empty() const noexcept { return first == last; }
  };

  // The next block for this member; empty: there is none any more, for anybody.
  [[nodiscard]] block next() noexcept;

  // Whether the loop shall end before it is through. Who was told so may leave a block that it has
  // not run to its end.
  bool stopped() const noexcept;

  // Iterations of a block between two looks at that.
  uint64_t stop_interval() const noexcept;

  // Whether its task has forked in a block, and this is the child: the other members, and their
  // workers, are not here.
  bool is_in_child() const noexcept { return task_ != nullptr && task_->has(flag_forked); }

 private:
  friend struct shared_loop;
  friend int run_loop(const loop_plan& plan) noexcept;
  friend int run_alone(const loop_plan& plan) noexcept;
  friend int join_loop(shared_loop& loop, const loop_plan& plan) noexcept;

  explicit loop_member(const loop_plan& plan) noexcept : plan_(plan) {}
  explicit loop_member(shared_loop& loop) noexcept;

  // The caller.
  void begin() noexcept;
  [[nodiscard]] bool finish() noexcept;
  // A helper.
  [[nodiscard]] bool find_first_block() noexcept;

  bool ends() const noexcept;  // the same, by who leaves no block for it
  block next_alone() noexcept;
  [[gnu::noinline]] uint64_t next_unshared(uint64_t left) noexcept;
  block next_shared() noexcept;
  block take_paced() noexcept;
  block take_unit() noexcept;
  block take_anywhere() noexcept;
  block take_part() noexcept;
  block take_central() noexcept;
  block give(iteration_span::run r) noexcept;
  bool bring_half() noexcept;
  bool bring_from_others(double least, bool& left_out) noexcept;
  uint64_t paced(uint64_t left, bool shrinks) const noexcept;
  void clock_block() noexcept;
  bool share_rest() noexcept;
  void enter() noexcept;
  bool is_callers() const noexcept;
  void give_place_back() noexcept;
  [[nodiscard]] bool leave() noexcept;
  void drop_rest() noexcept;
  void leave_early() noexcept;
  void invite() noexcept;
  void invite_first() noexcept;
  bool somebody_watches(const worker& w) const noexcept;
  bool deliver_to_watcher(worker& w) noexcept;
  void send(worker* w, task* t) noexcept;
  void retract() noexcept;
  WEFT_COLD bool worth_telling(double expected) const noexcept;
  WEFT_COLD bool others_end_soon() const noexcept;
  static void help_with(shared_loop& l) noexcept;
  static void* help(void* loop) noexcept;

  static constexpr uint32_t no_slot = UINT32_MAX;

  const loop_plan& plan_;        // the caller's, or the copy in the descriptor
  const task* task_ = nullptr;   // whose member it is; null: a thread's outside, or always alone
  shared_loop* loop_ = nullptr;  // null: alone
  bool may_share_ = false;
  bool through_ = false;          // next() found nothing more
  bool dropped_ = false;          // iterations were left out
  mutable bool told_ = false;     // see stopped
  block held_;                    // what a helper came with
  uint64_t next_ = 0;             // alone: the first iteration not given out
  uint64_t size_ = 0;             // of the block that runs now, in the units of the spans; 0: none
  uint64_t began_ = 0;            // the time then
  double known_ = 0;              // ticks of a unit, of the block of basis_ or as remembered
  uint64_t basis_ = 0;            // units of the last block whose time was believed; 0: none
  double spent_ = 0;              // ticks of all blocks
  uint64_t clocked_ = 0;          // iterations in them
  uint64_t taken_ = 0;            // units to settle
  uint32_t slot_ = no_slot;       // whose span is this member's own
  uint32_t inviter_ = no_worker;  // where the last invitation lies, if nobody has followed it
  task* invited_ = nullptr;
  int64_t place_ = 0;
};

// Whether the caller is a task that may wait for others; without that it does all by itself.
bool caller_may_park() noexcept;

// What a loop gets that asks for no schedule; boot/ sets it at the start.
void set_default_schedule(loop_schedule s) noexcept;
loop_schedule default_schedule() noexcept;

// Runs a loop that is not empty, of any schedule but `each`, and waits for all that was begun. 0,
// or -ECANCELED: some iterations were left out. The caller is a task.
[[nodiscard]] int run_loop(const loop_plan& plan) noexcept;

// The same by the caller alone, whoever that is.
[[nodiscard]] int run_alone(const loop_plan& plan) noexcept;

// A task that is there becomes a member of a loop that it holds, and runs plan.run until there is
// nothing more to begin; it waits for nobody. 0, or -ECANCELED: this member, or one that has left,
// left some out, or one that is still there may, for the loop is to end early.
[[nodiscard]] int join_loop(shared_loop& loop, const loop_plan& plan) noexcept;

}  // namespace weft::rt
