// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/channel.h: arguments are checked here, the work is done below.
#include "sync/channel.hpp"

#include <cerrno>

#include <weft/channel.h>

#include "base/attributes.hpp"
#include "sync/select.hpp"

namespace rt = weft::rt;

namespace {

rt::channel* from_handle(weft_channel_t c) noexcept { return reinterpret_cast<rt::channel*>(c); }

// What no channel does to a sender or receiver.
WEFT_COLD int wait_in_vain(int64_t deadline_ns, void* site) noexcept {
  return rt::select(nullptr, 0, deadline_ns, site);
}

}  // namespace

int weft_channel_create(size_t element_bytes, size_t capacity, weft_channel_t* out) {
  if (out == nullptr) return -EINVAL;
  rt::channel* made = rt::channel::make(element_bytes, capacity);
  if (made == nullptr) return -ENOMEM;
  *out = reinterpret_cast<weft_channel_t>(made);
  return 0;
}

int weft_channel_destroy(weft_channel_t channel) {
  return channel == nullptr || from_handle(channel)->destroy() ? 0 : -EBUSY;
}

__attribute__((noinline)) int weft_channel_send(weft_channel_t channel, const void* value) {
  if (channel == nullptr) [[unlikely]]
    return wait_in_vain(rt::forever, WEFT_CALL_SITE);
  return from_handle(channel)->send(value, rt::forever, WEFT_CALL_SITE);
}

int weft_channel_try_send(weft_channel_t channel, const void* value) {
  return channel != nullptr ? from_handle(channel)->try_send(value) : -EBUSY;
}

__attribute__((noinline)) int weft_channel_send_until(weft_channel_t channel, const void* value,
                                                      int64_t deadline_ns) {
  if (channel == nullptr) return wait_in_vain(deadline_ns, WEFT_CALL_SITE);
  return from_handle(channel)->send(value, deadline_ns, WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_channel_receive(weft_channel_t channel, void* value) {
  if (channel == nullptr) [[unlikely]]
    return wait_in_vain(rt::forever, WEFT_CALL_SITE);
  return from_handle(channel)->receive(value, rt::forever, WEFT_CALL_SITE);
}

int weft_channel_try_receive(weft_channel_t channel, void* value) {
  return channel != nullptr ? from_handle(channel)->try_receive(value) : -EBUSY;
}

__attribute__((noinline)) int weft_channel_receive_until(weft_channel_t channel, void* value,
                                                         int64_t deadline_ns) {
  if (channel == nullptr) return wait_in_vain(deadline_ns, WEFT_CALL_SITE);
  return from_handle(channel)->receive(value, deadline_ns, WEFT_CALL_SITE);
}

int weft_channel_close(weft_channel_t channel) {
  return channel != nullptr ? from_handle(channel)->close() : -EINVAL;
}

int weft_channel_is_waited_for(weft_channel_t channel) {
  return channel != nullptr && from_handle(channel)->is_waited_for() ? 1 : 0;
}

size_t weft_channel_length(weft_channel_t channel) {
  return channel != nullptr ? from_handle(channel)->length() : 0;
}

size_t weft_channel_capacity(weft_channel_t channel) {
  return channel != nullptr ? from_handle(channel)->capacity() : 0;
}
