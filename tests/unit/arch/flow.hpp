// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A context with a stack of its own and every note that a sanitizer wants, for tests of src/arch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "arch/context.hpp"
#include "arch/fiber_notes.hpp"
#include "base/attributes.hpp"

namespace weft::rt::test {

class flow;

// Flows of one test run one after the other, which TSan is told by release and acquire of this.
inline char turns;

// The flow of the test that runs, and one other: entry functions have no argument.
inline flow* outside = nullptr;
inline flow* inside = nullptr;
inline bool ended = false;  // the other flow is at its end

// One flow: either the thread's own, or one that begins in an entry function on a new stack.
class flow {
 public:
  static constexpr std::size_t stack_bytes = 64 * 1024;

  // The calling thread as it is.
  flow() {
    notes::adopt_thread_stack(stack_);
    flow_.adopt_current();
  }

  // The entry function arrives first, and never returns: it ends in leave_for().
  // The context is made with a top that lies bytes_unused below the end of the stack.
  explicit flow(void (*entry)() noexcept, std::size_t bytes_unused = 0)
      : memory_(new std::byte[stack_bytes]) {
    notes::stack_made(stack_, low(), high());
    flow_.create("flow of a test");
    arch::make_context(context_, high() - bytes_unused, entry);
  }

  ~flow() {
    if (memory_ == nullptr) return;
    notes::forget(low(), high());
    notes::stack_gone(stack_);
    flow_.destroy();
  }

  flow(const flow&) = delete;
  flow& operator=(const flow&) = delete;

  // A new life on the same stack, once the old one has ended.
  void restart(void (*entry)() noexcept) {
    notes::forget(low(), high());
    flow_.destroy();
    flow_.create("flow of a test");
    arch::make_context(context_, high(), entry);
  }

  // The first thing in an entry function, after turns have been acquired.
  WEFT_ALWAYS_INLINE void arrive() noexcept { notes::after_switch(stack_); }

  // Suspends this flow, which is running, and runs the other, which is given two words. What it was
  // given itself.
  WEFT_ALWAYS_INLINE arch::carried switch_to(flow& other, void* place = nullptr,
                                             std::uint64_t value = 0) noexcept {
    notes::release(&turns);
    notes::before_switch(stack_, other.stack_, false);
    notes::run_as(other.flow_);
    const arch::carried brought = arch::switch_context(context_, other.context_, place, value);
    notes::after_switch(stack_);
    notes::acquire(&turns);
    return brought;
  }

  // Ends this flow, which is running, and runs the other.
  [[noreturn]] WEFT_ALWAYS_INLINE void leave_for(flow& other) noexcept {
    notes::release(&turns);
    notes::before_switch(stack_, other.stack_, true);
    notes::run_as(other.flow_);
    arch::jump_context(other.context_);
  }

  // Runs the other until it goes outside, which is here for that long.
  void visit(flow& other) noexcept {
    outside = this;
    switch_to(other);
    outside = nullptr;
  }

  std::byte* low() const noexcept { return memory_.get(); }
  std::byte* high() const noexcept { return memory_.get() + stack_bytes; }
  bool holds(const void* p) const noexcept { return p >= low() && p < high(); }

 private:
  arch::context context_;
  [[no_unique_address]] notes::stack_note stack_;
  [[no_unique_address]] notes::flow_note flow_;
  std::unique_ptr<std::byte[]> memory_;
};

class two_flows {
 public:
  explicit two_flows(void (*entry)() noexcept, std::size_t bytes_unused = 0)
      : there_(entry, bytes_unused) {
    outside = &here_;
    inside = &there_;
    ended = false;
  }
  ~two_flows() { outside = inside = nullptr; }

  two_flows(const two_flows&) = delete;
  two_flows& operator=(const two_flows&) = delete;

  // Runs the other flow until it switches back.
  WEFT_ALWAYS_INLINE void run() noexcept { here_.switch_to(there_); }
  flow& other() noexcept { return there_; }

 private:
  flow here_;
  flow there_;
};

// The first thing in the entry function of the other flow.
WEFT_ALWAYS_INLINE void arrive() noexcept {
  notes::acquire(&turns);
  inside->arrive();
}

// For the other flow: back to the test, to be resumed.
WEFT_ALWAYS_INLINE void go_outside() noexcept { inside->switch_to(*outside); }

// The last thing in its entry function.
[[noreturn]] inline void finish() noexcept {
  ended = true;
  inside->leave_for(*outside);
}

}  // namespace weft::rt::test
