// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seldom operations of a ready queue: they walk the list.
#include "sched/ready_queue.hpp"

namespace weft::rt {

bool ready_queue::remove(task* t) noexcept {
  bool found = false;
  lock_.lock();
  task* before = nullptr;
  for (task* at = head_.get(); at != nullptr; before = at, at = at->next.get()) {
    if (at != t) continue;
    if (before == nullptr) {
      head_.set(t->next.get());
    } else {
      before->next.set(t->next.get());
    }
    if (tail_.get() == t) tail_.set(before);
    count(may_leave(*t), -1);
    found = true;
    break;
  }
  lock_.unlock();
  return found;
}

ready_queue::chain ready_queue::take_half() noexcept {
  chain out;
  uint32_t wanted = (leavable() + 1) / 2;
  task* before = nullptr;
  for (task* at = head_.get(); at != nullptr && wanted > 0;) {
    task* after = at->next.get();
    if (!may_leave(*at)) {
      before = at;
      at = after;
      continue;
    }
    if (before == nullptr) {
      head_.set(after);
    } else {
      before->next.set(after);
    }
    if (tail_.get() == at) tail_.set(before);
    at->next.set(nullptr);
    if (out.first == nullptr) {
      out.first = at;
    } else {
      out.last->next.set(at);
    }
    out.last = at;
    count(true, -1);
    --wanted;
    at = after;
  }
  return out;
}

}  // namespace weft::rt
