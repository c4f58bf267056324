// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process and its threads, by pthreads.
//
// Orders
//   scopes_K1 -> scopes_K2   who finds the handlers registered forks after that
#include "os/process.hpp"

#include <memory>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::rt::os {

namespace {

// The value of the key is the function, so that the destructor needs nothing else.
void run_at_end(void* fn) { reinterpret_cast<void (*)() noexcept>(fn)(); }

// Held in scopes that are not forked, and by who forks.
constinit std::mutex forking;

// Held in scopes of one thread.
constinit std::mutex being_alone;

void nobody_is_alone() { std::construct_at(&being_alone); }  // in the child: perhaps somebody was

// Handlers may be registered several times: see scopes_are_known().
constinit atomic<thread_id> who_forks{};  // under `forking`, as the next
constinit uint32_t comes_by = 0;          // so often in this fork

void wait_for_scopes() {
  const thread_id me = pthread_self();
  if (who_forks.load_relaxed() != me) {  // own: nobody else writes the caller
    forking.lock();
    who_forks.store_relaxed(me);  // own: under `forking`
  }
  ++comes_by;
}
// In the parent, and in the child, whose thread has it, too.
void go_on() {
  if (--comes_by != 0) return;
  who_forks.store_relaxed(thread_id{});  // own: under `forking`
  forking.unlock();
}

// What could not be had once is asked for again. The key under being_alone.
constinit bool key_is_made = false;
constinit pthread_key_t end_key{};
constinit atomic<bool> forks_wait{false};
constinit atomic<bool> forks_tell{false};

bool have_key() noexcept {
  const alone here;
  if (!key_is_made) key_is_made = ::pthread_key_create(&end_key, run_at_end) == 0;
  return key_is_made;
}

// Without a lock, which would stay held in a child that another thread forks meanwhile: nothing
// makes it anew there yet. So first uses at the same time, and such a child, may register handlers
// that stand in the list already. A limit: a fork that began before that takes the locks of other
// handlers that stand between first, one that begins after it takes `forking` first; so two such
// forks at once may wait for each other for ever.
bool scopes_are_known() noexcept {
  if (!forks_wait.load_acquire()) {  // scopes_K2 <- scopes_K1
    if (::pthread_atfork(wait_for_scopes, go_on, go_on) != 0) return false;
    forks_wait.store_release(true);  // scopes_K1 -> scopes_K2
  }
  if (!forks_tell.load_acquire()) {  // scopes_K2 <- scopes_K1
    if (::pthread_atfork(nullptr, nullptr, nobody_is_alone) != 0) return false;
    forks_tell.store_release(true);  // scopes_K1 -> scopes_K2
  }
  return true;
}

}  // namespace

thread_id this_thread() noexcept { return pthread_self(); }
bool same_thread(thread_id a, thread_id b) noexcept { return pthread_equal(a, b) != 0; }
bool is_first_thread() noexcept { return syscall(SYS_gettid) == getpid(); }

undisturbed::undisturbed(std::mutex& held) noexcept : held_(held) {
  sigset_t all;
  (void)::sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &before_);
  held_.lock();
}

undisturbed::~undisturbed() {
  held_.unlock();
  (void)::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

unforked::unforked() noexcept : undisturbed(forking) {}

alone::alone() noexcept : undisturbed(being_alone) {}

bool at_fork_in_child(void (*fn)() noexcept) noexcept {
  return scopes_are_known() && ::pthread_atfork(nullptr, nullptr, fn) == 0;
}

bool at_thread_end(void (*fn)() noexcept) noexcept {
  return have_key() && ::pthread_setspecific(end_key, reinterpret_cast<void*>(fn)) == 0;
}

}  // namespace weft::rt::os
