/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The name that programs for Qthreads include. */
#include "qthread/qthread.h"
