// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sigaltstack and sigaction for SIGSEGV and SIGBUS, with the previous action kept behind ours.
//
// Orders
//   I1 -> H1   install publishes previous[] to a handler that may run on any thread at once
//   Y1 -> Y2   who removes knows that a handler put the previous action back
#include "os/signal.hpp"

#include <bit>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/atomic.hpp"
#include "os/errno_kept.hpp"
#include "os/memory.hpp"

namespace weft::rt::os {

namespace {

#if defined(__x86_64__)
const void* stack_pointer_of(const ucontext_t& c) noexcept {
  return std::bit_cast<const void*>(c.uc_mcontext.gregs[REG_RSP]);
}
const void* code_of(const ucontext_t& c) noexcept {
  return std::bit_cast<const void*>(c.uc_mcontext.gregs[REG_RIP]);
}
// A general protection fault has that code, too, and the number of its trap. It is of the thread's
// last trap, and stays: a thread that went on after such a fault has no report of a frame that does
// not fit.
bool trapped(const ucontext_t& c) noexcept { return c.uc_mcontext.gregs[REG_TRAPNO] == 13; }
#elif defined(__aarch64__)
const void* stack_pointer_of(const ucontext_t& c) noexcept {
  return std::bit_cast<const void*>(c.uc_mcontext.sp);
}
const void* code_of(const ucontext_t& c) noexcept {
  return std::bit_cast<const void*>(c.uc_mcontext.pc);
}
bool trapped(const ucontext_t&) noexcept { return false; }
#else
const void* stack_pointer_of(const ucontext_t&) noexcept { return nullptr; }
const void* code_of(const ucontext_t&) noexcept { return nullptr; }
bool trapped(const ucontext_t&) noexcept { return false; }
#endif

#if defined(SEGV_MTEAERR)
constexpr int late_tag_check = SEGV_MTEAERR;
#else
constexpr int late_tag_check = 8;  // from Linux 5.10's <asm-generic/siginfo.h>
#endif

constexpr int numbers[] = {SIGSEGV, SIGBUS};
constexpr std::size_t number_count = sizeof numbers / sizeof numbers[0];

std::size_t index_of(int number) noexcept { return number == numbers[0] ? 0 : 1; }

// Written by install alone, while our handler does not stand; kept after remove, because a handler
// installed over ours may still pass faults on to us.
struct sigaction previous[number_count];
// What stood over ours when we were removed. If it stands there still, it may call us: were it made
// our previous action, a fault would go round between the two for ever.
struct sigaction above[number_count];
constinit atomic<fault_fn> report{nullptr};
// Ours was installed, or stood already: what stands there instead was installed over it.
bool installed[number_count] = {};
// A previous handler with SA_RESETHAND has had its one signal: the kernel would have put the
// default action in its place.
constinit atomic<bool> spent[number_count];
// A reported fault put the previous action back, where the program may have gone on from it: what
// stands there then is not above ours.
constinit atomic<bool> yielded[number_count];

void handle(int number, siginfo_t* info, void* context) noexcept;

bool ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle;
}

// By a process or, for what happened elsewhere or earlier, by the kernel: it may be ignored.
bool sent(const siginfo_t& info) noexcept {
  return info.si_code <= 0 || (info.si_signo == SIGBUS && info.si_code == BUS_MCEERR_AO) ||
         (info.si_signo == SIGSEGV && info.si_code == late_tag_check);
}

// No access that failed, but a signal that the kernel forced on the thread, or a general protection
// fault: a return to the instruction repeats the latter alone.
bool forced(const siginfo_t& info) noexcept { return info.si_code == SI_KERNEL; }

// Makes the signal strike again under the previous action. An access that failed does so by itself
// when the handler returns to the instruction; any other signal is sent again and stays pending
// until the return.
void strike_again(int number, const siginfo_t& info, const struct sigaction& action) noexcept {
  (void)::sigaction(number, &action, nullptr);
  if (sent(info) || forced(info))
    (void)::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), number);
}

bool is_handler(const struct sigaction& action) noexcept {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool for_one_signal(const struct sigaction& action) noexcept {
  return is_handler(action) && (action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0;
}

struct sigaction default_action() noexcept {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  return action;
}

// The previous action; the default one in the place of a handler that has had its one signal.
struct sigaction action_before(std::size_t which) noexcept {
  const struct sigaction& action = previous[which];
  const bool gone = for_one_signal(action) && spent[which].load_relaxed();  // count: as below
  return gone ? default_action() : action;
}

// The same for a signal, which may be its one.
struct sigaction take_action_before(std::size_t which) noexcept {
  const struct sigaction& action = previous[which];
  const bool gone = for_one_signal(action) &&
                    spent[which].exchange_relaxed(true);  // count: one has it; publishes nothing
  return gone ? default_action() : action;
}

// Runs a handler of the program as the kernel would have, as far as a call can.
void call(const struct sigaction& action, int number, siginfo_t* info, void* context) noexcept {
  sigset_t mask = action.sa_mask;
  if ((action.sa_flags & SA_NODEFER) == 0) {
    (void)::sigaddset(&mask, number);
  } else {
    sigset_t self;
    (void)::sigemptyset(&self);
    (void)::sigaddset(&self, number);
    (void)::pthread_sigmask(SIG_UNBLOCK, &self, nullptr);
  }
  (void)::pthread_sigmask(SIG_BLOCK, &mask, nullptr);  // the return from the signal undoes it
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number, info, context);
  } else {
    action.sa_handler(number);
  }
}

void pass_on(int number, siginfo_t* info, void* context) noexcept {
  const struct sigaction action = take_action_before(index_of(number));
  if (action.sa_handler == SIG_IGN && sent(*info)) return;
  if (!is_handler(action)) {
    // The kernel kills for a fault that is ignored; the default action says so without a detour.
    strike_again(number, *info, default_action());
    return;
  }
  call(action, number, info, context);
}

// Other systems raise SIGBUS where a guard is touched, and a program that was written there handles
// that alone.
void tell_by_sigbus(const siginfo_t& info, void* context) noexcept {
  struct sigaction action{};
  if (::sigaction(SIGBUS, nullptr, &action) != 0) return;
  if (ours(action)) {
    action = take_action_before(index_of(SIGBUS));
  } else if (for_one_signal(action)) {
    // As the kernel would before it calls it.
    const struct sigaction after = default_action();
    (void)::sigaction(SIGBUS, &after, nullptr);
  }
  if (!is_handler(action)) return;
  siginfo_t as_there = info;
  as_there.si_signo = SIGBUS;
  as_there.si_code = BUS_ADRERR;
  call(action, SIGBUS, &as_there, context);
}

// Of a reported fault, which strikes again under it; but a forced one that is handled is passed on.
struct sigaction action_for_report(std::size_t which, const siginfo_t& info) noexcept {
  return forced(info) ? action_before(which) : take_action_before(which);
}

void handle(int number, siginfo_t* info, void* context) noexcept {
  const errno_kept keep;
  const fault_fn fn = report.load_acquire();  // H1 <- I1
  if (fn != nullptr && info->si_code > 0) {
    const auto& registers = *static_cast<const ucontext_t*>(context);
    const bool no_frame = number == SIGSEGV && forced(*info) && !trapped(registers);
    const fault what{number, info->si_addr, stack_pointer_of(registers), code_of(registers),
                     no_frame};
    if (fn(what) == fault_verdict::die) {
      const std::size_t which = index_of(number);
      struct sigaction action = action_for_report(which, *info);
      const bool handled = is_handler(action);
      if (number == SIGSEGV && !handled) tell_by_sigbus(*info, context);
      yielded[which].store_release(true);  // Y1 -> Y2
      // What is sent in place of a forced one could be ignored; and the kernel resets the action
      // before it calls a handler for one signal.
      if (forced(*info) && (!handled || for_one_signal(action))) action = default_action();
      if (!forced(*info) || !handled) {
        strike_again(number, *info, action);
        return;
      }
      // What was sent in its place would tell the program's handler another story.
      (void)::sigaction(number, &action, nullptr);
    }
  }
  pass_on(number, info, context);
}

// A signal that is passed on ends no system call that it would not have ended without us.
struct sigaction action_over(const struct sigaction& before) noexcept {
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (!is_handler(before) || (before.sa_flags & SA_RESTART) != 0) action.sa_flags |= SA_RESTART;
  (void)::sigemptyset(&action.sa_mask);
  return action;
}

bool stands_above(const struct sigaction& action, std::size_t which) noexcept {
  return is_handler(action) && action.sa_handler == above[which].sa_handler;
}

}  // namespace

std::size_t signal_frame_bytes() noexcept {
  const std::size_t told = ::getauxval(AT_MINSIGSTKSZ);
  return told != 0 ? told : static_cast<std::size_t>(MINSIGSTKSZ);
}

int alternate_stack::attach(std::size_t bytes) noexcept {
  const errno_kept keep;
  stack_t now{};
  if (::sigaltstack(nullptr, &now) != 0) return -errno;
  const std::size_t page = page_bytes();
  bytes = (bytes + signal_frame_bytes() + page - 1) / page * page;
  if ((now.ss_flags & SS_DISABLE) == 0 && now.ss_size >= bytes) return 0;
  void* const mapping = reserve(bytes + page);
  if (mapping == nullptr) return -ENOMEM;
  stack_t wanted{};
  wanted.ss_sp = static_cast<char*>(mapping) + page;
  wanted.ss_size = bytes;
  int error = protect(mapping, page) ? 0 : ENOMEM;
  if (error == 0 && ::sigaltstack(&wanted, nullptr) != 0) error = errno;
  if (error != 0) {
    (void)release(mapping, bytes + page);
    return -error;
  }
  mapping_ = mapping;
  mapping_bytes_ = bytes + page;
  before_ = now.ss_sp;
  before_bytes_ = now.ss_size;
  before_flags_ = now.ss_flags;
  return 0;
}

void alternate_stack::detach() noexcept {
  if (mapping_ == nullptr) return;
  const errno_kept keep;
  stack_t now{};
  const bool known = ::sigaltstack(nullptr, &now) == 0;
  if (known && now.ss_sp == static_cast<char*>(mapping_) + page_bytes()) {
    stack_t before{};
    before.ss_sp = before_;
    before.ss_size = before_bytes_;
    before.ss_flags = before_flags_;
    (void)::sigaltstack(&before, nullptr);
  }
  (void)release(mapping_, mapping_bytes_);
  mapping_ = nullptr;
}

int fault_handler_install(fault_fn fn) noexcept {
  const errno_kept keep;
  if (report.load_relaxed() != nullptr) return -EALREADY;  // own: one thread installs and removes
  bool take[number_count] = {};
  for (std::size_t i = 0; i < number_count; ++i) {
    struct sigaction now{};
    if (::sigaction(numbers[i], nullptr, &now) != 0) return -errno;
    take[i] = !ours(now) && !stands_above(now, i);
    installed[i] = !take[i];
    if (!take[i]) continue;
    previous[i] = now;
    above[i] = {};
    spent[i].store_relaxed(false);    // via: I1
    yielded[i].store_relaxed(false);  // via: I1
  }
  report.store_release(fn);  // I1 -> H1
  for (std::size_t i = 0; i < number_count; ++i) {
    if (!take[i]) continue;
    const struct sigaction action = action_over(previous[i]);
    (void)::sigaction(numbers[i], &action, nullptr);
    installed[i] = true;
  }
  return 0;
}

void fault_handler_remove() noexcept {
  const errno_kept keep;
  if (report.load_relaxed() == nullptr) return;  // own: as in install
  report.store_release(nullptr);                 // I1 -> H1
  for (std::size_t i = 0; i < number_count; ++i) {
    struct sigaction now{};
    if (::sigaction(numbers[i], nullptr, &now) != 0) continue;
    if (ours(now)) {
      const struct sigaction before = action_before(i);
      (void)::sigaction(numbers[i], &before, nullptr);
    } else if (installed[i] && !yielded[i].load_acquire()) {  // Y2 <- Y1
      above[i] = now;
    }
  }
}

}  // namespace weft::rt::os
