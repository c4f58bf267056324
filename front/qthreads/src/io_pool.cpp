// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads for calls that can only block; they are made as calls come, and end when none come.
#include "io_pool.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>
#include <type_traits>

#include <weft/embed.h>
#include <weft/task.h>
#include <weft/word.h>

#include "polling.hpp"
#include "runtime.hpp"
#include "waiting.hpp"

namespace weft::qt {

namespace {

// Lies on the stack of who waits.
struct pending {
  virtual void serve() noexcept = 0;  // last use of *this
  pending* next = nullptr;

 protected:
  ~pending() = default;
};

struct pending_call final : pending {
  explicit pending_call(io_call& c) noexcept : call(c) {}
  void serve() noexcept override {
    call.run();
    weft_syncvar_fill(&done);
  }
  io_call& call;
  weft_syncvar_t done WEFT_SYNCVAR_INIT_EMPTY;
};

struct pending_task final : pending {
  void serve() noexcept override { weft_task_visit(task); }
  void* task = nullptr;
};

// A constant at first: a guard that makes it when it is used would be held for ever in a child that
// another thread forks meanwhile. That of std is none.
struct io_pool {
  std::mutex lock;
  pthread_cond_t more = PTHREAD_COND_INITIALIZER;
  pending* first = nullptr;
  pending** end = &first;
  std::size_t queued = 0;  // or promised
  std::size_t threads = 0;
  std::size_t unused = 0;  // wait for a call; each of `queued` is about to take one of them
};

// Calls that the pool may run for tasks that wait. A stop waits for them, for they lie on the
// stacks of those tasks, with what they read into; and once it has begun there are no new ones: who
// has a call then goes to a thread of the pool with it, because the stop waits for who has left.
std::atomic<std::size_t> calls{0};

// Counts one. False: a stop has begun.
bool begin_call() noexcept {
  calls.fetch_add(1, std::memory_order_seq_cst);                // C1 <> C2
  if (!the.stops.load(std::memory_order_seq_cst)) return true;  // C1 <> C2
  calls.fetch_sub(1, std::memory_order_release);
  return false;
}
void end_call() noexcept { calls.fetch_sub(1, std::memory_order_release); }

// Never destroyed: its threads are detached.
constinit io_pool pool;
static_assert(std::is_trivially_destructible_v<io_pool>);

pending* take(io_pool& p) noexcept {
  pending* call = p.first;
  p.first = call->next;
  if (p.first == nullptr) p.end = &p.first;
  --p.queued;
  return call;
}

// Under the lock, until there is one or that has passed.
void wait_for_one(io_pool& p, std::chrono::microseconds patience) noexcept {
  using namespace std::chrono;
  const auto end = (steady_clock::now() + patience).time_since_epoch();
  const auto whole = duration_cast<seconds>(end);
  const timespec until{whole.count(), duration_cast<nanoseconds>(end - whole).count()};
  while (p.first == nullptr &&
         pthread_cond_clockwait(&p.more, p.lock.native_handle(), CLOCK_MONOTONIC, &until) == 0) {
  }
}

// The runtime may have ended, and another begun, before it comes to run: it reads nothing of
// theirs.
void serve(std::chrono::microseconds patience, const processors& where) {
  where.give_to_caller();
  io_pool& p = pool;
  std::unique_lock held(p.lock);
  for (;;) {
    if (p.first == nullptr) {
      ++p.unused;
      wait_for_one(p, patience);
      --p.unused;
      if (p.first == nullptr) {
        if (p.queued == 0) break;
        continue;
      }
    }
    pending* one = take(p);
    held.unlock();
    one->serve();  // last use of *one
    held.lock();
  }
  --p.threads;
}

// Under the lock. False: there is no thread, and none can be made.
bool have_thread(io_pool& p) noexcept {
  if (p.unused > p.queued || p.threads >= std::max<std::size_t>(1, the.options.io_workers))
    return true;
  try {
    ++p.threads;
    std::thread(serve, std::chrono::microseconds(the.options.io_timeout_us), the.of_starter)
        .detach();
    return true;
  } catch (...) {  // no thread, or no memory for one
    --p.threads;
    return p.threads > 0;
  }
}

// One that put() will be called for, or not. False: there is no thread.
bool promise(io_pool& p) noexcept {
  const std::lock_guard held(p.lock);
  if (!have_thread(p)) return false;
  ++p.queued;
  return true;
}

void take_back_promise(io_pool& p) noexcept {
  const std::lock_guard held(p.lock);
  --p.queued;
}

void put(io_pool& p, pending& one) noexcept {
  const std::lock_guard held(p.lock);
  *p.end = &one;
  p.end = &one.next;
  pthread_cond_signal(&p.more);
}

}  // namespace

void run_in_io_pool(io_call& call) noexcept {
  if (!in_task()) {
    call.run();
    return;
  }
  const awaited by_a_stop(self());
  if (!begin_call()) {
    const bool is_away = go_away();  // else it holds its worker
    call.run();
    if (is_away) come_back();
    return;
  }
  io_pool& p = pool;
  if (!promise(p)) {
    call.run();
    end_call();
    return;
  }
  pending_call mine(call);
  put(p, mine);
  wait_surely([&] { return weft_syncvar_try_read_ff(&mine.done, nullptr); },
              [&] { return weft_syncvar_read_ff(&mine.done, nullptr); });
  end_call();
}

void await_calls() noexcept {
  while (calls.load(std::memory_order_seq_cst) != 0) weft_task_yield();  // C2 <> C1
}

void begin_child_io_pool() noexcept {
  new (&pool) io_pool;
  calls.store(0, std::memory_order_relaxed);
}

bool go_away() noexcept {
  io_pool& p = pool;
  if (!promise(p)) return false;
  pending_task mine;
  const auto give = [](void* task, void* argument) {
    auto& me = *static_cast<pending_task*>(argument);
    me.task = task;
    put(pool, me);
  };
  // From its place among those that wait for a thread on.
  if (self() != nullptr) busy.add(-1);
  if (weft_task_leave(give, &mine) == 0) return true;
  if (self() != nullptr) busy.add(1);
  take_back_promise(p);
  return false;
}

void come_back() noexcept {
  weft_task_return();
  if (self() != nullptr) busy.add(1);
}

}  // namespace weft::qt
