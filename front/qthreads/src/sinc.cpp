// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sincs. One that only counts owns no memory, so programs need not end it; one with values is Weft's.
//
// Orders
//   every submission -> the last one, which fills `ready` -> who waits for it
#include <atomic>
#include <cstdlib>
#include <new>
#include <qthread/sinc.h>

#include <weft/sync.h>
#include <weft/word.h>

#include "waiting.hpp"

namespace {

struct inside {
  std::atomic<std::size_t> left;  // submissions that are expected
  weft_syncvar_t ready;           // full when none is
  weft_sinc_t* values;            // if not null, all is done there
};
static_assert(sizeof(inside) == sizeof(qt_sinc_t) && alignof(inside) <= alignof(qt_sinc_t));

inside& of(qt_sinc_t* s) noexcept { return *reinterpret_cast<inside*>(s); }

// More than Weft counts to is a caller's mistake that must not pass as fewer.
uint32_t as_count(size_t n) noexcept {
  if (n > UINT32_MAX) std::abort();
  return static_cast<uint32_t>(n);
}

// As there is no way to say so, a lack of memory ends the program.
weft_sinc_t* with_values(size_t bytes, void const* initial, qt_sinc_op_f op,
                         size_t expect) noexcept {
  auto* made = new (std::nothrow) weft_sinc_t;
  if (made == nullptr || weft_sinc_init(made, initial, bytes, op, as_count(expect)) != 0)
    std::abort();
  return made;
}

}  // namespace

void qt_sinc_init(qt_sinc_t* sinc, size_t sizeof_value, void const* initial_value, qt_sinc_op_f op,
                  size_t expect) {
  auto* s = new (sinc) inside{};
  s->left.store(expect, std::memory_order_relaxed);
  s->ready = weft_syncvar_t WEFT_SYNCVAR_INIT;
  if (expect != 0) s->ready = weft_syncvar_t WEFT_SYNCVAR_INIT_EMPTY;
  if (sizeof_value != 0 && op != nullptr && initial_value != nullptr)
    s->values = with_values(sizeof_value, initial_value, op, expect);
}

qt_sinc_t* qt_sinc_create(size_t sizeof_value, void const* initial_value, qt_sinc_op_f op,
                          size_t expect) {
  auto* sinc = static_cast<qt_sinc_t*>(std::malloc(sizeof(qt_sinc_t)));
  if (sinc != nullptr) qt_sinc_init(sinc, sizeof_value, initial_value, op, expect);
  return sinc;
}

void qt_sinc_reset(qt_sinc_t* sinc, size_t expect) {
  inside& s = of(sinc);
  if (s.values != nullptr) {
    weft_sinc_reset(s.values, as_count(expect));
    return;
  }
  s.left.store(expect, std::memory_order_relaxed);
  if (expect != 0)
    weft_syncvar_empty(&s.ready);
  else
    weft_syncvar_fill(&s.ready);
}

void qt_sinc_fini(qt_sinc_t* sinc) {
  inside& s = of(sinc);
  if (s.values == nullptr) return;
  weft_sinc_destroy(s.values);
  delete s.values;
  s.values = nullptr;
}

void qt_sinc_destroy(qt_sinc_t* sinc) {
  if (sinc == nullptr) return;
  qt_sinc_fini(sinc);
  std::free(sinc);
}

void qt_sinc_expect(qt_sinc_t* sinc, size_t count) {
  inside& s = of(sinc);
  if (s.values != nullptr)
    weft_sinc_expect(s.values, as_count(count));
  else if (count != 0 && s.left.fetch_add(count, std::memory_order_relaxed) == 0)
    weft_syncvar_empty(&s.ready);
}

void qt_sinc_submit(qt_sinc_t* sinc, void const* value) {
  inside& s = of(sinc);
  if (s.values != nullptr)
    weft_sinc_submit(s.values, value);
  else if (s.left.fetch_sub(1, std::memory_order_acq_rel) == 1)
    weft_syncvar_fill(&s.ready);  // last use of *sinc
}

void qt_sinc_wait(qt_sinc_t* sinc, void* target) {
  inside& s = of(sinc);
  if (s.values != nullptr) {
    weft::qt::try_then_wait([&] { return weft_sinc_try_wait(s.values, target); },
                            [&] { return weft_sinc_wait(s.values, target); });
    return;
  }
  weft::qt::try_then_wait([&] { return weft_syncvar_try_read_ff(&s.ready, nullptr); },
                          [&] { return weft_syncvar_read_ff(&s.ready, nullptr); });
}
