// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that starts when each of a list of things has happened: its note, with the list behind it.
//
// The note waits for one of them at a time, in the name of the task, and belongs to whoever ends
// that wait.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "mem/raw.hpp"
#include "sched/self.hpp"
#include "sched/spawn.hpp"

namespace weft::rt {

// Base: what stands where the note waits. Thing: what it waits for.
template <class Base, class Thing>
class deferred : public Base {
 public:
  // A note for a task that is made, too: *out, which is null if nobody joins it. The list is
  // copied. 0, or as make_task: then nothing happened.
  [[nodiscard]] static int make(worker* w, weft_fn_t fn, void* argument, void* site,
                                const spawn_request& request, const Thing* list, std::size_t count,
                                task** out, deferred*& note) noexcept {
    if (count > SIZE_MAX / sizeof(Thing) / 2) return -ENOMEM;
    void* memory = raw_alloc(bytes_for(count));
    if (memory == nullptr) return -ENOMEM;
    task* t = nullptr;
    const int failed = make_task(w, fn, argument, site, request, out == nullptr, t);
    if (failed != 0) {
      raw_free(memory, bytes_for(count));
      return failed;
    }
    note = new (memory) deferred(t, count);
    if (count != 0) std::memcpy(note->list(), list, count * sizeof(Thing));
    if (out != nullptr) *out = t;  // before the task can run
    return 0;
  }

  task* what() const noexcept { return what_; }
  bool over() const noexcept { return next_ == count_; }
  Thing first() noexcept { return list()[next_]; }
  void pass() noexcept { ++next_; }

  // The end of the note; the task is the caller's.
  task* end() noexcept {
    task* t = what_;
    raw_free(this, bytes_for(count_));
    return t;
  }

 private:
  deferred(task* t, std::size_t n) noexcept : what_(t), count_(n) {}

  static std::size_t bytes_for(std::size_t count) noexcept {
    return sizeof(deferred) + count * sizeof(Thing);
  }
  Thing* list() noexcept { return reinterpret_cast<Thing*>(this + 1); }

  task* const what_;
  const std::size_t count_;
  std::size_t next_ = 0;  // the first that has not happened yet
};

}  // namespace weft::rt
