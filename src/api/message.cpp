// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/message.h.
#include "sched/message.hpp"

#include <cerrno>
#include <new>

#include <weft/message.h>

#include "boot/boot.hpp"
#include "sched/scheduler.hpp"

namespace rt = weft::rt;

static_assert(sizeof(rt::message) <= sizeof(weft_message_t) &&
              alignof(rt::message) <= alignof(weft_message_t));

namespace {

constexpr uint32_t most_bits = 65536;

// The first word of a vector.
uint32_t first_word(uint32_t bits, const uint32_t* words) noexcept {
  if (bits == 0) return 0;
  return bits < 32 ? words[0] >> (32 - bits) << (32 - bits) : words[0];
}

int refused(const weft_message_t* message, uint32_t worker) noexcept {
  if (message == nullptr || message->fn == nullptr) return -EINVAL;
  if (!rt::boot::running()) return -ENOTCONN;
  return worker < rt::the().count ? 0 : -ERANGE;
}

int send(weft_message_t* message, uint32_t worker, bool lifo, uint32_t bits, uint32_t first,
         const uint32_t* words) noexcept {
  const weft_message_fn_t fn = message->fn;
  auto* m = new (message) rt::message;
  m->fn = fn;
  m->rank = lifo;
  m->bits = bits;
  m->first = first;
  m->words = words;
  return rt::send_message(rt::the().workers[worker], m);
}

}  // namespace

int weft_message_send(weft_message_t* message, uint32_t worker) {
  const int wrong = refused(message, worker);
  if (wrong != 0) return wrong;
  return send(message, worker, false, rt::message::no_priority, 0, nullptr);
}

int weft_message_send_with(weft_message_t* message, uint32_t worker, weft_message_order_t order,
                           uint32_t bits, const uint32_t* priority) {
  const auto kind = static_cast<uint32_t>(order);
  if (kind > WEFT_MESSAGE_BITS_LIFO) return -EINVAL;
  const bool lifo = kind % 2 != 0;
  const bool integer = kind / 2 == WEFT_MESSAGE_INT_FIFO / 2;
  const bool vector = kind / 2 == WEFT_MESSAGE_BITS_FIFO / 2;
  if (priority == nullptr && (integer || (vector && bits != 0))) return -EINVAL;
  const int wrong = refused(message, worker);
  if (wrong != 0) return wrong;
  if (vector && bits > most_bits) return -ERANGE;
  if (vector) return send(message, worker, lifo, bits, first_word(bits, priority), priority);
  if (integer) return send(message, worker, lifo, 32, *priority ^ 1u << 31, nullptr);
  return send(message, worker, lifo, rt::message::no_priority, 0, nullptr);
}
