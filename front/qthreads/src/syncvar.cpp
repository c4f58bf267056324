// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Syncvars: those of Weft, which have the same layout.
#include <qthread/qthread.h>

#include <weft/word.h>

#include "waiting.hpp"

using weft::qt::result_of;
using weft::qt::try_then_wait;

static_assert(sizeof(syncvar_t) == sizeof(weft_syncvar_t));

namespace {

weft_syncvar_t* of(syncvar_t* v) noexcept { return reinterpret_cast<weft_syncvar_t*>(v); }

// The low bits of a syncvar (weft/word.h): full is 0, with writers that wait 2; empty is 4, with readers 6.
constexpr uint64_t state_bits = 15;
constexpr uint64_t is_empty = 4;
constexpr uint64_t has_waiters = 2;

}  // namespace

int qthread_syncvar_status(syncvar_t* const v) { return weft_syncvar_status(of(v)) == 0 ? 0 : 1; }

int qthread_syncvar_empty(syncvar_t* dest) { return result_of(weft_syncvar_empty(of(dest))); }

int qthread_syncvar_fill(syncvar_t* dest) { return result_of(weft_syncvar_fill(of(dest))); }

int qthread_syncvar_writeEF_const(syncvar_t* dest, uint64_t src) {
  return try_then_wait([&] { return weft_syncvar_try_write_ef(of(dest), src); },
                       [&] { return weft_syncvar_write_ef(of(dest), src); });
}

int qthread_syncvar_writeEF(syncvar_t* dest, uint64_t const* src) {
  return src != nullptr ? qthread_syncvar_writeEF_const(dest, *src) : QTHREAD_BADARGS;
}

int qthread_syncvar_writeEF_const_nb(syncvar_t* dest, uint64_t src) {
  return result_of(weft_syncvar_try_write_ef(of(dest), src));
}

int qthread_syncvar_writeEF_nb(syncvar_t* dest, uint64_t const* src) {
  return src != nullptr ? qthread_syncvar_writeEF_const_nb(dest, *src) : QTHREAD_BADARGS;
}

int qthread_syncvar_writeF_const(syncvar_t* dest, uint64_t src) {
  return result_of(weft_syncvar_write_f(of(dest), src));
}

int qthread_syncvar_writeF(syncvar_t* dest, uint64_t const* src) {
  return src != nullptr ? qthread_syncvar_writeF_const(dest, *src) : QTHREAD_BADARGS;
}

int qthread_syncvar_readFF(uint64_t* dest, syncvar_t* src) {
  return try_then_wait([&] { return weft_syncvar_try_read_ff(of(src), dest); },
                       [&] { return weft_syncvar_read_ff(of(src), dest); });
}

int qthread_syncvar_readFF_nb(uint64_t* dest, syncvar_t* src) {
  return result_of(weft_syncvar_try_read_ff(of(src), dest));
}

int qthread_syncvar_readFE(uint64_t* dest, syncvar_t* src) {
  return try_then_wait([&] { return weft_syncvar_try_read_fe(of(src), dest); },
                       [&] { return weft_syncvar_read_fe(of(src), dest); });
}

int qthread_syncvar_readFE_nb(uint64_t* dest, syncvar_t* src) {
  return result_of(weft_syncvar_try_read_fe(of(src), dest));
}

uint64_t qthread_syncvar_incrF(syncvar_t* operand, uint64_t inc) {
  for (;;) {
    uint64_t seen = __atomic_load_n(&operand->u.w, __ATOMIC_ACQUIRE);
    const uint64_t sum = ((seen >> 4) + inc) & WEFT_SYNCVAR_MAX;
    const uint64_t state = seen & state_bits;
    if (state == (is_empty | has_waiters)) {
      // Readers are to be served; only who finds it still empty does.
      if (weft_syncvar_try_write_ef(of(operand), sum) == 0) return sum;
    } else if (state == 0 || state == has_waiters || state == is_empty) {
      // Full it stays, with the writers that wait for it to become empty.
      const uint64_t after = sum << 4 | (state & has_waiters);
      if (__atomic_compare_exchange_n(&operand->u.w, &seen, after, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED))
        return sum;
    } else {
      qthread_yield_(0);  // somebody is at it
    }
  }
}
