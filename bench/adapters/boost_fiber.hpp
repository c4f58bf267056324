// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of Boost.Fiber: fibers on stacks of the C library's allocator, which any thread may free.
//
// With several workers its scheduler work_stealing on each, as its manual and its examples have it:
// threads without work look for some all the time. Told to suspend them instead, it wakes a thread
// only for what is handed to that thread: a new fiber wakes no thief, and one thread does all the
// work. With one worker its default, round_robin, which takes no lock and sleeps.
//
// Its manual's chapter on tuning says that the allocator decides much and that glibc's own is not
// the best. Most of that is that free() gives the end of the heap back to the system, whose pages
// the next stacks take again: it keeps them here, but in the kernels that measure memory, which are
// those that say how large a stack is.
#pragma once

#include <boost/fiber/all.hpp>
#include <thread>
#include <vector>

#include "adapters/condition_semaphore.hpp"
#include "adapters/kept_heap.hpp"
#include "adapters/queues.hpp"
#include "harness/report.hpp"

namespace weft::bench {

inline constexpr const char* how = "from the main fiber";

template <class Body>
void in_runtime(uint32_t workers, queues /*kind*/, Body body) {
  if (unit_stack_bytes == 0) keep_the_heap();
  boost::fibers::mutex guard;
  boost::fibers::condition_variable_any ended;
  bool over = false;
  std::vector<std::thread> others;
  const auto join_in = [workers] {
    if (workers > 1)
      boost::fibers::use_scheduling_algorithm<boost::fibers::algo::work_stealing>(workers);
  };
  for (uint32_t i = 1; i < workers; ++i) {
    others.emplace_back([&] {
      join_in();
      std::unique_lock<boost::fibers::mutex> lock(guard);
      ended.wait(lock, [&over] { return over; });
    });
  }
  join_in();  // returns once all have
  body();
  {
    const std::lock_guard<boost::fibers::mutex> lock(guard);
    over = true;
  }
  ended.notify_all();
  for (std::thread& t : others) t.join();
}

class unit {
 public:
  // Begins when its maker waits, or elsewhere.
  template <void (*Run)(void*)>
  void spawn(void* arg) {
    self_ = boost::fibers::fiber(boost::fibers::launch::post, std::allocator_arg,
                                 boost::fibers::fixedsize_stack(stack_bytes()), Run, arg);
  }

  // It cannot be placed: it is left with its maker, from whom others take it.
  template <void (*Run)(void*)>
  void spawn_on(uint32_t /*worker*/, void* arg) {
    spawn<Run>(arg);
  }

  void join() { self_.join(); }

 private:
  static size_t stack_bytes() { return unit_stack_bytes != 0 ? unit_stack_bytes : 16 * 1024; }
  boost::fibers::fiber self_;
};

using leaf = unit;

inline void yield() { boost::this_fiber::yield(); }

using unit_mutex = boost::fibers::mutex;

using unit_semaphore = condition_semaphore<unit_mutex, boost::fibers::condition_variable_any>;

}  // namespace weft::bench

#include "adapters/units.hpp"
