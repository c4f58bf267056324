// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels: copies of values go from flow to flow, through a buffer or from hand to hand.
//
// What a send, a receive and a close do is in channel_core.hpp; here is who waits and who is woken.
// Whoever wakes another does so with the channel's lock open, and does not touch the channel any
// more: the one woken may destroy it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/attributes.hpp"
#include "sync/channel_core.hpp"
#include "sync/select.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

class alignas(line_bytes) channel : public channel_core<wait> {
 public:
  // Null: no memory.
  static channel* make(std::size_t element_bytes, std::size_t capacity) noexcept;
  // Others may change it meanwhile.
  bool is_waited_for() noexcept;
  // False: somebody waits here; nothing happened.
  [[nodiscard]] bool destroy() noexcept;

  // 0, -EPIPE (closed), -ETIMEDOUT, -EPERM (a stackless task would wait), -ENOMEM.
  int send(const void* value, int64_t deadline_ns, void* site) noexcept;
  int receive(void* value, int64_t deadline_ns, void* site) noexcept;
  // 0, -EPIPE, -EBUSY.
  int try_send(const void* value) noexcept;
  int try_receive(void* value) noexcept;
  // 0, -EPIPE: it was closed before.
  int close() noexcept;
  std::size_t length() noexcept;

 private:
  using channel_core::channel_core;
};

// The cases of a select. object: a channel.
extern const select_ops channel_send_case;
extern const select_ops channel_receive_case;

}  // namespace weft::rt
