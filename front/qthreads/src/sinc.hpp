// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a sinc is made of, and the submission of nothing, which most tasks end with.
#pragma once

#include <qthread/sinc.h>

#include <weft/sync.h>

namespace weft::qt {

class sinc_values;

struct inside_sinc {
  weft_latch_t left;    // submissions that are expected
  sinc_values* values;  // null: it only counts
};
static_assert(sizeof(inside_sinc) == sizeof(qt_sinc_t) &&
              alignof(inside_sinc) <= alignof(qt_sinc_t));

inline inside_sinc& inside(qt_sinc_t* s) noexcept { return *reinterpret_cast<inside_sinc*>(s); }

// As qt_sinc_submit without a value.
inline void submit_nothing(qt_sinc_t* sinc) noexcept {
  weft_latch_count_down(&inside(sinc).left, 1);  // last use of *sinc
}

}  // namespace weft::qt
