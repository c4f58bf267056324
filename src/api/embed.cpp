// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/embed.h.
#include <cerrno>
#include <new>

#include <weft/embed.h>

#include "api/request.hpp"
#include "base/attributes.hpp"
#include "boot/boot.hpp"
#include "sched/self.hpp"
#include "sync/producer.hpp"

namespace rt = weft::rt;

static_assert(sizeof(rt::word_producer) <= sizeof(weft_producer_t) &&
              alignof(rt::word_producer) <= alignof(weft_producer_t));

namespace {

bool bad(const uint64_t* word) noexcept {
  return word == nullptr || reinterpret_cast<uintptr_t>(word) % sizeof *word != 0;
}

}  // namespace

int weft_task_set_record(void* record) {
  rt::worker* w = rt::self();
  if (w == nullptr || w->current.get() == nullptr) return -EPERM;
  w->current.get()->set_record(record);
  return 0;
}

void* weft_task_record(void) {
  rt::worker* w = rt::self();
  if (w == nullptr || w->current.get() == nullptr) return nullptr;
  return w->current.get()->record();
}

__attribute__((noinline)) int weft_task_spawn_producer(weft_fn_t fn, void* arg,
                                                       const weft_spawn_t* spawn, uint64_t* word,
                                                       weft_producer_t* producer) {
  if (fn == nullptr || bad(word) || producer == nullptr) return -EINVAL;
  rt::spawn_request request;
  const int wrong = rt::read_request(spawn, arg, request);
  if (wrong != 0) return wrong;
  if (request.work_first) return -EINVAL;
  const int failed = rt::boot::ensure_started();
  if (failed != 0) return failed;
  if (!rt::exists(request.where)) return -ERANGE;
  return rt::spawn_producer(rt::self(), fn, arg, WEFT_CALL_SITE, request, word, producer);
}

int weft_word_produce(uint64_t* word, weft_producer_t* producer, uint64_t value) {
  if (bad(word) || producer == nullptr) return -EINVAL;
  auto* named = std::launder(reinterpret_cast<rt::word_producer*>(producer));
  return rt::word_produce(word, *named, value);
}
