// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Select: chance, deadlines, and the wait. The steps are in selection.hpp.
#include "sync/select.hpp"

#include <cerrno>

#include "base/atomic.hpp"
#include "base/xorshift.hpp"
#include "os/clock.hpp"
#include "sched/self.hpp"
#include "sched/worker.hpp"
#include "sync/selection.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

namespace {

bool never(weft_case_t&) noexcept { return false; }

bool due(weft_case_t& c) noexcept {
  return settled_by(c, os::monotonic_ns() >= c.argument ? 0 : -EBUSY);
}

// --- chance --------------------------------------------------------------------------------------

// For OS threads that are no workers. Two that read the same value make the same choices.
atomic<uint64_t> outside_random{0x9e3779b97f4a7c15u};

class dice {
 public:
  dice() noexcept : worker_(self()), state_(read()) {}
  ~dice() {
    if (worker_ != nullptr) {
      worker_->random.set(state_);
    } else {
      outside_random.store_relaxed(state_);  // hint: any value but 0 will do
    }
  }
  dice(const dice&) = delete;
  dice& operator=(const dice&) = delete;

  // Less than bound.
  uint32_t operator()(uint32_t bound) noexcept {
    state_ = xorshift64(state_);
    return static_cast<uint32_t>((state_ >> 32) * bound >> 32);
  }

 private:
  uint64_t read() const noexcept {
    if (worker_ != nullptr) return worker_->random.get();
    return outside_random.load_relaxed();  // hint: as above
  }

  worker* const worker_;
  uint64_t state_;
};

// --- waiting -------------------------------------------------------------------------------------

using all_cases = selection<wait>;

// Steps 1 and 2.
bool take_one(all_cases& all) noexcept {
  all.shuffle(dice());
  return all.poll();
}

// The case that is due first if it is due at or before deadline_ns; else null.
weft_case_t* first_due(weft_case_t* cases, std::size_t count, int64_t deadline_ns) noexcept {
  weft_case_t* first = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    weft_case_t& c = cases[i];
    if (place_of(c).ops != &deadline_case || c.argument > deadline_ns) continue;
    first = &c;
    deadline_ns = c.argument - (c.argument != INT64_MIN);
  }
  return first;
}

// Steps 3 to 5. -EAGAIN: what was promised is gone.
int wait_for_one(all_cases& all, wait& w, weft_case_t* first, int64_t deadline_ns) noexcept {
  if (const int refused = w.may_wait(); refused != 0) return refused;
  w.stand_in_several();
  const stood came = all.stand(w);
  if (came == stood::taken || came == stood::again) {
    all.leave();
    return came == stood::taken ? all.taken() : -EAGAIN;
  }
  const int failed = w.until(first != nullptr ? first->argument : deadline_ns);
  all.leave();  // whatever came, nobody will claim the wait any more
  if (failed == -ETIMEDOUT && first != nullptr) {
    first->result = 0;
    all.took(*first);
    return all.taken();
  }
  if (failed != 0) return failed;
  return all.finish() ? all.taken() : -EAGAIN;
}

}  // namespace

const select_ops never_case = {.try_now = never};
const select_ops deadline_case = {.try_now = due};

int select(weft_case_t* cases, std::size_t count, int64_t deadline_ns, void* site) noexcept {
  all_cases all(cases, static_cast<uint32_t>(count));
  weft_case_t* first = first_due(cases, count, deadline_ns);
  int result = 0;
  do {
    if (take_one(all)) return all.taken();
    wait w("select", cases, site);
    result = wait_for_one(all, w, first, deadline_ns);
  } while (result == -EAGAIN);
  return result;
}

int try_select(weft_case_t* cases, std::size_t count) noexcept {
  all_cases all(cases, static_cast<uint32_t>(count));
  return take_one(all) ? all.taken() : -EBUSY;
}

}  // namespace weft::rt
