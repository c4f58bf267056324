// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process and its threads, by pthreads.
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

void wait_for_scopes() { forking.lock(); }
void go_on() { forking.unlock(); }  // in the parent, and in the child, whose thread has it, too

// Under being_alone: what could not be had once is asked for again.
constinit bool key_is_made = false;
constinit pthread_key_t end_key{};
constinit bool forks_wait = false;
constinit bool forks_tell = false;

bool have_key() noexcept {
  const alone here;
  if (!key_is_made) key_is_made = ::pthread_key_create(&end_key, run_at_end) == 0;
  return key_is_made;
}

bool scopes_are_known() noexcept {
  const alone here;
  if (!forks_wait) forks_wait = ::pthread_atfork(wait_for_scopes, go_on, go_on) == 0;
  if (!forks_tell) forks_tell = ::pthread_atfork(nullptr, nullptr, nobody_is_alone) == 0;
  return forks_wait && forks_tell;
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
