/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Weft: stackful user-level threads at the price of a function call. The C API, whole. */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include "weft/cancel.h"   // IWYU pragma: export
#include "weft/case.h"     // IWYU pragma: export
#include "weft/channel.h"  // IWYU pragma: export
#include "weft/embed.h"    // IWYU pragma: export
#include "weft/fd.h"       // IWYU pragma: export
#include "weft/fork.h"     // IWYU pragma: export
#include "weft/lock.h"     // IWYU pragma: export
#include "weft/loop.h"     // IWYU pragma: export
#include "weft/message.h"  // IWYU pragma: export
#include "weft/place.h"    // IWYU pragma: export
#include "weft/pool.h"     // IWYU pragma: export
#include "weft/report.h"   // IWYU pragma: export
#include "weft/runtime.h"  // IWYU pragma: export
#include "weft/select.h"   // IWYU pragma: export
#include "weft/sync.h"     // IWYU pragma: export
#include "weft/task.h"     // IWYU pragma: export
#include "weft/team.h"     // IWYU pragma: export
#include "weft/time.h"     // IWYU pragma: export
#include "weft/types.h"    // IWYU pragma: export
#include "weft/word.h"     // IWYU pragma: export

#endif /* WEFT_WEFT_H */
