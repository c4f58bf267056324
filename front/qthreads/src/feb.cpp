// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty words: those of Weft under their Qthreads names.
//
// A write from the word itself leaves what is there when it takes place, and only fills or empties.
#include <qthread/qthread.h>

#include <weft/embed.h>
#include <weft/word.h>

#include "waiting.hpp"

using weft::qt::result_of;
using weft::qt::try_then_wait;

int qthread_feb_status(aligned_t const* addr) { return weft_word_status(addr) == 0 ? 0 : 1; }

int qthread_empty(aligned_t const* dest) {
  return result_of(weft_word_empty(const_cast<aligned_t*>(dest)));
}

int qthread_fill(aligned_t const* dest) {
  return result_of(weft_word_fill(const_cast<aligned_t*>(dest)));
}

int qthread_writeEF_const(aligned_t* dest, aligned_t const src) {
  const int r =
      weft::qt::noted([=] { return weft_word_try_write_ef(dest, src); },
                      [=] { return weft_word_write_ef_noted(dest, src, weft::qt::count_wait); });
  weft::qt::end_where_team_is_over();
  return result_of(r);
}

int qthread_writeEF(aligned_t* dest, aligned_t const* src) {
  if (src == dest) [[unlikely]] {
    const int r =
        weft::qt::noted([=] { return weft_word_try_fill_ef(dest); },
                        [=] { return weft_word_fill_ef_noted(dest, weft::qt::count_wait); });
    weft::qt::end_where_team_is_over();
    return result_of(r);
  }
  return src != nullptr ? qthread_writeEF_const(dest, *src) : QTHREAD_BADARGS;
}

int qthread_writeEF_const_nb(aligned_t* dest, aligned_t const src) {
  return result_of(weft_word_try_write_ef(dest, src));
}

int qthread_writeEF_nb(aligned_t* dest, aligned_t const* src) {
  if (src == dest) return result_of(weft_word_try_fill_ef(dest));
  return src != nullptr ? qthread_writeEF_const_nb(dest, *src) : QTHREAD_BADARGS;
}

int qthread_writeF_const(aligned_t* dest, aligned_t src) {
  return result_of(weft_word_write_f(dest, src));
}

int qthread_writeF(aligned_t* dest, aligned_t const* src) {
  if (src == dest) return qthread_fill(dest);
  return src != nullptr ? qthread_writeF_const(dest, *src) : QTHREAD_BADARGS;
}

int qthread_writeFF_const(aligned_t* dest, aligned_t src) {
  return try_then_wait([&] { return weft_word_try_write_ff(dest, src); },
                       [&] { return weft_word_write_ff(dest, src); });
}

int qthread_writeFF(aligned_t* dest, aligned_t const* src) {
  if (src == dest) return qthread_readFF(nullptr, dest);
  return src != nullptr ? qthread_writeFF_const(dest, *src) : QTHREAD_BADARGS;
}

int qthread_purge(aligned_t* dest) { return result_of(weft_word_purge(dest)); }

int qthread_purge_to_const(aligned_t* dest, aligned_t purgeVal) {
  return result_of(weft_word_purge_to(dest, purgeVal));
}

int qthread_purge_to(aligned_t* dest, aligned_t const* src) {
  if (src == dest) return qthread_empty(dest);
  return src != nullptr ? qthread_purge_to_const(dest, *src) : QTHREAD_BADARGS;
}

int qthread_readFF(aligned_t* dest, aligned_t const* src) {
  const int r =
      weft::qt::noted([=] { return weft_word_try_read_ff(src, dest); },
                      [=] { return weft_word_read_ff_noted(src, dest, weft::qt::count_wait); });
  weft::qt::end_where_team_is_over();
  if (r == 0) [[likely]]
    return QTHREAD_SUCCESS;
  return result_of(r);
}

int qthread_readFF_nb(aligned_t* dest, aligned_t const* src) {
  return result_of(weft_word_try_read_ff(src, dest));
}

int qthread_readFE(aligned_t* dest, aligned_t const* src) {
  auto* const from = const_cast<aligned_t*>(src);
  const int r =
      weft::qt::noted([=] { return weft_word_try_read_fe(from, dest); },
                      [=] { return weft_word_read_fe_noted(from, dest, weft::qt::count_wait); });
  weft::qt::end_where_team_is_over();
  return result_of(r);
}

int qthread_readFE_nb(aligned_t* dest, aligned_t const* src) {
  return result_of(weft_word_try_read_fe(const_cast<aligned_t*>(src), dest));
}

int qthread_readXX(aligned_t* dest, aligned_t const* src) {
  return result_of(weft_word_read_xx(src, dest));
}
