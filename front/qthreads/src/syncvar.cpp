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
  uint64_t sum = 0;
  weft_syncvar_add_f(of(operand), inc, &sum);
  return sum;
}
