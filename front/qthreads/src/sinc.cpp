// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sincs: those of Weft, of which a qt_sinc_t holds the address.
#include <cstdlib>
#include <new>
#include <qthread/sinc.h>

#include <weft/sync.h>

#include "waiting.hpp"

namespace {

weft_sinc_t*& inside(qt_sinc_t* s) noexcept { return *reinterpret_cast<weft_sinc_t**>(s); }

// More than Weft counts to is a caller's mistake that must not pass as fewer.
uint32_t as_count(size_t n) noexcept {
  if (n > UINT32_MAX) std::abort();
  return static_cast<uint32_t>(n);
}

}  // namespace

void qt_sinc_init(qt_sinc_t* sinc, size_t sizeof_value, void const* initial_value, qt_sinc_op_f op,
                  size_t expect) {
  auto* made = new (std::nothrow) weft_sinc_t;
  const bool counts_only = sizeof_value == 0 || op == nullptr || initial_value == nullptr;
  // As there is no way to say so, a lack of memory ends the program.
  if (made == nullptr ||
      weft_sinc_init(made, counts_only ? nullptr : initial_value, counts_only ? 0 : sizeof_value,
                     counts_only ? nullptr : op, as_count(expect)) != 0)
    std::abort();
  inside(sinc) = made;
}

qt_sinc_t* qt_sinc_create(size_t sizeof_value, void const* initial_value, qt_sinc_op_f op,
                          size_t expect) {
  auto* sinc = static_cast<qt_sinc_t*>(std::malloc(sizeof(qt_sinc_t)));
  if (sinc != nullptr) qt_sinc_init(sinc, sizeof_value, initial_value, op, expect);
  return sinc;
}

void qt_sinc_reset(qt_sinc_t* sinc, size_t expect) {
  weft_sinc_reset(inside(sinc), as_count(expect));
}

void qt_sinc_fini(qt_sinc_t* sinc) {
  weft_sinc_destroy(inside(sinc));
  delete inside(sinc);
  inside(sinc) = nullptr;
}

void qt_sinc_destroy(qt_sinc_t* sinc) {
  if (sinc == nullptr) return;
  qt_sinc_fini(sinc);
  std::free(sinc);
}

void qt_sinc_expect(qt_sinc_t* sinc, size_t count) {
  weft_sinc_expect(inside(sinc), as_count(count));
}

void qt_sinc_submit(qt_sinc_t* sinc, void const* value) { weft_sinc_submit(inside(sinc), value); }

void qt_sinc_wait(qt_sinc_t* sinc, void* target) {
  weft_sinc_t* s = inside(sinc);
  weft::qt::try_then_wait([&] { return weft_sinc_try_wait(s, target); },
                          [&] { return weft_sinc_wait(s, target); });
}
