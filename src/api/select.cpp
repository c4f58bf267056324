// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/select.h: arguments are checked here, the work is done below.
#include "sync/select.hpp"
#include "sync/wait.hpp"

#include <cerrno>

#include <weft/select.h>

#include "api/site.hpp"

namespace rt = weft::rt;

__attribute__((noinline)) int weft_case_select(weft_case_t* cases, size_t count) {
  if (cases == nullptr && count != 0) return -EINVAL;
  return rt::select(cases, count, rt::forever, WEFT_CALL_SITE);
}

int weft_case_try_select(weft_case_t* cases, size_t count) {
  if (cases == nullptr && count != 0) return -EINVAL;
  return rt::try_select(cases, count);
}

__attribute__((noinline)) int weft_case_select_until(weft_case_t* cases, size_t count,
                                                     int64_t deadline_ns) {
  if (cases == nullptr && count != 0) return -EINVAL;
  return rt::select(cases, count, deadline_ns, WEFT_CALL_SITE);
}
