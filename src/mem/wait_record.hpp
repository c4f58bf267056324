// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a parked task or a waiting OS thread waits for, since when, and from where; for reports.
//
// The waiting flow writes, a report reads meanwhile. So each field is valid by itself, and a report
// may show a wait that has just ended or parts of the next one.
//
// Orders
//   S1 -> R1   a report that sees `what` sees the rest of that wait, or of a later one
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"

namespace weft::rt {

class wait_record {
 public:
  struct shown {
    const char* what;  // "mutex"; null: no wait
    const void* object;
    void* site;
    int64_t since_ns;
    const void* waiter;
  };

  // Since when is not known yet: it began a moment ago. Each value that is not above 0 says so;
  // those below are the batches of sched/begun_waits.hpp.
  static constexpr int64_t unknown = 0;
  static constexpr bool is_known(int64_t since_ns) noexcept { return since_ns > unknown; }

  // what: a string that lives as long as the library; object: what is waited for; site: the caller
  // of the API function; waiter: the task, or null.
  // True: the record lies in this batch already, and since when stays open as before; else the
  // caller puts it there.
  [[nodiscard]] WEFT_ALWAYS_INLINE bool show(const char* what, const void* object, void* site,
                                             int64_t batch, const void* waiter) noexcept {
    object_.store_relaxed(object);                         // via: S1
    site_.store_relaxed(site);                             // via: S1
    waiter_.store_relaxed(waiter);                         // via: S1
    const bool noted = since_ns_.load_relaxed() == batch;  // own: nobody else writes this batch
    if (!noted) since_ns_.store_relaxed(batch);            // via: S1
    what_.store_release(what);                             // S1 -> R1
    return noted;
  }
  // Any thread, later: since when, if nobody has said so.
  void stamp(int64_t now_ns) const noexcept {
    const bool waits =
        what_.load_relaxed() != nullptr;  // hint: at worst the time of a wait that begins now
    if (waits && !is_known(since_ns_.load_relaxed()))  // hint: as above
      since_ns_.store_relaxed(now_ns);                 // hint: as above
  }
  WEFT_ALWAYS_INLINE void hide() noexcept {
    what_.store_relaxed(nullptr);  // hint: a report
  }

  shown read() const noexcept {
    shown s{};
    s.what = what_.load_acquire();          // R1 <- S1
    s.object = object_.load_relaxed();      // via: R1
    s.site = site_.load_relaxed();          // via: R1
    s.since_ns = since_ns_.load_relaxed();  // via: R1
    s.waiter = waiter_.load_relaxed();      // via: R1
    return s;
  }

 private:
  atomic<const char*> what_{nullptr};
  atomic<const void*> object_{nullptr};
  atomic<void*> site_{nullptr};
  mutable atomic<int64_t> since_ns_{unknown};
  atomic<const void*> waiter_{nullptr};
};

}  // namespace weft::rt
