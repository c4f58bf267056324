// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels: sends and receives that wait, wakes, memory, and the two cases of a select.
#include "sync/channel.hpp"

#include <new>

#include "mem/raw.hpp"

namespace weft::rt {

namespace {

// The header and the buffer are one piece. 0: more than there can be.
std::size_t bytes_of(std::size_t element_bytes, std::size_t capacity) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(element_bytes, capacity, &bytes) ||
      __builtin_add_overflow(bytes, sizeof(channel), &bytes))
    return 0;
  return bytes;
}

WEFT_ALWAYS_INLINE void wake_if(waiter* woken) noexcept {
  if (woken != nullptr) woken->of->wake();
}

// The lock is held and all of the channel says that the caller must wait.
int wait_here(channel& c, wait_queue& q, void* value, int64_t deadline_ns, const char* what,
              void* site) noexcept {
  wait w(what, &c, site);
  channel_waiter me(w, value);
  const int failed = wait_in(q, me, c.lock(), deadline_ns);
  return failed != 0 ? failed : me.result;
}

}  // namespace

channel* channel::make(std::size_t element_bytes, std::size_t capacity) noexcept {
  const std::size_t bytes = bytes_of(element_bytes, capacity);
  void* memory = bytes != 0 ? raw_alloc(bytes) : nullptr;
  if (memory == nullptr) return nullptr;
  return new (memory)
      channel(element_bytes, capacity, static_cast<std::byte*>(memory) + sizeof(channel));
}

bool channel::is_waited_for() noexcept {
  lock().lock();
  const bool somebody = !senders().empty() || !receivers().empty();
  lock().unlock();
  return somebody;
}

bool channel::destroy() noexcept {
  if (is_waited_for()) return false;
  raw_free(this, bytes_of(element_bytes(), capacity()));
  return true;
}

int channel::send(const void* value, int64_t deadline_ns, void* site) noexcept {
  waiter* woken = nullptr;
  lock().lock();
  const int result = send_holding(value, woken);
  if (result == -EBUSY)
    return wait_here(*this, senders(), const_cast<void*>(value), deadline_ns, "channel send", site);
  lock().unlock();
  wake_if(woken);
  return result;
}

int channel::receive(void* value, int64_t deadline_ns, void* site) noexcept {
  waiter* woken = nullptr;
  lock().lock();
  const int result = receive_holding(value, woken);
  if (result == -EBUSY)
    return wait_here(*this, receivers(), value, deadline_ns, "channel receive", site);
  lock().unlock();
  wake_if(woken);
  return result;
}

int channel::try_send(const void* value) noexcept {
  waiter* woken = nullptr;
  lock().lock();
  const int result = send_holding(value, woken);
  lock().unlock();
  wake_if(woken);
  return result;
}

int channel::try_receive(void* value) noexcept {
  waiter* woken = nullptr;
  lock().lock();
  const int result = receive_holding(value, woken);
  lock().unlock();
  wake_if(woken);
  return result;
}

int channel::close() noexcept {
  wake_chain woken;
  lock().lock();
  const bool closed = close_holding(woken);
  lock().unlock();
  woken.wake();
  return closed ? 0 : -EPIPE;
}

std::size_t channel::length() noexcept {
  lock().lock();
  const std::size_t now = length_holding();
  lock().unlock();
  return now;
}

// --- select --------------------------------------------------------------------------------------

namespace {

channel& channel_of(weft_case_t& c) noexcept { return *static_cast<channel*>(c.object); }

bool send_now(weft_case_t& c) noexcept { return settled_by(c, channel_of(c).try_send(c.from)); }
bool receive_now(weft_case_t& c) noexcept {
  return settled_by(c, channel_of(c).try_receive(c.into));
}

spin_lock& lock_of(weft_case_t& c) noexcept { return channel_of(c).lock(); }

bool send_locked(weft_case_t& c, waiter*& woken) noexcept {
  return settled_by(c, channel_of(c).send_holding(c.from, woken));
}
bool receive_locked(weft_case_t& c, waiter*& woken) noexcept {
  return settled_by(c, channel_of(c).receive_holding(c.into, woken));
}

void push_sender(weft_case_t& c, wait& w) noexcept {
  channel_of(c).senders().push(make_waiter<channel_waiter>(c, w, c.into));
}
void push_receiver(weft_case_t& c, wait& w) noexcept {
  channel_of(c).receivers().push(make_waiter<channel_waiter>(c, w, c.into));
}

void leave(weft_case_t& c, wait_queue& q) noexcept {
  auto& me = waiter_of<channel_waiter>(c);
  spin_lock& lock = lock_of(c);
  lock.lock();
  if (me.queued) q.remove(me);
  lock.unlock();
}
void leave_senders(weft_case_t& c) noexcept { leave(c, channel_of(c).senders()); }
void leave_receivers(weft_case_t& c) noexcept { leave(c, channel_of(c).receivers()); }

bool finish(weft_case_t& c) noexcept {
  c.result = waiter_of<channel_waiter>(c).result;
  return true;
}

}  // namespace

const select_ops channel_send_case = {.try_now = send_now,
                                      .lock = lock_of,
                                      .try_holding = send_locked,
                                      .push_holding = push_sender,
                                      .leave = leave_senders,
                                      .finish = finish};
const select_ops channel_receive_case = {.try_now = receive_now,
                                         .lock = lock_of,
                                         .try_holding = receive_locked,
                                         .push_holding = push_receiver,
                                         .leave = leave_receivers,
                                         .finish = finish};

}  // namespace weft::rt
