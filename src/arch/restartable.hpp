// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A store that happens only if a word is still what it was, for less than a compare-and-swap:
// nothing comes between the look and the store but what another thread does to the word.
//
// What another thread does is lost if it falls between the two. So who wants to be seen changes the
// word so that the look refuses it, and then ends all stores under way (os::restart_others): from
// then on the look of each sees the change. The kernel does it by restartable sequences (rseq(2)):
// a thread that it interrupts between its look and its store goes on at `restarted`. Without them,
// and for a thread sanitizer, which sees no assembly, there is no such store.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/build.hpp"

#if defined(__x86_64__) && defined(__LP64__) && __has_include(<sys/rseq.h>)
#include "arch/x86_64/restartable.hpp"
#else
#include "arch/portable/restartable.hpp"
#endif
