// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/word.h: arguments are checked here, the work is done below.
#include "sync/word.hpp"

#include <cerrno>

#include <weft/word.h>

#include "sync/syncvar.hpp"

namespace rt = weft::rt;

namespace {

bool bad(const void* word) noexcept {
  const auto at = reinterpret_cast<uintptr_t>(word);
  return at == 0 || at % sizeof(uint64_t) != 0;
}

// The smallest deadline stands for the try form inside.
int64_t past_at_worst(int64_t deadline_ns) noexcept {
  return deadline_ns == rt::at_once ? deadline_ns + 1 : deadline_ns;
}

int bad_write(const void* var, uint64_t value) noexcept {
  if (bad(var)) return -EINVAL;
  return value > rt::syncvar_max ? -EOVERFLOW : 0;
}

}  // namespace

int weft_word_status(const uint64_t* word) { return bad(word) ? -EINVAL : rt::word_is_full(word); }

int weft_word_empty(uint64_t* word) { return bad(word) ? -EINVAL : rt::word_empty(word); }

int weft_word_fill(uint64_t* word) { return bad(word) ? -EINVAL : rt::word_fill(word); }

int weft_word_purge(uint64_t* word) { return bad(word) ? -EINVAL : rt::word_purge_to(word, 0); }

int weft_word_purge_to(uint64_t* word, uint64_t value) {
  return bad(word) ? -EINVAL : rt::word_purge_to(word, value);
}

int weft_word_write_f(uint64_t* word, uint64_t value) {
  return bad(word) ? -EINVAL : rt::word_write_f(word, value);
}

int weft_word_read_xx(const uint64_t* word, uint64_t* out) {
  if (bad(word)) return -EINVAL;
  const uint64_t value = rt::word_read_xx(word);
  if (out != nullptr && out != word) *out = value;
  return 0;
}

__attribute__((noinline)) int weft_word_read_ff(const uint64_t* word, uint64_t* out) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_read_ff(word, out, rt::forever, WEFT_CALL_SITE);
}

int weft_word_try_read_ff(const uint64_t* word, uint64_t* out) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_read_ff(word, out, rt::at_once, nullptr);
}

__attribute__((noinline)) int weft_word_read_ff_until(const uint64_t* word, uint64_t* out,
                                                      int64_t deadline_ns) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_read_ff(word, out, past_at_worst(deadline_ns), WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_word_read_fe(uint64_t* word, uint64_t* out) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_read_fe(word, out, rt::forever, WEFT_CALL_SITE);
}

int weft_word_try_read_fe(uint64_t* word, uint64_t* out) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_read_fe(word, out, rt::at_once, nullptr);
}

__attribute__((noinline)) int weft_word_read_fe_until(uint64_t* word, uint64_t* out,
                                                      int64_t deadline_ns) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_read_fe(word, out, past_at_worst(deadline_ns), WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_word_write_ef(uint64_t* word, uint64_t value) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_write_ef(word, value, rt::forever, WEFT_CALL_SITE);
}

int weft_word_try_write_ef(uint64_t* word, uint64_t value) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_write_ef(word, value, rt::at_once, nullptr);
}

__attribute__((noinline)) int weft_word_write_ef_until(uint64_t* word, uint64_t value,
                                                       int64_t deadline_ns) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_write_ef(word, value, past_at_worst(deadline_ns), WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_word_write_ff(uint64_t* word, uint64_t value) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_write_ff(word, value, rt::forever, WEFT_CALL_SITE);
}

int weft_word_try_write_ff(uint64_t* word, uint64_t value) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_write_ff(word, value, rt::at_once, nullptr);
}

__attribute__((noinline)) int weft_word_write_ff_until(uint64_t* word, uint64_t value,
                                                       int64_t deadline_ns) {
  if (bad(word)) [[unlikely]]
    return -EINVAL;
  return rt::word_write_ff(word, value, past_at_worst(deadline_ns), WEFT_CALL_SITE);
}

int weft_syncvar_status(const weft_syncvar_t* syncvar) {
  return bad(syncvar) ? -EINVAL : rt::syncvar_is_full(&syncvar->bits);
}

int weft_syncvar_empty(weft_syncvar_t* syncvar) {
  return bad(syncvar) ? -EINVAL : rt::syncvar_empty(&syncvar->bits);
}

int weft_syncvar_fill(weft_syncvar_t* syncvar) {
  return bad(syncvar) ? -EINVAL : rt::syncvar_fill(&syncvar->bits);
}

int weft_syncvar_write_f(weft_syncvar_t* syncvar, uint64_t value) {
  const int refused = bad_write(syncvar, value);
  return refused != 0 ? refused : rt::syncvar_write_f(&syncvar->bits, value);
}

int weft_syncvar_add_f(weft_syncvar_t* syncvar, uint64_t increment, uint64_t* out) {
  if (bad(syncvar)) return -EINVAL;
  uint64_t sum = 0;
  const int failed = rt::syncvar_add_f(&syncvar->bits, increment, sum);
  if (failed == 0 && out != nullptr) *out = sum;
  return failed;
}

int weft_syncvar_read_xx(const weft_syncvar_t* syncvar, uint64_t* out) {
  if (bad(syncvar)) return -EINVAL;
  const uint64_t value = rt::syncvar_read_xx(&syncvar->bits);
  if (out != nullptr) *out = value;
  return 0;
}

__attribute__((noinline)) int weft_syncvar_read_ff(const weft_syncvar_t* syncvar, uint64_t* out) {
  if (bad(syncvar)) [[unlikely]]
    return -EINVAL;
  return rt::syncvar_read_ff(&syncvar->bits, out, rt::forever, WEFT_CALL_SITE);
}

int weft_syncvar_try_read_ff(const weft_syncvar_t* syncvar, uint64_t* out) {
  if (bad(syncvar)) [[unlikely]]
    return -EINVAL;
  return rt::syncvar_read_ff(&syncvar->bits, out, rt::at_once, nullptr);
}

__attribute__((noinline)) int weft_syncvar_read_ff_until(const weft_syncvar_t* syncvar,
                                                         uint64_t* out, int64_t deadline_ns) {
  if (bad(syncvar)) [[unlikely]]
    return -EINVAL;
  return rt::syncvar_read_ff(&syncvar->bits, out, past_at_worst(deadline_ns), WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_syncvar_read_fe(weft_syncvar_t* syncvar, uint64_t* out) {
  if (bad(syncvar)) [[unlikely]]
    return -EINVAL;
  return rt::syncvar_read_fe(&syncvar->bits, out, rt::forever, WEFT_CALL_SITE);
}

int weft_syncvar_try_read_fe(weft_syncvar_t* syncvar, uint64_t* out) {
  if (bad(syncvar)) [[unlikely]]
    return -EINVAL;
  return rt::syncvar_read_fe(&syncvar->bits, out, rt::at_once, nullptr);
}

__attribute__((noinline)) int weft_syncvar_read_fe_until(weft_syncvar_t* syncvar, uint64_t* out,
                                                         int64_t deadline_ns) {
  if (bad(syncvar)) [[unlikely]]
    return -EINVAL;
  return rt::syncvar_read_fe(&syncvar->bits, out, past_at_worst(deadline_ns), WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_syncvar_write_ef(weft_syncvar_t* syncvar, uint64_t value) {
  const int refused = bad_write(syncvar, value);
  if (refused != 0) [[unlikely]]
    return refused;
  return rt::syncvar_write_ef(&syncvar->bits, value, rt::forever, WEFT_CALL_SITE);
}

int weft_syncvar_try_write_ef(weft_syncvar_t* syncvar, uint64_t value) {
  const int refused = bad_write(syncvar, value);
  if (refused != 0) [[unlikely]]
    return refused;
  return rt::syncvar_write_ef(&syncvar->bits, value, rt::at_once, nullptr);
}

__attribute__((noinline)) int weft_syncvar_write_ef_until(weft_syncvar_t* syncvar, uint64_t value,
                                                          int64_t deadline_ns) {
  const int refused = bad_write(syncvar, value);
  if (refused != 0) [[unlikely]]
    return refused;
  return rt::syncvar_write_ef(&syncvar->bits, value, past_at_worst(deadline_ns), WEFT_CALL_SITE);
}

__attribute__((noinline)) int weft_syncvar_write_ff(weft_syncvar_t* syncvar, uint64_t value) {
  const int refused = bad_write(syncvar, value);
  if (refused != 0) [[unlikely]]
    return refused;
  return rt::syncvar_write_ff(&syncvar->bits, value, rt::forever, WEFT_CALL_SITE);
}

int weft_syncvar_try_write_ff(weft_syncvar_t* syncvar, uint64_t value) {
  const int refused = bad_write(syncvar, value);
  if (refused != 0) [[unlikely]]
    return refused;
  return rt::syncvar_write_ff(&syncvar->bits, value, rt::at_once, nullptr);
}

__attribute__((noinline)) int weft_syncvar_write_ff_until(weft_syncvar_t* syncvar, uint64_t value,
                                                          int64_t deadline_ns) {
  const int refused = bad_write(syncvar, value);
  if (refused != 0) [[unlikely]]
    return refused;
  return rt::syncvar_write_ff(&syncvar->bits, value, past_at_worst(deadline_ns), WEFT_CALL_SITE);
}
