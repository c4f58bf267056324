// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A set of OS threads that run one function together, round by round.
#include <condition_variable>
#include <mutex>
#include <new>
#include <qthread/hw_pool.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fork_handlers.hpp"
#include "runtime.hpp"

namespace {

using weft::qt::processors;

class hw_pool {
 public:
  // Those that were made end again if one cannot be.
  hw_pool(uint32_t threads, const processors& where) {
    threads_.reserve(threads);
    const auto begin = [this, where] {
      where.give_to_caller();
      serve();
    };
    try {
      for (uint32_t i = 0; i < threads; ++i) threads_.emplace_back(begin);
    } catch (...) {
      end();
      throw;
    }
  }
  ~hw_pool() { end(); }
  hw_pool(const hw_pool&) = delete;
  hw_pool& operator=(const hw_pool&) = delete;

  void run(qt_threadpool_func_type func, void* arg) {
    const std::lock_guard one_round(round_lock_);
    std::unique_lock held(lock_);
    func_ = func;
    arg_ = arg;
    left_ = threads_.size();
    ++round_;
    begun_.notify_all();
    ended_.wait(held, [&] { return left_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock held(lock_);
    for (uint64_t seen = 0;;) {
      begun_.wait(held, [&] { return over_ || round_ != seen; });
      if (over_) return;
      seen = round_;
      held.unlock();
      func_(arg_);
      held.lock();
      if (--left_ == 0) ended_.notify_one();
    }
  }

  void end() {
    {
      const std::lock_guard held(lock_);
      over_ = true;
      begun_.notify_all();
    }
    for (std::thread& t : threads_) t.join();
    threads_.clear();
  }

  std::mutex round_lock_;
  std::mutex lock_;
  std::condition_variable begun_, ended_;
  qt_threadpool_func_type func_ = nullptr;
  void* arg_ = nullptr;
  std::size_t left_ = 0;
  uint64_t round_ = 0;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

// Not destroyed where the process ends: its threads run until then.
hw_pool* pool = nullptr;

// A child of fork() has none of the threads. The memory stays, in reach. May be called again.
hw_pool* of_parent = nullptr;
void begin_child() noexcept {
  if (pool != nullptr) of_parent = std::exchange(pool, nullptr);
}
constinit weft::qt::fork_handlers<nullptr, nullptr, begin_child> at_fork;

}  // namespace

hw_pool_init_status hw_pool_init(uint32_t num_threads) {
  if (pool != nullptr) return POOL_INIT_ALREADY_INITIALIZED;
  if (num_threads == 0) return POOL_INIT_NO_THREADS_SPECIFIED;
  if (!at_fork.are_registered()) return POOL_INIT_OUT_OF_MEMORY;
  try {
    using weft::qt::the;
    pool = new hw_pool(num_threads, the.is_running() ? the.of_starter : processors{});
    return POOL_INIT_SUCCESS;
  } catch (const std::bad_alloc&) {
    return POOL_INIT_OUT_OF_MEMORY;
  } catch (const std::system_error&) {
    return POOL_INIT_ERROR;
  }
}

void hw_pool_destroy(void) {
  delete pool;
  pool = nullptr;
}

void hw_pool_run_on_all(qt_threadpool_func_type func, void* arg) {
  if (pool != nullptr && func != nullptr) pool->run(func, arg);
}
